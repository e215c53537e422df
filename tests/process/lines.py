# SPDX-License-Identifier: Apache-2.0
"""Numbered lines: writing them while files rotate, and judging what arrived."""
import os
import re
import shutil
import threading
import time
from collections import Counter

SEQUENCE = re.compile(rb"seq=(\d+) ")


def numbered(first, last, note="the quick brown fox jumps over the lazy dog"):
    """Lines seq=first .. seq=last-1 as bytes, each with its newline."""
    return b"".join(b"seq=%08d level=info %s\n" % (n, note.encode()) for n in range(first, last))


def put(path, *texts):
    """Appends lines as one write each."""
    with open(path, "ab", buffering=0) as file:
        for text in texts:
            file.write((text if isinstance(text, bytes) else text.encode()) + b"\n")


class Verdict:
    """What became of lines 0..written-1: lost, copies beyond the first, firsts that came behind a later one."""

    def __init__(self, written, arrived):
        numbers = [int(m[1]) for m in map(SEQUENCE.search, arrived) if m]
        counts = Counter(numbers)
        self.written, self.distinct = written, len(counts)
        self.lost = sorted(set(range(written)) - set(counts))
        self.duplicated = len(numbers) - len(counts)
        firsts = list(dict.fromkeys(numbers))
        self.disorder = sum(a > b for a, b in zip(firsts, firsts[1:]))

    def __repr__(self):
        return (f"{self.written} written, {len(self.lost)} lost {self.lost[:3]}, {self.duplicated} duplicated, "
                f"{self.disorder} out of order")

    def exactly_once(self):
        return not self.lost and not self.duplicated and not self.disorder


def lines_of(path):
    """The complete lines of a file that may not exist yet."""
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def verdict_of(path, written):
    return Verdict(written, lines_of(path))


class Writer:
    """Appends numbered lines at a rate from its own thread, rotating as told, until stopped."""

    def __init__(self, path, rate=4000, rotate=None, every=0.5, keep=4):
        self.path, self.rate, self.rotate, self.every, self.keep = path, rate, rotate, every, keep
        self.written = 0
        self._file = open(path, "ab", buffering=0)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._stop.set()
        self._thread.join()
        self._file.close()
        return self.written

    def _run(self):
        begin = time.monotonic()
        turn = begin + self.every
        while not self._stop.wait(0.01):
            due = int((time.monotonic() - begin) * self.rate)
            self._file.write(numbered(self.written, due))
            self.written = due
            if self.rotate and time.monotonic() > turn:
                getattr(self, f"_{self.rotate}")()
                turn = time.monotonic() + self.every

    def _shift(self, first):
        for number in range(self.keep, first, -1):
            if os.path.exists(f"{self.path}.{number - 1}"):
                os.rename(f"{self.path}.{number - 1}", f"{self.path}.{number}")

    def _rename(self):
        self._file.close()
        self._shift(1)
        os.rename(self.path, f"{self.path}.1")
        self._file = open(self.path, "ab", buffering=0)

    def _copytruncate(self):
        self._shift(1)
        shutil.copyfile(self.path, f"{self.path}.1")
        self._file.truncate(0)
