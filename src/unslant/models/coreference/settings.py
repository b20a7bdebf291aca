"""How a coreference model is built and trained: the choices, checked, without torch."""

from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.seeds import check_seed
from unslant.models.training.schedule import Schedule, check_learning_rate, check_threads

CASES = 8
"""How a word is written: see :mod:`unslant.models.coreference.layout`."""

CASE_SIZE, WIDTH_SIZE = 10, 20
"""The sizes of the learnt features for a word's casing and a span's width."""

DISTANCES = 10
"""Classes of distance, 0, 1, 2, 3, 4, 5–7, 8–15, 16–31, 32–63 and beyond."""

MATCHES = 3
"""Two spans have other last words, the same last word, or all words the same."""

CLASSES = (DISTANCES, DISTANCES, MATCHES)
"""What is known of two spans: how many spans and how many sentences apart, and their match."""


@dataclass(frozen=True, kw_only=True)
class CorefShape:
    """End-to-end span ranking (Lee et al. 2017) with coarse-to-fine antecedents (Lee et al. 2018).

    ``dim`` is the dimension of the word vectors and ``context`` that of frozen contextual vectors
    in addition (0 for none); both are projected to ``projected`` numbers. ``hidden`` is the size
    of the BiLSTM's output, ``scorer`` that of the hidden layers of the scorers, and
    ``product`` how many numbers of two spans are multiplied. Spans of at most
    ``widest`` words are candidates; a document keeps the best ``kept`` for each word of it, and
    each of these ``antecedents`` candidates before it.
    """

    dim: int
    context: int = 0
    projected: int = 100
    hidden: int = 200
    scorer: int = 150
    product: int = 64
    widest: int = 10
    kept: float = 0.2
    antecedents: int = 100

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise UnslantError(f"A model needs vectors of at least 1 dimension, not {self.dim}.")
        if self.context < 0:
            raise UnslantError(f"context must be at least 0, not {self.context}.")
        if self.hidden < 2 or self.hidden % 2:
            raise UnslantError(
                f"The hidden size must be an even number of at least 2, not {self.hidden}."
            )
        for name in ("projected", "scorer", "product", "widest", "antecedents"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if not 0 < self.kept <= self.widest:
            raise UnslantError(
                f"kept must be above 0 and at most widest ({self.widest}), not {self.kept}."
            )

    @property
    def lexical(self) -> int:
        """The size of a word by itself: its projected vector and how it is written."""
        return self.projected + CASE_SIZE

    @property
    def read(self) -> int:
        """The size of what the BiLSTM gets for a word."""
        return self.lexical + (self.projected if self.context else 0)

    @property
    def span(self) -> int:
        """The size of a span: first word, last word, weighted words, width."""
        return 2 * self.hidden + self.lexical + WIDTH_SIZE

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain values."""
        return asdict(self)

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every array of weights."""
        half, scorer, product = self.hidden // 2, self.scorer, self.product
        shapes: dict[str, tuple[int, ...]] = {
            "case.weight": (CASES, CASE_SIZE),
            "width.weight": (self.widest, WIDTH_SIZE),
            "mentions.width.weight": (self.widest, scorer),
            "lstm.input": (2, self.read, 4 * half),
            "lstm.recurrent": (2, half, 4 * half),
            "lstm.bias": (2, 4 * half),
            "antecedents.prior": (sum(CLASSES),),
        }
        layers = {
            "project": (self.projected, self.dim),
            "mentions.attention": (1, self.hidden),
            "mentions.first": (scorer, self.hidden),
            "mentions.score": (1, scorer),
            "antecedents.project": (product, self.span),
            "antecedents.this": (scorer, self.span),
            "antecedents.score": (1, scorer),
        }
        if self.context:
            layers["context"] = (self.projected, self.context)
        for name, shape in layers.items():
            shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        without_bias = {
            "mentions.last": (scorer, self.hidden),
            "mentions.inside": (scorer, self.lexical),
            "antecedents.coarse": (product, product),
            "antecedents.that": (scorer, self.span),
            "antecedents.both": (scorer, product + sum(CLASSES)),
        }
        return shapes | {f"{name}.weight": shape for name, shape in without_bias.items()}


@dataclass(frozen=True, kw_only=True)
class CorefTraining:
    """How a coreference model is trained; a round is one pass over the training documents.

    Documents are cut at sentences into segments of at most ``segment`` words, of which a step has
    one; held-out documents are whole. In training a span has ``training_antecedents`` candidates.
    Training stops when the held-out CoNLL F1 has not improved
    for ``patience`` rounds; the weights of the best round count.
    """

    rounds: int = 12
    patience: int = 12
    segment: int = 600
    learning_rate: float = 1e-3
    dropout: float = 0.3
    word_dropout: float = 0.5
    projected: int = 100
    hidden: int = 200
    scorer: int = 150
    product: int = 64
    widest: int = 10
    kept: float = 0.2
    antecedents: int = 100
    training_antecedents: int = 40
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("rounds", "patience", "segment", "training_antecedents"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        for name in ("dropout", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise UnslantError(
                    f"{name} must be at least 0 and below 1, not {getattr(self, name)}."
                )
        check_learning_rate(self.learning_rate)
        check_threads(self.threads)
        check_seed(self.seed)
        self.shape(dim=1)

    def shape(self, dim: int, context: int = 0) -> CorefShape:
        """The shape of a model for vectors of a given dimension; invalid settings are refused."""
        return CorefShape(
            dim=dim,
            context=context,
            projected=self.projected,
            hidden=self.hidden,
            scorer=self.scorer,
            product=self.product,
            widest=self.widest,
            kept=self.kept,
            antecedents=self.antecedents,
        )

    def schedule(self, steps: int) -> Schedule:
        """The trainer's schedule, for a given number of steps per round."""
        return Schedule(
            rounds=self.rounds,
            patience=self.patience,
            learning_rate=self.learning_rate,
            warm_up=max(1, min(200, self.rounds * steps // 10)),
            clip=5.0,
            seed=self.seed,
            threads=self.threads,
        )
