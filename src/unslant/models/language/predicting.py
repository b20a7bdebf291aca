"""Which of its heads makes a language model what a probe asks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.models.language.after_sentence import AfterSentence
from unslant.models.language.causal import CausalPredictor
from unslant.models.language.classified_sentiment import SentimentPredictor
from unslant.models.language.entailment import EntailmentPredictor
from unslant.models.language.marked import CausalLikelihood, MaskedLikelihood
from unslant.models.language.masked import MaskedPredictor
from unslant.models.language.name_vectors import NameVectors
from unslant.models.language.next_sentence import NextSentencePredictor
from unslant.models.language.plausibility import PlausibilityPredictor
from unslant.models.language.tagging import TokenTagger
from unslant.predictors.protocols import (
    CausalLM,
    GapFiller,
    Likelihood,
    MaskedLM,
    NameInContext,
    NextSentence,
    NliModel,
    Plausibility,
    Sentiment,
    Tagger,
    method_of,
)

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

_ENCODERS: Mapping[type[Any], type[Any]] = {
    CausalLM: CausalPredictor,
    MaskedLM: MaskedPredictor,
    GapFiller: MaskedPredictor,
    Likelihood: MaskedLikelihood,
    NameInContext: NameVectors,
    NextSentence: NextSentencePredictor,
    NliModel: EntailmentPredictor,
    Plausibility: PlausibilityPredictor,
    Tagger: TokenTagger,
    Sentiment: SentimentPredictor,
}
_DECODERS: Mapping[type[Any], type[Any]] = {
    **_ENCODERS,
    Likelihood: CausalLikelihood,
    NextSentence: AfterSentence,
}


def can_answer(model: "TransformerModel", need: type[Any]) -> bool:
    """Whether one of the heads of such models has the method of a protocol."""
    return need in (_DECODERS if model.layout.architecture.is_decoder else _ENCODERS)


def predictor_of(model: "TransformerModel", need: type[Any]) -> Any:
    """The model with the head that gives it the method of a protocol."""
    known = _DECODERS if model.layout.architecture.is_decoder else _ENCODERS
    if need not in known:
        raise UnslantError(
            f"{model.name} is a language model, which has no method {method_of(need)}; its heads "
            f"give {', '.join(dict.fromkeys(map(method_of, known)))}. Wrap it in an object with "
            f"that method."
        )
    return known[need](model)
