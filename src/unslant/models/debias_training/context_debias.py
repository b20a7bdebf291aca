"""Context-debias: vectors of neutral words in context orthogonal to those of group words."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from unslant.core.parameters import at_least
from unslant.models.debias_training.registry import tuning
from unslant.models.debias_training.tuning import Setup, Tuning

if TYPE_CHECKING:
    from unslant.models.debias_training.task import TuningTask


@tuning(
    "context-debias",
    cites="kaneko-2021",
    needs="any model",
    misleads="It removes what target words share with group words, which is much more than the "
    "group: vectors in context have a large part in common. A test of target words may then fall "
    "because they have moved away from all words. It does not erase: a classifier may still find "
    "the group.",
)
@dataclass(frozen=True, kw_only=True)
class ContextDebias(Tuning):
    """Fine-tune until neutral words in context are orthogonal to the words of the groups.

        loss = α · mean (vᵢ(a) · Eᵢ(t; x))² + β · mean ‖Eᵢ(w; x) − Eᵢ(w; x, before)‖²

    The first mean is over sentences x with a target word t, group words a and layers i; the second
    over all pieces w of sentences with a group word, which so stay where they were. Eᵢ(t; x) is the
    mean over the pieces of the word, and vᵢ(a) the mean of Eᵢ(a; x) over the sentences with a, by
    the weights at the beginning of each round. Sentences that have words of both kinds are left
    out.

    ``layers``: all (with the embeddings' output), that alone (first) or the last. ``level``:
    token, or sentence for all pieces of a target's sentence. ``attributes``: a vector for each
    group word as in the paper, or one for each group as in the authors' code. ``targets`` are
    lists of the concept, separated by +; by default its first list of neutral words.

    Three deviations from the authors' code: it squares the mean of the products, in which those
    of different signs cancel, and we take the mean of the squares as the paper has it; it divides
    by the number of pieces of the longest word in a batch, and we by that of each word; and it
    counts padding in the second term.
    """

    alpha: Annotated[float, at_least(0), "The weight of the first term."] = 0.2
    beta: Annotated[float, at_least(0), "The weight of the second term."] = 0.8
    layers: Annotated[Literal["all", "first", "last"], "The layers of the first term."] = "all"
    level: Annotated[Literal["token", "sentence"], "What must become orthogonal."] = "token"
    attributes: Annotated[Literal["words", "groups"], "One vector for each of these."] = "words"
    targets: Annotated[str, "Lists of neutral words, separated by +."] = ""
    most: Annotated[int, at_least(5), "Sentences for each word, at most."] = 50

    def task(self, on: Setup) -> "TuningTask[Any]":
        """Sentences with target words, and sentences with group words."""
        from unslant.models.debias_training.context_task import ContextTask

        return ContextTask(self, on)

    def control(self, seed: int) -> "Tuning":
        """The second term alone, which keeps vectors where they were."""
        return replace(self, alpha=0.0, beta=self.beta or 1.0, seed=seed)
