# SPDX-License-Identifier: Apache-2.0
"""The spool: what a group saves, what the disk allows, ways to write, an outage, a dead sibling."""
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import corpus
from agents import TOOLS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "process"))
from agent import Agent, tail  # noqa: E402
from waiting import free_port  # noqa: E402

SIZES = ((4096, 1), (4096, 64), (65536, 1), (65536, 64))  # bytes of a batch, batches in a group


def _tool(work, what, *arguments):
    folder = Path(tempfile.mkdtemp(dir=work))
    command = [TOOLS / "bench_spool", what, folder, *map(str, arguments)]
    try:
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _median(rows):
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


def group(work, rounds, seconds=2):
    """64 writers of 4 KiB: a sync for each batch and a sync for each group, in turns; by what a sync is made longer."""
    rows = []
    for longer in (0, 2):
        runs = [[_tool(work, "group", mode, longer, seconds) for mode in ("each", "group")] for _ in range(rounds)]
        each, grouped = (_median([run[i] for run in runs]) for i in (0, 1))
        ratio = statistics.median(g["per_second"] / e["per_second"] for e, g in runs)
        rows.append({"longer_ms": longer, "each": each, "group": grouped, "ratio": ratio,
                     "of_two_syncs": statistics.median(g["added_p99"] / (2 * g["sync_p99"]) for _, g in runs)})
    return rows


def beside(work, rounds):
    """A spool and a plain program that syncs as often, in turns."""
    return [{"batch": 65536, "at_once": at_once,
             **_median([{**(r := _tool(work, "beside", 65536, at_once, times)), "ratio": r["spool_mb_s"] / r["plain_mb_s"]}
                        for _ in range(rounds)])}
            for at_once, times in ((1, 600), (64, 96))]


def opening(work):
    return _tool(work, "open", 10_000)


def ways(work, rounds):
    """By way and size: megabytes in a second, milliseconds of a group, microseconds of processor time."""
    found = {}
    for batch, at_once in SIZES:
        runs = [_tool(work, "ways", batch, at_once, 48 if batch * at_once > 1 << 20 else 200) for _ in range(rounds)]
        for name in runs[0]:
            found.setdefault(name, {})[f"{batch // 1024} KiB x {at_once}"] = _median([run[name] for run in runs])
    return found


class Memory(threading.Thread):
    """Looks at the resident memory of a process again and again."""

    def __init__(self, agent):
        super().__init__(daemon=True)
        self.agent, self.seen, self.going = agent, [], True
        self.start()

    def run(self):
        while self.going and self.agent.running():
            try:
                self.seen.append((time.monotonic(), self.agent.memory_mb("VmRSS")))
            except OSError:
                return
            time.sleep(0.1)

    def peak(self, begin, end):
        return max((mb for at, mb in self.seen if begin <= at < end), default=0)


def _to_tcp(port, **more):
    return {"name": "tcp", "match": "*", "host": "127.0.0.1", "port": port, "format": "json_lines",
            "backoff_base": "100ms", "backoff_cap": "500ms", "when_full": "spill", **more}


def outage(work, rate, seconds, live=5, after=10):
    """tail to tcp with a peer that goes away; memory by phase, the catching up, the delay afterwards."""
    folder = Path(tempfile.mkdtemp(dir=work))
    log, port = folder / "in.log", free_port()
    log.write_text("")
    command = [TOOLS / "bench_outage", log, port, rate, live, seconds, after]
    tool = subprocess.Popen(list(map(str, command)), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    tool.stdout.readline()
    agent = Agent(folder).configure(tail(log), _to_tcp(port), log_level="warn").start()
    memory = Memory(agent)
    highest = {"pool": 0, "disk": 0}
    try:
        threading.Thread(target=_watch, args=(agent, memory, highest), daemon=True).start()
        out, _ = tool.communicate("go\n", live + seconds + after + 330)
        row = json.loads(out)
        row["budget_mb"] = (agent.metric("logweir_pool_limit_bytes") or 0) / 2**20
        row["discrepancy"] = agent.metric("logweir_ledger_discrepancy")
    finally:
        memory.going = False
        tool.kill()
        agent.stop()
        shutil.rmtree(folder, ignore_errors=True)
    row["live_mb"] = memory.peak(row["begin"], row["down"])
    # In the first seconds the queue in memory fills up; from then on nothing may grow.
    third = (row["up"] - row["down"]) / 3
    row["early_mb"] = memory.peak(row["down"], row["down"] + third)
    row["late_mb"] = memory.peak(row["up"] - third, row["up"])
    row["catch_up_mb"] = memory.peak(row["up"], row["caught"] + 0.1)
    row["pool_mb"], row["spool_mb"] = highest["pool"] / 2**20, highest["disk"] / 2**20
    return {"rate": rate, "outage": seconds, **row}


def _watch(agent, memory, highest):
    while memory.going and agent.running():
        try:
            highest["pool"] = max(highest["pool"], agent.metric("logweir_pool_bytes") or 0)
            highest["disk"] = max(highest["disk"], agent.metric("logweir_spool_bytes") or 0)
        except AssertionError:
            return
        time.sleep(0.5)


def _unbounded(work, path, lines, dead):
    """Megabytes in a second that reach an output, alone or beside one that is refused."""
    folder = Path(tempfile.mkdtemp(dir=work))
    port, nobody = free_port(), free_port()
    outputs = [_to_tcp(port, alias="live")] + ([_to_tcp(nobody, alias="dead")] if dead else [])
    sink = subprocess.Popen([TOOLS / "bench_sink", str(port), str(lines)], stdout=subprocess.PIPE)
    agent = Agent(folder).configure(tail(path), outputs, log_level="error").start(ready=False)
    try:
        row = json.loads(sink.communicate(timeout=120)[0])
        return row["bytes"] / row["seconds"] / 1e6
    finally:
        sink.kill()
        agent.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _paced(work, rate, seconds, dead):
    """Delay and share received in time of an output, alone or beside one that is refused."""
    folder = Path(tempfile.mkdtemp(dir=work))
    log, port, nobody = folder / "in.log", free_port(), free_port()
    log.write_text("")
    outputs = [_to_tcp(port, alias="live")] + ([_to_tcp(nobody, alias="dead")] if dead else [])
    command = [TOOLS / "bench_probe", log, port, rate, seconds]
    probe = subprocess.Popen(list(map(str, command)), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    probe.stdout.readline()
    agent = Agent(folder).configure(tail(log), outputs, log_level="error").start()
    try:
        row = json.loads(probe.communicate("go\n", seconds + 30)[0])
        return {"share": row["received"] / row["sent"], "p50": row["p50"], "p99": row["p99"]}
    finally:
        probe.kill()
        agent.kill()
        shutil.rmtree(folder, ignore_errors=True)


def sibling(work, rates, seconds, megabytes, rounds):
    """At each rate, and as fast as a file can be read: alone and beside a dead output, in turns."""
    rows = []
    for rate in rates:
        runs = [[_paced(work, rate, seconds, dead) for dead in (False, True)] for _ in range(rounds)]
        alone, beside_dead = (_median([run[i] for run in runs]) for i in (0, 1))
        rows.append({"rate": rate, "alone": alone, "beside": beside_dead})
    path, lines = corpus.make(work, "access", megabytes)
    runs = [[_unbounded(work, path, lines, dead) for dead in (False, True)] for _ in range(rounds)]
    alone, beside_dead = (statistics.median(run[i] for run in runs) for i in (0, 1))
    return rows, {"alone_mb_s": alone, "beside_mb_s": beside_dead, "ratio": statistics.median(b / a for a, b in runs)}


def _line(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def measure(work, rounds, seconds, say):
    """All of it; `say` gets lines of text as they come."""
    found = {}
    say("\n64 writers of 4 KiB, one spool\n\n| each sync | per second, a sync for each | for a group | ratio | batches in a "
        "sync | sync p50 / p99 ms | added p99 ms | of two syncs at p99 |\n|---|---|---|---|---|---|---|---|")
    found["group"] = group(work, rounds)
    for row in found["group"]:
        g = row["group"]
        say(_line("the disk's" if row["longer_ms"] == 0 else f"{row['longer_ms']} ms longer", f"{row['each']['per_second']:.0f}",
                  f"{g['per_second']:.0f}", f"{row['ratio']:.1f}", f"{g['per_sync']:.1f}",
                  f"{g['sync_p50']:.2f} / {g['sync_p99']:.2f}", f"{g['added_p99']:.2f}", f"{row['of_two_syncs']:.2f}"))
    say("\n64 KiB batches beside a plain synced writer\n\n| at once | spool MB/s | plain MB/s | ratio | spool p50 / p99 ms | "
        "plain p50 / p99 ms |\n|---|---|---|---|---|---|")
    found["beside"] = beside(work, rounds)
    for r in found["beside"]:
        say(_line(r["at_once"], f"{r['spool_mb_s']:.0f}", f"{r['plain_mb_s']:.0f}", f"{r['ratio']:.2f}",
                  f"{r['spool_p50']:.2f} / {r['spool_p99']:.2f}", f"{r['plain_p50']:.2f} / {r['plain_p99']:.2f}"))
    found["open"] = opening(work)
    say(f"\nopening {found['open']['segments']} segments of backlog: {found['open']['ms']:.0f} ms "
        f"(worst {found['open']['worst_ms']:.0f})")
    found["outage"] = o = outage(work, 50_000, seconds)
    say(f"\ntail to tcp, {o['rate']} lines/s, the peer away for {o['outage']:g} s\n\n| resident MB live / early in the outage / "
        "late / catching up | pool MB of budget | spool MB | catch-up lines/s | of arrival | delay p99 ms before / after | "
        "received |\n|---|---|---|---|---|---|---|")
    say(_line(" / ".join(f"{o[k]:.0f}" for k in ("live_mb", "early_mb", "late_mb", "catch_up_mb")),
              f"{o['pool_mb']:.0f} of {o['budget_mb']:.0f}", f"{o['spool_mb']:.0f}", f"{o['catch_up_lines_s']:.0f}",
              f"{o['catch_up_lines_s'] / o['rate']:.1f}", f"{o['before_p99']:.2f} / {o['after_p99']:.2f}",
              f"{o['received']} of {o['sent']}"))
    if o["discrepancy"] != 0:
        say(f"the agent's ledger is off by {o['discrepancy']}")
    say("\na live output beside one that is refused\n\n| lines/s | received alone / beside | delay p99 ms alone / beside |\n"
        "|---|---|---|")
    rows, unbounded = sibling(work, (50_000, 200_000), 5, 1024, rounds)
    found["sibling"], found["sibling_unbounded"] = rows, unbounded
    for r in rows:
        say(_line(r["rate"], f"{r['alone']['share']:.4f} / {r['beside']['share']:.4f}",
                  f"{r['alone']['p99']:.2f} / {r['beside']['p99']:.2f}"))
    say(f"\nas fast as a file is read (1 GiB): {unbounded['alone_mb_s']:.0f} MB/s alone, "
        f"{unbounded['beside_mb_s']:.0f} beside ({unbounded['ratio']:.2f})")
    found["ways"] = ways(work, rounds)
    sizes = list(next(iter(found["ways"].values())))
    say("\nways to write, on 8 MiB files: MB/s (ms of a group at p50; microseconds of processor time)\n\n"
        + _line("way", *sizes) + "\n" + "|---" * (len(sizes) + 1) + "|")
    for name, cells in found["ways"].items():
        say(_line(name, *(f"{c['mb_s']:.0f} ({c['p50']:.2f}; {c['cpu_us']:.0f})" for c in (cells[size] for size in sizes))))
    return found
