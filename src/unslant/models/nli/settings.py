"""How an inference model is built and trained: the choices, checked, without torch."""

from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.seeds import check_seed
from unslant.models.training.schedule import Schedule, check_learning_rate, check_threads

ENCODERS = ("projection", "bilstm")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Decomposable attention (Parikh et al. 2016): attend, compare, aggregate.

    ``encoder`` is the published linear projection of each word, or the BiLSTM that Dev et al.
    (2020) put in its place; ``intra`` lets each word see its own sentence first (intra-sentence
    attention with a bias for distance).
    """

    dim: int
    hidden: int = 200
    encoder: str = "projection"
    intra: bool = False

    def __post_init__(self) -> None:
        if self.encoder not in ENCODERS:
            raise UnknownNameError("encoder", self.encoder, ENCODERS)
        if self.dim < 1:
            raise UnslantError(f"A model needs vectors of at least 1 dimension, not {self.dim}.")
        if self.hidden < 2 or self.hidden % 2:
            raise UnslantError(
                f"The hidden size must be an even number of at least 2, not {self.hidden}."
            )

    @property
    def reads_context(self) -> bool:
        """Whether what a word becomes depends on its sentence, and not on the word alone."""
        return self.intra or self.encoder == "bilstm"

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain values."""
        return asdict(self)

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every array of weights."""
        hidden, half = self.hidden, self.hidden // 2
        wide = 2 * hidden if self.intra else hidden
        if self.encoder == "projection":
            shapes: dict[str, tuple[int, ...]] = {"project.weight": (hidden, self.dim)}
        else:
            shapes = {}
            for end in ("", "_reverse"):
                shapes[f"lstm.weight_ih_l0{end}"] = (4 * half, self.dim)
                shapes[f"lstm.weight_hh_l0{end}"] = (4 * half, half)
                shapes[f"lstm.bias_ih_l0{end}"] = (4 * half,)
                shapes[f"lstm.bias_hh_l0{end}"] = (4 * half,)
        layers = {
            "attend.0": (hidden, wide),
            "attend.1": (hidden, hidden),
            "compare.0": (hidden, 2 * wide),
            "compare.1": (hidden, hidden),
            "aggregate.0": (hidden, 2 * hidden),
            "aggregate.1": (3, hidden),
        }
        if self.intra:
            layers |= {"intra.0": (hidden, hidden), "intra.1": (hidden, hidden)}
            shapes["distance"] = (DISTANCES,)
        for name, shape in layers.items():
            shapes[f"{name}.weight"] = shape
            shapes[f"{name}.bias"] = shape[:1]
        return shapes


DISTANCES = 21
"""Distances between two words of a sentence that have a bias of their own: -10 to 10 and beyond."""


@dataclass(frozen=True, kw_only=True)
class Epochs:
    """How long, how fast and how repeatably a model is trained.

    The learning rate rises over the first 200 steps and then falls in a line to 0. Training stops
    when the dev set has not improved for ``patience`` epochs; the weights of the best epoch count.
    """

    epochs: int = 6
    patience: int = 3
    batch: int = 128
    learning_rate: float = 1e-3
    dropout: float = 0.2
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "batch"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if not 0 <= self.dropout < 1:
            raise UnslantError(f"dropout must be at least 0 and below 1, not {self.dropout}.")
        check_learning_rate(self.learning_rate)
        check_threads(self.threads)
        check_seed(self.seed)

    def schedule(self) -> Schedule:
        """How long and how fast, as the trainer takes it."""
        return Schedule(
            rounds=self.epochs,
            patience=self.patience,
            learning_rate=self.learning_rate,
            seed=self.seed,
            threads=self.threads,
        )


@dataclass(frozen=True, kw_only=True)
class NliTraining(Epochs):
    """How a model is trained; with the defaults, about .79 on SNLI's dev set in four minutes."""

    hidden: int = 200
    encoder: str = "projection"
    intra: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.shape(dim=1)

    def shape(self, dim: int) -> Shape:
        """The shape of a model for vectors of a given dimension; invalid settings are refused."""
        return Shape(dim=dim, hidden=self.hidden, encoder=self.encoder, intra=self.intra)


# How an inference model on ELMo is built and trained: the choices, checked, without torch.


@dataclass(frozen=True, kw_only=True)
class ElmoShape:
    """Decomposable attention with a BiLSTM on ELMo (Dev et al. 2020, experimental setup).

    ELMo's ``layers`` of width ``dim`` are mixed by learnt weights before the BiLSTM, whose output
    (``hidden``) is concatenated with another, separate mix. ``attention`` is the width of
    the layers of attend, and ``classification`` that of compare and aggregate: the paper lifts
    "attention layers" to 1,224 = 200 + 1,024 and "classification layers" to 400.
    """

    dim: int
    layers: int
    hidden: int = 200
    attention: int
    classification: int = 400

    def __post_init__(self) -> None:
        if self.hidden < 2 or self.hidden % 2:
            raise UnslantError(
                f"The hidden size must be an even number of at least 2, not {self.hidden}."
            )
        for name in ("dim", "layers", "attention", "classification"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")

    @property
    def wide(self) -> int:
        """The width of a word that has been read."""
        return self.hidden + self.dim

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain values."""
        return asdict(self)

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The name and shape of every array of weights."""
        half, attend, classify = self.hidden // 2, self.attention, self.classification
        shapes: dict[str, tuple[int, ...]] = {}
        for mix in ("before", "beside"):
            shapes |= {f"{mix}.scores": (self.layers,), f"{mix}.gamma": (1,)}
        for end in ("", "_reverse"):
            shapes[f"lstm.weight_ih_l0{end}"] = (4 * half, self.dim)
            shapes[f"lstm.weight_hh_l0{end}"] = (4 * half, half)
            shapes[f"lstm.bias_ih_l0{end}"] = (4 * half,)
            shapes[f"lstm.bias_hh_l0{end}"] = (4 * half,)
        layers = {
            "attend.0": (attend, self.wide),
            "attend.1": (attend, attend),
            "compare.0": (classify, 2 * self.wide),
            "compare.1": (classify, classify),
            "aggregate.0": (classify, 2 * classify),
            "aggregate.1": (3, classify),
        }
        for name, shape in layers.items():
            shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        return shapes


@dataclass(frozen=True, kw_only=True)
class ElmoTraining(Epochs):
    """How a model on ELMo is trained; the sizes are those of Dev et al. (2020).

    With ``attention`` 0 attend is as wide as a word that has been read: ``hidden`` and the width
    of a layer of ELMo together. The paper trains for 75 epochs and keeps the best.
    """

    hidden: int = 200
    attention: int = 0
    classification: int = 400

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attention < 0:
            raise UnslantError(f"attention must be at least 0, not {self.attention}.")
        self.shape(dim=1, layers=1)

    def shape(self, dim: int, layers: int) -> ElmoShape:
        """The shape of a model for a number of layers and a width; invalid settings are refused."""
        return ElmoShape(
            dim=dim,
            layers=layers,
            hidden=self.hidden,
            attention=self.attention or self.hidden + dim,
            classification=self.classification,
        )
