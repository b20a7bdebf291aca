"""Small ELMos for inference models, and what is trained on them."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.made_erasers import made_of
from tests.made_pairs import splits
from tests.models.elmo.made_elmo import OPTIONS, random_arrays, write_elmo
from unslant.core.places import parse_place
from unslant.datasets.nli import Corpus, Splits
from unslant.erasers import EachVector, projection
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.nli.settings import ElmoTraining

HOW = ElmoTraining(
    hidden=48, attention=40, classification=44, epochs=6, patience=6, batch=16,
    learning_rate=3e-3, dropout=0.05,
)  # fmt: skip
WORDS = (
    *("cat", "Dog", "owl", "pig", "bee", "fox"),
    *("runs", "eats", "sings", "jumps", "hides", "naps"),
)
"""Words that even a tiny random ELMo tells apart, unlike made-up ones that end in a number."""


def spelt(pairs: Splits) -> Splits:
    """Made-up pairs in these words."""
    return Splits(
        replace(pairs.train, vocabulary=WORDS), replace(pairs.dev, vocabulary=WORDS), None
    )


PAIRS = spelt(splits(train=600, dev=100))
GENTLE: dict[str, Any] = {
    "lstm": {**OPTIONS["lstm"], "cell_clip": 3, "proj_clip": 3},
    "char_cnn": OPTIONS["char_cnn"],
}
"""Limits that are seldom met, so that words stay apart."""


def small_elmo(folder: Path, seed: int = 3) -> ElmoModel:
    """A random ELMo in a new folder."""
    write_elmo(folder, GENTLE, random_arrays(GENTLE, seed))
    return load_elmo(folder)


def projecting(model: ElmoModel, *places: str, seed: int = 5) -> ElmoModel:
    """The model with one random direction projected out at each place."""
    steps = []
    for number, text in enumerate(places):
        place = parse_place(text)
        draw = np.random.default_rng(seed + number).normal(size=(model.site(place).width, 1))
        basis = np.linalg.qr(draw)[0].T
        steps.append(AtPlace(place, made_of(EachVector(projection(basis)))))
    return model.intervened(Intervention(tuple(steps)))


def texts_of(corpus: Corpus) -> tuple[list[str], list[str]]:
    """The pairs of a corpus as sentences."""
    pairs = [corpus.tokens(row) for row in range(len(corpus))]
    premises, hypotheses = ([" ".join(pair[side]) for pair in pairs] for side in (0, 1))
    return premises, hypotheses


def same_bits(one: Any, other: Any) -> bool:
    """Whether two trained models have the same weights to the last bit."""
    return one.tensors.keys() == other.tensors.keys() and all(
        value.tobytes() == other.tensors[name].tobytes() for name, value in one.tensors.items()
    )


@cache
def drawn(seed: int, *size: int) -> NDArray[np.float32]:
    """Random numbers."""
    return np.random.default_rng(seed).normal(size=size).astype(np.float32)
