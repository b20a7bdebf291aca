"""Which two measures of a study are set against each other, and what is best by both."""

from collections.abc import Mapping, Sequence
from typing import Any

from unslant.core.better import better_side
from unslant.core.errors import UnslantError
from unslant.studies.answers import Row, rank

QUALITY, PROBE = "vectors", "probe"
"""What measures of quality and of a model's answers say that they take."""


def front_of(
    rows: Sequence[Row],
    table: Mapping[str, Any],
    takes: Mapping[str, str],
    chosen: Sequence[str] = (),
) -> dict[str, Any]:
    """The ranking by a bias and a quality, or by two biases where no quality was measured.

    Of the measures whose better side is known, in the plan's order: the first bias against the
    first quality; without quality, the first measure of the vectors against the first of a
    model's answers, or else the first two. ``takes`` says by a measure's label what its metric
    takes, and ``chosen`` names two columns in place of all this.
    """
    if chosen and len(chosen) != 2:
        raise UnslantError(f"A front takes two measures, not {len(chosen)}.")
    first, second = chosen or _two(table, takes)
    found = rank(rows, [first, second])
    of = {column["label"]: takes.get(column["measure"], "") for column in table["columns"]}
    is_quality = QUALITY in (of[first], of[second])
    return {
        **found,
        "x": first,
        "y": second,
        "sides": "bias and quality" if is_quality else "two biases",
    }


def _two(table: Mapping[str, Any], takes: Mapping[str, str]) -> tuple[str, str]:
    usable = [
        (column["label"], takes.get(column["measure"], ""))
        for place, column in enumerate(table["columns"])
        if better_side(column["better"])
        and any(row["cells"][place]["value"] is not None for row in table["rows"])
    ]
    quality = [label for label, kind in usable if kind == QUALITY]
    biases = [label for label, kind in usable if kind != QUALITY]
    asked = [label for label, kind in usable if kind == PROBE]
    plain = [label for label in biases if label not in asked]
    if quality and biases:
        return biases[0], quality[0]
    if plain and asked:
        return plain[0], asked[0]
    if len(biases) > 1:
        return biases[0], biases[1]
    raise UnslantError(
        "A front takes two measures whose better side is known, such as a bias and a quality, and "
        f"the study has {len(usable) if len(usable) < 2 else 'qualities only'}."
    )
