# SPDX-License-Identifier: Apache-2.0
"""One process under measurement: processor time of all its threads, and memory at its highest."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path


class Measured:
    def __init__(self, command, environment, log):
        self._log = open(log, "wb")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                                        env={**os.environ, **environment})
        self.peak_mb = 0.0
        self.cpu = 0.0

    def alive(self):
        """Whether it runs; looks at it without reaping it, since its end tells its processor time."""
        self._look()
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def _look(self):
        try:
            text = Path(f"/proc/{self.process.pid}/status").read_text()
            self.peak_mb = max([self.peak_mb, *(int(kb) / 1024 for kb in re.findall(r"VmHWM:\s+(\d+)", text))])
        except OSError:
            pass

    def cpu_so_far(self):
        """Exact for the threads that live."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        return sum(int((t / "schedstat").read_text().split()[0]) for t in tasks.iterdir()) / 1e9

    def stop(self, seconds=8):
        """Ends it; fills in cpu and peak_mb."""
        self._look()
        deadline = time.monotonic() + seconds
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        while self.alive() and time.monotonic() < deadline:
            time.sleep(0.02)
        if self.alive():
            self.process.kill()
        _, self.process.returncode, usage = os.wait4(self.process.pid, 0)
        self.cpu = usage.ru_utime + usage.ru_stime
        self._log.close()
