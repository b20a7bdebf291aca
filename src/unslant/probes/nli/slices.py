"""Parts of a test set: a seeded sample of its contexts, or the pairs of chosen words."""

from collections.abc import Mapping, Sequence

from unslant.core.errors import UndefinedMeasureError, UnslantError
from unslant.core.seeds import generator
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.places import places_of


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
