# SPDX-License-Identifier: Apache-2.0
"""Many files, many folders, few descriptors."""
import os
import shutil
import signal

import pytest

from agent import tail, to_file, to_tcp
from lines import lines_of, put
from waiting import stays, wait_until


def fill(logs, count, text="first"):
    for n in range(count):
        put(logs / f"h{n:05}.log", f"{text} {n}")


def test_ten_thousand_small_files_arrive_once_and_then_cost_nothing(agent, logs, out):
    fill(logs, 10_000)
    agent.configure(tail(logs / "*.log"), to_file(out)).start()
    wait_until(lambda: len(lines_of(out)) >= 10_000, 40, lambda: len(lines_of(out)))

    def at_rest():
        before = agent.cpu_seconds()
        return stays(lambda: True, 0.5) and agent.cpu_seconds() - before < 0.03

    wait_until(at_rest, 20, "what is kept of each file is written")
    before = agent.cpu_seconds()
    assert stays(lambda: len(lines_of(out)) == 10_000, 2)
    assert agent.cpu_seconds() - before <= 0.15
    assert agent.memory_mb("VmRSS") < 60
    for n in range(0, 10_000, 100):
        put(logs / f"h{n:05}.log", f"second {n}")
    wait_until(lambda: len(lines_of(out)) >= 10_100)
    assert len(set(lines_of(out))) == len(lines_of(out)) == 10_100


def test_few_descriptors_are_enough_for_many_files(agent, logs, out):
    fill(logs, 2000)
    agent.configure(tail(logs / "*.log", max_open_files=100), to_file(out))
    agent.start(prefix=["prlimit", "--nofile=512"])
    for turn in ("second", "third"):
        fill(logs, 2000, turn)
    wait_until(lambda: len(lines_of(out)) >= 6000, 30, lambda: len(lines_of(out)))
    assert len(set(lines_of(out))) == len(lines_of(out)) == 6000
    assert agent.open_files() < 512 and agent.metric("logweir_input_open_files") <= 100 * agent.workers


def test_all_files_rotated_at_once_lose_nothing(agent, logs, out):
    for n in range(400):
        put(logs / f"h{n}.log", *[f"f{n} n={k}" for k in range(5)])
    agent.configure(tail(logs / "*.log"), to_file(out)).start()
    wait_until(lambda: len(lines_of(out)) >= 2000)
    for n in range(400):
        os.rename(logs / f"h{n}.log", logs / f"h{n}.log.1")
        put(logs / f"h{n}.log", *[f"f{n} n={k}" for k in range(5, 10)])
    wait_until(lambda: len(lines_of(out)) >= 4000, 30, lambda: len(lines_of(out)))
    assert stays(lambda: len(lines_of(out)) == 4000, 0.5)
    assert len(set(lines_of(out))) == 4000


@pytest.mark.parametrize("pattern", ["*/*/app.log", "**/app.log"])
def test_new_nested_folders_are_found_also_after_they_were_removed(agent, sink, logs, pattern):
    agent.configure(tail(logs / pattern), to_tcp(sink)).start()
    (logs / "a/b").mkdir(parents=True)
    put(logs / "a/b/app.log", "first")
    wait_until(lambda: sink.texts() == ["first"])
    shutil.rmtree(logs / "a")
    (logs / "a/b").mkdir(parents=True)
    (logs / "c/d").mkdir(parents=True)
    put(logs / "a/b/app.log", "second")
    put(logs / "c/d/app.log", "third")
    wait_until(lambda: len(sink.lines) >= 3)
    assert sorted(sink.texts()) == ["first", "second", "third"]


def test_a_busy_file_does_not_starve_a_quiet_one(agent, sink, logs):
    from lines import numbered
    (logs / "busy.log").write_bytes(numbered(0, 600_000))
    agent.configure(tail(logs / "*.log"), to_tcp(sink)).start()
    wait_until(lambda: sink.lines)
    put(logs / "quiet.log", "a quiet word")
    wait_until(lambda: any(b"a quiet word" in line for line in sink.lines[-20_000:]) or len(sink.lines) > 600_000)
    where = next(n for n, line in enumerate(sink.lines) if b"a quiet word" in line)
    assert where < 590_000, where


def test_a_folder_that_appears_later_is_watched(agent, sink, logs):
    agent.configure(tail(logs / "later/deep/*.log"), to_tcp(sink)).start()
    (logs / "later/deep").mkdir(parents=True)
    put(logs / "later/deep/a.log", "hello")
    wait_until(lambda: sink.texts() == ["hello"])


def test_missing_watches_fall_back_to_looking_again(agent, sink, logs):
    # In a user namespace of its own no watch can be made beyond its limit of inotify instances: none here.
    probe = ["unshare", "--user", "--map-root-user", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\""]
    if os.system("unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_inotify_instances' 2>/dev/null"):
        pytest.skip("user namespaces are not to be had here")
    put(logs / "a.log", "one")
    agent.configure(tail(logs / "*.log"), to_tcp(sink)).start(prefix=probe)
    wait_until(lambda: sink.texts() == ["one"])
    put(logs / "a.log", "two")
    put(logs / "b.log", "three")
    wait_until(lambda: len(sink.lines) >= 3)


def test_a_rename_that_was_overheard_by_nobody_costs_no_line(agent, logs, out):
    """The event queue runs over while a file whose descriptor had been closed is rotated out of the pattern."""
    (logs / "many").mkdir()
    live = logs / "live.log"
    put(live, "live 0")
    agent.configure(tail(logs / "**/*.log", max_open_files=10, refresh_interval=60), to_file(out)).start()
    wait_until(lambda: len(lines_of(out)) >= 1)
    os.kill(agent.process.pid, signal.SIGSTOP)
    for number in range(18000):  # more than the queue holds
        (logs / "many" / f"{number}.log").write_bytes(b"x\n")
    put(live, "live 1")
    live.rename(logs / "live.old")
    put(live, "live 2")
    os.kill(agent.process.pid, signal.SIGCONT)
    wait_until(lambda: len(lines_of(out)) >= 18003, 30)
    assert [line for line in lines_of(out) if b"live" in line] == [b'{"log":"live %d"}' % n for n in range(3)]
