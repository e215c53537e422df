# SPDX-License-Identifier: Apache-2.0
"""Lines lost, repeated and out of order while the agent is killed or stopped and its file rotates."""
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "process"))
from agent import Agent, tail, to_file  # noqa: E402
from lines import Writer, verdict_of  # noqa: E402

# name: (rotation, how it is stopped, seconds between stops)
WAYS = {"rename": ("rename", None, 0), "copytruncate": ("copytruncate", None, 0),
        "TERM every 3 s": ("rename", "stop", 3), "kill -9 every 2 s": ("rename", "kill", 2)}


def torture(name, seconds, rate, work):
    rotation, how, every = WAYS[name]
    folder = Path(tempfile.mkdtemp(dir=work))
    out, log = folder / "out.log", folder / "app.log"
    agent = Agent(folder).configure(tail(f"{log}*", rotate_wait=5), to_file(out), log_level="warn").start()
    writer = Writer(log, rate=rate, rotate=rotation, every=5)
    begin, stops = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        time.sleep(every or 0.5)
        if how:
            getattr(agent, how)()
            agent.start()
            stops += 1
    written = writer.stop()
    deadline = time.monotonic() + 25
    while (verdict := verdict_of(out, written)).lost and time.monotonic() < deadline:
        time.sleep(0.5)
    agent.stop()
    verdict = verdict_of(out, written)
    shutil.rmtree(folder, ignore_errors=True)
    return {"stops": stops, "written": written, "lost": len(verdict.lost), "duplicated": verdict.duplicated,
            "out_of_order": verdict.disorder}
