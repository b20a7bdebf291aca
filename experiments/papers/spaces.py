"""Tables 4.3 and 4.4 of the thesis: the spaces of the coreference experiment, by themselves."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import unslant as us
from experiments.coreference_spaces import DROPPED, OF, _joined, measured
from experiments.papers.tables import RESULTS, as_csv, rows_of
from unslant.concepts import Concept
from unslant.concepts.wordlists import wordlist
from unslant.core.files import Progress
from unslant.vectors import WordVectors

RESULT = RESULTS / "papers-spaces.csv"
HEAD = ("resource", "method", "measure", "value", "low", "high", "p")
METHODS = ("original", "hard", "ran", "inlp")
RESOURCES = ("GloVe", "GloVe 840B")
OWN = "sowinobias"

Key = tuple[str, str, str]


def concept_with_sowinobias() -> Concept:
    """Gender, with the 64 words of SoWinoBias among its neutral lists."""
    names = (
        "female-occupations",
        "male-occupations",
        "positive-female-adjectives",
        "negative-female-adjectives",
    )
    gender = us.concept("gender")
    own = _joined(OWN, *(wordlist(f"{OF}/{name}") for name in names))
    return replace(gender, neutral={**gender.neutral, OWN: own})


def computed(vectors: WordVectors, method: str) -> dict[str, list[float | None]]:
    """Every column of a space: value, ends of the interval, p."""
    gender = us.concept("gender")
    space = vectors if method == "original" else us.debias(method, vectors, gender)
    found = measured(space, vectors)
    own = us.measure(
        f"gipe(threshold=0.03, words={OWN})",
        space,
        concept_with_sowinobias(),
        DROPPED,
        baseline=vectors,
    )
    mean = own.details["plain-mean"]
    assert isinstance(mean, float)
    found["GIPE V_So"] = [own.value, None, None, None]
    found["mean η V_So"] = [mean, None, None, None]
    return found


def compute(files: Mapping[str, Path], progress: Progress) -> str:
    """All spaces, as lines of a table."""
    lines: list[tuple[object, ...]] = []
    total = len(RESOURCES) * len(METHODS)
    for place, resource in enumerate(RESOURCES):
        vectors = us.load(files[resource])
        for number, method in enumerate(METHODS, place * len(METHODS)):
            progress("Spaces of Tables 4.3 and 4.4", number, total)
            for measure, values in computed(vectors, method).items():
                shown = ("" if value is None else f"{value:.6g}" for value in values)
                lines.append((resource, method, measure, *shown))
    return as_csv(HEAD, lines)


def results() -> dict[Key, dict[str, float]]:
    """What the table has: value, low, high and p, as far as they exist."""
    return {
        (row["resource"], row["method"], row["measure"]): {
            name: float(row[name]) for name in HEAD[3:] if row[name]
        }
        for row in rows_of(RESULT)
    }
