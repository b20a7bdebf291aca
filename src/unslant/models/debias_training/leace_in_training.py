"""An eraser in effect while a model trains, fitted again and again."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from unslant.core.parameters import at_least
from unslant.models.debias_training.registry import tuning
from unslant.models.debias_training.tuning import Setup, Tuning

if TYPE_CHECKING:
    from unslant.models.debias_training.task import TuningTask


@tuning(
    "leace-in-training",
    cites="belrose-2023",
    needs="a language-model head",
    misleads="Erasure is exact only for the words and contexts that the last eraser was fitted "
    "on. Layers after the place may compute the group again from what is not linear.",
    at_place=True,
)
@dataclass(frozen=True, kw_only=True)
class LeaceInTraining(Tuning):
    """Train on the model's own loss with an eraser in effect at a place, fitted every n steps.

        loss = −mean log p(piece | its context), with r(x) for x at the place, r by leace

    The eraser is that of ``leace@place`` for the weights of the moment, fitted at the beginning of
    each round and after every ``every`` steps, and gradients pass through it. The network so learns
    to do without what is erased, and what it learns to put elsewhere at that place is erased next.
    At the end the eraser is fitted once more on the trained model and stays in effect.
    ``eraser=random`` removes a random direction instead, which is its control.
    """

    every: Annotated[int, at_least(1), "Steps between two fits."] = 50
    eraser: Annotated[Literal["leace", "sal", "random"], "What is fitted."] = "leace"

    def task(self, on: Setup) -> "TuningTask[Any]":
        """Masked or next pieces of the text, with the eraser."""
        from unslant.models.debias_training.language_task import ErasedTask

        return ErasedTask(self, on, self.final(on))

    def final(self, on: Setup) -> str:
        """The eraser at its place."""
        drawn = f"(seed={self.seed})" if self.eraser == "random" else ""
        return f"{self.eraser}{drawn}@{on.place}"

    def control(self, seed: int) -> "Tuning":
        """The same training with a random direction removed."""
        other = seed if self.eraser != "random" else seed + 1
        return replace(self, eraser="random", seed=other)
