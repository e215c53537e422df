# SPDX-License-Identifier: Apache-2.0
"""Files that are renamed, truncated, replaced and linked while they are read: nothing lost, nothing twice."""
import os
import shutil
import time

import pytest

from agent import tail, to_tcp
from lines import Verdict, Writer, numbered, put, verdict_of
from agent import to_file
from waiting import stays, wait_until


@pytest.fixture
def watch(agent, sink, logs):
    """Starts the agent on a path below the folder; gives a function that waits for exactly these texts, in any order."""

    def start(path="app.log", **more):
        agent.configure(tail(logs / path, **more), to_tcp(sink)).start()

        def expect(*texts):
            wait_until(lambda: len(sink.lines) >= len(texts), what=lambda: f"{sink.texts()} instead of {texts}")
            assert sorted(sink.texts()) == sorted(texts)
            assert stays(lambda: len(sink.lines) == len(texts), 0.3), f"then came {sink.texts()[len(texts):]}"
        return expect
    return start


def test_late_writes_to_a_renamed_file_are_taken(watch, logs):
    put(logs / "app.log", "a1", "a2")
    expect = watch()
    expect("a1", "a2")
    with open(logs / "app.log", "ab", buffering=0) as late:
        late.write(b"a3\n")
        os.rename(logs / "app.log", logs / "app.log.1")
        late.write(b"a4\n")
        put(logs / "app.log", "b1")
        expect("a1", "a2", "a3", "a4", "b1")
        late.write(b"a5\n")
        expect("a1", "a2", "a3", "a4", "b1", "a5")
    put(logs / "app.log", "b2")
    expect("a1", "a2", "a3", "a4", "b1", "a5", "b2")


def test_a_line_split_over_a_rotation_is_joined(watch, logs):
    (logs / "app.log").write_bytes(b"one\nhalf of ")
    expect = watch()
    expect("one")
    os.rename(logs / "app.log", logs / "app.log.1")
    (logs / "app.log").write_bytes(b"a line\nnext\n")
    expect("one", "half of a line", "next")


def test_the_old_file_is_read_to_its_end_before_the_new_one(agent, sink, logs):
    (logs / "app.log").write_bytes(numbered(0, 20_000))
    agent.configure(tail(logs / "app.log*"), to_tcp(sink)).start()
    os.rename(logs / "app.log", logs / "app.log.1")
    (logs / "app.log").write_bytes(numbered(20_000, 21_000))
    wait_until(lambda: len(sink.lines) >= 21_000)
    assert Verdict(21_000, sink.lines).exactly_once()


def test_a_renamed_file_that_still_matches_is_not_read_again(watch, logs):
    put(logs / "app.log", "one", "two")
    expect = watch("app.log*")
    expect("one", "two")
    os.rename(logs / "app.log", logs / "app.log.1")
    put(logs / "app.log", "three")
    expect("one", "two", "three")


def test_a_file_compressed_after_its_rotation_is_left_alone(watch, logs):
    put(logs / "app.log", "one")
    expect = watch("app.log*")
    expect("one")
    os.rename(logs / "app.log", logs / "app.log.1")
    put(logs / "app.log", "two")
    expect("one", "two")
    os.system(f"gzip {logs / 'app.log.1'}")
    put(logs / "app.log", "three")
    expect("one", "two", "three")


def test_copytruncate_starts_anew(watch, logs):
    put(logs / "app.log", "l1 and more", "l2 and more", "l3 and more")
    expect = watch("app.log*")
    expect("l1 and more", "l2 and more", "l3 and more")
    shutil.copy(logs / "app.log", logs / "app.log.1")
    os.truncate(logs / "app.log", 0)
    put(logs / "app.log", "l4", "l5")
    expect("l1 and more", "l2 and more", "l3 and more", "l4", "l5")


@pytest.mark.parametrize("more", ["", "\ngen2 line-3", "\ngen2 line-3\ngen2 line-4"], ids=["same size", "longer", "much longer"])
def test_a_file_refilled_to_the_same_size_or_more_is_read_anew(watch, logs, more):
    (logs / "app.log").write_text("gen1 line-1\ngen1 line-2\n")
    expect = watch()
    expect("gen1 line-1", "gen1 line-2")
    second = f"gen2 line-1\ngen2 line-2{more}\n"
    (logs / "app.log").write_text(second)
    expect("gen1 line-1", "gen1 line-2", *second.split("\n")[:-1])


def test_a_file_truncated_while_down_is_read_from_its_start_once(agent, sink, logs):
    put(logs / "app.log", *[f"old {n}" for n in range(6)])
    agent.configure(tail(logs / "app.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 6)
    agent.stop()
    (logs / "app.log").write_text("new 1\n")
    agent.start()
    wait_until(lambda: len(sink.lines) >= 7)
    agent.restart()
    put(logs / "app.log", "new 2")
    wait_until(lambda: len(sink.lines) >= 8)
    assert sink.texts() == [f"old {n}" for n in range(6)] + ["new 1", "new 2"]


def test_a_generation_that_begins_after_a_stop_is_not_taken_for_its_forerunner(agent, sink, logs):
    put(logs / "app.log", "# a header")
    agent.configure(tail(logs / "app.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) == 1)
    put(logs / "app.log", *(f"a{i}" for i in range(100)))
    wait_until(lambda: len(sink.lines) == 101)
    shutil.copy(logs / "app.log", logs / "app.log.1")
    os.truncate(logs / "app.log", 0)
    wait_until(lambda: agent.metric("logweir_input_truncations_total") == 1)
    agent.stop()
    os.remove(logs / "app.log.1")
    put(logs / "app.log", "# a header")
    agent.start()
    wait_until(lambda: len(sink.lines) >= 102, what="the header again")
    put(logs / "app.log", *(f"b{i}" for i in range(200)))
    wait_until(lambda: len(sink.lines) >= 302, what=lambda: f"{len(sink.lines)} lines")
    assert sink.texts()[101:] == ["# a header"] + [f"b{i}" for i in range(200)]


def test_a_file_rotated_while_down_goes_on_under_its_new_name(agent, sink, logs):
    put(logs / "app.log", "l1", "l2", "l3")
    agent.configure(tail(logs / "app.log*"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 3)
    agent.stop()
    put(logs / "app.log", "l4")
    os.rename(logs / "app.log", logs / "app.log.1")
    put(logs / "app.log", "l5")
    agent.start()
    wait_until(lambda: len(sink.lines) >= 5)
    assert stays(lambda: len(sink.lines) == 5, 0.3)
    assert sorted(sink.texts()) == ["l1", "l2", "l3", "l4", "l5"]


def test_a_file_rotated_twice_while_down_loses_nothing_though_only_its_own_name_is_asked_for(agent, sink, logs):
    def rotate():
        time.sleep(0.02)  # a later last write
        for old, new in (("app.log.1", "app.log.2"), ("app.log", "app.log.1")):
            if (logs / old).exists():
                os.rename(logs / old, logs / new)

    put(logs / "app.log", "a1")
    agent.configure(tail(logs / "app.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) == 1)
    agent.stop()
    put(logs / "app.log", "a2")
    rotate()
    put(logs / "app.log", "b1")
    rotate()
    put(logs / "app.log", "c1")
    agent.start()
    wait_until(lambda: len(sink.lines) >= 4)
    assert sink.texts() == ["a1", "a2", "b1", "c1"]


def test_several_rotations_in_a_row_keep_order_and_join_a_line_that_spans_three_files(agent, sink, logs):
    put(logs / "app.log", "a1")
    agent.configure(tail(logs / "app.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) == 1)
    for text in (b"a2\nfirst, ", b"second, ", b"", b"third\nd1\n"):
        with open(logs / "app.log", "ab") as file:
            file.write(text)
        if text.endswith(b"d1\n"):
            break
        for n in (3, 2, 1):
            if (logs / f"app.log.{n}").exists():
                os.rename(logs / f"app.log.{n}", logs / f"app.log.{n + 1}")
        os.rename(logs / "app.log", logs / "app.log.1")
        time.sleep(0.01)
    wait_until(lambda: len(sink.lines) >= 4)
    assert sink.texts() == ["a1", "a2", "first, second, third", "d1"]


def test_a_flipped_symlink_leads_to_the_new_file_under_the_configured_path(watch, sink, logs):
    for version in ("v1", "v2"):
        (logs / version).mkdir()
    put(logs / "v1/app.log", "v1 one")
    (logs / "current").symlink_to("v1")
    expect = watch("current/app.log", path_key="file")
    expect("v1 one")
    put(logs / "v2/app.log", "v2 one")
    (logs / "next").symlink_to("v2")
    os.rename(logs / "next", logs / "current")
    put(logs / "v1/app.log", "v1 late")
    expect("v1 one", "v2 one", "v1 late")
    put(logs / "v2/app.log", "v2 two")
    expect("v1 one", "v2 one", "v1 late", "v2 two")
    assert {r["file"] for r in sink.records()} == {str(logs / "current/app.log")}


def test_files_behind_symlinks_in_another_folder_are_followed(watch, logs, tmp_path):
    real = tmp_path / "pods"
    real.mkdir()
    put(real / "0.log", "one")
    (logs / "pod.log").symlink_to(real / "0.log")
    expect = watch("*.log")
    expect("one")
    put(real / "0.log", "two")
    expect("one", "two")


def test_two_hard_links_are_one_file(watch, logs):
    put(logs / "app.log", "h1")
    os.link(logs / "app.log", logs / "app-b.log")
    expect = watch("*.log")
    expect("h1")
    put(logs / "app-b.log", "h2")
    put(logs / "app.log", "h3")
    expect("h1", "h2", "h3")
    os.unlink(logs / "app.log")
    put(logs / "app-b.log", "h4")
    expect("h1", "h2", "h3", "h4")


def test_files_with_equal_heads_stay_apart(watch, logs):
    banner = [f"banner line {n} of the very same text" for n in range(80)]
    for name in "abc":
        put(logs / f"{name}.log", *banner)
    put(logs / "a.log", "a is different")
    put(logs / "b.log", "b is different")
    expect = watch("*.log")
    expect(*banner * 3, "a is different", "b is different")
    put(logs / "c.log", "c is different")
    expect(*banner * 3, "a is different", "b is different", "c is different")


def test_an_editor_that_replaces_a_file_loses_nothing(agent, sink, logs):
    put(logs / "app.log", "a", "b")
    agent.configure(tail(logs / "app.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 2)
    shutil.copy(logs / "app.log", logs / ".tmp")
    put(logs / ".tmp", "c")
    os.rename(logs / ".tmp", logs / "app.log")
    wait_until(lambda: "c" in sink.texts())
    put(logs / "app.log", "d")
    wait_until(lambda: "d" in sink.texts())
    assert set(sink.texts()) == {"a", "b", "c", "d"} and sink.texts().count("c") == 1


def test_a_deleted_file_is_read_to_its_end(agent, sink, logs):
    (logs / "app.log").write_bytes(numbered(0, 50_000))
    agent.configure(tail(logs / "app.log"), to_tcp(sink)).start()
    wait_until(lambda: sink.lines)
    os.unlink(logs / "app.log")
    wait_until(lambda: len(sink.lines) >= 50_000)
    assert Verdict(50_000, sink.lines).exactly_once()


def test_a_new_file_with_a_reused_inode_is_read_from_its_start(watch, logs):
    put(logs / "app.log", "first life")
    expect = watch()
    expect("first life")
    os.unlink(logs / "app.log")
    put(logs / "app.log", "second life, longer than the first")
    expect("first life", "second life, longer than the first")


@pytest.mark.parametrize("how", ["rename", "copytruncate"])
def test_a_file_rotated_under_load_arrives_once_and_in_order(agent, logs, out, how):
    agent.configure(tail(logs / "app.log*"), to_file(out)).start()
    writer = Writer(logs / "app.log", rate=5000, rotate=how, every=0.4)
    wait_until(lambda: writer.written >= 12_000)
    written = writer.stop()
    wait_until(lambda: verdict_of(out, written).distinct >= written, what=lambda: verdict_of(out, written))
    assert verdict_of(out, written).exactly_once(), verdict_of(out, written)
    assert not agent.metric("logweir_lost_bytes_total")


def test_what_a_truncation_destroyed_unread_is_counted_in_bytes(agent, sink, logs):
    sink.down()
    (logs / "app.log").write_bytes(numbered(0, 100_000))
    agent.configure(tail(logs / "app.log"), to_tcp(sink, queue_bytes="64k", backoff_base="100ms", backoff_cap="100ms"),
                    memory_limit="8M").start()
    wait_until(lambda: (agent.metric("logweir_input_unread_bytes") or 0) > 0)
    os.truncate(logs / "app.log", 0)
    put(logs / "app.log", "after")
    sink.up()
    wait_until(lambda: sink.lines and sink.texts()[-1] == "after", 20)
    arrived = sum(len(text) + 1 for text in sink.texts()[:-1])
    assert agent.metric("logweir_lost_bytes_total") == len(numbered(0, 100_000)) - arrived
