"""Continued training on text: as it is, with more dropout, and with group words swapped."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from unslant.core.parameters import SHARE
from unslant.models.debias_training.registry import tuning
from unslant.models.debias_training.tuning import Setup, Tuning

if TYPE_CHECKING:
    from unslant.models.debias_training.task import TuningTask

_BRIEF = (
    "Any training on another text changes what a model prefers. Compare it with control on the "
    "same text, not only with the original."
)


@dataclass(frozen=True, kw_only=True)
class OnText(Tuning):
    """Training on the model's own loss: masked pieces, or the next piece for a decoder."""

    def task(self, on: Setup) -> "TuningTask[Any]":
        """Masked or next pieces of the text."""
        from unslant.models.debias_training.language_task import LanguageTask

        return LanguageTask(self, on, dropouts=self._dropouts(), swap=self._swap(on))

    def control(self, seed: int) -> "Tuning":
        """Plain continued training."""
        return TrainingControl(**_common(self, seed))

    def _dropouts(self) -> tuple[float, float] | None:
        return None

    def _swap(self, on: Setup) -> Callable[[str], str] | None:
        return None


@tuning(
    "control",
    cites="devlin-2019",
    needs="a language-model head",
    misleads="It removes nothing by design: it shows what training alone changes.",
)
@dataclass(frozen=True, kw_only=True)
class TrainingControl(OnText):
    """Plain continued training, the control for methods that train: the model's own loss alone.

        loss = −mean log p(piece | its context), of masked or next pieces

    The masked-language-model loss (15 % of pieces; Devlin et al. 2019), or that of the
    next piece for a decoder, on the text as it is and with the model's own dropout. What a method
    changes has to be more than this changes with the same text, steps and seed.
    """

    def control(self, seed: int) -> "Tuning":
        """The same with the next seed: there is nothing to leave out."""
        return TrainingControl(**_common(self, seed + 1))


@tuning(
    "dropout",
    cites="webster-2020",
    needs="a language-model head",
    misleads="It knows nothing of groups: what it changes may be no more than what control "
    f"changes. {_BRIEF}",
)
@dataclass(frozen=True, kw_only=True)
class Dropout(OnText):
    """Continued training with more dropout, which weakens associations of any kind.

        loss = −mean log p(piece | its context), with more dropout than the model's own

    The shares of numbers (``hidden``) and of attention weights (``attention``) that are set to 0
    in every layer are those of Webster et al. for BERT. The trained model has the dropout of the
    original again.
    """

    hidden: Annotated[float, SHARE, "The share of numbers set to 0 in every layer."] = 0.2
    attention: Annotated[float, SHARE, "The share of attention weights set to 0."] = 0.15

    def _dropouts(self) -> tuple[float, float]:
        return self.hidden, self.attention


@tuning(
    "cda",
    cites="webster-2020",
    needs="a language-model head",
    misleads=f"It equalises what the swapped words say, not names or facts. {_BRIEF}",
)
@dataclass(frozen=True, kw_only=True)
class Cda(OnText):
    """Counterfactual data augmentation, two-sided: training on the text and on its swapped twin.

        loss = −mean log p(piece | its context), over each sentence and its swapped twin

    Every sentence is trained on as it is and with the words and names of the two groups swapped
    (``unslant files swap``), in as many steps as the other methods take. The held-out sentences
    are not swapped.
    """

    names: Annotated[bool, "Whether first names are swapped too."] = True

    def _swap(self, on: Setup) -> Callable[[str], str]:
        from unslant.concepts.swap import swap_of

        swap = swap_of(on.concept, self.names)
        return lambda text: swap(text).text


def _common(of: Tuning, seed: int) -> dict[str, Any]:
    """The parameters that every method has, with a seed."""
    from dataclasses import fields

    return {**{item.name: getattr(of, item.name) for item in fields(Tuning)}, "seed": seed}


def control_of(tuned: Tuning, seed: int) -> Tuning:
    """Plain continued training on the same text with the same schedule."""
    return TrainingControl(**_common(tuned, seed))
