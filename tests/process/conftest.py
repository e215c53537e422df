# SPDX-License-Identifier: Apache-2.0
"""Fixtures: every test runs with one worker and with two, and ends with an even ledger."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from agent import Agent  # noqa: E402
from sinks import HttpSink, TcpSink  # noqa: E402


def pytest_generate_tests(metafunc):
    if "workers" in metafunc.fixturenames:
        once = metafunc.definition.get_closest_marker("one_worker")
        metafunc.parametrize("workers", [1] if once else [1, 2], ids={1: "one_worker", 2: "two_workers"}.get)


def pytest_configure(config):
    config.addinivalue_line("markers", "one_worker: what is shown does not depend on the number of workers")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        report.sections += [(f"log of {one.folder.name}", one.log()[-4000:]) for one in getattr(item, "agents", [])]


@pytest.fixture
def logs(tmp_path):
    """The watched folder."""
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


@pytest.fixture
def out(tmp_path):
    """The file that a file output writes."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "out.log"


@pytest.fixture
def make_agent(tmp_path, workers, request):
    """Makes agents, each in a folder of its own; at the end each must have an even ledger and stop in order."""
    made = request.node.agents = []

    def make(**more):
        folder = tmp_path / f"agent{len(made) or ''}"
        folder.mkdir()
        made.append(Agent(folder, **{"workers": workers, **more}))
        return made[-1]

    yield make
    faults = []
    for one in made:
        try:
            one.close()
        except Exception as fault:  # the others must be closed all the same
            faults.append(fault)
    if faults:
        raise faults[0]


@pytest.fixture
def agent(make_agent):
    return make_agent()


@pytest.fixture
def make_sink():
    made = []

    def make(**more):
        made.append(TcpSink(**more))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def sink(make_sink):
    return make_sink()


@pytest.fixture
def make_http_sink():
    made = []

    def make(**more):
        made.append(HttpSink(**more))
        return made[-1]

    yield make
    for one in made:
        one.close()
