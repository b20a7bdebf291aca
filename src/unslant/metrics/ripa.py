"""Relational inner product association."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordList, resolve
from unslant.core.errors import DegenerateSubspaceError, ExpressionError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import neutral_list
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.subspaces.subspace import WEAKEST, table_rows
from unslant.vectors import Space


@metric(
    "ripa",
    cites="ethayarajh-2019",
    takes="concept",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(),
        misleads="Vectors keep their length, so frequent words have more weight; this is "
        "intended, but values of different spaces are not comparable. The spread over base pairs "
        "is large; check it.",
    ),
)
class Ripa:
    """Inner product of neutral words with the unit difference of each base pair, averaged.

        RIPA(w; x, y) = w · (x − y)/‖x − y‖, w not normalised
        value = mean over neutral words w and base pairs (x, y)

    The base pairs are the rows of the table ``pairs``. A positive value leans to the concept's
    first group, or to the first column of a table whose columns are not the groups. For a table
    with more columns, ``first`` and ``second`` select two.
    """

    pairs: str = "definitional"
    first: str = ""
    second: str = ""
    neutral: str = ""
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: Concept, setting: Setting) -> Measurement:
        """The mean product, its spread over pairs, and the mean of each word."""
        name = neutral_list(subject, self.neutral, "RIPA")
        sets = resolve(space, {name: subject.list(name).all_words}, setting.policy)
        table = self._two_columns(subject)
        cube, uses = table_rows(space, table, setting.policy, unit_length=False)
        differences = cube[:, 0] - cube[:, 1]
        lengths = np.linalg.norm(differences, axis=1, keepdims=True)
        if (lengths < WEAKEST * np.linalg.norm(cube, axis=2).mean()).any():
            raise DegenerateSubspaceError(
                f'A pair in "{self.pairs}" has two words with the same vector, so it has no '
                f"direction. Remove the pair."
            )
        products = sets.matrix(name) @ (differences / lengths).T

        def mean_product(samples: tuple[Indices, ...]) -> Array:
            return np.asarray(products.mean(axis=1)[samples[0]].mean(axis=1))

        by_word, by_pair = products.mean(axis=1), products.mean(axis=0)
        purpose = f"ripa {name} {subject.content_hash}"
        measurement = Measurement(
            title=f"Relation of {name} to pairs of {subject.name}"
            + (f": {' and '.join(table.columns)}" if len(subject.groups) > 2 else ""),
            value=float(by_word.mean()),
            details={
                "positive-side": table.columns[0],
                "negative-side": table.columns[1],
                "mean-size": float(np.abs(by_word).mean()),
                "sd-over-pairs": float(by_pair.std(ddof=1)) if len(by_pair) > 1 else None,
                "smallest-pair": float(by_pair.min()),
                "largest-pair": float(by_pair.max()),
            },
            words=(*sets.uses, *uses),
            points=tuple(
                {"word": word, "product": float(mean), "sd-over-pairs": float(spread)}
                for word, mean, spread in zip(
                    sets.words(name), by_word, products.std(axis=1), strict=True
                )
            ),
        )
        return over_words(
            measurement,
            mean_product,
            sets,
            (name,),
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )

    def _two_columns(self, concept: Concept) -> WordList:
        """The table of pairs with the two requested columns, the concept's first group first."""
        table = concept.table(self.pairs)
        if bool(self.first) != bool(self.second):
            raise ExpressionError("ripa needs both first and second, the names of two columns.")
        if self.first:
            return table.only(self.first, self.second)
        if len(table.columns) > 2:
            one, other = table.columns[:2]
            raise ExpressionError(
                f'ripa compares two groups, but "{self.pairs}" in {concept.name} has '
                f"{len(table.columns)}: {', '.join(table.columns)}. Name two of them, as in "
                f"ripa(first={one}, second={other})."
            )
        if table.columns == concept.groups[::-1]:
            return table.only(*concept.groups)
        return table
