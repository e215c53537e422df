# SPDX-License-Identifier: Apache-2.0
"""A real agent in its own folder: conf, start, stop, kill, metrics."""
import http.client
import json
import os
import re
import signal
import subprocess
from pathlib import Path

from waiting import free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("LOGWEIR", str(ROOT / "build/release/logweir"))
SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def run(*arguments, seconds=20, prefix=(), **more):
    """Runs the binary to its end."""
    return subprocess.run([*prefix, BINARY, *map(str, arguments)], capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=seconds, **more)


def bound_by_rights(folder):
    """What to put before a command so that permissions hold for it: nothing, or as root another user, for whom the way
    to the folder is opened."""
    if os.geteuid() != 0:
        return []
    for part in [folder, *folder.parents]:
        if part.stat().st_uid == 0 and len(part.parts) > 2:
            part.chmod(0o755)
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def tail(path, **more):
    """An input that reads the path from its head."""
    return {"name": "tail", "tag": "t", "path": str(path), "read_from_head": True, "refresh_interval": 1,
            "rotate_wait": 2, **more}


def to_tcp(sink, **more):
    return {"name": "tcp", "match": "*", "host": "127.0.0.1", "port": sink.port, "format": "json_lines", **more}


def to_http(sink, **more):
    return {"name": "http", "match": "*", "host": "127.0.0.1", "port": sink.port, "uri": "/in", "format": "json_lines",
            "net.proxy_env_ignore": True, **more}


def to_file(path, **more):
    return {"name": "file", "match": "*", "path": str(path.parent), "file": path.name, "format": "plain", **more}


class Agent:
    """One agent. Its conf is a pipeline (inputs, outputs, filters, parsers) and the service keys that differ."""

    def __init__(self, folder, workers=1):
        self.folder, self.workers = folder, workers
        self.port = free_port()
        self.state = folder / "state"
        self.log_file, self.out_file = folder / "agent.log", folder / "stdout"
        self.process = None
        self.checks_ledger = True
        self.exit_codes = []

    # -- conf --

    def configure(self, inputs, outputs, filters=(), parsers=(), **service):
        tree = {"service": {"log_level": "info", "grace": 2, "http_listen": "127.0.0.1", "http_port": self.port,
                            "workers": self.workers, "state_dir": str(self.state), **service},
                "parsers": list(parsers),
                "pipeline": {"inputs": _list(inputs), "filters": list(filters), "outputs": _list(outputs)}}
        tree["service"] = {key: value for key, value in tree["service"].items() if value is not None}
        self.conf = self.folder / "agent.yaml"  # JSON is YAML
        self.conf.write_text(json.dumps({k: v for k, v in tree.items() if v}, indent=1, ensure_ascii=False))
        return self

    # -- life --

    def start(self, ready=True, stdout=None, prefix=(), conf=None, stdin=subprocess.DEVNULL, **more):
        log = open(self.log_file, "ab")
        self.process = subprocess.Popen([*prefix, BINARY, "-c", str(conf or self.conf)], stdin=stdin,
                                        stdout=stdout or open(self.out_file, "ab"), stderr=log, cwd=self.folder, **more)
        log.close()
        if ready:
            self.wait_ready()
        return self

    def wait_ready(self):
        def answered():
            assert self.running(), f"the agent ended with {self.process.returncode}: {self.log()[-2000:]}"
            return self.get("/health")[0] is not None
        wait_until(answered, 20, "the agent's HTTP server answers")

    def running(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, number=signal.SIGTERM, seconds=10):
        """Asks it to stop; gives the exit code."""
        self.process.send_signal(number)
        return self.ended(seconds)

    def ended(self, seconds=10):
        """Waits for its end; gives the exit code."""
        self.process.wait(seconds)
        self.exit_codes.append(self.process.returncode)
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self, **more):
        assert self.stop() == 0, self.log()[-2000:]
        return self.start(**more)

    def log(self):
        return self.log_file.read_text("utf-8", "replace") if self.log_file.exists() else ""

    # -- what it says of itself --

    def get(self, path):
        """(status, text) of its own HTTP server, (None, "") without one."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            return None, ""

    def metrics(self):
        """[(name, labels, value)]"""
        status, text = self.get("/metrics")
        assert status == 200, f"/metrics answered {status}"
        found = (SAMPLE.match(line) for line in text.splitlines() if not line.startswith("#"))
        return [(m[1], dict(LABEL.findall(m[2] or "")), float(m[3])) for m in found if m]

    def metric(self, name, **labels):
        """The sum over the series that carry these labels; None when there is none."""
        values = [v for n, have, v in self.metrics() if n == name and labels.items() <= have.items()]
        return sum(values) if values else None

    def delivered(self, **labels):
        return self.metric("logweir_output_records_total", outcome="delivered", **labels) or 0

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self, what="VmHWM"):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+)", text)[1]) / 1024

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def close(self):
        """The end of each test: the ledger is even, and it stops in order."""
        if not self.running():
            return
        try:
            if self.checks_ledger and self.get("/health")[0] is not None:
                assert self.metric("logweir_ledger_discrepancy") == 0
            code = self.stop()
            assert code == 0, f"exit code {code} after SIGTERM"
        finally:
            if self.running():
                self.kill()


def _list(value):
    return [value] if isinstance(value, dict) else list(value)
