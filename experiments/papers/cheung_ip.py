"""Cheung and Ip: cosines of occupations, and WEAT before and after a projection.

Their notebook takes each group's mean vector at length 1 (of he and she: the vectors themselves),
the difference of the two, also at length 1, as the direction, and projects it out of single words:
occupations for the figures, and for WEAT the attribute words alone. Names keep their vectors.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from experiments.papers.tables import RESULTS, as_csv
from unslant.concepts import concept
from unslant.concepts.wordlists import wordlist
from unslant.core.types import Array
from unslant.vectors import WordVectors

RESULT = RESULTS / "papers-cheung-ip.csv"
GENDER = "cheung-ip/gender-extreme-occupations"
RACE = "cheung-ip/race-extreme-occupations"
GENDERED = ("actress", "waitress", "maid")
TESTS = {
    "career-family": ("gender", "career-family", (("he",), ("she",))),
    "names-pleasant": ("race", "names-pleasant-market-18", None),
}


def cosine(a: Array, b: Array) -> float:
    """a · b / (|a| |b|)."""
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def unit(vector: Array) -> Array:
    """The vector at length 1."""
    return vector / np.linalg.norm(vector)


def group_directions(first: Array, second: Array) -> tuple[Array, Array, Array]:
    """The mean of each group at length 1, and their difference at length 1."""
    one, other = unit(first.mean(axis=0)), unit(second.mean(axis=0))
    return one, other, unit(one - other)


def projected(words: Array, direction: Array) -> Array:
    """w − ⟨w, v⟩ v for each row."""
    return words - np.outer(words @ direction, direction)


def effect_size(x: Array, y: Array, a: Array, b: Array, ddof: int = 1) -> float:
    """WEAT: the difference of the targets' mean associations over their standard deviation."""
    x, y, a, b = (words / np.linalg.norm(words, axis=1, keepdims=True) for words in (x, y, a, b))
    left, right = ((words @ a.T).mean(axis=1) - (words @ b.T).mean(axis=1) for words in (x, y))
    spread = np.concatenate([left, right]).std(ddof=ddof)
    return float((left.mean() - right.mean()) / spread)


def computed(vectors: WordVectors) -> str:
    """Every number of the document that the vectors allow, as lines of a table."""
    lines: list[tuple[object, ...]] = []
    he, she = (_rows(vectors, [word]) for word in ("he", "she"))
    v_he, v_she, direction = group_directions(he, she)
    for word, *_ in wordlist(GENDER).rows:
        row = _rows(vectors, [str(word)])[0]
        lines += [
            ("he/she", word, "he", cosine(row, v_he)),
            ("he/she", word, "she", cosine(row, v_she)),
        ]
    neutral = [str(word) for word, *_ in wordlist(GENDER).rows if word not in GENDERED]
    for name, axis in (("unit he − unit she", direction), ("he − she", unit((he - she)[0]))):
        after = projected(_rows(vectors, neutral), axis)
        apart = max(abs(cosine(row, v_he) - cosine(row, v_she)) for row in after)
        lines.append(("diagonal", name, "largest distance", apart))
    race = concept("race").test(TESTS["names-pleasant"][1])
    for name, words in race.targets.items():
        lines.append(("words", name, "as printed", sum(word in vectors for word in words.words)))
        lines.append(("words", name, "with lower case", len(_known(vectors, words.words))))
    means = group_directions(*(_rows(vectors, item.words) for item in race.targets.values()))
    for word, *_ in wordlist(RACE).rows:
        if _known(vectors, [str(word)]):
            row = _rows(vectors, [str(word)])[0]
            lines += [("names", word, "european-american", cosine(row, means[0]))]
            lines += [("names", word, "african-american", cosine(row, means[1]))]
    for name in TESTS:
        lines += [("WEAT", name, column, value) for column, value in _weat(vectors, name).items()]
    return as_csv(
        ("table", "row", "column", "value"), [(*line[:3], f"{line[3]:.9g}") for line in lines]
    )


def _weat(vectors: WordVectors, name: str) -> Mapping[str, float]:
    about, test_name, pair = TESTS[name]
    test = concept(about).test(test_name)
    x, y = (_rows(vectors, item.words) for item in test.targets.values())
    a, b = (_rows(vectors, item.words) for item in test.attributes.values())
    groups = [_rows(vectors, words) for words in pair] if pair else [x, y]
    direction = group_directions(*groups)[2]
    spaces = {
        "before": (x, y, a, b),
        "after": (x, y, projected(a, direction), projected(b, direction)),
        "after, all words": tuple(projected(words, direction) for words in (x, y, a, b)),
    }
    found = {"targets": float(len(x) + len(y))}
    for when, (one, other, first, second) in spaces.items():
        for ddof in (1, 0):
            value = effect_size(one, other, first, second, ddof=ddof)
            found[f"{when}, ddof {ddof}"] = value
    return found


def _known(vectors: WordVectors, words: Sequence[str]) -> list[str]:
    """The words as the vectors spell them: as printed if they have that, else in lower case."""
    forms = (word if word in vectors else word.lower() for word in words)
    return [word for word in forms if word in vectors]


def _rows(vectors: WordVectors, words: Iterable[str]) -> Array:
    known = _known(vectors, list(words))
    return np.asarray(vectors.rows(known), dtype=np.float64)
