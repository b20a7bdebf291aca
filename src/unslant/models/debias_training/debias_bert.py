"""DebiasBERT-style training: equalise group words where the text does not reveal the group."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from unslant.core.parameters import at_least
from unslant.models.debias_training.language import control_of
from unslant.models.debias_training.registry import tuning
from unslant.models.debias_training.tuning import Setup, Tuning

if TYPE_CHECKING:
    from unslant.models.debias_training.task import TuningTask


@tuning(
    "debias-bert",
    cites="garimella-2021",
    needs="a masked head",
    misleads="It trains what StereoSet and CrowS-Pairs ask for, probabilities of masked words, so "
    "these may improve without any other effect. It equalises where a text is about one group, "
    "too, and so unlearns facts.",
)
@dataclass(frozen=True, kw_only=True)
class DebiasBert(Tuning):
    """Fine-tune until the words of a pair are equally probable at stereotype-prone gaps.

        loss = L + λ · mean |log p(aₖ | x) − log p(bₖ | x)|
             + μ · mean |log Σ p(A | y) − log Σ p(B | y)|

    L is the masked-language-model loss on the text, which guards quality. x is a sentence with a
    target word and exactly one group word, which is masked, so only the rest of the sentence can
    suggest a group; (aₖ, bₖ) are the pairs of the concept whose words are single pieces. The third
    term is for two lists of stereotyped words (``clusters``, such as
    female-stereotyped-words+male-stereotyped-words) and sentences y with one of them masked and no
    group word; without clusters it is 0.

    After Garimella et al. (2021), whose equalising and declustering losses have these forms. This
    is in their style and no reproduction: the choice of gaps, both weights, the guard and training
    all terms at once are ours.
    """

    weight: Annotated[float, at_least(0), "λ, of the equalising term."] = 1.0
    decluster: Annotated[float, at_least(0), "μ, of the declustering term."] = 1.0
    pairs: Annotated[str, "A table of the concept with a column for each group."] = "definitional"
    targets: Annotated[str, "Lists of neutral words, separated by +."] = ""
    clusters: Annotated[str, "Two lists of stereotyped words, separated by +."] = ""
    most: Annotated[int, at_least(5), "Sentences for each masked word, at most."] = 100

    def task(self, on: Setup) -> "TuningTask[Any]":
        """Masked pieces of the text, and gaps."""
        from unslant.models.debias_training.equalising_task import EqualisingTask

        return EqualisingTask(self, on)

    def control(self, seed: int) -> "Tuning":
        """Plain continued training."""
        return control_of(self, seed)
