"""Test sets as files, for models that live elsewhere: one pair a line, each with its id."""

from collections.abc import Iterator
from pathlib import Path

from unslant.core.files import Progress
from unslant.probes.export import write_rows
from unslant.probes.nli.pairset import PairSet, group_at

Row = tuple[str, ...]
COLUMNS = (
    "id",
    "premise",
    "hypothesis",
    "label",
    "premise_word",
    "hypothesis_word",
    "premise_group",
    "hypothesis_group",
)
"""The columns of every export; after them come the slots of the sentence."""


def export(pairs: PairSet, path: str | Path, *, progress: Progress | None = None) -> int:
    """Write the pairs that count to a .csv or .jsonl file, and say how many there are."""
    write_rows(columns(pairs), rows(pairs), len(pairs), Path(path), progress)
    return len(pairs)


def columns(pairs: PairSet) -> Row:
    """The columns of a set's export."""
    return (*COLUMNS, *pairs.context_slots)


def rows(pairs: PairSet) -> Iterator[Row]:
    """One row for each pair that counts: id, sentences, right answer, words and groups."""
    premise_groups, hypothesis_groups = (
        [group_at(groups, place) for place in range(size)]
        for groups, size in (
            (pairs.premise_groups, len(pairs.premise_words)),
            (pairs.hypothesis_groups, len(pairs.hypothesis_words)),
        )
    )
    for pair in pairs.pairs():
        p, h, c = pair.place
        yield (
            pair.id,
            pair.premise,
            pair.hypothesis,
            pairs.label(p, h),
            pairs.premise_words[p],
            pairs.hypothesis_words[h],
            premise_groups[p],
            hypothesis_groups[h],
            *pairs.context_words[c],
        )
