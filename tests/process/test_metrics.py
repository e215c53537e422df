# SPDX-License-Identifier: Apache-2.0
"""The levels and counters, as a person, promtool and a real Prometheus see them."""
import json
import shutil
import subprocess
import urllib.parse
import urllib.request

import pytest

from agent import tail, to_file, to_tcp
from lines import numbered, put
from waiting import free_port, stays, wait_until

NAMES = """logweir_input_records_total logweir_input_bytes_total logweir_input_paused_seconds_total
logweir_output_records_total logweir_output_bytes_total logweir_output_sends_total logweir_output_retries_total
logweir_output_in_flight_records logweir_output_queue_bytes logweir_batch_bytes_count logweir_batch_records_count
logweir_output_queue_wait_seconds_count logweir_output_send_seconds_count logweir_delivery_delay_seconds_count
logweir_input_unread_bytes logweir_oldest_waiting_seconds logweir_input_open_files logweir_truncated_records_total
logweir_lost_bytes_total logweir_pool_bytes logweir_pool_limit_bytes logweir_loop_lag_seconds
logweir_ledger_discrepancy logweir_build_info process_resident_memory_bytes process_cpu_seconds_total
process_open_fds process_start_time_seconds""".split()


@pytest.fixture
def busy(agent, sink, logs):
    (logs / "a.log").write_bytes(numbered(0, 1000))
    grep = {"name": "grep", "match": "*", "exclude": "log seq=.*0 level"}
    agent.configure(tail(logs / "*.log", alias="in"), to_tcp(sink, alias="out"), filters=[grep]).start()
    wait_until(lambda: agent.delivered() == 900)
    return agent


def test_every_promised_family_is_there(busy):
    have = {name for name, _, _ in busy.metrics()}
    assert [name for name in NAMES if name not in have and not name.startswith("logweir_loop_lag")] == []
    assert any(name.startswith("logweir_loop_lag_seconds") for name in have)


def test_the_figures_are_right(busy, logs):
    assert busy.metric("logweir_input_records_total", input="in") == 1000
    assert busy.metric("logweir_input_bytes_total", input="in") == (logs / "a.log").stat().st_size - 1000  # no newlines
    assert busy.metric("logweir_filtered_records_total") == 100
    assert busy.metric("logweir_output_records_total", output="out", outcome="delivered") == 900
    assert busy.metric("logweir_delivery_delay_seconds_count", output="out") > 0
    assert busy.metric("logweir_input_unread_bytes") == 0
    assert busy.metric("logweir_input_open_files") == 1
    assert busy.metric("logweir_output_in_flight_records") == 0
    assert 0 < busy.metric("process_resident_memory_bytes") < 200e6


def test_promtool_finds_nothing_to_complain_of(busy):
    text = busy.get("/metrics")[1]
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stdout + done.stderr


def test_health_is_200_and_the_index_names_the_pages(busy):
    status, body = busy.get("/health")
    assert status == 200 and isinstance(json.loads(body), dict)
    assert busy.get("/")[0] == 200 and "/metrics" in busy.get("/")[1]
    assert busy.get("/nowhere")[0] == 404


def test_the_age_of_what_waits_is_shown_until_it_is_gone(agent, sink, logs):
    sink.down()
    put(logs / "a.log", "waits")
    agent.configure(tail(logs / "*.log"), to_tcp(sink, backoff_base="50ms", backoff_cap="100ms")).start()
    wait_until(lambda: (agent.metric("logweir_oldest_waiting_seconds") or 0) > 0.1)
    sink.up()
    wait_until(lambda: agent.metric("logweir_oldest_waiting_seconds") == 0)


def test_a_real_prometheus_scrapes_the_agent(busy, tmp_path):
    port, data = free_port(), tmp_path / "prometheus"
    conf = {"global": {"scrape_interval": "200ms"},
            "scrape_configs": [{"job_name": "logweir", "static_configs": [{"targets": [f"127.0.0.1:{busy.port}"]}]}]}
    (tmp_path / "prometheus.yml").write_text(json.dumps(conf))
    with open(tmp_path / "prometheus.log", "wb") as log:
        server = subprocess.Popen([shutil.which("prometheus"), f"--config.file={tmp_path}/prometheus.yml",
                                   f"--storage.tsdb.path={data}", f"--web.listen-address=127.0.0.1:{port}"],
                                  stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def sample():
        question = urllib.parse.quote('sum(logweir_output_records_total{outcome="delivered"})')
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={question}", timeout=2) as answer:
                result = json.load(answer)["data"]["result"]
        except OSError:
            return None
        return result and float(result[0]["value"][1])
    try:
        assert wait_until(sample, 30, lambda: (tmp_path / "prometheus.log").read_text()[-2000:], every=0.2) == 900
    finally:
        server.terminate()
        server.wait(10)


def test_odd_names_are_escaped(agent, sink, logs):
    alias = 'in "quoted" \\ back'
    put(logs / 'q"uote\nnew.log', "one")
    put(str(logs).encode() + b"/bad\xff.log", "two")
    agent.configure(tail(logs / "*.log", alias=alias), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 2)
    text = agent.get("/metrics")[1]
    assert 'input="in \\"quoted\\" \\\\ back"' in text
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stdout + done.stderr


def test_metrics_have_no_label_per_file(agent, sink, logs):
    for n in range(30):
        put(logs / f"{n}.log", "one")
    agent.configure(tail(logs / "*.log"), to_tcp(sink)).start()
    wait_until(lambda: len(sink.lines) >= 30)
    assert str(logs) not in agent.get("/metrics")[1]


def test_the_ledger_is_even_in_every_snapshot(agent, make_sink, logs, out):
    slow = make_sink(receive_buffer=16384)
    slow.reading.clear()
    (logs / "a.log").write_bytes(numbered(0, 100_000))
    grep = {"name": "grep", "match": "*", "exclude": "log seq=.*3 level"}
    outputs = [to_file(out), to_tcp(slow, queue_bytes="128k", when_full="drop_oldest")]
    agent.configure(tail(logs / "*.log"), outputs, filters=[grep]).start()
    assert stays(lambda: agent.metric("logweir_ledger_discrepancy") == 0, 1.5)
    slow.reading.set()
    wait_until(lambda: agent.delivered(output="file.0") == 90_000)
    assert stays(lambda: agent.metric("logweir_ledger_discrepancy") == 0, 0.5)
