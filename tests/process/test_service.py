# SPDX-License-Identifier: Apache-2.0
"""As a service: what the manager hears, and what is left of root's rights."""
import json
import os
import socket

import pytest

from agent import run, tail, to_file
from lines import put
from waiting import wait_until

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
pytestmark = pytest.mark.one_worker


@pytest.fixture
def manager(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.bind(str(tmp_path / "notify"))
        one.settimeout(10)
        yield one


@pytest.fixture
def service(agent, logs, out, tmp_path):
    """An agent that becomes nobody, a log that root alone reads, and a folder of nobody's to write to."""
    for part in [tmp_path, *tmp_path.parents]:
        if len(part.parts) > 2:
            part.chmod(0o755)
    (tmp_path / "logs").chmod(0o700)
    os.chown(out.parent, 65534, 65534)
    put(logs / "a.log", "for root alone")
    (logs / "a.log").chmod(0o600)

    def start(**keys):
        agent.configure(tail(logs / "*.log"), to_file(out), user="nobody", group="nogroup", **keys).start()
        return agent

    return start


def status_of(agent):
    with open(f"/proc/{agent.process.pid}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def delivered_to(out):
    return [json.loads(line)["log"] for line in out.read_text().splitlines()] if out.exists() else []


def test_the_manager_hears_of_start_life_and_stop(agent, manager, logs, out):
    environment = {**os.environ, "NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "200000"}
    agent.configure(tail(logs / "*.log"), to_file(out)).start(ready=False, env=environment)
    assert manager.recv(500) == b"READY=1\nSTATUS=1 inputs, 1 outputs\n"
    assert [manager.recv(500) for _ in range(3)] == [b"WATCHDOG=1\n"] * 3
    assert agent.get("/health")[0] == 200
    agent.stop()
    assert b"STOPPING=1" in iter(lambda: manager.recv(500).split(b"\n")[0], b"")


@as_root
def test_another_user_reads_what_root_alone_may(service, out):
    agent = service()
    wait_until(lambda: delivered_to(out) == ["for root alone"])
    status = status_of(agent)
    assert status["Uid"].split() == ["65534"] * 4 and status["Gid"].split() == ["65534"] * 4
    assert status["CapEff"] == status["CapPrm"] == f"{(1 << 2) | (1 << 10):016x}"
    assert status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "0"
    assert out.stat().st_uid == 65534 and agent.state.stat().st_uid == 65534
    assert agent.metric("process_open_fds") > 3
    assert agent.stop() == 0
    assert run("dlq", "list", "-c", agent.conf).returncode == 0  # by root, who leaves nothing of his own there
    assert {path.stat().st_uid for path in agent.state.rglob("*")} == {65534}
    agent.start()  # what the user made it finds again
    assert agent.metric("logweir_input_records_total") in (None, 0)


@as_root
def test_without_the_capability_the_log_stays_shut_and_that_is_said(service, logs, out):
    logs.chmod(0o755)
    agent = service(keep_capabilities="net_bind_service")
    wait_until(lambda: "Permission denied" in agent.log())
    assert not delivered_to(out)


@as_root
def test_landlock_and_seccomp_let_the_work_go_on(service, logs, out):
    agent = service(landlock=True, seccomp=True)
    wait_until(lambda: delivered_to(out) == ["for root alone"])
    os.rename(logs / "a.log", logs / "a.log.1")
    put(logs / "a.log", "after the rotation")
    wait_until(lambda: delivered_to(out) == ["for root alone", "after the rotation"])
    if "seccomp is on" in agent.log():
        assert status_of(agent)["Seccomp"].strip() == "2"
    assert agent.log().count("landlock is o") == 1


@as_root
def test_a_user_that_is_not_there_and_a_state_of_somebody_else_end_the_start(agent, logs, out):
    agent.configure(tail(logs / "*.log"), to_file(out), user="not-there").start(ready=False)
    assert agent.ended() == 1
    assert "service.user is 'not-there'" in agent.log()
    agent.state.mkdir(mode=0o700)
    agent.configure(tail(logs / "*.log"), to_file(out), user="nobody").start(ready=False)
    assert agent.ended() == 1
    assert f"chown -R nobody {agent.state}" in agent.log()
