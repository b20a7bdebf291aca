"""The sentences about persons that ACEAT puts names into, and the names."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from unslant.concepts.augmentation import Mentions, masked
from unslant.core.errors import UnslantError
from unslant.core.record import Facts, Subject
from unslant.core.references import reference
from unslant.datasets.conll2003 import TaggedSentence
from unslant.models.language.model import load_model
from unslant.models.sentiment_scorers import Vader
from unslant.predictors.protocols import Sentiment
from unslant.probes.person_mentions import NamedPersons

# The sentiment of sentences about persons, none of whose names the scorer sees.

VADER = "vader"
MOST_KEPT = 1 << 16
"""How many scores are remembered, so that memory does not grow with the corpus."""


def scorer_from(given: str) -> Sentiment:
    """VADER, or the text classifier in a model folder."""
    if given == VADER:
        return Vader()
    found: Sentiment = load_model(given).predictor(Sentiment)
    return found


class Labeller:
    """Scores sentences with a mask in place of every person; each distinct text once.

    A score above ``neutral`` is positive, one below −``neutral`` is negative, others are neutral;
    the confidence of a label is the distance of the score from 0.
    """

    def __init__(self, scorer: str | Sentiment, *, mask: str, neutral: float, kind: str) -> None:
        if not mask.strip():
            raise UnslantError(
                "The mask is empty. Name a word to put in place of names ([[mask|--mask]])."
            )
        self._given, self.mask, self.neutral, self.kind = scorer, mask, neutral, kind
        self._kept: dict[bytes, float] = {}
        self.asked = 0
        """How many texts the scorer has been given."""

    @cached_property
    def scorer(self) -> Sentiment:
        """The scorer, read when it is first needed."""
        return scorer_from(self._given) if isinstance(self._given, str) else self._given

    @property
    def name(self) -> str:
        """The scorer's name in records."""
        return str(getattr(self.scorer, "name", "") or type(self.scorer).__name__)

    @property
    def facts(self) -> Facts:
        """The scorer's entry in a record, and how it was queried."""
        return {
            "sentiment": self.name,
            "mask": self.mask,
            "score-of-the-mask": self._score_of_mask,
            "neutral-up-to": self.neutral,
            **self._facts_of_scorer,
        }

    @cached_property
    def _score_of_mask(self) -> float:
        return self._scores([self.mask])[0]

    @cached_property
    def _facts_of_scorer(self) -> Facts:
        """Its version or its hash, so that other labels are not taken for the same."""
        found = getattr(self.scorer, "facts", {})
        sha256 = getattr(self.scorer, "sha256", "")
        facts = dict(found) if isinstance(found, dict) else {}
        if isinstance(sha256, str) and sha256:
            facts["sha256"] = sha256
        return {f"sentiment-{key}": value for key, value in facts.items()}

    @property
    def content_hash(self) -> str:
        """A hash of the scorer, as far as it identifies itself, and of how it is queried."""
        parts = (self.name, sorted(self._facts_of_scorer.items()), self.mask, self.neutral)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def texts(self, sentences: Sequence[TaggedSentence]) -> list[str]:
        """Each sentence as the scorer sees it."""
        return [masked(sentence, self.mask, self.kind) for sentence in sentences]

    def scores(self, sentences: Sequence[TaggedSentence]) -> list[float]:
        """The score of each sentence, 0 if it is neutral."""
        texts = self.texts(sentences)
        keys = [hashlib.sha256(text.encode()).digest()[:16] for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._kept}
        known = dict(zip(new, self._scores(list(new.values())), strict=True)) if new else {}
        known |= {key: self._kept[key] for key in keys if key in self._kept}
        for key in new:
            if len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = known[key]
        return [known[key] if abs(known[key]) > self.neutral else 0.0 for key in keys]

    def _scores(self, texts: Sequence[str]) -> list[float]:
        self.asked += len(texts)
        found = np.asarray(self.scorer.score(texts), dtype=np.float64)
        if found.shape != (len(texts),) or not (np.abs(found) <= 1 + 1e-6).all():
            raise UnslantError(
                f"{self.name} gave sentiment scores that are not one number from −1 to 1 for each "
                f"of {len(texts)} texts (shape {found.shape}). Rescale the scores."
            )
        return [float(score) for score in found]


CITES = "dutta-2019"


@dataclass(frozen=True, kw_only=True)
class AceatCorpus(NamedPersons):
    """Sentences × names, and how the sentiment of the sentences is found."""

    labeller: Labeller
    mentions: Mentions = "each"

    drawn_for: ClassVar[str] = "aceat"

    @property
    def ways(self) -> tuple[str, ...]:
        """Which mentions are replaced, and by what sentences are labelled."""
        return (self.mentions, self.labeller.content_hash)

    def subject(self) -> Subject:
        """Its entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title="Names in sentences of a corpus",
            about="Each name in place of each person, and whether its vector is nearer to the rest "
            "of positive or of negative sentences.",
            groups=self.groups,
            references=(reference(CITES),),
            sha256=self.content_hash,
            facts={
                **self.facts(),
                "mentions-replaced": self.mentions,
                **self.labeller.facts,
            },
        )


def labelled_rows(corpus: AceatCorpus) -> Iterator[tuple[str, ...]]:
    """For each sentence its line, what the scorer saw, the label and the confidence."""
    for sentence in corpus.sentences():
        [score] = corpus.labeller.scores([sentence])
        [text] = corpus.labeller.texts([sentence])
        label = "neutral" if not score else "positive" if score > 0 else "negative"
        yield str(sentence.line), text, label, f"{abs(score):.6g}"
