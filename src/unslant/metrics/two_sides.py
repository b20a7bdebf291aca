"""How close words are to each of two sides, for figures of their lean."""

from dataclasses import dataclass

import numpy as np

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Two sets of words by name, and the mean of the unit vectors of each (2 × d)."""

    names: tuple[str, str]
    words: tuple[tuple[str, ...], tuple[str, ...]]
    means: Array

    @property
    def details(self) -> dict[str, str]:
        """The names of the sides and their words, as stored in a record."""
        first, second = self.words
        return {
            "first-side": self.names[0],
            "second-side": self.names[1],
            "words-of-the-first-side": ", ".join(first),
            "words-of-the-second-side": ", ".join(second),
        }

    def cosines(self, units: Array) -> Array:
        """The mean cosine of each unit row with the words of each side (n × 2)."""
        # The mean of cosines is the product with the mean of the unit vectors.
        return np.asarray(units @ self.means.T)


def two_sides(
    space: Space, concept: Concept, subspace: Subspace, policy: WordPolicy
) -> TwoSides | None:
    """The words that a direction contrasts, positive side first.

    They are the two sets it was estimated from, such as "she" and "he" or the names of two groups;
    otherwise those of the concept's first two groups. None if a side has no word with a direction:
    only the figure needs them, not the measure.
    """
    if len(subspace.words) == 2:
        chosen = {use.set: use.used for use in subspace.words}
    else:
        groups = [name for name in concept.groups if name in concept.members][:2]
        chosen = {name: concept.members[name].all_words for name in groups}
    if len(chosen) != 2:
        return None
    first, second = chosen
    try:
        sets = resolve(space, chosen, WordPolicy(missing="drop", case=policy.case))
        means = [sets.directions(name).mean(axis=0) for name in chosen]
    except UnslantError:
        return None
    return TwoSides((first, second), (sets.words(first), sets.words(second)), np.stack(means))
