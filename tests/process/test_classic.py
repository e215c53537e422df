# SPDX-License-Identifier: Apache-2.0
"""Ways of Fluent Bit: its classic format, convert, and the flags of its command line."""
import http.client
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from agent import BINARY, ROOT, run
from waiting import free_port, wait_until

CLASSIC = ROOT / "tests/data/classic"
WHOLE = [p for p in sorted(CLASSIC.glob("*.conf")) if p.stem not in ("parsers", "plugins")] + [ROOT / "conf/classic.conf"]
# What the samples name and logweir does not have; all else loads without a word.
KNOWN_ABSENT = ("plugins_file", "http_monitor", "storage.metrics", "section [plugins]", "multi-line parsers",
                "decode_field_as", "no input uses this parser", "a comment can't stand behind a value")


def plan_of(conf):
    """What `check` prints, without the places; and what it says."""
    done = run("check", "-c", conf)
    assert done.returncode == 0, done.stderr
    return re.sub(r'(# "[^"]*"), [^,]+, id', r"\1, id", done.stdout), done.stderr


@pytest.mark.parametrize("conf", WHOLE, ids=lambda p: p.name)
def test_a_classic_conf_loads_and_what_it_converts_to_has_the_same_plan(conf, tmp_path):
    here = tmp_path / "confs"
    shutil.copytree(conf.parent, here)
    plan, said = plan_of(here / conf.name)
    for line in said.splitlines():
        assert "warning" in line and any(words in line.lower() for words in KNOWN_ABSENT), line
    done = run("convert", here / conf.name, "-o", here / "new.yaml")
    assert done.returncode == 0, done.stderr
    assert plan_of(here / "new.yaml")[0] == plan
    old, new = (here / conf.name).read_text(), (here / "new.yaml").read_text()
    for comment in re.findall(r"^\s*(#.*?)\s*$", old, re.M):
        assert comment in new
    for variable in re.findall(r"\$\{[^}]*\}", old):
        assert variable in new


def test_convert_replaces_no_file_and_writes_to_stdout_without_one(tmp_path):
    (tmp_path / "new.yaml").write_text("mine")
    done = run("convert", CLASSIC / "kube.conf", "-o", tmp_path / "new.yaml")
    assert done.returncode == 1 and "exists" in done.stderr
    assert (tmp_path / "new.yaml").read_text() == "mine"
    assert run("convert", CLASSIC / "kube.conf").stdout.startswith("# The keys")


def test_convert_tells_every_fault_with_its_place(tmp_path):
    (tmp_path / "old.conf").write_text("[INPUT]\n    Name\n[OUTPT]\n")
    done = run("convert", tmp_path / "old.conf")
    assert done.returncode == 78 and not done.stdout
    assert "old.conf:2:5: error" in done.stderr and "old.conf:3:1: error" in done.stderr


def quick(*flags, **more):
    return subprocess.Popen([BINARY, *map(str, flags)], stdin=subprocess.DEVNULL, text=True, **more)


def test_the_quick_pipeline_prints_a_file_each_time_it_is_run(tmp_path):
    (tmp_path / "x.log").write_text("one\ntwo\n")
    for round in range(2):
        with open(tmp_path / f"out{round}", "w") as out, open(tmp_path / "log", "a") as log:
            process = quick("-w", tmp_path, "-i", "tail", "-p", "path=x.log", "-p", "read_from_head=on", "-t", "x",
                            "-o", "stdout", "-p", "format=json_lines", "-m", "*", "-P", free_port(),
                            stdout=out, stderr=log, env={**os.environ, "TMPDIR": str(tmp_path)})
        wait_until(lambda: (tmp_path / f"out{round}").read_text().count("\n") == 2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert '"log":"two"' in (tmp_path / f"out{round}").read_text()
    assert not list(tmp_path.glob("logweir-*"))


def status_of(port, path):
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        asking.request("GET", path)
        return asking.getresponse().status
    except OSError:
        return None
    finally:
        asking.close()


def processes_of(folder):
    """Processes whose command line names the folder."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (place / "cmdline").read_bytes():
                yield int(place.name)
        except OSError:
            pass


def test_in_the_background_it_runs_on_and_logs_to_its_file(tmp_path):
    port = free_port()
    done = run("-d", "-l", tmp_path / "log", "-i", "tail", "-p", f"path={tmp_path}/x.log", "-o", "null", "-P", port)
    assert done.returncode == 0, done.stderr

    try:
        wait_until(lambda: status_of(port, "/health") == 200)
    finally:
        for pid in processes_of(tmp_path):
            os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not list(processes_of(tmp_path)))
    assert "logweir" in (tmp_path / "log").read_text()
