# SPDX-License-Identifier: Apache-2.0
"""Peers that go away, come back, hang, or never read; and pipes that nobody empties."""
import os
import signal

import pytest

from agent import tail, to_file, to_tcp
from lines import Verdict, lines_of, numbered, put, verdict_of
from waiting import stays, wait_until

QUICK = {"backoff_base": "50ms", "backoff_cap": "100ms"}


def test_a_reset_sends_again_what_was_not_acknowledged(agent, make_sink, logs):
    sink = make_sink(receive_buffer=16384)
    sink.reset_after(300_000)
    (logs / "a.log").write_bytes(numbered(0, 30_000))
    agent.configure(tail(logs / "*.log"), to_tcp(sink, **QUICK)).start()
    wait_until(lambda: Verdict(30_000, sink.lines).distinct == 30_000, what=lambda: Verdict(30_000, sink.lines))
    assert sink.connections >= 2
    wait_until(lambda: agent.metric("logweir_output_retries_total"))


def test_a_polite_end_before_the_first_write_loses_nothing(agent, sink, logs):
    put(logs / "a.log", "one")
    agent.configure(tail(logs / "*.log"), to_tcp(sink, **QUICK)).start()
    wait_until(lambda: sink.lines)
    sink.break_connections(reset=False)
    for text in ("two", "three", "four"):
        put(logs / "a.log", text)
    wait_until(lambda: len(sink.lines) >= 4)
    assert sink.texts() == ["one", "two", "three", "four"]


def test_an_absent_peer_gets_everything_once_it_is_there(agent, sink, logs):
    sink.down()
    (logs / "a.log").write_bytes(numbered(0, 100_000))
    agent.configure(tail(logs / "*.log"), to_tcp(sink, queue_bytes="256k", **QUICK)).start()
    wait_until(lambda: agent.metric("logweir_output_retries_total"))
    assert agent.metric("logweir_output_queue_bytes") <= 2 * agent.workers * 256 * 1024
    sink.up()
    wait_until(lambda: len(sink.lines) >= 100_000, 20)
    assert Verdict(100_000, sink.lines).exactly_once()


def test_the_second_host_stands_in_for_the_first(agent, make_sink, logs):
    first, second = make_sink(up=False), make_sink()
    put(logs / "a.log", "one")
    hosts = [f"127.0.0.1:{first.port}", f"127.0.0.1:{second.port}"]
    agent.configure(tail(logs / "*.log"), {"name": "tcp", "match": "*", "hosts": hosts, **QUICK}).start()
    wait_until(lambda: second.texts() == ["one"])


def test_a_peer_that_stops_reading_holds_up_the_source_and_not_the_memory(agent, make_sink, logs):
    sink = make_sink(receive_buffer=16384)
    sink.reading.clear()
    (logs / "a.log").write_bytes(numbered(0, 400_000))
    agent.configure(tail(logs / "*.log"), to_tcp(sink, queue_bytes="1M"), memory_limit="16M").start()
    wait_until(lambda: (agent.metric("logweir_input_paused_seconds_total") or 0) > 0.2)
    assert agent.memory_mb() < 60
    assert agent.get("/health")[0] is not None
    sink.reading.set()
    wait_until(lambda: len(sink.lines) >= 400_000, 30)
    assert Verdict(400_000, sink.lines).exactly_once()


def test_a_blocked_stdout_stops_nothing_else(agent, logs, out):
    read_end, write_end = os.pipe()
    (logs / "a.log").write_bytes(numbered(0, 30_000))
    outputs = [{"name": "stdout", "match": "*", "format": "json_lines", "when_full": "drop_newest", "queue_bytes": "64k"},
               to_file(out)]
    agent.configure(tail(logs / "*.log"), outputs).start(stdout=write_end)
    os.close(write_end)
    wait_until(lambda: verdict_of(out, 30_000).distinct == 30_000)
    assert agent.get("/metrics")[0] == 200
    assert agent.stop(seconds=8) is not None
    os.close(read_end)


def test_a_blocked_stderr_stops_nothing(agent, logs, out):
    read_end, write_end = os.pipe()
    (logs / "a.log").write_bytes(numbered(0, 1000))
    agent.configure(tail(logs / "*.log"), to_file(out), log_level="trace")
    os.set_blocking(write_end, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(write_end, b"x" * 65536)
    os.set_blocking(write_end, True)
    agent.start(prefix=["bash", "-c", f'exec "$0" "$@" 2>&{write_end}'], pass_fds=[write_end])
    os.close(write_end)
    wait_until(lambda: verdict_of(out, 1000).distinct == 1000)
    agent.process.send_signal(signal.SIGTERM)
    os.close(read_end)
    agent.ended()


def test_sigusr1_opens_the_output_anew(agent, logs, out):
    put(logs / "a.log", "before")
    agent.configure(tail(logs / "*.log"), to_file(out)).start()
    wait_until(lambda: len(lines_of(out)) == 1)
    os.rename(out, f"{out}.1")
    agent.process.send_signal(signal.SIGUSR1)

    def written_anew():
        put(logs / "a.log", "after")
        return out.exists() and lines_of(out)
    wait_until(written_anew, every=0.1)
    assert lines_of(out)[0] == b'{"log":"after"}'


def test_the_file_output_rotates_by_size_and_keeps_the_newest(agent, logs, out):
    (logs / "a.log").write_bytes(numbered(0, 20_000))
    agent.configure(tail(logs / "*.log"), to_file(out, rotate=True, rotate_max_size="200k", rotate_max_files=3)).start()
    wait_until(lambda: out.exists() and any(b"seq=00019999" in line for line in lines_of(out)))
    files = sorted(p.name for p in out.parent.iterdir())
    assert 2 <= len(files) <= 4, files
    assert all(p.stat().st_size < 1_500_000 for p in out.parent.iterdir())


def test_the_file_output_makes_its_folder(agent, logs, out):
    put(logs / "a.log", "one")
    deep = out.parent / "a/b/out.log"
    agent.configure(tail(logs / "*.log"), to_file(deep, mkdir=True)).start()
    wait_until(lambda: lines_of(deep) == [b'{"log":"one"}'])


@pytest.mark.parametrize("limit", ["no_retries", "1"])
def test_a_retry_limit_drops_and_counts(agent, make_sink, logs, limit):
    sink = make_sink(receive_buffer=16384)
    sink.reading.clear()
    (logs / "a.log").write_bytes(numbered(0, 50_000))
    agent.configure(tail(logs / "*.log"), to_tcp(sink, retry_limit=limit, **QUICK)).start()

    def broken_once_more():
        sink.break_connections()
        return agent.metric("logweir_dropped_records_total")
    dropped = wait_until(broken_once_more, every=0.2)
    assert agent.metric("logweir_output_records_total", outcome="dropped") >= dropped > 0
    sink.reading.set()
    wait_until(lambda: agent.delivered() + agent.metric("logweir_dropped_records_total") == 50_000)
