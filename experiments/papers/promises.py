"""What a page promises, and whether it holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.papers.tables import markdown


@dataclass(frozen=True)
class Promise:
    """A statement that a run can check; ``holds`` is ``None`` if these files cannot tell."""

    document: str
    promise: str
    found: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """In one word, or the reason why there is none."""
        return {True: "holds", False: "FAILS", None: "not checked"}[self.holds]


def close(
    document: str, promise: str, pairs: Sequence[tuple[float, float]], within: float
) -> Promise:
    """That every number agrees with its counterpart within so much.

    Half a unit in the last printed place is reached exactly by a number that ends in 5, so a
    thousandth of the tolerance is allowed for the representation of decimals.
    """
    largest = max((abs(ours - theirs) for ours, theirs in pairs), default=None)
    if largest is None:
        return Promise(document, promise, "nothing to compare", None)
    found = f"{len(pairs)} compared, largest difference {largest:.2g}"
    return Promise(document, promise, found, largest <= within * 1.001)


def promises_table(promises: Sequence[Promise]) -> str:
    """All promises with what was found."""
    head = ["document", "promise", "found", "verdict"]
    return markdown(head, [[p.document, p.promise, p.found, p.verdict] for p in promises], left=4)
