# SPDX-License-Identifier: Apache-2.0
"""What an operator and Fluent Bit's tools see of a running agent: its pages, `top`, `tap` and the status page."""
import json
import shutil
import subprocess

import pytest

from agent import BINARY, run, tail, to_file
from lines import put
from waiting import wait_until

HOSTILE = "<img src=x onerror=\"document.title='taken'\">"


@pytest.fixture
def shown(agent, logs, tmp_path):
    (logs / "a.log").write_bytes(b'{"password":"secret","b":"</script><b>"}\n' * 10)
    grep = {"name": "grep", "alias": "grep", "match": "*", "exclude": "log nothing"}
    agent.configure(tail(logs / "*.log", alias=HOSTILE, parser="json"), to_file(tmp_path / "out", alias="out"), filters=[grep],
                    parsers=[{"name": "json", "format": "json"}], fluentbit_metrics=True, tap_redact="password").start()
    wait_until(lambda: agent.delivered() == 10)
    return agent


@pytest.mark.one_worker
def test_the_addresses_of_fluent_bit_answer_in_its_shapes(shown):
    def page(path):
        status, body = shown.get(path)
        assert status == 200, body
        return body
    assert json.loads(page("/"))["fluent-bit"]["version"]
    assert json.loads(page("/api/v1/uptime"))["uptime_sec"] >= 0
    assert "tail" in json.loads(page("/api/v1/plugins"))["inputs"]
    metrics = json.loads(page("/api/v1/metrics"))
    assert metrics["input"][HOSTILE]["records"] == 10 and metrics["output"]["out"]["proc_records"] == 10
    assert metrics["filter"]["grep"]["drop_records"] == 0
    assert json.loads(page("/api/v1/storage"))["input_chunks"][HOSTILE]["status"]["overlimit"] is False
    assert page("/api/v1/health") == "ok\n"
    assert 'fluentbit_output_proc_records_total{name="out"} 10\n' in page("/api/v2/metrics/prometheus")
    assert 'fluentbit_output_proc_records_total{name="out"} 10 1' in page("/api/v1/metrics/prometheus")
    assert ' fluentbit_output_proc_records_total{name="out"} = 10\n' in page("/api/v2/metrics")


@pytest.mark.one_worker
def test_top_and_graph_show_every_instance_without_running_its_name(shown):
    url = f"http://127.0.0.1:{shown.port}"
    once = run("top", "--once", "--interval", "0.1", "--url", url)
    assert once.returncode == 0, once.stderr
    assert "in  <img src=x" in once.stdout and "flt grep" in once.stdout and "out out" in once.stdout
    for form in ("text", "dot", "svg"):
        picture = run("graph", "-c", shown.conf, "--format", form)
        assert picture.returncode == 0 and "grep" in picture.stdout
        assert form != "svg" or "<img" not in picture.stdout


def test_tap_shows_live_records_at_each_instance_with_secrets_hidden(shown, logs):
    url = f"http://127.0.0.1:{shown.port}"
    for instance in (HOSTILE, "grep", "out"):
        tap = subprocess.Popen([BINARY, "tap", instance, "--limit", "2", "--match", "number", "--url", url],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def ended():
            put(logs / "a.log", b'{"other":1}', b'{"number":7,"password":"secret"}')
            return tap.poll() is not None
        wait_until(ended, 20, "tap has seen two records")
        out, err = tap.communicate()
        assert tap.returncode == 0, err
        assert [json.loads(line)["record"] for line in out.splitlines()] == [{"number": 7, "password": "***"}] * 2
    assert run("tap", "nobody", "--url", url).returncode == 1
    assert shown.get("/api/v1/tap?instance=out&limit=0")[0] == 400


@pytest.mark.one_worker
def test_the_status_page_shows_hostile_names_as_text(shown):
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("Chromium is not installed (package chromium): the status page is not looked at")
    page = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
                           f"--user-data-dir={shown.folder}/browser", "--dump-dom", f"http://127.0.0.1:{shown.port}/ui"],
                          capture_output=True, text=True, timeout=60).stdout
    assert "<title>logweir</title>" in page
    assert "<b>&lt;img src=x onerror=\"document.title='taken'\"&gt;</b>" in page
    assert "<img" not in page
    assert "all is well" in page and ">10<" in page
