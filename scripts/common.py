# SPDX-License-Identifier: Apache-2.0
"""Shared by the Python scripts here."""
import os
import re
import subprocess
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = int(os.environ.get("JOBS", 0)) or len(os.sched_getaffinity(0))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
PRODUCT = ("agent", "plugins")


def sources(*folders, endings=(".h", ".cc")):
    """Files of ours below the folders, in order."""
    found = (p for folder in folders for p in (ROOT / folder).rglob("*") if p.suffix in endings)
    return sorted(found)


@lru_cache(maxsize=None)
def own_includes(path):
    """The files of ours that a file includes, itself not counted."""
    found = []
    for mark, name in INCLUDE.findall(path.read_text()):
        if mark == '"':
            places = (path.parent / name, ROOT / "agent" / name, ROOT / name, ROOT / "tests" / name)
            found += [p.resolve() for p in places if p.is_file()][:1]
    return tuple(found)


def closure(path):
    """The file and all of ours that it includes, directly or not."""
    seen, todo = set(), [path]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += own_includes(one)
    return sorted(seen)


def build_preset(preset, *targets):
    """Configures and builds; False when that fails."""
    script = '. "$0"; build_preset "$@"'
    command = ["bash", "-c", script, str(ROOT / "scripts/common.sh"), preset, *targets]
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode == 0


class Stamps:
    """Remembers what has passed: a stamp is a name in a folder below build/, keyed by all that the check looks at."""

    def __init__(self, name):
        self.folder = ROOT / "build" / name / "passed"
        self.folder.mkdir(parents=True, exist_ok=True)

    def has(self, key):
        return (self.folder / key).exists()

    def add(self, key):
        (self.folder / key).touch()
