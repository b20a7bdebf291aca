"""The tables of promises and of mistakes, in Markdown."""

from collections.abc import Mapping, Sequence

from attacks.museum import Exempt, Trial
from attacks.promises import NOT_TRIED, Promise, Result, verdict_of

INTRODUCTION = """# Promises, and what tried to break them

`make attack` runs every attack with its full count, puts mistakes of published code in the place of
our formulas, writes this page and fails if a promise is broken or was not tried. A row names what
was tried and how often; *worst* is the slowest single try and the most memory that was taken. The
numbers of rows are those of the list of threats in the design.
"""
MISTAKES = """## Mistakes of published code, put in on purpose

Each line is a mistake that was read in public code, written into a copy of our own: the named test
must then fail, by an assertion or an error that the package raises, and pass without it.
[Mistakes in published code](errata.md) says more about them. S1 to S3 are of methods for word
vectors; R1 to R8 are nobody's: a review of ours put them in, and no test failed then.
"""


def page(
    results: Mapping[str, Sequence[Result]],
    promises: Sequence[Promise],
    trials: Sequence[Trial],
    exempt: Sequence[Exempt],
    machine: str,
) -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    if results:
        parts.append(promise_table(results, promises))
    if trials:
        parts += [MISTAKES, mistake_table(trials)]
    if exempt:
        parts.append("Not put in:\n")
        parts.append("\n".join(f"- {one.fault}, {one.peer}: {one.why}" for one in exempt) + "\n")
    parts.append(f"Measured on {machine}.\n")
    return "\n".join(parts)


def promise_table(results: Mapping[str, Sequence[Result]], promises: Sequence[Promise]) -> str:
    """One line for each promise."""
    lines = ["| | promise | tried | broken | worst | verdict |", "|---|---|---|---:|---|---|"]
    for promise in promises:
        found = results[promise.row]
        tried = ", ".join(f"{one.tried:,} {one.proof.what}" for one in found)
        broken = sum(one.broken for one in found)
        cells = (promise.row, promise.text, tried, f"{broken:,}", _worst(found), _verdict(found))
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines) + "\n"


def mistake_table(trials: Sequence[Trial]) -> str:
    """One line for each mutant."""
    lines = ["| | code | mistake | test that fails |", "|---|---|---|---|"]
    for one in trials:
        tests = ", ".join(_linked(test) for test in one.mutant.tests)
        end = tests if one.caught else f"**SURVIVED**: {one.said}"
        cells = (one.mutant.fault, one.mutant.peer, one.mutant.mistake, end)
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines) + "\n"


def _linked(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{name}](../{path})"


def _worst(found: Sequence[Result]) -> str:
    seconds = [one.seconds for one in found if one.seconds is not None]
    mebibytes = [one.mebibytes for one in found if one.mebibytes is not None]
    parts = []
    if seconds:
        parts.append(f"{max(seconds):.2g} s" if max(seconds) < 10 else f"{max(seconds):.0f} s")
    parts += [f"{max(mebibytes):.0f} MiB"] if mebibytes else []
    parts += [said for one in found for said in one.said]
    return ", ".join(parts)


def _verdict(found: Sequence[Result]) -> str:
    verdict = verdict_of(found)
    left = [f"{one.proof.what} not tried: {one.why}" for one in found if one.verdict == NOT_TRIED]
    return "; ".join([verdict, *left])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
