# SPDX-License-Identifier: Apache-2.0
"""What may stand in a line, and how a line may come."""
import pytest

from agent import tail, to_tcp
from lines import put
from waiting import stays, wait_until


@pytest.fixture
def start(agent, sink, logs):
    def begin(content=b"", **more):
        (logs / "a.log").write_bytes(content)
        agent.configure(tail(logs / "*.log", **more), to_tcp(sink)).start()
    return begin


def arrived(sink, count):
    wait_until(lambda: len(sink.lines) >= count, what=lambda: f"{count} lines, but {sink.lines}")
    assert stays(lambda: len(sink.lines) == count, 0.2), sink.lines
    return sink.texts()


def append(path, data):
    with open(path, "ab", buffering=0) as file:
        file.write(data)


def test_a_line_written_in_pieces_is_one_record(start, sink, logs):
    start(b"first\n")
    arrived(sink, 1)
    for piece in (b'{"slow"', b": 1, ", b'"text"', b': "abc"', b"}"):
        append(logs / "a.log", piece)
        assert stays(lambda: len(sink.lines) == 1, 0.05)
    append(logs / "a.log", b"\n")
    assert arrived(sink, 2) == ["first", '{"slow": 1, "text": "abc"}']


def test_a_last_line_without_newline_is_sent_after_partial_timeout(start, sink, logs):
    start(b"whole\npart", partial_timeout="300ms")
    assert arrived(sink, 2) == ["whole", "part"]


@pytest.mark.parametrize("word", [b"nul \x00 inside", b"\x00\x00\x00", b"tab\tbell\x07 esc\x1b del\x7f",
                                  b'quotes " and \\ back', "line \u2028 separator".encode(), "wide \U0001f9ea".encode()])
def test_any_character_survives(start, sink, logs, word):
    start(b"before\n" + word + b"\nafter\n")
    assert arrived(sink, 3) == ["before", word.decode(), "after"]


@pytest.mark.parametrize("bad, good", [(b"latin \xe9 one", "latin \ufffd one"), (b"cut \xe2\x82 abc", "cut \ufffd abc"),
                                       (b"lone \xff", "lone \ufffd")])
def test_ill_formed_utf8_is_repaired_and_what_follows_is_kept(start, sink, logs, bad, good):
    start(b"before\n" + bad + b"\nafter\n")
    assert arrived(sink, 3) == ["before", good, "after"]


@pytest.mark.parametrize("bad", [b"\xc0\xaf over-long", b"\xed\xa0\x80 surrogate", b"\xf5\x80\x80\x80 too high"])
def test_other_ill_formed_utf8_becomes_valid_json_too(start, sink, logs, bad):
    start(bad + b"\nafter\n")
    first, second = arrived(sink, 2)
    assert first.replace("\ufffd", "") == bad[bad.index(b" "):].decode() and second == "after"


def test_crlf_ends_a_line_too(start, sink, logs):
    start(b"one\r\ntwo\r\nthree\n")
    assert arrived(sink, 3) == ["one", "two", "three"]


def test_a_byte_order_mark_is_no_part_of_the_first_line(start, sink, logs):
    start(b"\xef\xbb\xbfone\ntwo\n")
    assert arrived(sink, 2) == ["one", "two"]


@pytest.mark.parametrize("skip, texts", [(True, ["one", "two"]), (False, ["one", "", "two"])])
def test_empty_lines_are_skipped_or_kept(start, sink, logs, skip, texts):
    start(b"one\n\ntwo\n", skip_empty_lines=skip)
    assert arrived(sink, len(texts)) == texts


def test_a_long_line_within_the_limit_is_whole(start, sink, logs):
    long = b"0123456789abcdef" * 40_000
    start(b"a\n" + long + b"\nb\n", buffer_chunk_size="32k", buffer_max_size="1M")
    assert arrived(sink, 3) == ["a", long.decode(), "b"]


def test_a_line_beyond_the_limit_is_cut_marked_and_counted_and_its_neighbours_are_whole(start, agent, sink, logs):
    start(b"a\n" + b"x" * 3_000_000 + b"\nb\n", buffer_chunk_size="32k", buffer_max_size="1M")
    first, cut, last = arrived(sink, 3)
    assert (first, last) == ("a", "b")
    assert sink.records()[1]["_truncated"] is True and set(cut) == {"x"} and len(cut) <= 1 << 20
    assert agent.metric("logweir_truncated_records_total") == 1
    agent.restart()
    put(logs / "a.log", "c")
    arrived(sink, 4)


def test_a_long_line_is_skipped_where_that_is_asked(start, agent, sink, logs):
    start(b"a\n" + b"x" * 3_000_000 + b"\nb\n", buffer_chunk_size="32k", buffer_max_size="1M", skip_long_lines=True)
    assert arrived(sink, 2) == ["a", "b"]


def test_a_new_file_is_read_from_its_end_unless_asked(start, sink, logs):
    start(b"old\n", read_from_head=False)
    append(logs / "a.log", b"new\n")
    assert arrived(sink, 1) == ["new"]


def test_old_files_are_ignored_where_that_is_asked(agent, sink, logs):
    import os
    put(logs / "old.log", "old")
    os.utime(logs / "old.log", (1, 1))
    put(logs / "new.log", "new")
    agent.configure(tail(logs / "*.log", ignore_older="1d"), to_tcp(sink)).start()
    assert arrived(sink, 1) == ["new"]


def test_excluded_files_are_not_read(agent, sink, logs):
    put(logs / "a.log", "yes")
    put(logs / "b.log", "no")
    put(logs / "c.txt", "yes, from a list")
    paths = [str(logs / "*.log"), str(logs / "*.txt")]
    agent.configure({**tail(""), "path": paths, "exclude_path": str(logs / "b*")}, to_tcp(sink)).start()
    assert sorted(arrived(sink, 2)) == ["yes", "yes, from a list"]


def test_our_own_output_and_log_are_never_read(agent, logs):
    put(logs / "a.log", "one")
    agent.out_file, own_log = logs / "own-stdout.log", logs / "own-log.log"
    agent.configure(tail(logs / "*.log"), {"name": "stdout", "match": "*", "format": "json_lines"},
                    log_file=str(own_log), log_level="debug").start()
    wait_until(lambda: agent.out_file.read_bytes().count(b"\n") == 1)
    assert stays(lambda: agent.out_file.read_bytes().count(b"\n") == 1, 0.5), agent.out_file.read_bytes()[:500]
