# SPDX-License-Identifier: Apache-2.0
"""MB/s of input, processor seconds per GB of input, and peak memory of each agent on each road."""
import json
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import corpus
from agents import AGENTS, TOOLS, Job
from process import Measured

# name: (source, target, parse, kind of log)
ROADS = {
    "file_tcp": ("file", "tcp", "", "access"),
    "file_file": ("file", "file", "", "access"),
    "json_tcp": ("file", "tcp", "json", "json"),
    "tcp_tcp": ("tcp", "tcp", "", "plain"),
}
TITLES = {"file_tcp": "tail to tcp, JSON lines", "file_file": "tail to file, JSON lines",
          "json_tcp": "tail, parsed as JSON, to tcp", "tcp_tcp": "tcp to tcp, JSON lines"}
LONGEST = 180


def run(road, agent, megabytes, work, ports):
    """One run of one agent: its figures, or nothing when the agent is not here."""
    source, target, parse, kind = ROADS[road]
    path, lines = corpus.make(work, kind, megabytes)
    folder = Path(tempfile.mkdtemp(dir=work))
    job = Job(folder, "tcp" if source == "tcp" else path, "tcp" if target == "tcp" else folder / "out.log", parse, ports(), ports())
    try:
        told = AGENTS[agent](job)
        return _measure(job, *told, path, lines) if told else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measure(job, command, environment, path, lines):
    sink = feeder = None
    if job.target == "tcp":
        sink = subprocess.Popen([TOOLS / "bench_sink", str(job.connect), str(lines)], stdout=subprocess.PIPE)
        _wait_for(job.connect)
    begin = time.monotonic()
    agent = Measured(command, environment, job.folder / "log")
    try:
        if job.source == "tcp":
            _wait_for(job.listen)
            begin = time.monotonic()
            feeder = subprocess.Popen([TOOLS / "bench_feeder", str(path), str(job.listen)])
        end = _until_done(agent, sink, job, begin)
    finally:
        for other in (feeder, sink):
            if other and other.poll() is None:
                other.terminate()
        agent.stop()
    got = json.loads(sink.communicate()[0])["lines"] if sink else _count(job.target)
    size = path.stat().st_size
    return {"mb_per_s": size / 1e6 / (end - begin), "cpu_s_per_gb": agent.cpu / (size / 1e9), "peak_mb": agent.peak_mb,
            "delivered": got, "lines": lines}


def _until_done(agent, sink, job, begin):
    """The time at which the last byte was out."""
    last, size = time.monotonic(), -1
    while time.monotonic() - begin < LONGEST:
        alive = agent.alive()
        if sink:
            if sink.poll() is not None:
                return time.monotonic()
            if not alive and time.monotonic() - last > 2:
                return time.monotonic()
            last = time.monotonic() if alive else last
        else:
            now = job.target.stat().st_size if job.target.exists() else 0
            if now != size:
                size, last = now, time.monotonic()
            elif (size and time.monotonic() - last > 1) or (not alive and time.monotonic() - last > 0.2):
                return last
        time.sleep(0.005)
    return time.monotonic()


def _wait_for(port):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"nobody listens at {port}")


def _count(path):
    if not path.exists():
        return 0
    with open(path, "rb") as file:
        return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))


def compare(roads, agents, megabytes, rounds, work, ports, say=print):
    """Every agent once in each round, in turn, so that a busy minute hits all; medians of the rounds."""
    result = {}
    for road in roads:
        runs = {agent: [] for agent in agents}
        for _ in range(rounds):
            for agent in agents:
                if figures := run(road, agent, megabytes, work, ports):
                    runs[agent].append(figures)
        result[road] = {a: {key: statistics.median(r[key] for r in got) for key in got[0]} for a, got in runs.items() if got}
        say(table(road, result[road]))
    return result


def table(road, rows):
    best = rows.get("limit", {}).get("mb_per_s")
    text = [f"\n{TITLES[road]}\n", "| agent | MB/s | of the limit | CPU s/GB | peak MB | delivered |", "|---|---|---|---|---|---|"]
    for agent, f in rows.items():
        share = f"{f['mb_per_s'] / best:.2f}" if best else ""
        whole = "all" if f["delivered"] == f["lines"] else f"{f['delivered']:.0f} of {f['lines']:.0f}"
        text.append(f"| {agent} | {f['mb_per_s']:.0f} | {share} | {f['cpu_s_per_gb']:.2f} | {f['peak_mb']:.0f} | {whole} |")
    return "\n".join(text)
