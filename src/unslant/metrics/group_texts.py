"""The words of a concept's groups in contexts, with their vectors and labels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.concepts.contexts import contexts_from, texts_of
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.vectors import Space

Groups = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupTexts:
    """Words with the number of their group, and a vector for each word in each context.

    ``rows`` has the shape words × contexts × width.
    """

    words: tuple[str, ...]
    labels: Groups
    groups: tuple[str, ...]
    rows: Array
    uses: tuple[WordUse, ...]

    @property
    def contexts(self) -> int:
        """How many texts each word has."""
        return int(self.rows.shape[1])

    @property
    def smallest(self) -> int:
        """The number of words of the smallest group."""
        return int(np.bincount(self.labels, minlength=len(self.groups)).min())


def group_texts(
    space: Space, concept: Concept, policy: WordPolicy, of: str, contexts: str
) -> GroupTexts:
    """The words and names of each group of a concept; a word of two groups is of none."""
    parts = {"words": (concept.words,), "names": (concept.names,)}.get(
        of, (concept.words, concept.names)
    )
    lists: dict[str, list[str]] = {}
    for part in parts:
        for group, item in part.items():
            lists.setdefault(group, []).extend(item.all_words)
    if len(lists) < 2:
        raise UndefinedMeasureError(
            f'Probing compares groups, but "{concept.name}" has {len(lists)} with '
            f"{'words or names' if of == 'all' else of}. Choose another concept."
        )
    seen: dict[str, set[str]] = {}
    for group, words in lists.items():
        for word in words:
            seen.setdefault(word.lower(), set()).add(group)
    alone = {
        group: tuple(dict.fromkeys(w for w in words if len(seen[w.lower()]) == 1))
        for group, words in lists.items()
    }
    sets = resolve(space, alone, policy)
    names = tuple(alone)
    used = [(sets.items[group], number) for number, group in enumerate(names)]
    items = [item for group, _ in used for item in group]
    labels = np.array([number for group, number in used for _ in group])
    given = contexts_from(contexts)
    texts = [texts_of(space, item, given) for item in items]
    flat = space.rows([text for part in texts for text in part])
    rows = flat.reshape(len(items), len(texts[0]), -1).astype(np.float64)
    return GroupTexts(
        words=tuple(word for group in names for word in sets.words(group)),
        labels=labels,
        groups=names,
        rows=rows,
        uses=sets.uses,
    )
