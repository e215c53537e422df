# SPDX-License-Identifier: Apache-2.0
"""The main roads: each input to each output, the parser and the filter on the way."""
import json
import socket

import pytest

from agent import tail, to_file, to_tcp
from lines import Verdict, lines_of, numbered, put, verdict_of
from waiting import free_port, wait_until


def tcp_input(port, **more):
    return {"name": "tcp", "tag": "t", "listen": "127.0.0.1", "port": port, **more}


def send(port, *parts):
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        for part in parts:
            connection.sendall(part)


def test_a_file_reaches_a_tcp_peer_as_json_lines(agent, sink, logs):
    (logs / "a.log").write_bytes(numbered(0, 1000))
    agent.configure(tail(logs / "*.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 1000)
    put(logs / "a.log", "seq=00001000 and one that came later")
    wait_until(lambda: len(sink.lines) >= 1001)
    assert Verdict(1001, sink.lines).exactly_once()
    assert set(sink.records()[0]) == {"date", "log"}


def test_a_file_reaches_a_file(agent, logs, out):
    (logs / "a.log").write_bytes(numbered(0, 1000))
    agent.configure(tail(logs / "*.log"), to_file(out)).start()
    wait_until(lambda: len(lines_of(out)) >= 1000)
    assert verdict_of(out, 1000).exactly_once()
    assert set(json.loads(lines_of(out)[0])) == {"log"}


def test_raw_lines_leave_as_they_came(agent, logs, out):
    content = numbered(0, 500) + b'"quoted" \\ back\n'
    (logs / "a.log").write_bytes(content)
    agent.configure(tail(logs / "*.log"), to_file(out, format="raw")).start()
    wait_until(lambda: len(lines_of(out)) >= 501)
    assert out.read_bytes() == content


def test_many_connections_reach_a_peer(agent, sink):
    port = free_port()
    agent.configure(tcp_input(port), to_tcp(sink)).start()
    for n in range(20):
        send(port, numbered(100 * n, 100 * n + 100))
    wait_until(lambda: len(sink.lines) >= 2000)
    verdict = Verdict(2000, sink.lines)
    assert (verdict.lost, verdict.duplicated) == ([], 0)


def test_a_line_over_tcp_may_come_in_pieces_and_without_its_newline(agent, sink):
    port = free_port()
    agent.configure(tcp_input(port), to_tcp(sink)).start()
    send(port, b"one li", b"ne\ntw", b"o\nthe last one, then the end")
    wait_until(lambda: len(sink.lines) >= 3)
    assert sink.texts() == ["one line", "two", "the last one, then the end"]


def test_json_over_tcp_becomes_fields(agent, sink):
    port = free_port()
    agent.configure(tcp_input(port, format="json"), to_tcp(sink)).start()
    send(port, b'{"a": 1, "deep": {"b": [true, null]}}\n{"a": 2}\n')
    wait_until(lambda: len(sink.lines) >= 2)
    assert [{k: v for k, v in r.items() if k != "date"} for r in sink.records()] == [
        {"a": 1, "deep": {"b": [True, None]}}, {"a": 2}]


def test_an_over_long_message_over_tcp_is_cut_marked_and_counted(agent, sink):
    port = free_port()
    agent.configure(tcp_input(port, chunk_size=32, buffer_size=64), to_tcp(sink)).start()
    send(port, b"before\n" + b"x" * 300_000 + b"\nafter\n")
    wait_until(lambda: "after" in sink.texts())
    before, cut, after = sink.records()
    assert (before["log"], after["log"]) == ("before", "after")
    assert cut["_truncated"] is True and 0 < len(cut["log"]) < 300_000
    assert agent.metric("logweir_truncated_records_total") == 1


def test_the_json_parser_makes_fields_and_keeps_what_is_no_json(agent, sink, logs):
    put(logs / "a.log", '{"level": "warn", "n": 7}', "not json", '{"n": 12345678901234567890}')
    agent.configure(tail(logs / "*.log", parser="j"), to_tcp(sink), parsers=[{"name": "j", "format": "json"}]).start()
    wait_until(lambda: len(sink.lines) >= 3)
    bare = [{k: v for k, v in r.items() if k != "date"} for r in sink.records()]
    assert bare == [{"level": "warn", "n": 7}, {"log": "not json"}, {"n": 12345678901234567890}]


@pytest.mark.parametrize("rule, kept", [({"regex": "log good"}, "good"), ({"exclude": "log good"}, "bad")])
def test_grep_keeps_and_drops_and_counts(agent, sink, logs, rule, kept):
    put(logs / "a.log", *[f"{word} {n}" for n in range(300) for word in ("good", "bad")], f"{kept} end")
    agent.configure(tail(logs / "*.log"), to_tcp(sink), filters=[{"name": "grep", "match": "*", **rule}]).start()
    wait_until(lambda: f"{kept} end" in sink.texts())
    assert sink.texts() == [f"{kept} {n}" for n in range(300)] + [f"{kept} end"]
    assert agent.metric("logweir_filtered_records_total") == 300


def test_outputs_take_only_the_tags_that_match(agent, make_sink, logs):
    first, second = make_sink(), make_sink()
    put(logs / "a.log", "to the first")
    put(logs / "b.log", "to the second", "also to the second")
    agent.configure([tail(logs / "a.log", tag="app.a"), tail(logs / "b.log", tag="sys.b")],
                    [to_tcp(first, match="app.*"), to_tcp(second, match=None, match_regex="^sys")]).start()
    wait_until(lambda: len(second.lines) >= 2 and first.lines)
    assert (first.texts(), second.texts()) == (["to the first"], ["to the second", "also to the second"])


def test_exit_on_eof_ends_soon_with_many_unfinished_last_lines(agent, logs, out):
    for number in range(300):
        (logs / f"f{number}.log").write_bytes(b"whole\npart")
    agent.configure(tail(logs / "*.log", exit_on_eof=True), to_file(out)).start(ready=False)
    assert agent.ended(seconds=15) == 0  # a tick of 100 ms for each would be 30 s
    assert len(lines_of(out)) == 600


def test_exit_on_eof_delivers_all_and_ends(agent, logs, out):
    (logs / "a.log").write_bytes(numbered(0, 5000) + b"seq=00005000 the last line has no newline")
    agent.configure(tail(logs / "*.log", exit_on_eof=True), to_file(out)).start(ready=False)
    assert agent.ended(15) == 0
    assert verdict_of(out, 5001).exactly_once()


@pytest.mark.parametrize("stdout_format, shape", [("json_lines", b'{"date":'), (None, b"[0] t: [[")])
def test_stdout_speaks_both_formats(agent, logs, stdout_format, shape):
    put(logs / "a.log", "hello")
    output = {"name": "stdout", "match": "*", **({"format": stdout_format} if stdout_format else {})}
    agent.configure(tail(logs / "*.log"), output).start()
    wait_until(lambda: lines_of(agent.out_file))
    assert lines_of(agent.out_file)[0].startswith(shape)
    assert b"hello" in lines_of(agent.out_file)[0]


def test_path_key_and_offset_key_tell_where_a_line_came_from(agent, sink, logs):
    put(logs / "a.log", "one", "two")
    agent.configure(tail(logs / "*.log", path_key="file", offset_key="at", key="message"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 2)
    assert [(r["file"], r["at"], r["message"]) for r in sink.records()] == [
        (str(logs / "a.log"), 0, "one"), (str(logs / "a.log"), 4, "two")]


def test_a_tag_with_a_star_takes_the_path(agent, sink, logs):
    put(logs / "a.log", "yes")
    expanded = "in." + str(logs / "a.log").strip("/").replace("/", ".")
    agent.configure(tail(logs / "*.log", tag="in.*"), to_tcp(sink, match=expanded)).start()
    wait_until(lambda: sink.texts() == ["yes"])


def test_a_record_that_no_output_takes_is_counted(agent, sink, logs):
    put(logs / "a.log", "a", "b", "c")
    agent.configure(tail(logs / "*.log"), to_tcp(sink, match="nobody")).start()
    wait_until(lambda: agent.metric("logweir_input_records_total") == 3)
    assert not sink.lines
