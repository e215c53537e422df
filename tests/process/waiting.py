# SPDX-License-Identifier: Apache-2.0
"""Waiting on conditions, and ports to wait at."""
import os
import re
import socket
import time
from itertools import count

# Ports below the ephemeral range, a block for each pytest process, so that no two runs meet.
_worker = int(re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or 0)
_ports = count(20000 + (os.getppid() * 7 + _worker) % 40 * 300)


def wait_until(condition, seconds=15, what="", every=0.02):
    """Waits for a true answer and gives it; fails with `what` (text, or a function of what is true instead)."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what or condition}")
        time.sleep(every)
    return answer


def stays(condition, seconds):
    """Whether the condition holds during all that time; for showing that nothing more happens."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not condition():
            return False
        time.sleep(0.02)
    return True


def free_port():
    """A port that nobody listens at and that this run did not give out before."""
    for port in _ports:
        with socket.socket() as tcp:
            try:
                tcp.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
