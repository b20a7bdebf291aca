"""How text is counted and how vectors are trained on the counts: the choices, checked."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.seeds import check_seed
from unslant.models.training.schedule import check_learning_rate, check_threads

BOUNDARIES = ("line", "paragraph", "file")
FORMS = ("l1", "l2")


@dataclass(frozen=True, kw_only=True)
class CountSettings:
    """Which words are counted together.

    Two words that are d places apart, d ≤ ``window``, add 1/d. Words that occur less than
    ``minimum`` times are removed first and take no place. No window crosses a ``boundary``: the
    end of a line (as in Stanford's program), an empty line (for text with hard line breaks), or
    the end of a file. ``memory`` is how many megabytes the counting may hold; more goes to disk.
    """

    window: int = 10
    minimum: int = 5
    boundary: str = "line"
    memory: int = 1024

    def __post_init__(self) -> None:
        for name in ("window", "minimum", "memory"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if self.window > 1000:
            raise UnslantError(f"window must be at most 1,000, not {self.window:,}.")
        if self.boundary not in BOUNDARIES:
            raise UnknownNameError("boundary", self.boundary, BOUNDARIES)


@dataclass(frozen=True, kw_only=True)
class GloveSettings:
    """How vectors are trained: Σ f(x) (w·c + b + b̃ − log x)² / 2, f(x) = min(1, x/x_max)^alpha.

    AdaGrad divides each step by the root of the squared steps so far; without it the learning
    rate is constant. With one thread, a seed produces the same bytes on the same kind of processor;
    with more, threads change the vectors without waiting for each other (Hogwild; Niu et al. 2011).
    """

    dimensions: int = 100
    iterations: int = 15
    learning_rate: float = 0.05
    alpha: float = 0.75
    x_max: float = 100.0
    adagrad: bool = True
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("dimensions", "iterations"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if not 0 < self.alpha <= 1:
            raise UnslantError(f"alpha must be above 0 and at most 1, not {self.alpha}.")
        if not (self.x_max > 0 and isfinite(self.x_max)):
            raise UnslantError(f"x_max must be above 0, not {self.x_max}.")
        check_learning_rate(self.learning_rate)
        check_threads(self.threads)
        check_seed(self.seed)

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain values."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class NeutralSettings:
    """The terms of GN-GloVe: J = J_GloVe + λ_d J_D + λ_e J_E (Zhao et al. 2018).

    ``group_weight`` is λ_d, ``neutral_weight`` λ_e. ``form`` is that of J_D: l1 pushes the groups
    apart until the clip, l2 pulls their w_g to ±1. Coordinates are clipped to ±``clip`` after each
    step; 0 leaves them as they are. The direction v of J_E is held during each of ``refreshes``
    parts of an iteration and computed again before the next; the published program has 1. With
    ``accumulates`` it is added to the earlier ones and divided by all listed pairs, also missing
    ones, as in the published program; otherwise it is computed afresh.
    """

    group_weight: float = 0.8
    neutral_weight: float = 0.8
    form: str = "l1"
    clip: float = 1.0
    refreshes: int = 16
    accumulates: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UnknownNameError("form of J_D", self.form, FORMS)
        for name in ("group_weight", "neutral_weight", "clip"):
            if not (getattr(self, name) >= 0 and isfinite(getattr(self, name))):
                raise UnslantError(f"{name} must be at least 0, not {getattr(self, name)}.")
        if self.refreshes < 1:
            raise UnslantError(f"refreshes must be at least 1, not {self.refreshes}.")
        if self.form == "l1" and self.group_weight > 0 and self.clip == 0:
            raise UnslantError(
                "The l1 form of J_D has no minimum without a clip. Set a clip, or use the l2 form."
            )

    def to_dict(self) -> dict[str, Any]:
        """The choices as plain values."""
        return asdict(self)
