# SPDX-License-Identifier: Apache-2.0
"""Stops of every kind while lines flow: nothing lost, order kept, and repeated no more than promised."""
import signal
import time

import pytest

from agent import tail, to_file, to_tcp
from lines import Verdict, Writer, lines_of, numbered, put, verdict_of
from waiting import free_port, stays, wait_until

RATE = 4000


def rounds(agent, writer, stop, count=5):
    """Stops and starts the agent so often, each time after some more lines."""
    for _ in range(count):
        goal = writer.written + RATE * 0.7
        wait_until(lambda: writer.written >= goal)
        stop()
        agent.start(ready=False)
    agent.wait_ready()


@pytest.mark.parametrize("rotate", [None, "rename", "copytruncate"])
def test_kill_9_loses_nothing_and_repeats_little(agent, logs, out, rotate):
    agent.configure(tail(logs / "app.log*"), to_file(out)).start()
    writer = Writer(logs / "app.log", rate=RATE, rotate=rotate if rotate != "copytruncate" else None)
    rounds(agent, writer, agent.kill)
    written = writer.stop()
    wait_until(lambda: verdict_of(out, written).distinct >= written, 20, lambda: verdict_of(out, written))
    verdict = verdict_of(out, written)
    assert not verdict.lost and not verdict.disorder, verdict
    # Per kill at most 0.1 s of input and one send, which at this rate is far less than the batch's bounds.
    assert verdict.duplicated <= 5 * (RATE * 0.1 + 400), verdict


@pytest.mark.parametrize("rotate", [None, "rename", "copytruncate"])
def test_sigterm_and_restart_deliver_each_line_once(agent, logs, out, rotate):
    agent.configure(tail(logs / "app.log*"), to_file(out)).start()
    writer = Writer(logs / "app.log", rate=RATE, rotate=rotate, every=0.6)

    def stop():
        assert agent.stop() == 0
    rounds(agent, writer, stop, 4)
    written = writer.stop()
    wait_until(lambda: verdict_of(out, written).distinct >= written, 20, lambda: verdict_of(out, written))
    assert verdict_of(out, written).exactly_once(), verdict_of(out, written)


def test_sigterm_over_tcp_delivers_each_line_once(agent, sink, logs):
    agent.configure(tail(logs / "app.log"), to_tcp(sink)).start()
    writer = Writer(logs / "app.log", rate=RATE)

    def stop():
        assert agent.stop() == 0
    rounds(agent, writer, stop, 3)
    written = writer.stop()
    wait_until(lambda: len(sink.lines) >= written, 20, lambda: Verdict(written, sink.lines))
    assert Verdict(written, sink.lines).exactly_once(), Verdict(written, sink.lines)


def test_a_file_that_was_torn_by_a_kill_goes_on_with_a_whole_line(agent, logs, out):
    out.write_bytes(b'{"log":"whole"}\n{"log":"to')
    put(logs / "a.log", "next")
    agent.configure(tail(logs / "*.log"), to_file(out)).start()
    wait_until(lambda: b"next" in out.read_bytes())
    assert lines_of(out) == [b'{"log":"whole"}', b'{"log":"to', b'{"log":"next"}']


def test_a_dead_output_repeats_nothing_on_the_healthy_one_after_a_kill(agent, make_sink, logs, out):
    dead = make_sink(up=False)
    (logs / "a.log").write_bytes(numbered(0, 20_000))
    outputs = [to_file(out), to_tcp(dead, queue_bytes="64k", backoff_base="100ms", backoff_cap="200ms")]
    agent.configure(tail(logs / "*.log"), outputs, memory_limit="16M").start()
    # The dead one's budget is used up: the source waits, and the healthy one has all that was read.
    wait_until(lambda: len(lines_of(out)) > 100)
    reached = wait_until(lambda: stays(lambda n=len(lines_of(out)): len(lines_of(out)) == n, 0.3) and len(lines_of(out)))
    agent.kill()
    agent.start()
    dead.up()
    wait_until(lambda: len(dead.lines) >= 20_000, 20, lambda: Verdict(20_000, dead.lines))
    wait_until(lambda: len(lines_of(out)) >= 20_000, 20, lambda: verdict_of(out, 20_000))
    assert verdict_of(out, 20_000).exactly_once(), (reached, verdict_of(out, 20_000))
    assert Verdict(20_000, dead.lines).exactly_once(), Verdict(20_000, dead.lines)


@pytest.mark.parametrize("when_full", ["drop_newest", "drop_oldest"])
def test_a_dead_output_that_may_drop_does_not_hold_up_the_other(agent, make_sink, logs, out, when_full):
    dead = make_sink(up=False)
    (logs / "a.log").write_bytes(numbered(0, 20_000))
    agent.configure(tail(logs / "*.log"), [to_file(out), to_tcp(dead, queue_bytes="64k", when_full=when_full)]).start()
    wait_until(lambda: verdict_of(out, 20_000).distinct == 20_000)
    assert verdict_of(out, 20_000).exactly_once()
    assert agent.metric("logweir_dropped_records_total") > 10_000


def test_sigterm_during_backoff_ends_in_time_and_names_what_waits(agent, sink, logs):
    sink.down()
    (logs / "a.log").write_bytes(numbered(0, 100))
    agent.configure(tail(logs / "*.log"), to_tcp(sink, alias="far"), grace="500ms").start()
    wait_until(lambda: agent.metric("logweir_output_queue_bytes", output="far"))
    begin = time.monotonic()
    assert agent.stop() == 0
    assert time.monotonic() - begin < 2 and "100" in agent.log() and "far" in agent.log()
    sink.up()
    agent.start()
    wait_until(lambda: len(sink.lines) >= 100)
    assert Verdict(100, sink.lines).exactly_once()


def test_a_peer_that_comes_back_within_the_grace_gets_what_waits(agent, sink):
    sink.down()
    port = free_port()
    agent.configure({"name": "tcp", "tag": "t", "listen": "127.0.0.1", "port": port},
                    to_tcp(sink, backoff_base="50ms", backoff_cap="100ms"), grace="10s").start()
    import socket
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(numbered(0, 100))
    wait_until(lambda: agent.metric("logweir_output_queue_bytes"))
    agent.process.send_signal(signal.SIGTERM)
    assert stays(agent.running, 0.3)
    sink.up()
    assert agent.ended() == 0
    assert Verdict(100, sink.lines).exactly_once()


def test_a_second_signal_stops_at_once(agent, sink, logs):
    sink.down()
    put(logs / "a.log", "waits")
    agent.configure(tail(logs / "*.log"), to_tcp(sink), grace="60s").start()
    wait_until(lambda: agent.metric("logweir_output_queue_bytes"))
    agent.process.send_signal(signal.SIGTERM)
    assert stays(agent.running, 0.3)
    agent.process.send_signal(signal.SIGINT)
    agent.ended(3)
