# SPDX-License-Identifier: Apache-2.0
"""Starts and stops in odd circumstances: what must not end in a signal, a loop or a repetition."""
import os

import pytest

from agent import tail, to_file, to_tcp
from lines import Verdict, lines_of, numbered, put, verdict_of
from waiting import stays, wait_until


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_standard_descriptors_are_not_mistaken_for_our_own(agent, logs, out, closed):
    (logs / "a.log").write_bytes(numbered(0, 100))
    agent.configure(tail(logs / "*.log"), to_file(out))
    agent.start(prefix=["bash", "-c", f'exec {closed}; exec "$@"', "sh"])
    wait_until(lambda: len(lines_of(out)) >= 100)
    assert agent.stop() == 0
    assert verdict_of(out, 100).exactly_once()


def test_closed_stdout_swallows_nothing_of_a_file_output(agent, logs, out):
    (logs / "a.log").write_bytes(numbered(0, 100))
    agent.configure(tail(logs / "*.log"), [to_file(out), {"name": "stdout", "match": "*", "format": "json_lines"}])
    agent.start(prefix=["bash", "-c", 'exec 0<&- 1>&- 2>&-; exec "$@"', "sh"])
    wait_until(lambda: agent.delivered() >= 200)
    assert verdict_of(out, 100).exactly_once()


def test_a_signal_while_it_starts_is_an_orderly_stop(agent, logs, out):
    for number in range(500):
        put(logs / f"f{number}.log", "one line")
    agent.configure(tail(logs / "*.log"), to_file(out)).start(ready=False)
    wait_until(lambda: (agent.state / "lock").exists(), every=0.0005)
    assert agent.stop() == 0


def test_what_an_output_writes_is_not_read_again(agent, logs):
    put(logs / "a.log", "hello")
    out = logs / "out.log"
    agent.configure(tail(logs / "*.log"), to_file(out)).start()
    wait_until(lambda: len(lines_of(out)) >= 1)
    put(logs / "a.log", "again")
    wait_until(lambda: len(lines_of(out)) >= 2)
    assert stays(lambda: len(lines_of(out)) == 2, 0.5)
    assert "own output" in agent.log()


def test_an_orderly_stop_before_a_peer_that_does_not_read_repeats_next_to_nothing(agent, make_sink, logs):
    sink = make_sink(receive_buffer=65536)
    sink.reading.clear()
    (logs / "a.log").write_bytes(numbered(0, 100000, "x" * 100))
    agent.configure(tail(logs / "*.log"), to_tcp(sink), grace=1).start()
    wait_until(lambda: agent.delivered() > 0 and agent.metric("logweir_output_in_flight_records") > 0)
    assert agent.stop() == 0
    sink.reading.set()
    agent.start()
    wait_until(lambda: len(sink.lines) >= 100000, 30)
    verdict = Verdict(100000, sink.lines)
    assert not verdict.lost and not verdict.disorder
    assert verdict.duplicated <= 16 * 1024 / 100  # acknowledged in part: a run of 16 KiB goes out again whole


def test_an_orderly_stop_before_a_full_pipe_repeats_next_to_nothing(agent, logs):
    (logs / "a.log").write_bytes(numbered(0, 20000))
    agent.configure(tail(logs / "*.log"), {"name": "stdout", "match": "*", "format": "json_lines"}, grace=1)
    got = b""
    reading, writing = os.pipe()
    agent.start(stdout=writing)
    os.close(writing)
    wait_until(lambda: agent.delivered() > 0)
    assert agent.stop() == 0
    with os.fdopen(reading, "rb") as pipe:
        got += pipe.read()
    assert 0 < got.count(b"\n") < 20000
    agent.start()  # to a file this time
    wait_until(lambda: got.count(b"\n") + len(lines_of(agent.out_file)) >= 20000)
    whole = got[: got.rfind(b"\n")].split(b"\n")
    verdict = Verdict(20000, whole + lines_of(agent.out_file))
    assert not verdict.lost and not verdict.disorder
    assert verdict.duplicated <= 16 * 1024 / len(whole[0])  # the run that the pipe took in part
