# SPDX-License-Identifier: Apache-2.0
"""Many kills of an agent that spills, over a peer that answers badly and goes away, and a state directory that is full."""
import json
import random
import subprocess
import time
from collections import Counter

import pytest

from agent import tail, to_file, to_http, to_tcp
from lines import SEQUENCE, Verdict, Writer, numbered, verdict_of
from waiting import wait_until

RATE = 3000
KILLS = 50
SPILLS = {"when_full": "spill", "queue_bytes": "64k", "batch_bytes": "16k", "backoff_base": "20ms",
          "backoff_cap": "100ms", "storage.total_limit_size": "256M"}


def answers(number):
    """Most requests are taken; some are put off, some break, some break after they were taken."""
    for every, answer in ((17, "store, reset"), (13, "reset"), (11, (429, {"Retry-After": "0"})), (7, 503)):
        if number % every == 0:
            return answer
    return 200


def distinct_by_id(lines):
    """The texts of the records, one for each id; and how many came more than once. An id stands for one text."""
    text_of, copies = {}, Counter()
    for line in lines:
        record = json.loads(line)
        assert text_of.setdefault(record["id"], record["log"]) == record["log"], record
        copies[record["id"]] += 1
    return [text.encode() for text in text_of.values()], sum(copies.values()) - len(copies)


@pytest.mark.parametrize("durable", [False, True], ids=["spills", "durable"])
def test_fifty_kills_lose_nothing_and_repeat_only_what_was_in_flight(agent, make_http_sink, logs, durable):
    dice = random.Random(f"{agent.workers} {durable}")
    sink = make_http_sink(act=answers)
    agent.configure(tail(logs / "app.log*"), to_http(sink, record_id_key="id", durable=durable, **SPILLS)).start()
    writer = Writer(logs / "app.log", rate=RATE, rotate="rename", every=0.7, keep=100)
    up = True
    for _ in range(KILLS):
        if dice.random() < 0.3:
            (sink.down if up else sink.up)()
            up = not up
        time.sleep(dice.uniform(0.1, 0.5))
        agent.kill()
        agent.start(ready=False)
    written = writer.stop()
    if not up:
        sink.up()
    agent.wait_ready()

    def arrived():
        return {int(m[1]) for m in map(SEQUENCE.search, list(sink.lines)) if m}
    wait_until(lambda: len(arrived()) >= written, 60, lambda: Verdict(written, sink.lines), every=0.2)
    wait_until(lambda: json.loads(agent.get("/api/v1/ledger")[1])["counts"]["waiting"] == 0, what="nothing waits")
    texts, repeated = distinct_by_id(sink.lines)
    verdict = Verdict(written, texts)
    assert not verdict.lost and not verdict.duplicated, verdict
    print(f"{written} lines, {KILLS} kills, {repeated} repeated")
    # Of each kill: what the peer had and the state did not know yet, and a frame of which a part was delivered.
    assert repeated <= KILLS * (RATE * 0.1 + 400), repeated


def test_a_durable_file_of_all_workers_has_each_line_after_kills(agent, logs, out):
    agent.configure(tail(logs / "*.log"), to_file(out, durable=True, queue_bytes="64k", batch_bytes="16k")).start()
    files, lines = 4, 250  # of a round
    for round in range(20):
        for name in range(files):
            first = (round * files + name) * lines
            with open(logs / f"{name}.log", "ab") as file:
                file.write(numbered(first, first + lines))
        time.sleep(0.2)
        agent.kill()
        agent.start(ready=False)
    agent.wait_ready()
    written = 20 * files * lines
    wait_until(lambda: not verdict_of(out, written).lost, 30, lambda: verdict_of(out, written), every=0.2)


@pytest.fixture
def mount_small(tmp_path):
    """Mounts a file system of a size."""
    place = tmp_path / "small"
    place.mkdir()

    def mount(size):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)], capture_output=True)
        if done.returncode != 0:
            pytest.skip(f"a small file system can't be mounted here: {done.stderr.decode().strip()}")
        return place

    yield mount
    subprocess.run(["umount", "-l", str(place)], capture_output=True)


def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


# What is durable is sent when it is stored, so it needs a disk that can be used when there is space again: a spool leaves
# 64 MB to others. What spills goes past a spool that can't be written.
@pytest.mark.parametrize("durable, size", [(False, "16M"), (True, "128M")], ids=["spills", "durable"])
def test_a_full_state_directory_ends_nothing_and_loses_nothing(mount_small, agent, sink, logs, durable, size):
    sink.down()
    small_disk = mount_small(size)
    agent.state = small_disk / "state"
    agent.configure(tail(logs / "app.log"), to_tcp(sink, durable=durable, **SPILLS)).start()
    fill(small_disk / "filler")
    (logs / "app.log").write_bytes(numbered(0, 100_000))
    wait_until(lambda: "spool" in agent.get("/health")[1], what=lambda: agent.get("/health"))
    status, why = agent.get("/health")
    assert status == 503, why
    (small_disk / "filler").unlink()
    sink.up()
    wait_until(lambda: len(sink.lines) >= 100_000, 60, lambda: Verdict(100_000, sink.lines))
    assert Verdict(100_000, sink.lines).exactly_once(), Verdict(100_000, sink.lines)
    wait_until(lambda: agent.get("/health")[0] == 200, what=lambda: agent.get("/health"))
