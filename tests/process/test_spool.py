# SPDX-License-Identifier: Apache-2.0
"""Records that wait on disk: outages, crashes, stops, full disks; nothing lost, in order, nothing twice that was done."""
import os
import resource
import shutil
import signal
import socket
import sqlite3
from contextlib import closing

import pytest

from agent import tail, to_file, to_tcp
from lines import Verdict, numbered, put, verdict_of
from waiting import free_port, stays, wait_until

SMALL = {"queue_bytes": "256k", "batch_bytes": "32k", "backoff_base": "50ms", "backoff_cap": "200ms"}
SPILLS = {**SMALL, "when_full": "spill"}


def tcp_in(port):
    return {"name": "tcp", "tag": "t", "listen": "127.0.0.1", "port": port, "format": "none", "separator": "\\n"}


def send_lines(port, first, last):
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(numbered(first, last))


def spooled(agent):
    return agent.metric("logweir_spool_records") or 0


def positions(agent):
    """How far each source has got for each lane, as a copy of the state says: what a start after a kill would find."""
    copy = agent.state.parent / "copy"
    copy.mkdir(exist_ok=True)
    for file in agent.state.glob("state.db*"):
        shutil.copy(file, copy)
    with closing(sqlite3.connect(copy / "state.db")) as state:
        return [position for position, in state.execute("select position from positions")]


def read(agent):
    return agent.metric("logweir_input_records_total") or 0


def test_an_outage_is_spooled_and_delivered_in_order_when_the_peer_is_back(agent, sink):
    sink.down()
    port = free_port()
    agent.configure(tcp_in(port), to_tcp(sink, **SPILLS)).start()
    send_lines(port, 0, 50_000)
    wait_until(lambda: read(agent) == 50_000)
    wait_until(lambda: spooled(agent) > 30_000)
    assert agent.metric("logweir_spool_bytes") > 0
    sink.up()
    wait_until(lambda: len(sink.lines) >= 50_000)
    assert Verdict(50_000, sink.lines).exactly_once()
    send_lines(port, 50_000, 50_100)
    wait_until(lambda: len(sink.lines) >= 50_100)
    assert Verdict(50_100, sink.lines).exactly_once()
    wait_until(lambda: agent.metric("logweir_spool_bytes") == 0, what="the spool is given back")


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "TERM"])
def test_what_is_spooled_survives_the_process_and_goes_first(agent, sink, end):
    sink.down()
    port = free_port()
    agent.configure(tcp_in(port), to_tcp(sink, **SPILLS), grace=1).start()
    send_lines(port, 0, 40_000)
    wait_until(lambda: read(agent) == 40_000)
    wait_until(lambda: spooled(agent) > 20_000)
    if end == signal.SIGKILL:
        wait_until(lambda: agent.metric("logweir_spool_unstored_bytes") == 0)
        agent.kill()
    else:
        agent.stop(seconds=15)
    sink.up()
    agent.start()
    send_lines(port, 40_000, 40_010)
    wait_until(lambda: len(sink.lines) >= 40_010)
    verdict = Verdict(40_010, sink.lines)
    assert not verdict.lost and not verdict.duplicated, verdict
    assert agent.workers > 1 or not verdict.disorder  # the second connection may be another worker's


def test_a_file_that_spills_is_not_read_again_after_a_kill(agent, sink, logs):
    sink.down()
    (logs / "app.log").write_bytes(numbered(0, 40_000))
    agent.configure(tail(logs / "app.log"), to_tcp(sink, **SPILLS)).start()
    wait_until(lambda: (logs / "app.log").stat().st_size in positions(agent))
    assert spooled(agent) > 20_000
    agent.kill()
    sink.up()
    agent.start()
    wait_until(lambda: len(sink.lines) >= 40_000)
    assert Verdict(40_000, sink.lines).exactly_once(), Verdict(40_000, sink.lines)


def test_durable_records_survive_a_kill_before_their_first_try(agent, sink):
    sink.down()
    port = free_port()
    agent.configure(tcp_in(port), to_tcp(sink, durable=True)).start()
    send_lines(port, 0, 5000)
    wait_until(lambda: read(agent) == 5000)
    wait_until(lambda: agent.metric("logweir_spool_unstored_bytes") == 0)
    agent.kill()
    sink.up()
    agent.start()
    wait_until(lambda: len(sink.lines) >= 5000)
    assert Verdict(5000, sink.lines).exactly_once()


def test_one_dead_output_of_two_spills_and_does_not_stop_the_other(agent, sink, logs, out):
    sink.down()
    (logs / "app.log").write_bytes(numbered(0, 100_000))
    agent.configure(tail(logs / "app.log"), [to_tcp(sink, **SMALL), to_file(out, **SMALL)]).start()
    wait_until(lambda: verdict_of(out, 100_000).exactly_once())
    agent.kill()
    agent.start()
    put(logs / "app.log", *numbered(100_000, 100_010).splitlines())
    wait_until(lambda: verdict_of(out, 100_010).exactly_once())
    sink.up()
    wait_until(lambda: Verdict(100_010, sink.lines).distinct == 100_010)
    verdict = Verdict(100_010, sink.lines)
    assert not verdict.disorder and verdict.duplicated <= 4000, verdict


def test_spools_of_other_worker_counts_are_adopted(agent, sink):
    sink.down()
    port = free_port()
    agent.workers = 2
    agent.configure(tcp_in(port), to_tcp(sink, **SPILLS)).start()
    for n in range(8):
        send_lines(port, n * 5000, (n + 1) * 5000)
        wait_until(lambda: read(agent) == (n + 1) * 5000)
    wait_until(lambda: agent.metric("logweir_spool_unstored_bytes") == 0)
    agent.kill()
    agent.workers = 1
    agent.configure(tcp_in(port), to_tcp(sink, **SPILLS))
    sink.up()
    agent.start()
    wait_until(lambda: len(sink.lines) >= 40_000)
    verdict = Verdict(40_000, sink.lines)
    assert not verdict.lost and not verdict.duplicated, verdict


def test_another_destination_does_not_get_what_was_spooled_for_the_first(agent, make_sink):
    first, second = make_sink(up=False), make_sink()
    port = free_port()
    agent.configure(tcp_in(port), to_tcp(first, alias="peer", **SPILLS)).start()
    send_lines(port, 0, 30_000)
    wait_until(lambda: spooled(agent) > 10_000)
    agent.kill()
    agent.configure(tcp_in(port), to_tcp(second, alias="peer", **SPILLS)).start()
    assert "belongs to no output" in agent.log()
    send_lines(port, 30_000, 30_010)
    wait_until(lambda: len(second.lines) == 10)
    assert stays(lambda: len(second.lines) == 10, 0.5)


def test_a_full_spool_stops_reading_and_goes_on_when_the_peer_is_back(agent, sink, logs):
    sink.down()
    (logs / "app.log").write_bytes(numbered(0, 600_000))
    agent.configure(tail(logs / "app.log"), to_tcp(sink, **SPILLS, **{"storage.total_limit_size": "16M"})).start()
    wait_until(lambda: "spool" in agent.get("/health")[1])
    status, why = agent.get("/health")
    assert status == 503 and "full" in why, why
    assert read(agent) < 600_000
    sink.up()
    wait_until(lambda: len(sink.lines) >= 600_000, 60)
    assert Verdict(600_000, sink.lines).exactly_once()


def test_files_that_may_not_grow_are_a_fault_and_not_an_end(agent, sink, logs):
    sink.down()
    (logs / "app.log").write_bytes(numbered(0, 100_000))
    agent.configure(tail(logs / "app.log"), to_tcp(sink, **SPILLS)).start(
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20)))
    wait_until(lambda: "spool" in agent.get("/health")[1])
    sink.up()
    wait_until(lambda: len(sink.lines) >= 100_000)
    assert Verdict(100_000, sink.lines).exactly_once()


NO_SPACE = {**SPILLS, "storage.min_free_size": "1000000G"}  # no disk has that much


def left(agent):
    return agent.metric("logweir_output_left_bytes") or 0


@pytest.mark.parametrize("then", ["stay", "deleted", "copytruncate", "kill"])
def test_a_dead_output_leaves_in_the_file_what_it_can_not_spool(agent, sink, logs, out, then):
    path = logs / "app.log"
    sink.down()
    path.write_bytes(numbered(0, 60_000))
    agent.configure(tail(path), [to_tcp(sink, **NO_SPACE), to_file(out, **SMALL)],
                    filters=[{"name": "grep", "match": "*", "exclude": "log nothing_like_it"}]).start()
    wait_until(lambda: verdict_of(out, 60_000).exactly_once(), what="the other output has all")
    assert left(agent) > 1 << 20
    if then == "deleted":
        path.unlink()
        path.write_bytes(numbered(60_000, 60_100))
    elif then == "copytruncate":
        shutil.copyfile(path, logs / "app.log.1")
        os.truncate(path, 0)
        put(path, *numbered(60_000, 60_100).splitlines())
    else:
        put(path, *numbered(60_000, 60_100).splitlines())
    wait_until(lambda: verdict_of(out, 60_100).exactly_once())
    if then == "kill":
        agent.kill()
        agent.start()
    sink.up()
    wait_until(lambda: Verdict(60_100, sink.lines).distinct == 60_100)
    verdict = Verdict(60_100, sink.lines)
    assert verdict.exactly_once() or (then == "kill" and not verdict.disorder and verdict.duplicated <= 4000), verdict
    wait_until(lambda: left(agent) == 0)
    assert verdict_of(out, 60_100).exactly_once()
    put(path, *numbered(60_100, 60_110).splitlines())
    wait_until(lambda: Verdict(60_110, sink.lines).distinct == 60_110 and verdict_of(out, 60_110).exactly_once())
    assert agent.metric("logweir_lost_bytes_total") == 0


def test_what_was_left_in_a_burst_is_spooled_once_the_input_is_calm(agent, sink, logs, out):
    sink.down()
    path = logs / "app.log"
    path.write_bytes(numbered(0, 120_000))
    agent.configure(tail(path), [to_tcp(sink, **SPILLS), to_file(out)]).start()
    wait_until(lambda: read(agent) == 120_000)
    wait_until(lambda: left(agent) == 0 and spooled(agent) > 100_000, what="all is in the spool")
    path.unlink()
    agent.kill()
    sink.up()
    agent.start()
    wait_until(lambda: Verdict(120_000, sink.lines).distinct == 120_000)
    assert not Verdict(120_000, sink.lines).disorder
