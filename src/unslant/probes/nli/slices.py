"""Parts of a test set: a seeded sample of its contexts, or the pairs of chosen words."""

from collections.abc import Mapping, Sequence

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.seeds import generator
from unslant.probes.nli.pairset import PairSet


def sampled(pairs: PairSet, *, contexts: int = 11, seed: int = 0) -> PairSet:
    """The set with that many of its contexts, drawn at random and kept in their order.

    Eleven contexts of gender-occupation make the 10,824 pairs of dawkins-2023.
    """
    places = drawn(len(pairs.grid.contexts), contexts, seed, pairs.name)
    return pairs.taken(contexts=places, name=sample_name(pairs.name, contexts, seed))


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
    named = pairs.context_slots
    places = list(range(len(pairs.context_words)))
    for slot, words in (contexts or {}).items():
        if slot not in named:
            raise UnknownNameError(f"slot of {pairs.name}", slot, named)
        column = [row[named.index(slot)] for row in pairs.context_words]
        fitting = set(_places(words, column, f"{slot} of {pairs.name}"))
        places = [place for place in places if place in fitting]
    if not places:
        raise UnslantError(f'No sentence of "{pairs.name}" has these words together: {contexts}.')
    part = pairs.taken(
        _places(premise, pairs.premise_words, f"premise word of {pairs.name}"),
        _places(hypothesis, pairs.hypothesis_words, f"hypothesis word of {pairs.name}"),
        places,
        name=f"{pairs.name}.slice",
    )
    if not len(part):
        raise UnslantError(f'In "{pairs.name}" a word with itself does not count: nothing is left.')
    return part


def _places(words: Sequence[str], known: Sequence[str], kind: str) -> list[int]:
    if not words:
        return list(range(len(known)))
    wanted = {word.lower() for word in words}
    lower = [word.lower() for word in known]
    for word in words:
        if word.lower() not in lower:
            raise UnknownNameError(kind, word, set(known))
    return [place for place, word in enumerate(lower) if word in wanted]
