# SPDX-License-Identifier: Apache-2.0
"""Files that are not plain UTF-8, the standard input, and positions that Fluent Bit left: through the real binary."""
import gzip
import os
import sqlite3

import pytest

from agent import run, tail, to_file, to_tcp
from lines import Verdict, lines_of, numbered, put
from waiting import stays, wait_until


def test_utf16_goes_on_through_a_rotation_and_a_restart(agent, out, logs):
    def write(text, mark=False):
        with open(logs / "app.log", "ab") as file:
            file.write((b"\xff\xfe" if mark else b"") + text.encode("utf-16-le"))

    def expect(*texts):
        wanted = [b'{"log":"%s"}' % text.encode() for text in texts]
        wait_until(lambda: lines_of(out) == wanted, what=lambda: lines_of(out))

    write("one \u010a\r\nhal", mark=True)
    agent.configure(tail(logs / "app.log", **{"unicode.encoding": "auto"}), to_file(out)).start()
    expect("one \u010a")
    agent.restart()
    write("f \u0a00\n")
    expect("one \u010a", "half \u0a00")
    os.rename(logs / "app.log", logs / "app.log.1")
    write("two\n", mark=True)
    expect("one \u010a", "half \u0a00", "two")


@pytest.mark.one_worker
def test_an_archive_is_gone_on_with_after_a_kill(agent, sink, logs):
    lines = 60_000
    (logs / "a.gz").write_bytes(gzip.compress(numbered(0, lines // 2), 1) + gzip.compress(numbered(lines // 2, lines), 1))
    agent.configure(tail(logs / "*.gz", compressed="auto"), to_tcp(sink, batch_bytes="64k")).start(ready=False)
    wait_until(lambda: len(sink.lines) > 1000)
    agent.kill()
    agent.start()
    wait_until(lambda: Verdict(lines, sink.lines).distinct == lines, what=lambda: Verdict(lines, sink.lines))
    verdict = Verdict(lines, sink.lines)
    assert not verdict.lost and verdict.duplicated < lines // 2, verdict
    with open(logs / "a.gz", "ab") as file:
        file.write(gzip.compress(numbered(lines, lines + 10)))
    wait_until(lambda: Verdict(lines + 10, sink.lines).distinct == lines + 10)


def test_stdin_is_delivered_to_its_end_and_then_the_agent_stops(agent, out):
    agent.configure({"name": "stdin", "tag": "t"}, to_file(out))
    read, write = os.pipe()
    agent.start(stdin=read)
    os.close(read)
    with open(write, "wb") as pipe:
        pipe.write(b'{"a":1}\nplain\n' + b"x" * 100_000 + b"\nlast")
    assert agent.ended() == 0
    assert lines_of(out) == [b'{"a":1}', b'{"log":"plain"}', b'{"log":"' + b"x" * 100_000 + b'"}', b'{"log":"last"}']


@pytest.mark.one_worker
def test_a_file_as_stdin_is_read_whole(agent, out, tmp_path):
    (tmp_path / "in").write_bytes(numbered(0, 30_000))
    agent.configure({"name": "stdin", "tag": "t", "format": "none"}, to_file(out))
    with open(tmp_path / "in", "rb", buffering=0) as file:
        file.readline()  # somebody else's, as with (read LINE; logweir) < FILE
        agent.start(ready=False, stdin=file)
    assert agent.ended() == 0
    assert Verdict(30_000, lines_of(out)).lost == [0]


@pytest.mark.one_worker
def test_stdin_waits_for_an_output_that_is_away(make_agent, make_sink):
    sink = make_sink(up=False)
    agent = make_agent()
    agent.configure({"name": "stdin", "tag": "t"}, {**to_tcp(sink), "backoff_base": "50ms", "backoff_cap": "100ms"})
    read, write = os.pipe()
    agent.start(stdin=read)
    os.close(read)
    os.write(write, b'{"a":1}\n')
    os.close(write)
    assert stays(agent.running, 0.5)
    sink.up()
    assert agent.ended() == 0
    assert len(sink.lines) == 1


@pytest.mark.one_worker
def test_dummy_prints_json_arrays(agent):
    agent.configure({"name": "dummy", "tag": "t", "dummy": '{"a":1}', "rate": 100, "samples": 2},
                    {"name": "stdout", "match": "*", "format": "json", "json_date_key": False}).start()
    wait_until(lambda: agent.delivered() == 2)
    assert agent.out_file.read_bytes().replace(b"]\n[", b",") == b'[{"a":1},{"a":1}]\n'


@pytest.fixture
def fluent_bit_db(tmp_path):
    """Writes a file of offsets as Fluent Bit does; gives its path."""
    def write(*files):
        path = tmp_path / "tail.db"
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("CREATE TABLE in_tail_files (id INTEGER PRIMARY KEY, name TEXT NOT NULL, offset INTEGER, "
                       "inode INTEGER, created INTEGER, rotated INTEGER DEFAULT 0)")
            for name, offset in files:
                db.execute("INSERT INTO in_tail_files (name, offset, inode, created) VALUES (?, ?, ?, 1700000000)",
                           (str(name), offset, os.stat(name).st_ino))
        db.close()
        return path
    return write


def test_positions_of_fluent_bit_are_taken_over_once(agent, out, logs, fluent_bit_db):
    put(logs / "a.log", "a1", "a2")
    put(logs / "b.log", "b1", "b2")
    db = fluent_bit_db((logs / "a.log", 3), (logs / "b.log", 6))
    before = db.read_bytes()
    os.rename(logs / "a.log", logs / "a.log.1")  # rotated after Fluent Bit had stopped
    put(logs / "a.log", "a3")
    agent.configure(tail(logs / "*.log", db=str(db), read_from_head=False), to_file(out)).start()

    def expect(*texts):
        wait_until(lambda: len(lines_of(out)) >= len(texts), what=lambda: lines_of(out))
        assert stays(lambda: sorted(lines_of(out)) == [b'{"log":"%s"}' % t.encode() for t in texts], 0.3), lines_of(out)

    expect("a2", "a3")
    assert "taken over" in agent.log()
    assert db.read_bytes() == before
    put(logs / "b.log", "b3")
    expect("a2", "a3", "b3")
    agent.restart()
    put(logs / "b.log", "b4")
    expect("a2", "a3", "b3", "b4")
    assert agent.log().count("taken over") == 1


@pytest.mark.one_worker
def test_a_db_that_is_none_is_said_and_the_files_are_read(agent, out, logs, tmp_path):
    (tmp_path / "tail.db").write_bytes(b"no database" * 100)
    put(logs / "a.log", "a1")
    agent.configure(tail(logs / "*.log", db=str(tmp_path / "tail.db")), to_file(out)).start()
    wait_until(lambda: lines_of(out) == [b'{"log":"a1"}'])
    assert "can't be taken over" in agent.log()


@pytest.mark.one_worker
def test_conf_faults_of_these_keys_are_named(agent, out, logs):
    agent.configure(tail(logs / "*", **{"generic.encoding": "EBCDIC"}), to_file(out, delimiter='"'))
    result = run("check", "-c", agent.conf)
    assert result.returncode == 78
    assert "ShiftJIS" in result.stderr and "delimiter" in result.stderr
