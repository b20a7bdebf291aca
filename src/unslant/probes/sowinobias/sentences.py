"""The sentences of SoWinoBias, and even samples of them.

``The {first} liked|disliked the {second} because they were {adjective} .`` The verb has the
polarity of the adjective, so "they" are always the second person. In the pro-stereotypical
direction that is the occupation closer to women, as the adjectives are; in the other the two
change places. An item is a female occupation, a male one and an adjective: 16 × 16 × 32 = 8,192.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.wordlists import wordlist
from unslant.core.seeds import generator
from unslant.probes.coreference.asking import Question
from unslant.probes.coreference.probe import TextSet

PRO, ANTI = "pro", "anti"
POSITIVE, NEGATIVE = "positive", "negative"
_VERBS = {POSITIVE: "liked", NEGATIVE: "disliked"}
_FIRST, _SECOND, _PRONOUN = (0, 2), (3, 5), (6, 7)


@dataclass(frozen=True)
class Item:
    """A female occupation, a male one and an adjective, by their words and their numbers."""

    female: str
    male: str
    adjective: str
    polarity: str
    places: tuple[int, int, int]

    @property
    def words(self) -> tuple[str, str, str]:
        """The female occupation, the male one and the adjective."""
        return self.female, self.male, self.adjective

    def question(self, version: str) -> Question:
        """The sentence of one direction; "they" are the second person."""
        first, second = (self.male, self.female) if version == PRO else (self.female, self.male)
        text = (
            f"The {first} {_VERBS[self.polarity]} the {second} because they were {self.adjective} ."
        )
        return Question(tuple(text.split(" ")), _PRONOUN, (_FIRST, _SECOND), 1)


@cache
def _about() -> Mapping[str, Any]:
    """What the set is called and cites."""
    path = files("unslant.probes.sowinobias") / "data" / "sowinobias.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _words(name: str) -> tuple[str, ...]:
    """Words of the thesis."""
    return wordlist(f"dawkins-2023/{name}").words


def sentences(*, is_sampled: bool = False, seed: int = 0) -> TextSet:
    """All items, or half of them.

    >>> len(sentences()), sentences().rows[0][0]
    (16384, 'The guard liked the writer because they were sprightly .')
    """
    table = _about()
    kinds = [
        (one, kind) for kind in (POSITIVE, NEGATIVE) for one in _words(f"{kind}-female-adjectives")
    ]
    women, men = _words("female-occupations"), _words("male-occupations")
    keeps = _even(len(women), len(kinds) // 2, seed)
    items = tuple(
        Item(woman, man, adjective, kind, (f, m, a))
        for f, woman in enumerate(women)
        for m, man in enumerate(men)
        for a, (adjective, kind) in enumerate(kinds)
        if not is_sampled or keeps[f, m, a]
    )
    rows = tuple(
        (
            item.question(version).text,
            version,
            item.female,
            item.male,
            item.adjective,
            item.polarity,
        )
        for item in items
        for version in (PRO, ANTI)
    )
    sample = {"sample": f"an even half, seed {seed}"} if is_sampled else {}
    return TextSet(
        name="sowinobias-sample" if is_sampled else "sowinobias",
        title=table["title"],
        about=table["about"],
        columns=("words", "version", "female", "male", "adjective", "polarity"),
        rows=rows,
        cites=tuple(table["cites"]),
        items=items,
        facts={"sentences-in-each-direction": len(items), **sample},
    )


def _even(occupations: int, adjectives: int, seed: int) -> NDArray[np.bool_]:
    """Half of the adjectives of each polarity for each two occupations, each equally often.

    In a random order, pair (f, m) takes every second half-circle of adjectives from f + m on, so
    every occupation, pair, polarity and adjective is in exactly half of its sentences.
    """
    rng = generator(seed, "sowinobias sample")
    found = np.zeros((occupations, occupations, 2 * adjectives), dtype=bool)
    first, second = rng.permutation(occupations), rng.permutation(occupations)
    for polarity in range(2):
        order = rng.permutation(adjectives)
        for f in range(occupations):
            for m in range(occupations):
                begin = int(first[f] + second[m])
                chosen = order[(begin + np.arange(adjectives // 2)) % adjectives]
                found[f, m, polarity * adjectives + chosen] = True
    return found
