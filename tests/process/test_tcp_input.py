# SPDX-License-Identifier: Apache-2.0
"""The tcp input of the real binary: what it counts, and how many connections it takes."""
import resource
import socket

from agent import to_file
from lines import lines_of
from waiting import free_port, stays, wait_until


def tcp(port, **more):
    return {"name": "tcp", "tag": "t", "listen": "127.0.0.1", "port": port, **more}


def send(port, data):
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(data)


def test_lines_that_are_not_json_and_lines_that_are_too_long_are_kept_and_counted(agent, out):
    port = free_port()
    agent.configure(tcp(port), to_file(out)).start()
    send(port, b'{"a":1}\nnot json\n{"b":"' + b"x" * 100_000 + b'"}\n{"c":3}\n')
    wait_until(lambda: len(lines_of(out)) == 4, what=lambda: lines_of(out))
    assert agent.metric("logweir_input_records_total") == 4
    assert agent.metric("logweir_truncated_records_total") == 1
    assert agent.metric("logweir_parse_failed_records_total") == 2  # the cut one is no JSON any more
    assert any(b'"_truncated":true' in line for line in lines_of(out))


def test_connections_leave_descriptors_for_everything_else(agent, out):
    port = free_port()
    few = 80
    agent.configure(tcp(port, format="none", max_connections=1000), to_file(out)).start(
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
    peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(few + 20)]
    for number, peer in enumerate(peers):
        try:
            peer.sendall(b"line %d\n" % number)
        except OSError:
            pass  # one of those that were refused
    wait_until(lambda: len(lines_of(out)) >= few // 2)
    assert agent.open_files() < few
    assert agent.get("/health")[0] == 200
    assert agent.metric("logweir_input_tcp_refused_total") >= 20
    for peer in peers:
        peer.close()

    def served():
        send(port, b"again\n")
        return any(b"again" in line for line in lines_of(out))
    wait_until(served, what="a connection is taken once the others are closed")


def test_peers_that_never_end_their_message_do_not_stop_the_others(agent, out):
    port = free_port()
    agent.configure(tcp(port, format="none", max_connections=2000), to_file(out), memory_limit="32M").start()
    stuck = []
    for _ in range(1024):
        stuck.append(socket.create_connection(("127.0.0.1", port)))
        stuck[-1].sendall(b"x" * 12_000)
    for number in range(20):
        send(port, b"good %d\n" % number)
    wait_until(lambda: sum(b"good" in line for line in lines_of(out)) == 20, what=lambda: agent.log()[-2000:])
    cut = wait_until(lambda: agent.metric("logweir_truncated_records_total"))
    assert sum(b"xxx" in line for line in lines_of(out)) <= agent.metric("logweir_truncated_records_total")
    assert "messages whose end has not come" in agent.log() and cut > 0
    wait_until(lambda: agent.metric("logweir_pool_bytes") <= 12 << 20, what=lambda: agent.metric("logweir_pool_bytes"))
    before = agent.cpu_seconds()
    assert stays(agent.running, 1)
    assert agent.cpu_seconds() - before < 0.2, "it is busy although nothing comes"
    stuck[0].sendall(b"rest\nafter\n")
    wait_until(lambda: any(b"after" in line for line in lines_of(out)), what="the peer's next line is taken")
    for peer in stuck:
        peer.close()
