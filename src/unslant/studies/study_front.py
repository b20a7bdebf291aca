"""The two measures that a study's front compares, and the rows best by both."""

from collections.abc import Mapping, Sequence
from typing import Literal

from unslant.core.better import better_side
from unslant.core.errors import UnslantError
from unslant.core.record import Role
from unslant.core.study_record import Front, StudyTable
from unslant.studies.answers import Row, rank

QUALITY: Role = "quality"
PROBE: Role = "probe"


def front_of(
    rows: Sequence[Row],
    table: StudyTable,
    roles: Mapping[str, Role],
    chosen: Sequence[str] = (),
) -> Front:
    """The ranking by a bias and a quality, or by two biases where no quality was measured.

    Of the measures whose better side is known, in the plan's order: the first bias against the
    first quality; without quality, the first measure of the vectors against the first of a
    model's answers, or else the first two. ``roles`` are those of the measures by their labels,
    and ``chosen`` names two columns in place of all this.
    """
    if chosen and len(chosen) != 2:
        raise UnslantError(f"A front takes two measures, not {len(chosen)}.")
    first, second = chosen or _two(table, roles)
    ranking = rank(rows, [first, second])
    of = {column.label: roles.get(column.measure) for column in table.columns}
    sides: Literal["bias and quality", "two biases"] = "two biases"
    if QUALITY in (of[first], of[second]):
        sides = "bias and quality"
    return Front(**vars(ranking), x=first, y=second, sides=sides)


def _two(table: StudyTable, roles: Mapping[str, Role]) -> tuple[str, str]:
    usable = [
        (column.label, roles.get(column.measure))
        for place, column in enumerate(table.columns)
        if better_side(column.better)
        and any(cell.value is not None for cell in table.column(place))
    ]
    quality = [label for label, role in usable if role == QUALITY]
    biases = [label for label, role in usable if role != QUALITY]
    probes = [label for label, role in usable if role == PROBE]
    plain = [label for label in biases if label not in probes]
    if quality and biases:
        return biases[0], quality[0]
    if plain and probes:
        return plain[0], probes[0]
    if len(biases) > 1:
        return biases[0], biases[1]
    raise UnslantError(
        "A front takes two measures whose better side is known, such as a bias and a quality, and "
        f"the study has {len(usable) if len(usable) < 2 else 'qualities only'}."
    )
