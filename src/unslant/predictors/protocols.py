"""The predictors that probes use: a protocol for each, none of which needs torch."""

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.vectors import WordVectors

# Check that an object has the one method a probe needs; its class does not matter.


def method_of(need: type[Any]) -> str:
    """The name of a protocol's one method.

    >>> from unslant.predictors.protocols import NliModel
    >>> method_of(NliModel)
    'predict'
    """
    [name] = [name for name, item in vars(need).items() if name[0] != "_" and callable(item)]
    return str(name)


def has_method(model: object, need: type[Any]) -> bool:
    """Whether an object has the method of a protocol; classes and paths do not count.

    A path has a method ``resolve`` of its own, which resolves no pronoun.
    """
    if isinstance(model, type | PurePath):
        return False
    return callable(getattr(model, method_of(need), None))


def accepted(model: Any, need: type[Any]) -> Any:
    """The model, or an error that names the missing method."""
    if has_method(model, need):
        return model
    name = method_of(need)
    method = getattr(need, name)
    takes = ", ".join(list(inspect.signature(method).parameters)[1:])
    if isinstance(model, type):
        raise UnslantError(
            f"{model.__name__} is a class. Give an instance of it, which has a method "
            f"{name}({takes})."
        )
    gives = (inspect.getdoc(method) or "").split("\n")[0]
    raise UnslantError(
        f"A model needs a method {name}({takes}); {type(model).__name__} has none. Wrap it in a "
        f"class with that method, which gives: {gives}"
    )


# Causal language models: any object that returns the likelihood of a text.


@runtime_checkable
class CausalLM(Protocol):
    """A model such as GPT-2.

    It may also have ``pieces(texts)``: over how many pieces each sum goes, which perplexity needs.
    """

    def log_likelihood(self, texts: Sequence[str]) -> ArrayLike:
        """One natural logarithm for each text: the sum over its pieces, given those before.

        The first piece is conditioned on the model's sign for the beginning of a text. No number
        is greater than 0.
        """
        ...


# Masked language models: any object that fills a gap in a text.

MASK = "[MASK]"
"""How a gap is written, independent of a model's own mask token."""


@runtime_checkable
class MaskedLM(Protocol):
    """A model such as BERT."""

    def log_probabilities(self, texts: Sequence[str], fillers: Sequence[str]) -> ArrayLike:
        """One natural logarithm for each text: how probable its filler is in its one [MASK].

        ``texts`` and ``fillers`` have the same length. A filler of several pieces gets the sum of
        the logarithms of its pieces. No number is greater than 0.
        """
        ...


# Likelihoods of the words of a text, from a masked language model or a decoder.

Masking = Literal[
    "words", "tokenizer-words", "pieces", "span", "none", "attention", "published-attention"
]
"""What a masked language model does not see while it scores a marked piece.

``words``: this piece and the later pieces of its word, so that a word is scored from left to right
(Kauf and Ivanova 2023). Words are those of the text: "don't" and "well-known" are one word each in
every model. ``tokenizer-words``: the same with the words of the model's tokenizer, as Kauf and
Ivanova and minicons define it; BERT's has three in "don't". ``pieces``: this piece alone (Salazar
et al. 2020; Nangia et al. 2020). ``span``: every marked piece at once. ``none``: nothing, and the
mean over the marked pieces is given in place of their sum (AUL, Kaneko and Bollegala 2022);
``attention`` is the same with the mean weighted by the share of attention that each piece receives
(AULA); the shares sum to 1. ``published-attention`` is AULA as published, (1/n) Σ αᵢ log pᵢ, whose
weights do not sum to 1, which makes long texts more likely. A decoder sees only what precedes
a piece, so for it ``words``, ``tokenizer-words``, ``pieces`` and ``span`` are one, and weights by
attention are refused.
"""


@runtime_checkable
class Likelihood(Protocol):
    """A masked language model or a decoder.

    It may also have ``is_causal`` (whether it reads from left to right) and ``pieces(texts)`` (how
    many pieces are marked in each text).
    """

    def log_likelihoods(self, texts: Sequence[str], masking: Masking = "words") -> ArrayLike:
        """One natural logarithm for each text: how likely its [[marked]] words are, given the rest.

        A text has one or more marks, ``The [[nurse]] said [[that]].``, and the number is the sum
        over all marked pieces. No number is greater than 0. A gap that is written [MASK] stays
        hidden throughout; decoders refuse it.
        """
        ...


# Gap fillers: any object that predicts the word in a gap.


@runtime_checkable
class GapFiller(Protocol):
    """A masked language model that predicts its best filler."""

    def recovers(self, texts: Sequence[str], fillers: Sequence[str]) -> ArrayLike:
        """One number for each text: 1 if its filler is the best guess for its one [MASK], else 0.

        ``texts`` and ``fillers`` have the same length. All pieces of a filler are masked at once,
        and each of them has to be the most probable in its place.
        """
        ...


# Encoders of a name in a sentence and of the rest of the sentence.

Spans = Sequence[tuple[int, int]]
"""Where the mentions of a name begin and end in a text, in characters."""

LAST = "last"
"""The place of the last layer in any model."""


@runtime_checkable
class NameInContext(Protocol):
    """An encoder with a vector for every token."""

    def name_and_rest(
        self, texts: Sequence[str], spans: Sequence[Spans], place: str = LAST
    ) -> tuple[ArrayLike, ArrayLike]:
        """Two vectors for each text: the mean over the name's tokens, the sum over all others.

        Neither has padding or tokens that the tokenizer added. Rows are NaN for a text that is too
        long, or in which a name has no token of its own.
        """
        ...


# Next-sentence models: any object that scores whether one sentence follows another.


@runtime_checkable
class NextSentence(Protocol):
    """A model with a head for the next sentence, such as BERT."""

    def score(self, firsts: Sequence[str], seconds: Sequence[str]) -> ArrayLike:
        """The log-odds, one number for each pair, that the second sentence follows the first.

        ``firsts`` and ``seconds`` have the same length. Log-odds, because probabilities near 1
        round to ties.
        """
        ...


# Pairs of sentences that differ in one phrase: fillers × fillers × contexts, never written out.


@dataclass(frozen=True)
class Context:
    """The words that both sentences of a pair share, before and after the phrase that differs."""

    before: str
    after: str

    def sentence(self, filler: str) -> str:
        """The sentence with this phrase inserted."""
        return " ".join(part for part in (self.before, filler, self.after) if part)


@dataclass(frozen=True)
class PairGrid:
    """Every premise filler with every hypothesis filler in every context.

    >>> grid = PairGrid(("The nurse",), ("The man", "The woman"), (Context("", "ate an apple ."),))
    >>> list(grid.pairs())[1]
    ('The nurse ate an apple .', 'The woman ate an apple .')
    """

    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    contexts: tuple[Context, ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many premise fillers, hypothesis fillers and contexts there are."""
        return len(self.premises), len(self.hypotheses), len(self.contexts)

    def __len__(self) -> int:
        return len(self.premises) * len(self.hypotheses) * len(self.contexts)

    def pair(self, premise: int, hypothesis: int, context: int) -> tuple[str, str]:
        """The two sentences at one position in the grid."""
        shared = self.contexts[context]
        return shared.sentence(self.premises[premise]), shared.sentence(self.hypotheses[hypothesis])

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs, one at a time: premise by premise, then hypothesis, then context."""
        for premise in self.premises:
            for hypothesis in self.hypotheses:
                for context in self.contexts:
                    yield context.sentence(premise), context.sentence(hypothesis)


# Inference models: any object that returns three probabilities for a pair of sentences.

Probabilities = NDArray[np.float32]


@runtime_checkable
class NliModel(Protocol):
    """One method is enough: a wrapped transformers pipeline, a service, a table of answers."""

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        """One row (entailment, neutral, contradiction) for each pair; rows sum to 1."""
        ...


@runtime_checkable
class GridModel(NliModel, Protocol):
    """A model that also answers an entire grid of pairs, computing each shared part once."""

    def predict_grid(self, grid: PairGrid, progress: Progress | None = None) -> Probabilities:
        """The probabilities as premises × hypotheses × contexts × 3."""
        ...


# Plausibility models: any object that scores a word or a sentence in its context.

Scoring = Literal["words", "published"]
"""``words``: whole words from left to right; ``published``: as the authors of StereoSet score."""


@runtime_checkable
class Plausibility(Protocol):
    """A language model that fills gaps, judges next sentences, or both.

    A kind of question that it cannot answer, because it has no such head, is an UnslantError.
    """

    def plausibility(
        self, contexts: Sequence[str], candidates: Sequence[str], scoring: Scoring = "words"
    ) -> ArrayLike:
        """One number for each pair: larger if the candidate goes better with its context.

        If the context has a gap, written [MASK], the candidate fills it, and the number is the
        natural logarithm of its likelihood, up to a constant of the context. Otherwise the
        candidate is a sentence, and the number is the log-odds that it comes next. With the
        published scoring, only the order of the candidates of a context means anything.
        """
        ...


# Models that read word vectors: their weights, without the vectors.


@runtime_checkable
class Reader(Protocol):
    """Put on vectors, it is a predictor; so debiased vectors can be put under the same weights.

    It may also have ``name``, ``sha256`` and ``facts``, which go into the record, and ``trains``,
    which is true if putting it on vectors trains it.
    """

    def on(self, vectors: WordVectors) -> Any:
        """The predictor that reads these vectors."""
        ...


# Sentiment scorers: any object that returns a number for a text.


@runtime_checkable
class Sentiment(Protocol):
    """A lexicon, a classifier, a service."""

    def score(self, texts: Sequence[str]) -> ArrayLike:
        """One number for each text, from −1 (most negative) to 1 (most positive)."""
        ...


# Taggers: any object that returns a tag for each word.

_TAG = re.compile(r"O|[BIESLU]-.+", re.DOTALL)
_IN_IOB = {"E": "I", "L": "I", "S": "B", "U": "B"}


@runtime_checkable
class Tagger(Protocol):
    """A model for named entities or parts of speech."""

    def tag(self, sentences: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
        """For each sentence, given as its words, one tag for each word, such as B-PER or O."""
        ...


def entity_tags(tagger: Tagger, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Check an entity tagger's output and convert it to IOB: I-PER continues or begins an entity.

    Tags of schemes that also mark the end of an entity (BIOES, BILOU) are read as IOB2.
    """
    output, who = tagger.tag(sentences), f"{type(tagger).__name__}.tag"
    if len(output) != len(sentences):
        raise UnslantError(
            f"{who} gave tags of {len(output)} sentences for {len(sentences)}; expected one list "
            f"of tags for each."
        )
    return [_checked(*both, who) for both in zip(sentences, output, strict=True)]


def _checked(words: Sequence[str], tags: Sequence[str], who: str) -> tuple[str, ...]:
    shown = " ".join(words)[:60]
    if len(tags) != len(words):
        raise UnslantError(
            f'{who} gave {len(tags)} tags for the {len(words)} words of "{shown}"; expected one '
            f"for each."
        )
    for tag in tags:
        if not isinstance(tag, str) or not _TAG.fullmatch(tag):
            raise UnslantError(
                f'{who} gave the tag {tag!r:.30} in "{shown}"; expected O, or B- or I- and a kind '
                f"of entity, such as B-PER."
            )
    return tuple(tag if tag == "O" else _IN_IOB.get(tag[0], tag[0]) + tag[1:] for tag in tags)
