# SPDX-License-Identifier: Apache-2.0
"""What outlives the process, and what happens when it can't."""
import os
import sqlite3
import stat

import pytest

from agent import bound_by_rights, tail, to_tcp
from lines import put
from waiting import free_port, stays, wait_until


@pytest.fixture
def reading(agent, sink, logs):
    put(logs / "a.log", "old 1", "old 2")
    agent.configure(tail(logs / "*.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 2)
    return agent


def test_a_restart_goes_on_where_it_stopped(reading, sink, logs):
    for n in range(3):
        reading.stop()
        put(logs / "a.log", f"new {n}")
        reading.start()
        wait_until(lambda: sink.texts()[-1] == f"new {n}")
    assert sink.texts() == ["old 1", "old 2", "new 0", "new 1", "new 2"]


def test_the_state_is_for_its_owner_alone(reading):
    files = [p for p in reading.state.iterdir() if p.is_file()]
    assert files and stat.S_IMODE(reading.state.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in files} == {0o600}


def test_a_second_agent_on_the_same_state_is_told_so_and_ends(reading, make_agent, sink, logs):
    second = make_agent()
    second.state = reading.state
    second.configure(tail(logs / "*.log"), to_tcp(sink), state_dir=str(reading.state)).start(ready=False)
    assert second.ended() not in (0, None)
    assert str(reading.state) in second.log() and str(reading.process.pid) in second.log()


def test_a_symlinked_name_is_not_read_again_after_restarts(agent, sink, logs):
    put(logs / "app.INFO.20260305", "one", "two")
    (logs / "app.INFO").symlink_to("app.INFO.20260305")
    agent.configure(tail(logs / "app.INFO"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 2)
    agent.stop()
    put(logs / "app.INFO.20260305", "three")
    agent.start()
    wait_until(lambda: len(sink.lines) >= 3)
    agent.restart()
    assert stays(lambda: sink.texts() == ["one", "two", "three"], 0.5), sink.texts()


@pytest.mark.parametrize("damage", ["zeros", "half", "empty", "text"])
def test_a_damaged_state_is_kept_aside_and_the_agent_runs_on(reading, sink, logs, damage):
    reading.stop()
    for file in [p for p in reading.state.iterdir() if p.stat().st_size]:
        size = file.stat().st_size
        file.write_bytes({"zeros": bytes(size), "half": file.read_bytes()[:size // 2], "empty": b"",
                          "text": b"not a database " * 300}[damage])
    put(logs / "a.log", "after the damage")
    reading.start()
    wait_until(lambda: "after the damage" in sink.texts())
    assert set(sink.texts()) == {"old 1", "old 2", "after the damage"}
    if damage in ("zeros", "text"):
        assert any("damaged" in p.name for p in reading.state.iterdir()), list(reading.state.iterdir())
        wait_until(lambda: "damaged" in reading.log())
    assert reading.get("/health")[0] == 200


def test_a_newer_state_is_refused_in_a_sentence_and_left_as_it_is(reading):
    reading.stop()
    with sqlite3.connect(reading.state / "state.db") as db:
        db.execute("pragma user_version = 9999")
    db.close()
    reading.start(ready=False)
    assert reading.ended() not in (0, None)
    assert "9999" in reading.log() and "state.db" in reading.log()


@pytest.mark.parametrize("exists", [True, False], ids=["read-only", "parent read-only"])
def test_a_state_folder_that_cannot_be_written_is_said_in_health_and_no_exit(agent, sink, logs, tmp_path, exists):
    put(logs / "a.log", "one")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    directory = closed if exists else closed / "state"
    agent.configure(tail(logs / "*.log"), to_tcp(sink), state_dir=str(directory))
    agent.start(prefix=bound_by_rights(tmp_path))
    wait_until(lambda: sink.texts() == ["one"])
    status, body = agent.get("/health")
    assert status == 503 and str(directory) in body
    assert str(directory) in agent.log()


def test_an_acknowledged_position_survives_kill_9(reading, sink, logs):
    put(logs / "a.log", "three")
    wait_until(lambda: sink.texts()[-1] == "three")
    # Written within 10 ms of the acknowledgement, which the kernel's queue tells a few ms after the bytes went.
    assert stays(lambda: True, 0.25)
    reading.kill()
    put(logs / "a.log", "four")
    reading.start()
    wait_until(lambda: sink.texts()[-1] == "four")
    assert sink.texts() == ["old 1", "old 2", "three", "four"]


def test_rows_of_vanished_files_are_pruned(agent, sink, logs):
    for n in range(50):
        put(logs / f"{n}.log", f"text {n}")
    agent.configure(tail(logs / "*.log", rotate_wait=1), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 50)
    for n in range(49):
        os.unlink(logs / f"{n}.log")
    wait_until(lambda: agent.metric("logweir_input_open_files") == 1, 20)
    agent.stop()
    db = sqlite3.connect(agent.state / "state.db")
    tables = [name for name, in db.execute("select name from sqlite_master where type = 'table'")]
    counts = {name: db.execute(f'select count(*) from "{name}"').fetchone()[0] for name in tables}
    db.close()
    assert all(count < 10 for count in counts.values()), counts


def test_a_fluent_bit_db_decides_where_the_state_is(agent, sink, logs, tmp_path):
    put(logs / "a.log", "one")
    agent.configure(tail(logs / "*.log", db=str(tmp_path / "tail.db")), to_tcp(sink), state_dir=None).start()
    wait_until(lambda: sink.lines)
    assert (tmp_path / "tail.db.logweir/state.db").exists()


def test_an_agent_without_files_to_read_opens_no_state(agent, sink, tmp_path):
    agent.configure({"name": "tcp", "tag": "t", "port": free_port(), "listen": "127.0.0.1"}, to_tcp(sink)).start()
    assert not agent.state.exists()
