"""How well the words determine a concept's direction, as exhibits of an audit."""

from unslant.concepts import Concept, WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Column, Exhibit, Table
from unslant.core.record import LeftOut
from unslant.core.spectrum import Spectrum, spectrum
from unslant.subspaces.stability import Stability, stability
from unslant.vectors import Space

_RATIOS = ("2nd / 1st", "3rd / 1st", "4th / 1st")


def direction_exhibits(
    vectors: Space, concept: Concept, policy: WordPolicy, left_out: list[LeftOut]
) -> tuple[Exhibit, ...]:
    """How the variance falls off over the axes, and how far other estimates agree."""
    in_use = _in_use(vectors, concept, policy)
    others = []
    for expression in concept.alternatives:
        try:
            others += stability(vectors, concept, others=(expression,), policy=policy)
        except UnslantError as error:
            left_out.append(LeftOut(what=f"stability against {expression}", why=str(error)))
    spectra = [Spectrum(row.estimator, row.explained, row.chance) for row in (*in_use, *others)]
    tables = (_table(concept, others),) if others else ()
    return (*tables, *spectrum(spectra, concept.name, vectors.name))


def _in_use(vectors: Space, concept: Concept, policy: WordPolicy) -> list[Stability]:
    if concept.direction is None:
        return []
    try:
        return stability(vectors, concept, others=(concept.direction,), policy=policy)
    except UnslantError:  # direct bias and the stability say what is wrong with it
        return []


def _table(concept: Concept, rows: list[Stability]) -> Table:
    columns = [Column(label="estimate"), *(Column(label=label, digits=2) for label in _RATIOS)]
    return Table(
        id="stability",
        title="How well the direction is determined",
        columns=(*columns, Column(label="cosine with the direction in use", digits=2)),
        rows=tuple((row.estimator, *_three(row.ratios), row.cosine) for row in rows),
        caption=f"Other estimates compared with {concept.direction}. Small ratios mean that one "
        f"direction dominates; a cosine of 1 means full agreement.",
    )


def _three(ratios: tuple[float, ...]) -> tuple[float | None, ...]:
    return (*ratios[:3], *[None] * (3 - len(ratios)))
