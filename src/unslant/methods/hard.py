"""Hard Debias: remove the attribute from neutral words and equalise pairs."""

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import MissingWordsError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.erasers import EachVector, TheseWords, UnitLength, projection
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.specific_words import (
    LEFT_ALONE,
    cased,
    pair_subspace,
    specific_words,
    use_of,
)
from unslant.numerics.linalg import equalised
from unslant.vectors import WordVectors

Groups = list[tuple[str, ...]]


@debiaser(
    "hard",
    cites="bolukbasi-2016",
    guarantees={"removes-subspace", "unit-length", "spares-specific-words", "needs-no-words"},
    acts_on=words_only("scales vectors to length 1 and sets the vectors of single words"),
    misleads="It hides the bias along one direction: neutral words that were biased alike "
    "still cluster together, and a classifier recovers the attribute from what is "
    "left (Gonen and Goldberg 2019). Words that are missing from the lists of "
    "specific words lose a gender that they have by definition.",
)
class HardDebias:
    """Neutralise all words except the specific ones, then equalise pairs or tuples.

        neutral words: w ← (w − w_B)/‖w − w_B‖
        words of a pair: w ← ν + √(1 − ‖ν‖²) (w_B − μ_B)/‖w_B − μ_B‖,  ν = μ − μ_B

    Vectors are scaled to length 1. A word that does not carry the attribute by definition loses its
    component in ``subspace`` (by default that of the definitional pairs) and is scaled again; the
    words in each row of the table ``equalise`` then differ only in that subspace, at equal distance
    from every neutral word. w_B is the part of w in the subspace and μ the mean of the words of a
    row. Rows apply in lower, Title and UPPER case; a row that shares a word with an earlier one is
    set aside, because equalising a word twice would undo the first time. The words of the groups,
    the definitional pairs and the concept's lists of specific words are unchanged; ``keep`` names
    one list to leave unchanged instead.
    """

    subspace: str = ""
    equalise: str = ""
    keep: str = ""

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Estimate the subspace and compute the vectors of the equalised words."""
        subspace = pair_subspace(self.subspace, vectors, concept, setting.policy)
        table = self.equalise or next((n for n in _TABLES if n in concept.sets), "")
        groups: Groups = []
        use = WordUse(set="equalised", used=())
        if table:
            groups, use = _groups_in(vectors, concept, table)
        if use.missing and setting.policy.missing == "fail":
            raise MissingWordsError({use.set: use.missing}, vectors.name)
        words, after, stuck = _equalised(vectors, groups, subspace.basis)
        spared = specific_words(concept, self.keep)
        spared += tuple(word for word in words if word not in set(spared))
        kept = use_of(vectors, spared, LEFT_ALONE, setting.policy)
        warnings = subspace.warnings
        if stuck:
            warnings += (f"left unchanged because they do not differ: {', '.join(stuck)}",)
        if not words:
            warnings += (
                "no pair was equalised: the concept has none whose words are in the vectors",
            )
        unit = EachVector(UnitLength())
        steps = (unit, EachVector(projection(subspace.basis), spared), unit)
        return Fitted(
            steps=(*steps, TheseWords(words, after)) if words else steps,
            removed=subspace.basis,
            words=(*subspace.words, use, kept),
            details={
                "subspace": subspace.estimator,
                "dimensions-removed": subspace.k,
                "words-left-alone": len(kept.used),
                "words-equalised": len(words),
            },
            warnings=warnings,
        )


_TABLES = ("equalise", "definitional")


def _groups_in(vectors: WordVectors, concept: Concept, table: str) -> tuple[Groups, WordUse]:
    """The rows of a table, in every case, with at least two words in the vectors."""
    listed = [tuple(str(cell) for cell in row) for row in concept.table(table).rows]
    cases = (str, str.lower, str.title, str.upper)
    forms = [tuple(map(case, row)) for row in listed for case in cases]
    words = cased(word for row in listed for word in row)
    present = {w for w, r in zip(words, vectors.words.rows_of(words), strict=True) if r >= 0}
    taken: set[str] = set()
    groups: Groups = []
    for form in dict.fromkeys(forms):
        found = tuple(dict.fromkeys(word for word in form if word in present))
        if len(found) > 1 and not taken & set(found):
            taken |= set(found)
            groups.append(found)
    asked = tuple(dict.fromkeys(word for row in listed for word in row))
    return groups, WordUse(
        set=f"equalised ({table})",
        used=tuple(word for group in groups for word in group),
        missing=tuple(word for word in asked if not present & set(cased([word]))),
        set_aside=tuple(
            word for word in asked if (here := present & set(cased([word]))) and not here & taken
        ),
    )


def _equalised(
    vectors: WordVectors, groups: Groups, basis: Array
) -> tuple[tuple[str, ...], Array, list[str]]:
    """Words, their equalised vectors, and the words of groups that do not differ."""
    unit = UnitLength()
    words: list[str] = []
    after: list[Array] = []
    stuck: list[str] = []
    for group in groups:
        rows = vectors.rows(group).astype(np.float64)
        made = equalised(np.asarray(unit.apply(rows), dtype=np.float64), basis)
        if made is None:
            stuck += group
        else:
            words += group
            after.append(made)
    dim = vectors.dim
    return tuple(words), np.concatenate(after) if after else np.zeros((0, dim)), stuck
