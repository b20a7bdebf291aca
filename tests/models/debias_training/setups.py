"""A small model, a text with rules and a concept of its words, for tests of training."""

import random
from pathlib import Path
from typing import Any

from tests.models.language.folders import save
from tests.studies.language_models import CONCEPT
from unslant.concepts import Concept, concept
from unslant.core.places import parse_place
from unslant.core.record import StageFacts
from unslant.models.debias_training.tuning import Setup
from unslant.models.language.model import load_transformer
from unslant.studies.at_places import fit_at_places

FAST: dict[str, Any] = {
    "rounds": 2,
    "steps": 6,
    "batch": 8,
    "learning_rate": 0.003,
    "longest": 30,
}
ENDS = ("is", "and", "a", "the", "down", "there", ".")
BEGINS = (
    *("the doctor is here", "this programmer sat down", "she is there", "he is an engineer"),
    *("the nurse is a nurse", "an engineer and he sat", "the doctor and she sat there"),
    *("he is a programmer", "she and the nurse"),
)


def written_text(path: Path, lines: int = 600) -> Path:
    """Lines that begin in nine ways, with words of one kind, of the other, or of both."""
    chance = random.Random(0)
    made = [f"{chance.choice(BEGINS)} {' '.join(chance.choices(ENDS, k=4))}" for _ in range(lines)]
    path.write_text("\n".join(made))
    return path


def sides(folder: Path) -> Concept:
    """Two sides, of words that the random model has pieces for."""
    lists = '[lists]\none = ["doctor", "here", "sat"]\nother = ["programmer", "there", "down"]\n'
    (folder / "sides.toml").write_text(CONCEPT + lists)
    return concept(folder / "sides.toml")


def setup(folder: Path, kind: str = "bert", *, head: bool = True, place: str = "") -> Setup:
    """A random model to train."""
    made = folder / kind
    if not made.exists():
        save(made, kind, head=head)
    about = sides(folder)
    return Setup(
        model=load_transformer(made),
        concept=about,
        place=parse_place(place) if place else None,
        fit=lambda methods, model: fit_at_places(methods, model, about),
    )


def fact(stage: StageFacts, name: str) -> float:
    """A number that the record of a training has."""
    value = stage.details[name]
    assert isinstance(value, int | float)
    return float(value)
