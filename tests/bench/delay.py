# SPDX-License-Identifier: Apache-2.0
"""How long a line takes from its write to its arrival, and what idle files cost."""
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from agents import AGENTS, TOOLS, Job
from process import Measured


def latency(agent, rate, seconds, work, ports):
    folder = Path(tempfile.mkdtemp(dir=work))
    log = folder / "in.log"
    log.write_text("")
    told = AGENTS[agent](Job(folder, log, "tcp", connect=(port := ports())))
    if not told:
        return None
    probe = subprocess.Popen([TOOLS / "bench_probe", str(log), str(port), str(rate), str(seconds)], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    probe.stdout.readline()
    measured = Measured(*told, folder / "log")
    time.sleep(2)  # the agent's start is not part of what is measured
    try:
        out, _ = probe.communicate("go\n", seconds + 30)
        return {"rate": rate, **json.loads(out)}
    except subprocess.TimeoutExpired:
        probe.kill()
        return {"rate": rate, "sent": 0, "received": 0, "p50": -1, "p99": -1, "max": -1}
    finally:
        measured.stop()
        shutil.rmtree(folder, ignore_errors=True)


def idle(agent, files, seconds, work, ports):
    folder = Path(tempfile.mkdtemp(dir=work))
    (folder / "logs").mkdir()
    for n in range(files):
        (folder / f"logs/{n}.log").write_text("one line\n")
    told = AGENTS[agent](Job(folder, folder / "logs/*.log", "tcp", connect=(port := ports())))
    if not told:
        return None
    sink = subprocess.Popen([TOOLS / "bench_sink", str(port), "1000000000"], stdout=subprocess.PIPE)
    measured = Measured(*told, folder / "log")
    time.sleep(10)
    before = measured.cpu_so_far()
    time.sleep(seconds)
    share = (measured.cpu_so_far() - before) / seconds
    measured.stop()
    sink.terminate()
    got = json.loads(sink.communicate()[0])["lines"]
    shutil.rmtree(folder, ignore_errors=True)
    return {"files": files, "cpu_percent": 100 * share, "peak_mb": measured.peak_mb, "delivered": got}
