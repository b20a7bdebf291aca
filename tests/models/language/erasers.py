"""Random erasers of any width, for tests."""

import numpy as np

from tests.made_erasers import made_of
from unslant.core.places import parse_place
from unslant.erasers import EachVector, Eraser, LowRank, projection
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.model import TransformerModel


def random_projection(width: int, rank: int = 2, seed: int = 0) -> Eraser:
    """The orthogonal projection that removes random directions."""
    made = np.random.default_rng(seed)
    basis = np.linalg.qr(made.normal(size=(width, rank)))[0].T
    return made_of(EachVector(projection(basis)))


def random_affine(width: int, rank: int = 2, seed: int = 0, offset: float = 0.5) -> Eraser:
    """An oblique map with an offset, of the form that LEACE has."""
    made = np.random.default_rng(seed)
    read, write = made.normal(size=(2, rank, width)) / width**0.5
    return made_of(EachVector(LowRank(read, write, offset * made.normal(size=width))))


def zero_rank(width: int) -> Eraser:
    """An eraser that removes no direction."""
    return made_of(EachVector(LowRank(np.zeros((0, width)), np.zeros((0, width)))))


def with_eraser(model: TransformerModel, eraser: Eraser, place: str) -> TransformerModel:
    """The model with one eraser at a place."""
    return model.intervened(Intervention((AtPlace(parse_place(place), eraser),)))
