"""Parts of a test set: a seeded sample of its contexts, or the pairs of chosen words."""

from collections.abc import Mapping, Sequence

from unslant.core.errors import UndefinedMeasureError, UnknownNameError, UnslantError
from unslant.core.seeds import generator
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


def sampled(pairs: PairSet, *, contexts: int = 11, seed: int = 0) -> PairSet:
    """The set with that many of its contexts, drawn at random and kept in their order.

    Eleven contexts of gender-occupation make the 10,824 pairs of dawkins-2023.
    """
    places = drawn(len(pairs.grid.contexts), contexts, seed, pairs.name)
    return pairs.taken(
        contexts=places,
        name=sample_name(pairs.name, contexts, seed),
        how={"contexts": contexts, "seed": seed},
    )


def drawn(there: int, contexts: int, seed: int, name: str) -> list[int]:
    """Which contexts are in the sample; the draw depends on the numbers alone."""
    if not 1 <= contexts <= there:
        raise UnslantError(
            f'A sample of "{name}" can have 1 to {there:,} contexts. Got {contexts} instead.'
        )
    places = generator(seed, "nli contexts").choice(there, size=contexts, replace=False)
    return sorted(places.tolist())


def sample_name(name: str, contexts: int, seed: int) -> str:
    """What a sample is called."""
    return f"{name}.sample-{contexts}-{seed}"


def restricted(
    pairs: PairSet,
    *,
    premise: Sequence[str] = (),
    hypothesis: Sequence[str] = (),
    contexts: Mapping[str, Sequence[str]] | None = None,
) -> PairSet:
    """The pairs of these words only; capital letters do not matter, and no words mean all.

    ``contexts`` gives words by slot, as in ``{"verb": ["met", "called"]}``.

    >>> from unslant.probes.nli.sets import pair_set
    >>> len(restricted(pair_set("nationality"), premise=["rude"], hypothesis=["Iraqi"]))
    2565
    """
    wanted = {slot: list(words) for slot, words in (contexts or {}).items()}
    part = pairs.taken(
        places_of(premise, pairs.premise_words, f"premise word of {pairs.name}"),
        places_of(hypothesis, pairs.hypothesis_words, f"hypothesis word of {pairs.name}"),
        contexts_with(pairs, wanted),
        name=f"{pairs.name}.slice",
        how={"premise": list(premise), "hypothesis": list(hypothesis), "contexts": wanted},
    )
    if not len(part):
        raise UnslantError(f'In "{pairs.name}" a word with itself does not count: nothing is left.')
    return part


def contexts_with(pairs: PairSet, wanted: Mapping[str, Sequence[str]]) -> list[int]:
    """The contexts that have one of these words in each of these slots."""
    places = list(range(len(pairs.context_words)))
    for slot, words in wanted.items():
        fitting = set(places_of(words, pairs.slot(slot), f"{slot} of {pairs.name}"))
        places = [place for place in places if place in fitting]
    if not places:
        named = ", ".join(word for words in wanted.values() for word in words)
        raise UndefinedMeasureError(
            f'No sentence of "{pairs.name}" has these words together: {named}.'
        )
    return places
