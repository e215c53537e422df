# SPDX-License-Identifier: Apache-2.0
"""Logs to measure with: the same bytes for every agent, made once, each line with a number."""
import json
import random

MARK = "##########"
WORDS = ("account batch cache cold commit connection deadline disk event flush gateway header index job key lease "
         "mirror node offset packet queue replica shard token upload volume worker zone").split()


def _access(r):
    address = ".".join(str(r.randrange(1, 255)) for _ in range(4))
    return (f'{address} - - [30/Nov/2026:07:{r.randrange(60):02}:{r.randrange(60):02} +0000] "GET /v2/{r.choice(WORDS)}/'
            f'{r.randrange(10**5)}?n={MARK} HTTP/1.1" {r.choice([200, 200, 204, 404, 500])} {r.randrange(10**5)} '
            f'"https://example.org/{r.choice(WORDS)}" "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"')


def _json(r):
    return json.dumps({
        "time": f"2026-11-30T07:{r.randrange(60):02}:{r.randrange(60):02}.{r.randrange(10**6):06}Z", "n": MARK,
        "level": r.choice(["debug", "info", "warn"]), "message": " ".join(r.choices(WORDS, k=13)),
        "request": {"method": "GET", "path": f"/v2/{r.choice(WORDS)}", "status": r.choice([200, 404]), "ms": r.randrange(900) / 8},
        "labels": r.choices(WORDS, k=3), "trace": f"{r.getrandbits(128):032x}"})


def _plain(r):
    return f"n={MARK} " + " ".join(r.choices(WORDS, k=12))


KINDS = {"access": _access, "json": _json, "plain": _plain}


def make(folder, kind, megabytes):
    """(path, lines) of a log of that kind and size, made unless it is there."""
    path = folder / f"{kind}-{megabytes}.log"
    count = path.with_suffix(".lines")
    if not count.exists():
        r = random.Random(11)
        block = "\n".join(KINDS[kind](r) for _ in range(20_000)).split(MARK)
        size = lines = 0
        with open(path, "w") as file:
            while size < megabytes << 20:
                numbers = [f"{n:010}" for n in range(lines, lines + len(block) - 1)]
                text = "".join(part for pair in zip(block, [*numbers, ""]) for part in pair) + "\n"
                size, lines = size + file.write(text), lines + len(numbers)
        count.write_text(str(lines))
    return path, int(count.read_text())
