# SPDX-License-Identifier: Apache-2.0
"""Draws the throughput as bars, for light and for dark pages."""
from html import escape

from throughput import TITLES

WIDTH, LEFT, BAR, GAP, HEAD = 820, 110, 20, 6, 34
COLOURS = {"logweir": "#2f81f7", "limit": "#8b949e", "rsyslog": "#d29922", "syslog-ng": "#a371f7"}
STYLE = """text { font: 13px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 } .note { fill: #57606a }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .note { fill: #9198a1 } }"""


def draw(throughput, note):
    """The picture's text. Bars of one road share a scale."""
    parts, y = [], 8
    for road, rows in throughput.items():
        y += HEAD
        parts.append(f'<text class="title" x="0" y="{y - 10}">{escape(TITLES[road])}, MB/s of input</text>')
        most = max(f["mb_per_s"] for f in rows.values())
        for agent, figures in rows.items():
            length = max(2, figures["mb_per_s"] / most * (WIDTH - LEFT - 280))
            said = f"{figures['mb_per_s']:.0f} MB/s · {figures['cpu_s_per_gb']:.2f} CPU s/GB · {figures['peak_mb']:.0f} MB"
            parts += [f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{escape(agent)}</text>',
                      f'<rect x="{LEFT}" y="{y}" width="{length:.0f}" height="{BAR}" rx="3" fill="{COLOURS.get(agent, "#8b949e")}"/>',
                      f'<text x="{LEFT + length + 8:.0f}" y="{y + 15}">{escape(said)}</text>']
            y += BAR + GAP
    y += 24
    parts.append(f'<text class="note" x="0" y="{y}">{escape(note)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 12}" viewBox="0 0 {WIDTH} {y + 12}">'
            f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n")
