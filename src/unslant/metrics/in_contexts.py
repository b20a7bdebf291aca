"""The words of a test with the vectors of each in several contexts."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import WordPolicy, WordSets
from unslant.concepts.contexts import Contexts, contexts_from, texts_of, without_marks
from unslant.core.errors import MissingWordsError, UndefinedMeasureError, UnslantError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.datasets.corpora import sentences_with
from unslant.vectors import SentenceSpace, Space

Indices = NDArray[np.int64]


class ContextChoice(Protocol):
    """The contexts to use: templates, or the sentences of a corpus."""

    @property
    def contexts(self) -> str: ...  # noqa: D102
    @property
    def corpus(self) -> str: ...  # noqa: D102
    @property
    def most(self) -> int: ...  # noqa: D102
    @property
    def seed(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, eq=False, kw_only=True)
class InContexts:
    """Sets of words, each word with unit vectors of its contexts below each other."""

    sets: WordSets
    vectors: Mapping[str, Array]
    starts: Mapping[str, Indices]
    counts: Mapping[str, Indices]
    name: str
    key: str
    warnings: tuple[str, ...] = ()

    @property
    def fewest(self) -> int:
        """The number of contexts of the word that has fewest."""
        return int(min(counts.min() for counts in self.counts.values()))

    def rows(self, name: str, picked: Indices) -> Array:
        """The vectors of the picked contexts (… × words × width)."""
        return np.asarray(self.vectors[name][self.starts[name] + picked])


def in_contexts(
    space: Space, sets: WordSets, names: Sequence[str], policy: WordPolicy, choice: ContextChoice
) -> InContexts:
    """Every word of the sets in its contexts; words not in the corpus are reported as missing."""
    if not isinstance(space, SentenceSpace):
        raise UnslantError(
            f"{space.name} gives each word one vector, whatever its context. CEAT needs a space of "
            f"texts, such as model.at('layer:-1[word]') without contexts, or us.space(encode)."
        )
    texts: dict[str, dict[str, list[str]]]
    if choice.corpus:
        every = list(dict.fromkeys(word for name in names for word in sets.words(name)))
        found = sentences_with(choice.corpus, every, most=choice.most, seed=choice.seed)
        reads_marks = getattr(space, "reads_marks", False)
        texts = {
            name: {
                word: [text if reads_marks else without_marks(text) for text in found[word]]
                for word in sets.words(name)
            }
            for name in names
        }
        called = "sentences of a corpus"
    else:
        given: Contexts = contexts_from(choice.contexts)
        texts = {
            name: {word: texts_of(space, word, given) for word in sets.words(name)}
            for name in names
        }
        called = given.name
    missing = {n: [w for w, t in words.items() if not t] for n, words in texts.items()}
    missing = {name: words for name, words in missing.items() if words}
    if missing and policy.missing == "fail":
        raise MissingWordsError({**missing}, choice.corpus)
    texts = {n: {w: t for w, t in words.items() if t} for n, words in texts.items()}
    return _encoded(space, texts, missing, called)


def _encoded(
    space: Space,
    texts: Mapping[str, Mapping[str, Sequence[str]]],
    missing: Mapping[str, Sequence[str]],
    called: str,
) -> InContexts:
    vectors, starts, counts = {}, {}, {}
    digest = hashlib.sha256()
    for name, words in texts.items():
        if len(words) < 2:
            raise UndefinedMeasureError(f'The corpus has fewer than 2 words of "{name}".')
        flat = [text for part in words.values() for text in part]
        digest.update("\n".join(flat).encode(errors="surrogatepass"))
        rows = space.rows(flat).astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not lengths.all():
            raise UndefinedMeasureError(
                f'"{flat[int(np.argmin(lengths))][:60]}" has the zero vector in {space.name}.'
            )
        vectors[name] = rows / lengths
        counts[name] = np.array([len(part) for part in words.values()])
        starts[name] = np.concatenate([[0], counts[name].cumsum()[:-1]])
    items = {name: tuple(words) for name, words in texts.items()}
    uses = tuple(
        WordUse(set=name, used=words, missing=tuple(missing.get(name, ())))
        for name, words in items.items()
    )
    few = min(int(count.min()) for count in counts.values())
    warnings = (f"some words have only {few} contexts",) if few < 5 else ()
    return InContexts(
        sets=WordSets(space, items, uses),
        vectors=vectors,
        starts=starts,
        counts=counts,
        name=called,
        key=digest.hexdigest(),
        warnings=warnings,
    )
