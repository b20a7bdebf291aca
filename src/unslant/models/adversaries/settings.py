"""The adversaries of a training: the choices, checked, without torch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.models.training.schedule import check_learning_rate

# How hard a predictor works against an adversary: α, constant or growing with the steps.

SHAPES = ("constant", "sqrt", "linear")
_FORMS = "a number such as 0.5, or 0.5:sqrt or 0.5:linear to grow to it"


@dataclass(frozen=True)
class AdversaryStrength:
    """α at each step: ``value`` throughout, or growing to it as the root of the steps or in a line.

    Zhang et al. (2018) let α grow with √t for equality of odds; that is ``sqrt``, up to scale.

    >>> AdversaryStrength.of("2:sqrt").at(24, 100), AdversaryStrength.of("0.5").at(0, 100)
    (1.0, 0.5)
    """

    value: float
    shape: str = "constant"

    @classmethod
    def of(cls, text: str) -> "AdversaryStrength":
        """Read a strength; a shape alone grows to 1."""
        number, _, shape = text.strip().partition(":")
        if number in SHAPES and not shape:
            number, shape = "1", number
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        shape = shape or "constant"
        if not (isfinite(value) and value >= 0) or shape not in SHAPES:
            raise UnslantError(f'A strength (alpha) must be {_FORMS}, not "{text}".')
        return cls(value, shape)

    def at(self, step: int, steps: int) -> float:
        """α of a step, counted from 0, out of a total."""
        part = (step + 1) / steps
        if self.shape == "constant":
            return self.value
        return self.value * (sqrt(part) if self.shape == "sqrt" else part)

    def __str__(self) -> str:
        return f"{self.value:g}" + (f":{self.shape}" if self.shape != "constant" else "")


def strengths(text: str, attributes: Sequence[str]) -> Mapping[str, AdversaryStrength]:
    """The strength of each attribute: one for all, or one for each by name.

    >>> found = strengths("gender=1,race=0.5:sqrt", ("gender", "race"))
    >>> {name: str(each) for name, each in found.items()}
    {'gender': '1', 'race': '0.5:sqrt'}
    """
    if "=" not in text:
        return dict.fromkeys(attributes, AdversaryStrength.of(text))
    found: dict[str, AdversaryStrength] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in attributes:
            raise UnknownNameError("adversary", name, attributes)
        if name in found:
            raise UnslantError(f'"{text}" gives {name} two strengths.')
        found[name] = AdversaryStrength.of(value)
    if missing := [name for name in attributes if name not in found]:
        raise UnslantError(
            f'"{text}" gives no strength for {", ".join(missing)}. Add one, such as {missing[0]}=1.'
        )
    return {name: found[name] for name in attributes}


PROJECTIONS = ("whole", "whole-sum", "by-tensor", "none")
FAIRNESS = ("odds", "parity")
NETWORKS = ("dense", "small")
READS = ("probabilities", "log-probabilities")
KEPT = ("last", "best")


@dataclass(frozen=True, kw_only=True)
class AdversarySettings:
    """One adversary for each protected attribute, and how the predictor is trained against them.

    The step of the predictor's weights is ∇L_P − Σ_z [proj_{∇L_z} ∇L_P + α_z ∇L_z]. ``alpha`` is
    one strength for all or one for each attribute (``gender=1,race=0.5:sqrt``).

    ``projection``: ``whole`` makes ∇L_P, as one vector of all weights, perpendicular to every ∇L_z;
    ``whole-sum`` subtracts the projections one by one, which is the published formula and leaves
    components if the ∇L_z are not perpendicular; ``by-tensor`` treats each tensor of weights on its
    own; ``none`` leaves ∇L_P as it is. With ``none`` and an alpha of 0 the adversaries only watch:
    the predictor is trained as without them.

    ``fairness``: with ``odds`` (equality of odds) adversaries read the prediction and the true
    label, with ``parity`` (demographic parity) the prediction alone. ``network``: ``dense`` is two
    layers of ``width`` with ``dropout`` (Dutta), which read probabilities or, more sharply, their
    logarithms; ``small`` is a linear reader of the sharpened prediction (Zhang et al. 2018).
    ``keep``: the weights of the last round, or of the round with the best held-out result, which
    is often one in which debiasing had little effect yet.
    """

    attributes: tuple[str, ...]
    alpha: str = "1"
    projection: str = "whole"
    fairness: str = "odds"
    network: str = "dense"
    width: int = 256
    dropout: float = 0.1
    reads: str = "probabilities"
    learning_rate: float = 1e-3
    keep: str = "last"

    def __post_init__(self) -> None:
        if not self.attributes or not all(self.attributes):
            raise UnslantError("Name at least one protected attribute, such as gender.")
        if len(set(self.attributes)) < len(self.attributes):
            raise UnslantError(f"{','.join(self.attributes)} names an attribute twice.")
        for name, known in (
            ("projection", PROJECTIONS),
            ("fairness", FAIRNESS),
            ("network", NETWORKS),
            ("reads", READS),
            ("keep", KEPT),
        ):
            if getattr(self, name) not in known:
                raise UnknownNameError(f"choice of {name}", getattr(self, name), known)
        if self.width < 1:
            raise UnslantError(f"The width of adversaries must be at least 1, not {self.width}.")
        if not 0 <= self.dropout < 1:
            raise UnslantError(f"dropout must be at least 0 and below 1, not {self.dropout}.")
        check_learning_rate(self.learning_rate)
        self.strengths()

    def strengths(self) -> Mapping[str, AdversaryStrength]:
        """α of each attribute."""
        return strengths(self.alpha, self.attributes)

    @property
    def only_watch(self) -> bool:
        """Whether the predictor is trained as without adversaries."""
        return self.projection == "none" and not any(a.value for a in self.strengths().values())


def attributes_of(text: str) -> tuple[str, ...]:
    """The attributes in a text such as ``gender,race``."""
    return tuple(part.strip() for part in text.split(","))
