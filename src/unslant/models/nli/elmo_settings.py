"""How an inference model on ELMo is built and trained: the choices, checked, without torch."""

from dataclasses import asdict, dataclass
from typing import Any

from unslant.core.errors import UnslantError
from unslant.models.nli.settings import Epochs


@dataclass(frozen=True, kw_only=True)
class ElmoShape:
    """Decomposable attention with a BiLSTM on ELMo (Dev et al. 2020, experimental setup).

    ELMo's ``layers`` of width ``dim`` are mixed by learnt weights before the BiLSTM, whose output
    (``hidden``) stands beside another mix with weights of its own. ``attention`` is the width of
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
        """The shape of a model for so many layers of this width; what cannot be is refused."""
        return ElmoShape(
            dim=dim,
            layers=layers,
            hidden=self.hidden,
            attention=self.attention or self.hidden + dim,
            classification=self.classification,
        )
