"""Frozen vectors of words in their sentences, from a place in a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.places import Place
from unslant.core.types import Matrix
from unslant.models.language.base import LanguageModel
from unslant.models.language.passes import batches

Sentence = tuple[str, ...]
_ONE_VECTOR = ("wordpieces", "pooled", "sentence")


@dataclass(frozen=True, eq=False)
class WordsInSentences:
    """A vector for each word of a sentence: the mean over its pieces at a place.

    All have the length √d / 2, as static vectors have. A sentence that is too long for the model
    is read in halves; a word without pieces has the vector 0.
    """

    model: LanguageModel
    place: Place

    def __post_init__(self) -> None:
        if self.place.part in _ONE_VECTOR or self.place.tokens is not None:
            raise UnslantError(
                f"{self.place} has no vector for each word of a sentence. Name a place such as "
                f"layer:-1, without [tokens]."
            )
        self.model.site(self.place)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self.model.site(self.place).width

    @property
    def facts(self) -> dict[str, str]:
        """Its entry in a record, with everything its vectors depend on."""
        return {
            "model": self.model.name,
            "folder": str(self.model.original.folder.path),
            "place": str(self.place),
            "sha256": self.model.content_hash,
        }

    def of(
        self, documents: Sequence[Sequence[Sequence[str]]], progress: Progress | None = None
    ) -> list[Matrix]:
        """The vectors of all words of each document, given as its sentences."""
        whole = [[_plain(sentence) for sentence in document] for document in documents]
        asked = dict.fromkeys(sentence for document in whole for sentence in document if sentence)
        parts = {sentence: self._parts(sentence) for sentence in asked}
        found = self._read(list(dict.fromkeys(p for own in parts.values() for p in own)), progress)
        empty = np.zeros((0, self.width), np.float32)
        return [
            np.concatenate([empty, *(found[p] for s in document if s for p in parts[s])])
            for document in whole
        ]

    def _parts(self, sentence: Sentence) -> list[Sentence]:
        (pieces,) = self.model.tokens.spans([" ".join(sentence)])
        if len(pieces) <= self.model.tokens.most or len(sentence) == 1:
            return [sentence]
        half = len(sentence) // 2
        return [*self._parts(sentence[:half]), *self._parts(sentence[half:])]

    def _read(self, sentences: list[Sentence], progress: Progress | None) -> dict[Sentence, Matrix]:
        texts = [" ".join(sentence) for sentence in sentences]
        pieces = self.model.tokens.spans(texts)
        found: dict[Sentence, Matrix] = {}
        for batch in batches(self.model, texts, [self.place], progress):
            states = batch.states[self.place].float().numpy()
            for row, state in zip(batch.rows, states, strict=True):
                found[sentences[row]] = _of_words(sentences[row], pieces[row], state)
        return found


def _plain(sentence: Sequence[str]) -> Sentence:
    """Without double brackets, which would mark a word."""
    return tuple(word.replace("[[", "[").replace("]]", "]") for word in sentence)


def _of_words(sentence: Sentence, pieces: Sequence[Any], state: Matrix) -> Matrix:
    """The mean over the pieces of each word, normalised."""
    lengths = np.array([len(word) for word in sentence])
    begins = np.cumsum(lengths + 1) - lengths - 1
    real = [place for place, span in enumerate(pieces) if span is not None and span[1] > span[0]]
    middles = np.array([(pieces[place][0] + pieces[place][1] - 1) / 2 for place in real])
    owner = np.searchsorted(begins, middles, side="right") - 1
    rows = np.zeros((len(sentence), state.shape[1]), np.float32)
    np.add.at(rows, owner, state[real])
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scale = np.sqrt(state.shape[1]) / 2 / np.where(norms > 0, norms, 1)
    return np.asarray(rows * scale, np.float32)
