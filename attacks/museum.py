"""Mistakes of published code, each put in the place of our formula: a named test must fail.

A mutant is one of our files with a piece of text replaced. It is made in a copy of the package;
the tests that it names run there, and each must fail by an assertion or by an error that the
package itself raises: a mutant that cannot be imported or that hangs proves nothing.
"""

import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attacks.outcomes import Outcome, Outcomes

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "unslant"
MUTANTS = Path(__file__).parent / "mutants"
FAULTS = range(1, 55)
NO_PROOF = ("ImportError", "ModuleNotFoundError", "SyntaxError", "NameError", "AttributeError",
            "Timeout", "TimeoutError", "KeyboardInterrupt")  # fmt: skip
_PRELOADED = ("pytest", "numpy", "scipy.stats", "sklearn.linear_model", "torch",
              "transformers.models.bert.modeling_bert", "safetensors.torch", "rich", "typer",
              "jinja2", "tokenizers")  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A mistake (``fault``: its number in the list of all) and how it is put in.

    ``theirs`` takes the place of ``ours``, which must occur exactly once in ``file``.
    """

    fault: str
    peer: str
    mistake: str
    file: str
    ours: str
    theirs: str
    tests: tuple[str, ...]

    def text(self) -> str:
        """The file with the mistake."""
        return (PACKAGE / self.file).read_text(encoding="utf-8").replace(self.ours, self.theirs)

    @property
    def occurrences(self) -> int:
        """How often the text to be replaced is in the file: once, or the mutant is out of date."""
        return (PACKAGE / self.file).read_text(encoding="utf-8").count(self.ours)


@dataclass(frozen=True)
class Exempt:
    """A mistake that no mutant of ours can have, and why."""

    fault: str
    peer: str
    why: str


@dataclass(frozen=True)
class Trial:
    """What became of a mutant: caught if every test that it names failed for a good reason."""

    mutant: Mutant
    caught: bool
    said: str
    seconds: float


def museum() -> tuple[list[Mutant], list[Exempt]]:
    """All mutants and all exemptions, in the order of the faults."""
    mutants: list[Mutant] = []
    exempt: list[Exempt] = []
    for path in sorted(MUTANTS.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        for entry in table.get("mutant", ()):
            tests = tuple(entry.pop("tests"))
            mutants.append(Mutant(**{k: _trimmed(v) for k, v in entry.items()}, tests=tests))
        exempt += [Exempt(**entry) for entry in table.get("exempt", ())]
    return sorted(mutants, key=_number), sorted(exempt, key=_number)


def _trimmed(value: str) -> str:
    return value.removesuffix("\n") if "\n" in value else value


def _number(one: Mutant | Exempt) -> tuple[int, int]:
    kind, digits = one.fault[0], one.fault[1:].rstrip("abcdefgh")
    return ("FSR".index(kind), int(digits))


def copied(target: Path) -> Path:
    """The package in a folder, by links where the file system allows it."""

    def link(source: str, copy: str) -> None:
        try:
            os.link(source, copy)
        except OSError:
            shutil.copy2(source, copy)

    shutil.copytree(PACKAGE, target / "unslant", copy_function=link)
    return target


def put_in(mutant: Mutant, target: Path) -> None:
    """Replace the file in a copy; the linked original stays as it is."""
    path = target / "unslant" / mutant.file
    path.unlink()
    path.write_text(mutant.text(), encoding="utf-8")


def outcomes_with(package: str, tests: Sequence[str]) -> list[Outcome]:
    """Run tests in this process against a copy of the package; only for a fresh process."""
    import pytest

    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = package
    sys.path[:0] = [package, str(ROOT)]
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    found = Outcomes()
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--timeout",
        "120",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ]
    pytest.main([*options, "-m", "full or not full", *tests], plugins=[found])
    import unslant

    if not str(unslant.__file__).startswith(package):
        raise RuntimeError(f"the tests ran against {unslant.__file__}, not against {package}")
    return list(found.found.values())


def tried(mutant: Mutant) -> Trial:
    """Run the named tests against a mutant."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="unslant-mutant-") as folder:
        put_in(mutant, copied(Path(folder)))
        found = outcomes_with(folder, mutant.tests)
    caught, said = judged(mutant.tests, found)
    return Trial(mutant, caught, said, time.monotonic() - begun)


def judged(tests: Iterable[str], found: Sequence[Outcome]) -> tuple[bool, str]:
    """Whether each test failed, in at least one of its cases, and by a proper failure."""
    said = ""
    for test in tests:
        cases = [one for one in found if one.test == test or one.test.startswith(f"{test}[")]
        good = [one for one in cases if one.error and one.error not in NO_PROOF]
        if not good:
            why = next(
                (f"{o.outcome}: {o.error} {o.reason}" for o in cases if o.outcome != "passed"),
                "it passed" if cases else "it was not found",
            )
            return False, f"{test.rpartition('::')[2]}: {why}"
        said = said or good[0].reason
    return True, said


def baseline(tests: Sequence[str]) -> list[Outcome]:
    """The same tests without any mistake."""
    with tempfile.TemporaryDirectory(prefix="unslant-whole-") as folder:
        return outcomes_with(str(copied(Path(folder))), tests)


def in_fresh_process(work: Callable[..., Any], *given: Any) -> Any:
    """What work gives in a process of its own, which has loaded what is slow to load.

    None if the process ended without an answer.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_PRELOADED])
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, work, given))
    process.start()
    theirs.close()
    try:
        return mine.recv()
    except EOFError:
        return None
    finally:
        process.join()


def _answer(to: Any, work: Callable[..., Any], given: tuple[Any, ...]) -> None:
    to.send(work(*given))


def trials(mutants: Sequence[Mutant], workers: int = 2) -> Iterator[Trial]:
    """All mutants; one whose tests do not pass without it is not caught, whatever they do."""
    tests = list(dict.fromkeys(test for mutant in mutants for test in mutant.tests))
    with ThreadPoolExecutor(workers) as pool:
        parts = [pool.submit(in_fresh_process, baseline, tests[n::workers]) for n in range(workers)]
        running = [pool.submit(in_fresh_process, tried, mutant) for mutant in mutants]
        whole = [one for part in parts for one in part.result() or ()]
        for mutant, future in zip(mutants, running, strict=True):
            trial = future.result() or Trial(mutant, False, "the process ended", 0.0)
            problem = _not_passed(mutant.tests, whole)
            yield Trial(mutant, False, problem, trial.seconds) if problem else trial


def _not_passed(tests: Iterable[str], whole: Sequence[Outcome]) -> str:
    for test in tests:
        cases = [one for one in whole if one.test == test or one.test.startswith(f"{test}[")]
        if not cases or not any(one.outcome == "passed" for one in cases):
            why = cases[0].reason if cases else "it was not found"
            return f"{test.rpartition('::')[2]} does not pass without the mistake: {why}"
        if bad := [one for one in cases if one.outcome == "failed"]:
            return f"{bad[0].test} fails without the mistake: {bad[0].reason}"
    return ""
