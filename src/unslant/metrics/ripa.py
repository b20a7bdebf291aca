"""Relational inner product association."""

from dataclasses import dataclass

import numpy as np

from unslant.concepts import Concept, resolve
from unslant.core.errors import DegenerateSubspaceError, UndefinedMeasureError
from unslant.core.measurement import Measurement
from unslant.metrics.metric import Setting, metric
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Array, Indices
from unslant.subspaces.fitting import table_rows
from unslant.subspaces.subspace import WEAKEST
from unslant.vectors import WordVectors


@metric(
    "ripa",
    cites="ethayarajh-2019",
    takes="concept",
    better="closer to 0",
    range="unbounded",
    misleads="Vectors keep their length, so frequent words weigh more: that is its point, and why "
    "values of different spaces do not compare. The spread over base pairs is large; read it.",
)
@dataclass(frozen=True, kw_only=True)
class Ripa:
    """Inner product of neutral words with the unit difference of each base pair, averaged.

    RIPA(w; x, y) = w · (x − y)/‖x − y‖, with w not normalised, for every pair (x, y) of the table
    ``pairs``; the value is the mean over words and pairs. A positive value leans to the first
    column of the table.
    """

    pairs: str = "definitional"
    neutral: str = ""
    seed: int = 0

    def measure(self, vectors: WordVectors, subject: Concept, setting: Setting) -> Measurement:
        """The mean product, its spread over pairs, and the mean of each word."""
        if not subject.neutral:
            raise UndefinedMeasureError(f'The concept "{subject.name}" names no neutral words.')
        name = self.neutral or next(iter(subject.neutral))
        sets = resolve(vectors, {name: subject.list(name).all_words}, setting.policy)
        cube, uses = table_rows(
            vectors, subject.table(self.pairs), setting.policy, unit_length=False
        )
        differences = cube[:, 0] - cube[:, 1]
        lengths = np.linalg.norm(differences, axis=1, keepdims=True)
        if (lengths < WEAKEST * np.linalg.norm(cube, axis=2).mean()).any():
            raise DegenerateSubspaceError(
                f'A pair of "{self.pairs}" has two words with the same vector, so it has no '
                f"direction. Leave the pair out."
            )
        products = sets.matrix(name) @ (differences / lengths).T

        def mean_product(samples: tuple[Indices, ...]) -> Array:
            return np.asarray(products.mean(axis=1)[samples[0]].mean(axis=1))

        by_word, by_pair = products.mean(axis=1), products.mean(axis=0)
        value = float(by_word.mean())
        purpose = f"ripa {name} {subject.content_hash}"
        interval, influence = over_words(
            mean_product, sets, (name,), value, seed=self.seed, purpose=purpose
        )
        return Measurement(
            title=f"Relation of {name} to pairs of {subject.name}",
            value=value,
            interval=interval,
            influence=influence,
            details={
                "mean size": float(np.abs(by_word).mean()),
                "sd over pairs": float(by_pair.std(ddof=1)) if len(by_pair) > 1 else None,
                "smallest pair": float(by_pair.min()),
                "largest pair": float(by_pair.max()),
            },
            words=(*sets.uses, *uses),
            points=tuple(
                {"word": word, "product": float(mean), "sd over pairs": float(spread)}
                for word, mean, spread in zip(
                    sets.words(name), by_word, products.std(axis=1), strict=True
                )
            ),
        )
