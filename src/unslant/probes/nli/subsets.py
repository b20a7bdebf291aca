"""Parts of a test set: without unknown words, a sample of its contexts, or chosen words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from unslant.concepts import WordPolicy
from unslant.core.errors import (
    MissingWordsError,
    UndefinedMeasureError,
    UnknownNameError,
    UnslantError,
    quoted,
)
from unslant.core.seeds import generator
from unslant.datasets.nli.text import tokenise
from unslant.models.nli.batches import Embedding
from unslant.models.nli.trained import TrainedNli
from unslant.probes.nli.pairset import PairSet
from unslant.vectors import WordVectors
from unslant.vectors.load import CUT_FROM, builtin

# Filter out words without vectors, and warn about hashed words.

DETERMINERS = frozenset({"the", "a", "an"})
SIDES = ("premises", "hypotheses")

MOST_HASHED = 0.1
"""The share of the sentences' words above which a warning comes first."""


def pairs_with_vectors(pairs: PairSet, vectors: WordVectors, policy: WordPolicy) -> PairSet:
    """The pairs of words that the vectors have, as the policy wants it."""
    if policy.missing == "balance":
        raise UnslantError(
            'A probe has no sets to balance: words that the vectors lack are left out ("drop") or '
            'refused ("fail").'
        )
    reads = Embedding(vectors)
    missing = unknown_words(pairs, lambda word: not reads.missing([word]))
    if missing and policy.missing == "fail":
        raise MissingWordsError(
            {f"{side} of {pairs.name}": words for side, words in missing.items()}, vectors.name
        )
    return with_known_words(pairs, missing)


def unknown_words(pairs: PairSet, has_word: Callable[[str], bool]) -> dict[str, tuple[str, ...]]:
    """The words of each side that have a part without a vector; complete sides are absent.

    A word may have several parts ("construction worker"). Determiners, signs and what all words
    of a side share do not distinguish them, so they do not count as parts.
    """
    found = {}
    for side, words in zip(SIDES, (pairs.premise_words, pairs.hypothesis_words), strict=True):
        parts = _parts(words)
        gone = [word for word in dict.fromkeys(words) if not all(map(has_word, parts[word]))]
        if gone:
            found[side] = tuple(gone)
    return found


def with_known_words(pairs: PairSet, missing: Mapping[str, Sequence[str]]) -> PairSet:
    """The set without the words that :func:`unknown_words` found, which it keeps account of."""
    if not any(missing.values()):
        return pairs
    places = []
    for side, words in zip(SIDES, (pairs.premise_words, pairs.hypothesis_words), strict=True):
        gone = set(missing.get(side, ()))
        places.append([place for place, word in enumerate(words) if word not in gone])
        if not places[-1]:
            raise UnslantError(
                f'The vectors have none of the {side} of "{pairs.name}" '
                f"({quoted(tuple(dict.fromkeys(words)), 5)}), so there is nothing to ask. Use "
                f"vectors with these words."
            )
    left_out = {side: tuple(words) for side, words in missing.items() if words}
    part = pairs.taken(
        *places,
        name=pairs.name,
        how={"left out": {side: list(words) for side, words in left_out.items()}},
        keep_groups=True,
    )
    if not len(part):
        raise UnslantError(
            f'Without the words that the vectors lack no pair of "{pairs.name}" is left.'
        )
    return replace(part, missing=left_out)


def _parts(words: Sequence[str]) -> dict[str, list[str]]:
    """The distinctive part of each word, as tokens."""
    tokens = {
        word: [part for part in tokenise(word) if any(sign.isalnum() for sign in part)]
        for word in words
    }
    shared = set.intersection(*map(set, tokens.values())) if len(tokens) > 1 else set()
    found = {}
    for word, parts in tokens.items():
        own = [part for part in parts if part not in DETERMINERS]
        found[word] = [part for part in own if part not in shared] or own or parts
    return found


def hashed_words(pairs: PairSet, vectors: WordVectors) -> tuple[str, ...]:
    """The words of the set without a vector, for which the model sees a hash."""
    fillers = (*pairs.grid.premises, *pairs.grid.hypotheses)
    return _lacking(vectors, _tokens(" ".join(fillers)) | _context_tokens(pairs))


def warnings_of(pairs: PairSet, vectors: WordVectors, model: TrainedNli) -> tuple[str, ...]:
    """Whether much of the sentences was hashed, and whether the model knows other vectors."""
    found = []
    tokens = _context_tokens(pairs)
    hashed = _lacking(vectors, tokens)
    if len(hashed) > MOST_HASHED * len(tokens):
        found.append(
            f"{len(hashed)} of the {len(tokens)} words that the sentences share are missing from "
            f"{vectors.name}. The model reads hashes of them, so the answers mean little."
        )
    trained_on = model.record.get("vectors", {}).get("name")
    if trained_on and not is_of_one_root(vectors, model):
        found.append(
            f"By their hashes, {vectors.name} was not made from {trained_on}, which the model was "
            f"trained on; a model that reads other vectors may be right far less often."
        )
    return tuple(found)


def is_of_one_root(vectors: WordVectors, model: TrainedNli) -> bool:
    """Whether a model was trained on these vectors, or on some that come from the same root."""
    facts = model.record.get("vectors", {})
    trained = {facts.get("content_sha256"), *facts.get("family_sha256", ())}
    if CUT_FROM in trained:  # the model in the package does not say which file that was
        trained |= {builtin().origin["sha256"]}
    return not trained.isdisjoint(vectors.family_hashes)


def _context_tokens(pairs: PairSet) -> dict[str, None]:
    contexts = (f"{context.before} {context.after}" for context in pairs.grid.contexts)
    return _tokens(" ".join(contexts))


def _tokens(text: str) -> dict[str, None]:
    """The distinct tokens, in their order."""
    return dict.fromkeys(tokenise(text))


def _lacking(vectors: WordVectors, tokens: dict[str, None]) -> tuple[str, ...]:
    return tuple(Embedding(vectors).missing(list(tokens)))


# Parts of a test set: a seeded sample of its contexts, or the pairs of chosen words.


def places_of(wanted: Sequence[str] | None, words: Sequence[str], kind: str) -> list[int]:
    """Indices of these words, in any case; all indices if none is named.

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
    """Refuse requested words that are not among the pairs, before the model runs."""
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
    """The name of a sample."""
    return f"{name}.sample-{contexts}-{seed}"


def restricted(
    pairs: PairSet,
    *,
    premise: Sequence[str] = (),
    hypothesis: Sequence[str] = (),
    contexts: Mapping[str, Sequence[str]] | None = None,
) -> PairSet:
    """The pairs of these words only; capital letters do not matter, and no words mean all.

    ``contexts`` maps slots to words, as in ``{"verb": ["met", "called"]}``.

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
