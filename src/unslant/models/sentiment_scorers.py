"""Sentiment scorers: a classifier on word vectors, and VADER."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.wordlists import wordlist
from unslant.core.errors import UndefinedMeasureError, UnslantError, refuse_one_text
from unslant.core.extras import extra_for
from unslant.core.record import Facts
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.datasets.nli.text import tokenise
from unslant.vectors import WordVectors

# Sentiment read from word vectors: a classifier of positive and negative words.

LISTS = ("hu-liu-2004/positive-words", "hu-liu-2004/negative-words")
_HELD_OUT = 0.2
_FEWEST = 10


@dataclass(frozen=True)
class KnownWords:
    """The unit vectors of words, looked up in any case."""

    vectors: WordVectors

    def has_word(self, word: str) -> bool:
        """Whether the vectors have a word."""
        return bool(self.vectors.lookup([word], case="any").words)

    def rows(self, words: Sequence[str]) -> tuple[tuple[str, ...], Array]:
        """The words that there are, and a unit vector for each; zero vectors stay zero."""
        found = self.vectors.lookup(list(words), case="any")
        rows = self.vectors.rows_at(found.rows).astype(np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return tuple(found.words), rows / np.where(lengths > 0, lengths, 1.0)


class LexiconReader:
    """Trains the classifier on any vectors; vectors that differ get classifiers that differ."""

    name = "sentiment-lexicon"
    trains = True

    def words(self, vectors: WordVectors) -> KnownWords:
        """The words of these vectors, as the scorer reads them."""
        return KnownWords(vectors)

    def on(self, vectors: WordVectors) -> "LexiconSentiment":
        """The scorer that reads these vectors."""
        return LexiconSentiment(KnownWords(vectors))


class LexiconSentiment:
    """The mean over the words of a text of 2 P(positive) − 1.

    P is that of a logistic regression on unit vectors, positive against negative words (Hu and Liu
    2004), both sides weighted alike. Words missing from the vectors do not count.
    """

    name = LexiconReader.name

    def __init__(self, known: KnownWords) -> None:
        self.known = known
        rows = [known.rows(wordlist(name).all_words)[1] for name in LISTS]
        if min(map(len, rows)) < _FEWEST:
            raise UndefinedMeasureError(
                f"{known.vectors.name} has fewer than {_FEWEST} positive or negative words of the "
                f"sentiment lexicon, so no classifier can be trained. Load more words."
            )
        self._sizes = [len(side) for side in rows]
        self._accuracy = _held_out_accuracy(rows)
        self._weights, self._intercept = _fitted(rows)
        self._scores: dict[str, float | None] = {}

    @property
    def facts(self) -> Facts:
        """How many words it was trained on, and how often it is right on others."""
        positive, negative = self._sizes
        return {
            "positive-words": positive,
            "negative-words": negative,
            "held-out-accuracy": self._accuracy,
        }

    def score(self, texts: Sequence[str]) -> Array:
        """The mean score of each text's words."""
        refuse_one_text(texts, self.known.vectors.name)
        tokens = [[part for part in tokenise(text) if part.isalnum()] for text in texts]
        self._learn({part for parts in tokens for part in parts})
        return np.array(
            [self._mean(parts, text) for parts, text in zip(tokens, texts, strict=True)]
        )

    def _mean(self, tokens: Sequence[str], text: str) -> float:
        found = [score for part in tokens if (score := self._scores[part]) is not None]
        if not found:
            raise UnslantError(
                f'{self.known.vectors.name} has none of the words of "{text}", so it has no score.'
            )
        return float(np.mean(found))

    def _learn(self, words: set[str]) -> None:
        new = sorted(words - self._scores.keys())
        if new:
            found, rows = self.known.rows(new)
            # tanh(x / 2) is 2 P − 1 for the logistic function P, without its overflow.
            values = np.tanh((rows @ self._weights + self._intercept) / 2)
            self._scores |= dict.fromkeys(new) | dict(zip(found, values.tolist(), strict=True))


def _fitted(rows: Sequence[Array]) -> tuple[Array, float]:
    from sklearn.linear_model import LogisticRegression

    labels = np.repeat([1, 0], [len(side) for side in rows])
    model = LogisticRegression(solver="liblinear", class_weight="balanced", max_iter=10_000)
    model.fit(np.concatenate(rows), labels)
    return np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0])


def _held_out_accuracy(rows: Sequence[Array]) -> float:
    """Balanced accuracy on a held-out fifth of the lexicon."""
    rng = generator(0, "sentiment lexicon")
    orders = [rng.permutation(len(side)) for side in rows]
    cuts = [round(_HELD_OUT * len(side)) for side in rows]
    train, test = (
        [side[order[part]] for side, order, part in zip(rows, orders, parts, strict=True)]
        for parts in ([slice(cut, None) for cut in cuts], [slice(cut) for cut in cuts])
    )
    weights, intercept = _fitted(train)
    is_positive = [(side @ weights + intercept) > 0 for side in test]
    return float(np.mean([is_positive[0].mean(), 1 - is_positive[1].mean()]))


# VADER (Hutto and Gilbert 2014): sentiment by a lexicon and a few rules.

_PACKAGE = "vaderSentiment"


class Vader:
    """The compound score of the package vaderSentiment, from −1 to 1.

    It reads single words out of a fixed lexicon, so it has no opinion of most names.
    """

    name = "vader"

    def __init__(self) -> None:
        self._analyser = _analyser()

    @property
    def facts(self) -> Facts:
        """Which version of the lexicon and the rules."""
        return {"package": f"{_PACKAGE} {version(_PACKAGE)}"}

    def score(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The compound score of each text."""
        refuse_one_text(texts, "VADER")
        return np.array([self._analyser.polarity_scores(text)["compound"] for text in texts])


@cache
def _analyser() -> Any:
    extra_for("The default sentiment scorer", _PACKAGE, "sentiment")
    return import_module(f"{_PACKAGE}.{_PACKAGE}").SentimentIntensityAnalyzer()
