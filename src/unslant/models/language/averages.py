"""Type averages: one vector for each word, the mean of its vectors over a corpus (Dev et al.).

The corpus is read once and in blocks. Memory holds one block of sentences and one sum for each
word, so its size does not matter.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.places import Place, parse_place
from unslant.datasets.corpora import WORD, Corpus, sentences_of
from unslant.models.language.passes import batches
from unslant.vectors import Vocabulary, WordVectors

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel

from unslant.core.types import Array

BLOCK = 4_096
MOST_WORDS = 100_000
_FIRST_ROWS = 1_024


def type_averages(
    model: "LanguageModel",
    place: Place | str,
    sentences: Corpus,
    words: Iterable[str] | None = None,
    *,
    least: int = 5,
    most: int = MOST_WORDS,
    case: bool = False,
    progress: Progress | None = None,
) -> WordVectors:
    """Word vectors that are means over every occurrence of a word at one place of a model.

    A word is a whole one (letters, with hyphens or apostrophes inside); the vector of an occurrence
    is the mean over its pieces. ``words`` are those to average, by default all that occur at
    ``least`` so often. Words are in small letters unless ``case`` is kept, the most frequent
    first. A sentence that repeats within a block is encoded once. Sentences that are longer than
    the model reads are left out and counted in ``origin``.

    With more than twice ``most`` words, the rarest are forgotten on the way, so counts of rare
    words can be too small; the frequent ones are exact.
    """
    [found] = type_averages_at(
        model, [place], sentences, words, least=least, most=most, case=case, progress=progress
    )
    return found


def type_averages_at(
    model: "LanguageModel",
    places: Sequence[Place | str],
    sentences: Corpus,
    words: Iterable[str] | None = None,
    *,
    least: int = 5,
    most: int = MOST_WORDS,
    case: bool = False,
    progress: Progress | None = None,
) -> list[WordVectors]:
    """The averages at several places, by one pass through the corpus."""
    sites = [_averaged(model, place) for place in places]
    asked = None if words is None else {_key(word, case): word for word in words}
    limit = most if asked is None else max(len(asked), 1)
    every = [_Sums(model.site(at).width, limit) for at in sites]
    read = left_out = 0
    for block in _blocks(sentences_of(sentences)):
        counts = Counter(text.replace("[[", "[").replace("]]", "]") for text in block)  # no marks
        texts = [text for text in counts if text.strip()]
        kept = _readable(model, texts)
        read, left_out = read + counts.total(), left_out + len(texts) - len(kept)
        for batch in batches(model, kept, list(dict.fromkeys(sites))):
            own = [kept[row] for row in batch.rows]
            found = _occurrences(model, own, [counts[text] for text in own], asked, case)
            for at, sums in zip(sites, every, strict=True):
                sums.add(*found, batch.states[at].float().numpy())
        for sums in every:
            sums.forget()
        if progress:
            progress(f"Averaging {', '.join(map(str, sites))} of {model.name}", read, 0)
    facts = {"sentences": read, "too-long": left_out}
    return [
        _vectors(model, at, sums, asked, least, facts)
        for at, sums in zip(sites, every, strict=True)
    ]


def _averaged(model: "LanguageModel", given: Place | str) -> Place:
    """The place with all its tokens; one without a vector for each word is refused."""
    place = parse_place(given) if isinstance(given, str) else given
    if place.tokens not in (None, "all", "word") or place.part in ("wordpieces", "sentence"):
        raise UnslantError(
            f"{place} has no vector for each word. Average at a place with all its tokens, such as "
            f"layer:-1."
        )
    model.site(place)
    return Place(place.part, place.index, place.component, place.head)


def _blocks(sentences: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(sentences, BLOCK)):
        yield block


def _key(word: str, case: bool) -> str:
    return word if case else word.lower()


def _readable(model: "LanguageModel", texts: Sequence[str]) -> list[str]:
    """The texts that have pieces, and no more than the model reads."""
    spans = model.tokens.spans(texts)
    return [t for t, s in zip(texts, spans, strict=True) if any(s) and len(s) <= model.tokens.most]


def _occurrences(
    model: "LanguageModel",
    texts: Sequence[str],
    counts: Sequence[int],
    asked: dict[str, str] | None,
    case: bool,
) -> tuple[list[str], list[int], list[int], list[int], list[float]]:
    """The words that occur, how often, and as triples which pieces belong to which occurrence.

    A piece is numbered through the texts, which have the same number of pieces.
    """
    found: list[str] = []
    often: list[int] = []
    rows: list[int] = []
    columns: list[int] = []
    weights: list[float] = []
    for number, (text, spans) in enumerate(zip(texts, model.tokens.spans(texts), strict=True)):
        begin = 0
        for match in WORD.finditer(text):
            if asked is not None and _key(match[0], case) not in asked:
                continue
            start, end = match.span()
            while begin < len(spans) and ((s := spans[begin]) is None or s[1] <= start):
                begin += 1
            pieces = []
            for place in range(begin, len(spans)):
                span = spans[place]
                if span is None:
                    continue
                if span[0] >= end:
                    break
                pieces.append(place)
            if not pieces:
                continue
            rows += [len(found)] * len(pieces)
            columns += [number * len(spans) + place for place in pieces]
            weights += [1 / len(pieces)] * len(pieces)
            found.append(_key(match[0], case))
            often.append(counts[number])
    return found, often, rows, columns, weights


class _Sums:
    """The sum of the vectors of each word, and how many there were."""

    def __init__(self, width: int, most: int) -> None:
        self.rows: dict[str, int] = {}
        self.counts: Array = np.zeros(_FIRST_ROWS)
        self.sums: Array = np.zeros((_FIRST_ROWS, width))
        self._most = most

    def add(
        self,
        words: list[str],
        often: list[int],
        rows: list[int],
        columns: list[int],
        weights: list[float],
        state: NDArray[np.float32],
    ) -> None:
        """Add occurrences, whose vectors are weighted sums of the pieces in a state."""
        from scipy.sparse import csr_array

        if not words:
            return
        places = np.array([self.rows.setdefault(word, len(self.rows)) for word in words])
        while len(self.rows) > len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        kinds, number = np.unique(places, return_inverse=True)
        by_word = np.array(weights) * np.array(often)[rows]
        shape = (len(kinds), state.shape[0] * state.shape[1])
        matrix = csr_array((by_word, (number[rows], columns)), shape=shape)
        self.sums[kinds] += matrix @ state.reshape(-1, state.shape[2]).astype(np.float64)
        np.add.at(self.counts, places, often)

    def forget(self) -> None:
        """Drop the rarest words if there are more than twice the requested number."""
        if len(self.rows) <= 2 * self._most:
            return
        keep = np.sort(np.argsort(-self.counts[: len(self.rows)], kind="stable")[: self._most])
        words = list(self.rows)
        self.rows = {words[place]: number for number, place in enumerate(keep.tolist())}
        self.sums, self.counts = self.sums[keep], self.counts[keep]


def _vectors(
    model: "LanguageModel",
    place: Place,
    sums: _Sums,
    asked: dict[str, str] | None,
    least: int,
    facts: dict[str, int],
) -> WordVectors:
    words = list(sums.rows)
    counts = sums.counts[: len(words)]
    order = np.argsort(-counts, kind="stable")
    kept = order[counts[order] >= max(least, 1)].tolist()
    if not kept:
        raise UnslantError(
            f"No word occurs {least} times or more in the {facts['sentences']:,} sentences. Give a "
            f"larger corpus or a smaller least."
        )
    means = (sums.sums[kept] / counts[kept][:, None]).astype(np.float32)
    named = [words[row] if asked is None else asked[words[row]] for row in kept]
    origin = {
        "model": model.name,
        "model_sha256": model.content_hash,
        "place": str(place),
        "sentences": f"{facts['sentences']}",
        "sentences-too-long": f"{facts['too-long']}",
        "least": f"{least}",
    }
    return WordVectors(
        Vocabulary.of(named), means, model.lineage.then(f"averages@{place}"), origin=origin
    )
