# SPDX-License-Identifier: Apache-2.0
"""What a peer rejects is kept, shown, sent again when somebody asks, and dropped, beside a running agent or without."""
import json

import pytest

from agent import run, tail, to_file, to_http
from lines import numbered, put
from waiting import wait_until

QUICK = {"backoff_base": "20ms", "backoff_cap": "50ms", "linger": "0"}


def dlq(agent, *words):
    """Exit code and what it said."""
    done = run("dlq", *words, "-c", agent.conf)
    return done.returncode, done.stdout + done.stderr


def kept(agent):
    return agent.metric("logweir_dead_letter_records_total") or 0


@pytest.fixture
def refused(agent, make_http_sink, logs, out):
    """An agent whose peer refused the record "bad", and takes all from now on."""
    agent.sink = make_http_sink(act=lambda number: 400 if number == 1 else 200)
    put(logs / "a.log", "bad")
    agent.configure(tail(logs / "*.log"), [to_http(agent.sink, alias="peer", **QUICK),
                                           to_file(out, alias="aside", match="nothing")]).start()
    wait_until(lambda: kept(agent) == 1)
    return agent


def test_a_refused_record_is_listed_with_the_answer_and_replayed(refused, logs):
    code, text = dlq(refused, "list")
    assert code == 0 and "http_400" in text and "1 dead letters" in text
    code, text = dlq(refused, "show", "1")
    letter = json.loads(text)
    assert code == 0 and letter["record"] == {"log": "bad"} and letter["output"] == "peer" and letter["tag"] == "t"
    assert letter["answer"].startswith("400")
    put(logs / "a.log", "good")
    wait_until(lambda: refused.sink.texts() == ["good"])
    code, text = dlq(refused, "replay")
    assert code == 0 and text.startswith("1 dead letters are to be replayed")
    wait_until(lambda: refused.sink.texts() == ["good", "bad"])
    wait_until(lambda: dlq(refused, "list") == (0, "no dead letters\n"))
    counts = json.loads(refused.get("/api/v1/ledger")[1])["counts"]
    assert counts["recovered"] == 1 and counts["dead_letter"] == 1 and counts["discrepancy"] == 0


def test_a_replay_may_go_to_another_output(refused, out):
    assert dlq(refused, "replay", "--output", "aside")[0] == 0
    wait_until(lambda: out.exists() and out.read_text() == '{"log":"bad"}\n')
    assert refused.sink.texts() == []


def test_a_replay_asked_of_a_stopped_agent_comes_at_the_next_start(refused):
    assert refused.stop() == 0
    assert dlq(refused, "replay")[0] == 0
    assert "(to be replayed)" in dlq(refused, "list")[1]
    refused.start()
    wait_until(lambda: refused.sink.texts() == ["bad"])
    wait_until(lambda: dlq(refused, "list") == (0, "no dead letters\n"))


def test_what_is_kept_is_not_read_again_after_a_crash(refused, logs):
    wait_until(lambda: refused.metric("logweir_dead_letters") == 1)
    put(logs / "a.log", "good")
    wait_until(lambda: refused.sink.texts() == ["good"])
    refused.kill()
    refused.start()
    put(logs / "a.log", "later")
    wait_until(lambda: "later" in refused.sink.texts())
    assert "bad" not in refused.sink.texts()
    assert "1 dead letters" in dlq(refused, "list")[1]


def test_letters_are_dropped_by_number_or_all(refused):
    assert dlq(refused, "drop")[0] == 64
    assert dlq(refused, "drop", "7") == (1, "logweir: error: there is no dead letter 7\n")
    assert dlq(refused, "drop", "1") == (0, "1 dead letters are dropped\n")
    assert dlq(refused, "drop", "--all")[0] == 0


def test_a_replay_that_is_refused_again_is_kept_again(refused):
    refused.sink.act = lambda number: 400
    assert dlq(refused, "replay")[0] == 0
    wait_until(lambda: kept(refused) == 2)
    wait_until(lambda: "1 dead letters" in dlq(refused, "list")[1])
    assert dlq(refused, "show", "2")[0] == 0


def test_switched_off_they_are_dropped_and_counted(agent, make_http_sink, logs):
    sink = make_http_sink(act=lambda number: 400)
    put(logs / "a.log", "bad")
    agent.configure(tail(logs / "*.log"), to_http(sink, **QUICK), dead_letters="off").start()
    wait_until(lambda: agent.metric("logweir_dropped_records_total", reason="http_400") == 1)
    assert dlq(agent, "list") == (0, "no dead letters\n")


def test_the_store_is_bounded(agent, make_http_sink, logs):
    sink = make_http_sink(act=lambda number: 400)
    (logs / "a.log").write_bytes(numbered(0, 5000))
    agent.configure(tail(logs / "*.log"), to_http(sink, **QUICK), dead_letter_records=100).start()
    wait_until(lambda: kept(agent) == 5000)
    assert agent.metric("logweir_dead_letters") == 100
    assert agent.metric("logweir_dead_letters_evicted_total") == 4900
