"""GN-GloVe's terms: which words belong to a group, which are neutral, and what holds them.

w = [w_a; w_g]. J_D keeps the groups apart in w_g, J_E = Σ (v·w_a)² over neutral words keeps the
attribute's direction v out of w_a. Two groups have one coordinate, +1 and -1, and one direction,
the mean of w_a over the first group's words minus that over the second's. More groups have one
coordinate each, 1 for their own words and -1 for the others', and one direction each, a group's
mean minus the mean of all groups; J_D is then of the l2 form, because l1 joins two groups only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept
from unslant.concepts.vocabulary import own_words
from unslant.core.errors import ConceptError, UnknownNameError, UnslantError
from unslant.models.glove.settings import NeutralSettings
from unslant.vectors import WordVectors

_PREFERRED = ("gendered", "definitional")


@dataclass(frozen=True, eq=False)
class Groups:
    """The words of a concept in a vocabulary.

    ``kinds`` has a number for each word: 0 for neutral words, from 1 on the groups, -1 for words
    that carry the attribute and belong to no group. ``members`` are the rows of each group that
    the direction is computed from: those in complete rows of the table. ``listed`` is how many
    rows the table has.
    """

    names: tuple[str, ...]
    kinds: NDArray[np.int64]
    members: tuple[NDArray[np.int64], ...]
    listed: int
    facts: Mapping[str, Any]

    @property
    def coordinates(self) -> int:
        """How many coordinates w_g has."""
        return 1 if len(self.names) == 2 else len(self.names)

    @property
    def targets(self) -> NDArray[np.float64]:
        """The target value of w_g for the words of each group."""
        if len(self.names) == 2:
            return np.array([[1.0], [-1.0]])
        return 2 * np.eye(len(self.names)) - 1


def groups_of(
    concept: Concept, words: Sequence[str], how: NeutralSettings, table: str | None = None
) -> Groups:
    """The groups of a concept, by a table with a column for each, or by their words or names.

    ``table`` names the concept's set to use; by default "gendered", "definitional", or the words
    of the groups. A word in several groups belongs to none.
    """
    check_groups(concept, how, table)
    rank = {word: row for row, word in enumerate(words)}
    name, rows = _listed(concept, table)
    found = [[rank.get(word.lower(), -1) for word in row] for row in rows]
    owners: dict[int, set[int]] = {}
    for row in found:
        for group, word in enumerate(row):
            owners.setdefault(word, set()).add(group)
    kinds = np.zeros(len(words), dtype=np.int64)
    kinds[[rank[word] for word in own_words(concept) if word in rank]] = -1
    for word, groups in owners.items():
        if word >= 0:
            kinds[word] = min(groups) + 1 if len(groups) == 1 else -1
    is_paired = _is_table(concept, name)
    used = [row for row in found if min(row) >= 0] if is_paired else found
    members = tuple(
        np.array([row[group] for row in used if row[group] >= 0], dtype=np.int64)
        for group in range(len(concept.groups))
    )
    lacking = [
        group for group, rows_ in zip(concept.groups, members, strict=True) if not len(rows_)
    ]
    if lacking:
        what = "complete rows" if is_paired else f"words of {', '.join(lacking)}"
        raise ConceptError(
            f'The text has no {what} of "{name}" in {concept.name} that occur often enough. Use '
            f"more text, a lower --minimum, or another list."
        )
    missing = sorted({word for row in rows for word in row if word and word.lower() not in rank})
    facts = {
        "concept": concept.name,
        "concept_sha256": concept.content_hash,
        "list": name,
        "rows": len(rows),
        "rows_used": len(used) if is_paired else None,
        "words": {
            group: int((kinds == number).sum()) for number, group in enumerate(concept.groups, 1)
        },
        "neutral": int((kinds == 0).sum()),
        "unconstrained": int((kinds == -1).sum()),
        "missing": missing,
    }
    return Groups(concept.groups, kinds, members, len(rows), facts)


def check_groups(concept: Concept, how: NeutralSettings, table: str | None = None) -> None:
    """Refuse, before any text is read, a concept that these terms cannot keep apart."""
    if len(concept.groups) < 2:
        raise ConceptError(f"{concept.name} has no two groups to keep apart.")
    if len(concept.groups) > 2 and how.form == "l1" and how.group_weight > 0:
        raise UnslantError(
            f"{concept.name} has {len(concept.groups)} groups, and the l1 form of J_D joins two. "
            f"Use the l2 form, which has a coordinate for each group."
        )
    _listed(concept, table)


def directions_of(
    groups: Groups, Q: NDArray[Any], how: NeutralSettings, before: NDArray[Any] | None
) -> NDArray[Any]:
    """The directions of the groups in w_a, means over words in both roles, word and context.

    With ``how.accumulates`` they are added to those ``before``, over all listed rows.
    """
    half, kept = len(Q) // 2, Q.shape[2] - 1 - groups.coordinates
    means = np.stack(
        [
            (Q[rows, 0, :kept].astype(np.float64) + Q[half + rows, 0, :kept]).mean(axis=0) / 2
            for rows in groups.members
        ]
    )
    directions = means[:1] - means[1:] if len(means) == 2 else means - means.mean(axis=0)
    if how.accumulates:
        share = len(groups.members[0]) / groups.listed
        earlier = 0.0 if before is None else before.astype(np.float64) / groups.listed
        directions = directions * share + earlier
    return np.ascontiguousarray(directions, dtype=Q.dtype)


def _is_table(concept: Concept, name: str) -> bool:
    return name in concept.sets


def _listed(concept: Concept, table: str | None) -> tuple[str, list[tuple[str, ...]]]:
    """A list's name and its rows, a word for each group; short lists are filled with ""."""
    fitting = [
        name for name, item in concept.sets.items() if set(concept.groups) <= set(item.columns)
    ]
    chosen = table or next((name for name in _PREFERRED if name in fitting), None)
    if chosen is not None:
        columns = concept.table(chosen).only(*concept.groups)
        return chosen, [tuple(map(str, row)) for row in columns.rows]
    lists = [
        concept.members[group].all_words if group in concept.members else ()
        for group in concept.groups
    ]
    longest = max(map(len, lists))
    return "words of the groups", [
        tuple(words[row] if row < len(words) else "" for words in lists) for row in range(longest)
    ]


# The two parts of GN-GloVe's vectors: w_a, without the attribute, and w_g, which has it.

VIEWS = ("w_a", "w_g")


def view(vectors: WordVectors, name: str) -> WordVectors:
    """One part of vectors that ``unslant train gn-glove`` made: ``w_a`` or ``w_g``.

    How many coordinates w_g has is in the file; files of other formats do not say it, and the
    method drop-last takes it as a parameter.
    """
    if name not in VIEWS:
        raise UnknownNameError("view", name, VIEWS)
    held = vectors.origin.get("group_coordinates")
    if not isinstance(held, int) or not 0 < held < vectors.dim or vectors.lineage.steps:
        raise UnslantError(
            f"{vectors.name} does not say which of its coordinates are w_g. Name the .safetensors "
            f"file that unslant train gn-glove wrote, or use the method drop-last for w_a."
        )
    part = slice(None, -held) if name == "w_a" else slice(-held, None)
    origin = {key: value for key, value in vectors.origin.items() if key != "group_coordinates"}
    return WordVectors(
        vectors.words, vectors.matrix[:, part].copy(), vectors.lineage.then(name), origin=origin
    )
