"""Measure an action in a process of its own: seconds, resident memory and anonymous memory.

Anonymous memory is what a process needs for itself. Resident memory counts pages of mapped files
too, which the system takes back whenever it wants them.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.worker import memory_of

Prepare = Callable[..., Callable[[], Any]]
ROOT = Path(__file__).resolve().parent.parent
_SAMPLE_SECONDS = 0.01
_HEARTBEAT_SECONDS = 10.0


@dataclass(frozen=True)
class Measured:
    """The times of several runs, and the most memory that any of them took."""

    seconds: tuple[float, ...]
    peak_rss: int
    peak_anonymous: int
    answer: Any


class Contender:
    """``prepare(*arguments)`` does what is not timed and returns the action that is.

    ``private`` and ``mapped`` bound the process in bytes: what it holds for itself (RLIMIT_DATA)
    and that together with the files it maps (RLIMIT_AS). Past a bound an allocation fails, and
    so does the benchmark. ``peer`` runs it in the environment of peers, whose libraries may be
    other versions than ours.
    """

    def __init__(
        self,
        prepare: Prepare,
        *arguments: object,
        private: int = 0,
        mapped: int = 0,
        peer: bool = False,
    ) -> None:
        self.python = peers_python() if peer else sys.executable
        self.function = f"{prepare.__module__}:{prepare.__name__}"
        self.name = prepare.__name__.replace("_", " ")
        self.arguments = json.dumps(arguments, default=str)
        self.bounds = (str(private), str(mapped))


def peers_python() -> str:
    """The interpreter of the peers' environment, which ``make bench`` sets up."""
    path = Path(sys.prefix) / "peers" / "bin" / "python"
    if not path.exists():
        raise RuntimeError(f"{path} is not there: make {Path(sys.prefix).name}/.ready-peers")
    return str(path)


def measure(*contenders: Contender, runs: int = 1) -> list[Measured]:
    """Run each contender ``runs`` times, each time in a fresh process.

    They take turns, so that what else the machine does meanwhile falls on all of them.
    """
    seen: list[list[dict[str, Any]]] = [[] for _ in contenders]
    for run in range(1, runs + 1):
        for contender, so_far in zip(contenders, seen, strict=True):
            say(f"  {contender.name}, run {run} of {runs}")
            so_far.append(_run_once(contender))
    return [
        Measured(
            seconds=tuple(one["seconds"] for one in all_runs),
            peak_rss=max(one["peak_rss"] for one in all_runs),
            peak_anonymous=max(one["peak_anonymous"] for one in all_runs),
            answer=all_runs[-1]["answer"],
        )
        for all_runs in seen
    ]


def _run_once(contender: Contender) -> dict[str, Any]:
    task = [contender.function, contender.arguments, *contender.bounds]
    command = [contender.python, "-m", "benchmarks.worker", *task]
    begin = last_word = time.monotonic()
    peak_anonymous = 0
    # A pipe that nobody reads meanwhile would stop a process with a long answer for ever.
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as output,
        subprocess.Popen(command, cwd=ROOT, stdout=output) as process,
    ):
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            peak_anonymous = max(peak_anonymous, _anonymous_now(status))
            time.sleep(_SAMPLE_SECONDS)
            if time.monotonic() - last_word > _HEARTBEAT_SECONDS:
                last_word = time.monotonic()
                say(f"    still running after {last_word - begin:.0f} s")
        output.seek(0)
        printed = output.read()
    if process.returncode:
        raise RuntimeError(
            f"{contender.name} failed with code {process.returncode}; see its error above."
        )
    return {**json.loads(printed.splitlines()[-1]), "peak_anonymous": peak_anonymous}


def _anonymous_now(status: Path) -> int:
    try:
        return memory_of(status.read_text(), "RssAnon")
    except OSError:  # the process has just ended, or this is no Linux
        return 0


def times_of(work: Callable[[], object], times: int = 5) -> list[float]:
    """Seconds of several rounds in one process, for work too short to be timed once."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return found


def say(line: str) -> None:
    """Progress, apart from the results."""
    print(line, file=sys.stderr, flush=True)


def into_page_cache(path: Path) -> None:
    """Read a file once, so that the first of several contenders does not pay for the disk."""
    with path.open("rb") as stream:
        while stream.read(1 << 20):
            pass
