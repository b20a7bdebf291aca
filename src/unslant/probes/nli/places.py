"""Where the words that someone names stand in a list."""

from collections.abc import Sequence

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.probes.nli.pairset import PairSet


def places_of(wanted: Sequence[str] | None, words: Sequence[str], kind: str) -> list[int]:
    """Where these words stand, in any case of letters; all places where none is named.

    >>> places_of(["IRAQI"], ["dutch", "Iraqi"], "nation")
    [1]
    """
    if not wanted:
        return list(range(len(words)))
    folded = [word.casefold() for word in words]
    for word in wanted:
        if word.casefold() not in folded:
            raise UnknownNameError(kind, word, set(words))
    asked = {word.casefold() for word in wanted}
    return [place for place, word in enumerate(folded) if word in asked]


def check_slices(wanted: Sequence[tuple[str, str]], pairs: PairSet) -> None:
    """Refuse words to look at that are not among the pairs, before anything is asked."""
    sides = (("premises", pairs.premise_words), ("hypotheses", pairs.hypothesis_words))
    for two in wanted:
        for word, (side, words) in zip(two, sides, strict=True):
            if word.lower() in map(str.lower, pairs.missing.get(side, ())):
                raise UnslantError(
                    f'"{word}" is not in the vectors, so it was left out of the {side} of '
                    f'"{pairs.name}" and has no mean answer.'
                )
            places_of([word], words, f"word among the {side} of {pairs.name}")
