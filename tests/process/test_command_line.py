# SPDX-License-Identifier: Apache-2.0
"""What the binary says for itself: check, help, version, faults of a conf, exit codes."""
import pytest

from agent import ROOT, run, tail, to_file
from lines import lines_of, put
from waiting import free_port, wait_until

CONF_FAULT = 78
GOOD = """
service: {log_level: info}
pipeline:
  inputs:
    - name: tail
      path: /tmp/does-not-matter.log
  outputs:
    - name: stdout
      match: "*"
"""


def check(tmp_path, text, **more):
    conf = tmp_path / "a.yaml"
    conf.write_text(text)
    return run("check", "-c", conf, **more)


@pytest.mark.parametrize("conf", sorted((ROOT / "conf").glob("*.yaml")), ids=lambda p: p.name)
def test_each_sample_conf_is_good(conf):
    done = run("check", "-c", conf)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout + done.stderr


def test_version_names_the_program_and_a_number():
    done = run("version")
    assert done.returncode == 0 and done.stdout.startswith("logweir ") and "." in done.stdout


def test_help_lists_the_plugins_and_explains_each():
    listing = run("help").stdout
    for plugin in ("tail", "tcp", "grep", "stdout", "file", "null"):
        assert plugin in listing
        text = run("help", plugin)
        assert text.returncode == 0 and text.stdout
    assert "read_from_head" in run("help", "tail").stdout


def test_help_for_an_unknown_plugin_names_the_nearest():
    done = run("help", "tial")
    assert done.returncode != 0 and "tail" in done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [[], ["--nonsense"], ["check"]])
def test_a_wrong_command_line_is_refused(arguments):
    assert run(*arguments).returncode not in (0, None)


def test_check_prints_the_plan_with_effective_options(tmp_path):
    done = check(tmp_path, GOOD)
    assert done.returncode == 0
    for text in ("tail.0", "stdout.0", "read_from_head", "/tmp/does-not-matter.log"):
        assert text in done.stdout


def test_check_opens_nothing_outside(tmp_path):
    check(tmp_path, GOOD.replace("log_level: info", f"state_dir: {tmp_path}/state, http_port: {free_port()}"))
    assert not (tmp_path / "state").exists()


def test_every_fault_is_reported_with_its_place_and_the_nearest_key(tmp_path):
    text = GOOD.replace("path:", "pth:").replace("log_level: info", "log_level: loud, grase: 5").replace("name: stdout", "name: stdot")
    done = check(tmp_path, text)
    said = done.stdout + done.stderr
    assert done.returncode == CONF_FAULT
    for part in ("a.yaml:6:", "pth", "path", "a.yaml:2:", "loud", "grase", "grace", "a.yaml:8:", "stdot", "stdout"):
        assert part in said, said


@pytest.mark.parametrize("text, words", [
    ("pipeline: [", ["a.yaml:1"]),
    ("pipeline: {inputs: 5}", ["inputs"]),
    ("pipelines: {}", ["pipelines", "pipeline"]),
    (GOOD.replace("name: tail", "name: tail\n      buffer_max_size: lots"), ["buffer_max_size", "lots"]),
    (GOOD.replace("name: tail", "name: tail\n      refresh_interval: soon"), ["refresh_interval", "soon"]),
    (GOOD.replace("name: tail", "name: tail\n      parser: nobody"), ["nobody"]),
    (GOOD.replace('match: "*"', 'match_regex: "("'), ["match_regex"]),
    (GOOD + "includes: [nowhere.yaml]\n", ["nowhere.yaml"]),
])
def test_a_faulty_conf_is_refused_in_words(tmp_path, text, words):
    done = check(tmp_path, text)
    assert done.returncode == CONF_FAULT
    for word in words:
        assert word in done.stdout + done.stderr


def test_a_missing_conf_is_refused(tmp_path):
    done = run("-c", tmp_path / "none.yaml")
    assert done.returncode == CONF_FAULT and "none.yaml" in done.stderr


def test_running_with_a_faulty_conf_ends_at_once(tmp_path):
    (tmp_path / "a.yaml").write_text(GOOD.replace("path:", "pth:"))
    assert run("-c", tmp_path / "a.yaml").returncode == CONF_FAULT


def test_a_key_that_only_fluent_bit_has_is_a_warning(tmp_path):
    done = check(tmp_path, GOOD.replace("name: tail", "name: tail\n      inotify_watcher: true"))
    assert done.returncode == 0 and "inotify_watcher" in done.stdout + done.stderr


def test_keys_match_without_regard_to_case_and_in_camel_case(tmp_path):
    done = check(tmp_path, GOOD.replace("log_level", "logLevel").replace("name: tail", "Name: tail").replace("pipeline", "Pipeline"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_variables_env_and_includes_are_put_in(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more/out.yaml").write_text('pipeline:\n  outputs:\n    - name: "null"\n      match: ${TAG}\n')
    text = ("env: {TAG: app}\nincludes: [more/*.yaml]\npipeline:\n  inputs:\n    - name: tail\n      tag: ${TAG}\n"
            "      path: ${FOLDER:-/var/log}/x.log\n")
    done = check(tmp_path, text)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "/var/log/x.log" in done.stdout and "null.0" in done.stdout


def test_a_secret_is_not_printed(tmp_path):
    done = check(tmp_path, GOOD)
    assert "password" not in done.stdout or "***" in done.stdout


def test_a_busy_default_port_warns_and_the_agent_runs_on(agent, logs, out):
    import socket
    put(logs / "a.log", "one")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            other.bind(("127.0.0.1", 2020))
            other.listen(1)
        except OSError:
            pass  # somebody else holds it: as good
        agent.configure(tail(logs / "*.log"), to_file(out), http_port=None, http_listen=None).start(ready=False)
        wait_until(lambda: lines_of(out))
        wait_until(lambda: "2020" in agent.log())
        assert agent.stop() == 0


def test_a_busy_port_that_was_asked_for_ends_the_agent(agent, logs, out):
    import socket
    with socket.create_server(("127.0.0.1", agent.port)):
        agent.configure(tail(logs / "*.log"), to_file(out)).start(ready=False)
        assert agent.ended() not in (0, None)
        assert str(agent.port) in agent.log()


def test_a_busy_input_port_ends_the_agent_with_the_port_named(agent, sink):
    from agent import to_tcp
    agent.configure({"name": "tcp", "tag": "t", "listen": "127.0.0.1", "port": sink.port}, to_tcp(sink)).start(ready=False)
    assert agent.ended() not in (0, None)
    assert str(sink.port) in agent.log()
