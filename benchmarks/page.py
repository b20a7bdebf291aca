"""The page: words of one's own on 341,479 × 100 vectors, and from the start to the first chart.

The first is asked of a server that has loaded the vectors, over HTTP as the page asks it, with
other words each time. The floor finds the same rows and multiplies them, without intervals, tables
or pictures. The second needs Chromium, which runs before the clock does.
"""

import json
import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from scripts.chromium import NoBrowserError, chromium
from scripts.serving import served

from benchmarks.harness import Contender, into_page_cache, measure, say, times_of
from benchmarks.results import Result, faster, slower, within
from benchmarks.synthetic import word, write_word2vec_binary

ROWS, DIM = 341_479, 100
WORDS, GROUP = 30, 12
ROUNDS, STARTS = 10, 5
SECONDS_TO_ANSWER = 0.2
SECONDS_TO_CHART = 2.0
FIRST_CHART = "#explore-result figure .live svg .mark-symbol path"


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """The answer, its parts, and the first chart where there is a browser."""
    say(f"page: writing {rows:,} × {DIM} numbers")
    path = scratch / "made-up.bin"
    write_word2vec_binary(path, rows, DIM)
    into_page_cache(path)
    os.environ["UNSLANT_CACHE"] = str(scratch / "cache")
    # What is installed is compiled already; a checkout may be forbidden to keep that.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(scratch / "bytecode")
    floor, inside, asked = measure(
        Contender(products_alone, path, rows),
        Contender(unslant_association, path, rows),
        Contender(unslant_request, path, rows),
        runs=3,
    )
    name, against = f"association of {WORDS} words, {rows:,} × {DIM}", "rows and products alone"
    results = [
        slower(name, inside.answer, against, floor.answer),
        within(f"{name}, on the page", asked.answer, against, floor.answer, SECONDS_TO_ANSWER),
    ]
    try:
        with chromium():
            pass
    except NoBrowserError as error:
        say(f"page: the first chart is left out: {error}")
        return results
    [chart] = measure(Contender(first_chart))
    seconds, worked = zip(*chart.answer, strict=True)
    name, bound = "unslant serve, from its start to the first chart", [SECONDS_TO_CHART]
    return [
        *results,
        within(name, seconds, "two seconds", bound, SECONDS_TO_CHART),
        faster(f"{name}, processor time of the server", worked, "two seconds", bound),
    ]


def products_alone(path: str, rows: int) -> Callable[[], list[float]]:
    """Find the words, read their rows and multiply them."""
    import numpy as np

    import unslant as us

    vectors = us.load(path)
    lists = _lists(rows)

    def once() -> None:
        units = []
        for words in next(lists):
            found = vectors.matrix[vectors.words.rows_of(words)].astype(np.float64)
            units.append(found / np.linalg.norm(found, axis=1, keepdims=True))
        asked, first, second = units
        (asked @ first.T).mean(axis=1) - (asked @ second.T).mean(axis=1)

    return lambda: times_of(once, ROUNDS)


def unslant_association(path: str, rows: int) -> Callable[[], list[float]]:
    """The record with intervals, without server and picture."""
    import unslant as us
    from unslant.studies.association import association

    vectors = us.load(path)
    lists = _lists(rows)

    def once() -> None:
        words, first, second = next(lists)
        association(vectors, words, {"first": first, "second": second})

    return lambda: times_of(once, ROUNDS)


def unslant_request(path: str, rows: int) -> Callable[[], list[float]]:
    """What the page waits for: the answer with its figure and table."""
    lists = _lists(rows)

    def action() -> list[float]:
        with served(path) as server:
            token = server.address.partition("token=")[2]
            secret = _posted(f"{server.root}api/enter", {"token": token})["secret"]

            def once() -> Any:
                words, *sides = next(lists)
                groups = [
                    {"name": name, "words": side}
                    for name, side in zip(("first", "second"), sides, strict=True)
                ]
                asked = {"vectors": "v1", "words": words, "groups": groups}
                return _posted(f"{server.root}api/association", asked, secret)

            while "job" in once():  # the vectors are being loaded
                time.sleep(0.1)
            return times_of(once, ROUNDS)

    return action


def first_chart() -> Callable[[], list[tuple[float, float]]]:
    """Start servers, and wait each time until the browser has drawn the first figure."""

    def action() -> list[tuple[float, float]]:
        with chromium() as browser:
            return [_until_chart(browser.new_page()) for _ in range(STARTS)]

    return action


def _until_chart(window: Any) -> tuple[float, float]:
    """Seconds on the clock, and of the server's work, which other processes do not lengthen."""
    begin = time.perf_counter()
    with served() as server:
        window.goto(server.address)
        window.wait_for_selector(FIRST_CHART)
        seconds, worked = time.perf_counter() - begin, cpu_times(server.process.pid)
        window.close()
    return seconds, worked


def cpu_times(pid: int) -> float:
    """The processor time of a running process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _lists(rows: int) -> Iterator[tuple[list[str], ...]]:
    """Words and two groups from all over the vocabulary, other ones each time."""
    for turn in count(1):
        words = [word((turn * 7919 + place * 5501) % rows) for place in range(WORDS + 2 * GROUP)]
        yield words[:WORDS], words[WORDS:-GROUP], words[-GROUP:]


def _posted(address: str, value: Any, secret: str = "") -> Any:
    headers = {"Content-Type": "application/json", "X-Unslant-Secret": secret}
    request = urllib.request.Request(address, json.dumps(value).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
