# SPDX-License-Identifier: Apache-2.0
"""What waits on disk is shown, printed and checked, beside a running agent or without one, and nothing is changed."""
import json

import pytest

from agent import bound_by_rights, run, tail, to_http
from spools import START, Spool
from waiting import free_port

pytestmark = pytest.mark.one_worker


def spool(agent, *words):
    """Exit code, what it said, and what it complained of."""
    done = run("spool", *words, "-c", agent.conf)
    return done.returncode, done.stdout, done.stderr


def all_files(folder):
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def away(agent, logs):
    """An agent whose peer is away; its two spools lie where the conf says."""
    agent.root = agent.folder / "spools"
    port = free_port()
    agent.destination = f"http:127.0.0.1:{port}/in"
    agent.configure(tail(logs / "*.log"), {**to_http(type("Peer", (), {"port": port})), "alias": "peer"},
                    **{"storage.path": str(agent.root)})
    agent.mine = Spool(agent.root, "peer", agent.destination, [["one", "two"], ["thr\"ee"], ["four"]])
    agent.old = Spool(agent.root, "peer", "http:elsewhere:1/in", [["old"]], shard=1)
    return agent


def test_without_spools_each_command_says_so(agent, logs):
    agent.configure(tail(logs / "*.log"), to_http(type("Peer", (), {"port": 9})))
    nothing = f"no spools in {agent.state}/spool: nothing waits on disk\n"
    assert spool(agent, "list") == (0, nothing, "")
    assert spool(agent, "verify") == (0, nothing, "")
    assert spool(agent, "cat") == (0, "", nothing)


def test_list_shows_what_waits_and_what_is_held_back(away):
    code, text, complaints = spool(away, "list")
    assert code == 0 and complaints == ""
    rows = {line.split()[1]: line.split() for line in text.splitlines()[1:3]}
    size = away.mine.segment.stat().st_size
    assert rows[away.destination] == ["peer", away.destination, "0", "1", str(size), "3", "4", "2023-11-14T22:13:20Z",
                                      "no"]
    assert rows["http:elsewhere:1/in"][-1] == "yes"
    assert f"2 spools, 4 frames waiting, {size + away.old.segment.stat().st_size} bytes, in {away.root}\n" in text
    assert "What is held back" in text


def test_cat_prints_the_records_as_json(away):
    code, text, complaints = spool(away, "cat", "--output", "peer")
    assert code == 0 and complaints == ""
    lines = [json.loads(line) for line in text.splitlines()]
    assert sorted(line["record"]["log"] for line in lines) == sorted(["one", "two", "thr\"ee", "four", "old"])
    two = next(line for line in lines if line["record"]["log"] == "two")
    assert two == {"output": "peer", "tag": "t", "id": "00000000000000ab-4", "time": "2023-11-14T22:13:20.000000001Z",
                   "record": {"log": "two"}}
    assert len(spool(away, "cat", "--limit", "2")[1].splitlines()) == 2
    assert spool(away, "cat", "--output", "nobody")[0] == 1


def test_verify_names_the_damaged_place(away):
    code, text, _ = spool(away, "verify")
    assert code == 0 and "3 frames with 4 records read, whole" in text
    away.mine.flip(away.mine.offsets[1] + 60)
    code, text, _ = spool(away, "verify")
    assert code == 1
    assert f"damaged: {away.mine.segment} at {away.mine.offsets[1]}: " in text and "1 frames lost\n" in text
    code, text, complaints = spool(away, "cat")
    assert code == 0 and len(text.splitlines()) == 4 and "1 frames of" in complaints


def test_it_looks_beside_a_running_agent_and_changes_nothing(away):
    away.start()
    before = all_files(away.root)
    for verb in ("list", "cat", "verify"):
        assert spool(away, verb)[0] == 0
    assert all_files(away.root) == before


def test_a_newer_format_is_said_and_the_others_are_shown(away):
    Spool(away.root, "other", "x", [["a"]], version=7)
    code, text, complaints = spool(away, "list")
    assert code == 1 and "2 spools" in text
    assert "was written by a newer logweir (its version is 7, this one reads up to 1): use that one" in complaints


def test_a_label_that_is_damaged_costs_no_record(away):
    away.mine.flip(100)
    code, text, _ = spool(away, "verify")
    assert code == 1 and f"{away.mine.segment} at 0: the label" in text and "0 frames lost" in text
    assert START == away.mine.offsets[0]


def test_a_folder_that_cant_be_read_is_said(away):
    prefix = bound_by_rights(away.folder)
    away.root.chmod(0)
    try:
        done = run("spool", "list", "-c", away.conf, prefix=prefix)
    finally:
        away.root.chmod(0o700)
    code, complaints = done.returncode, done.stderr
    assert code == 1 and "the spools can't be read" in complaints and "the agent's user" in complaints
