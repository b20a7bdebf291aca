"""What is promised, the tests that prove it, and whether it was kept."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attacks.outcomes import Outcome

KEPT, BROKEN, NOT_TRIED = "kept", "BROKEN", "NOT TRIED"
_FILE = Path(__file__).parent / "promises.toml"


@dataclass(frozen=True)
class Proof:
    """A test, what it tries, and how often it must.

    ``optional`` is a part of the reason for which it may be skipped: what the machine lacks.
    """

    test: str
    what: str
    at_least: int
    optional: str = ""


@dataclass(frozen=True)
class Promise:
    """A promise with its proofs; ``row`` is its number in the list of threats, or a name."""

    row: str
    text: str
    proofs: tuple[Proof, ...]


@dataclass(frozen=True)
class Result:
    """What came of one proof."""

    proof: Proof
    tried: int
    broken: int
    seconds: float | None
    mebibytes: float | None
    said: tuple[str, ...]
    verdict: str
    why: str = ""

    @property
    def is_excused(self) -> bool:
        """Whether it was not tried for want of something that the machine may lack."""
        wanted = self.proof.optional
        return self.verdict == NOT_TRIED and bool(wanted) and wanted in self.why


def promises() -> list[Promise]:
    """All promises."""
    table = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return [
        Promise(one["row"], one["text"], tuple(Proof(**proof) for proof in one["proofs"]))
        for one in table["promise"]
    ]


def result(proof: Proof, outcomes: Sequence[Outcome]) -> Result:
    """Kept only if its cases passed and tried as often as they must: a skip proves nothing."""
    ends = ("[", "::") if "[" not in proof.test else ()
    cases = [
        one
        for one in outcomes
        if one.test == proof.test or any(one.test.startswith(proof.test + end) for end in ends)
    ]
    passed = [one for one in cases if one.outcome == "passed"]
    failed = [one for one in cases if one.outcome == "failed"]
    skipped = [one for one in cases if one.outcome == "skipped"]
    tallies = [tally for one in passed for tally in one.tallies]
    tried = sum(sum(t["tried"] for t in one.tallies) if one.tallies else 1 for one in passed)
    broken = sum(tally.get("broken", 0) for tally in tallies) + len(failed)
    verdict, why = KEPT, ""
    if broken:
        verdict, why = BROKEN, "; ".join(f"{one.test}: {one.reason}" for one in failed)
    elif skipped or tried < proof.at_least:
        verdict = NOT_TRIED
        reasons = dict.fromkeys(one.reason for one in skipped)
        why = "; ".join(reasons) or f"{tried:,} of {proof.at_least:,}"
    return Result(
        proof,
        tried,
        broken,
        _largest([tally.get("seconds") for tally in tallies]),
        _largest([tally.get("mebibytes") for tally in tallies]),
        tuple(dict.fromkeys(t["said"] for t in tallies if t.get("said"))),
        verdict,
        why,
    )


def verdict_of(results: Sequence[Result]) -> str:
    """The worst of the proofs of a promise; what the machine lacks is left out but told."""
    if any(one.verdict == BROKEN for one in results):
        return BROKEN
    needed = [one for one in results if not one.is_excused]
    if not needed or any(one.verdict == NOT_TRIED for one in needed):
        return NOT_TRIED
    return KEPT


def _largest(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
