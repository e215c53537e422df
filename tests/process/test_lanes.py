# SPDX-License-Identifier: Apache-2.0
"""What a lane does about a dead peer, old and slight records, and where the ledger says they ended."""
import json

from agent import tail, to_file, to_tcp
from lines import numbered, put
from waiting import wait_until

QUICK = {"backoff_base": "20ms", "backoff_cap": "50ms"}


def ledger(agent):
    status, text = agent.get("/api/v1/ledger")
    assert status == 200
    return json.loads(text)


def test_the_breaker_opens_for_a_dead_peer_and_closes_when_it_is_back(agent, sink, logs):
    sink.down()
    put(logs / "a.log", "waits")
    agent.configure(tail(logs / "*.log"), to_tcp(sink, alias="out", **QUICK)).start()
    wait_until(lambda: agent.metric("logweir_output_breaker_state", output="out") > 0)
    wait_until(lambda: agent.metric("logweir_output_breaker_opens_total", output="out") > 0)
    status, body = agent.get("/health")
    assert status == 503 and "output out: its breaker is" in json.loads(body)["reasons"][0]
    sink.up()
    wait_until(lambda: sink.texts() == ["waits"])
    wait_until(lambda: agent.metric("logweir_output_breaker_state", output="out") == 0)
    assert agent.get("/health")[0] == 200


def test_the_ledger_page_shows_sources_lanes_and_counts(agent, sink, logs, out):
    (logs / "a.log").write_bytes(numbered(0, 1000))
    sink.down()
    agent.configure(tail(logs / "*.log"), [to_file(out, alias="good"), to_tcp(sink, alias="bad", **QUICK)]).start()
    size = (logs / "a.log").stat().st_size
    wait_until(lambda: agent.delivered(output="good") == 1000)
    page = ledger(agent)
    assert page["counts"]["read"] == page["counts"]["waiting"] == page["counts"]["delivered"] == 1000
    assert page["counts"]["discrepancy"] == 0
    sources = [source for worker in page["workers"] for source in worker["sources"]]
    sources = [source for source in sources if not source["name"].startswith("spool ")]
    assert [source["name"] for source in sources] == [str(logs / "a.log")]
    assert sources[0]["read_to"] == size and sources[0]["prefix"] == {"good": size, "bad": 0}
    assert sum(lane["waiting"] for worker in page["workers"] for lane in worker["lanes"]) == 1000


def test_old_records_are_dropped_and_counted(agent, sink, logs):
    sink.down()
    (logs / "a.log").write_bytes(numbered(0, 100))
    agent.configure(tail(logs / "*.log"), to_tcp(sink, max_age="200ms", **QUICK)).start()
    wait_until(lambda: agent.metric("logweir_dropped_records_total", reason="max_age") == 100)
    put(logs / "a.log", "young")
    sink.up()
    wait_until(lambda: "young" in sink.texts() or agent.metric("logweir_dropped_records_total", reason="max_age") == 101)
