"""Which of its heads makes a language model what a probe asks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.models.language.causal import CausalPredictor
from unslant.models.language.likelihood import WithHead
from unslant.models.language.marked import CausalLikelihood, MaskedLikelihood
from unslant.models.language.masked import MaskedPredictor
from unslant.predictors.accepted import method_of
from unslant.predictors.causal_lm import CausalLM
from unslant.predictors.gap_filler import GapFiller
from unslant.predictors.likelihood import Likelihood
from unslant.predictors.masked_lm import MaskedLM

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

_PREDICTORS: Mapping[type[Any], type[WithHead]] = {
    CausalLM: CausalPredictor,
    MaskedLM: MaskedPredictor,
    GapFiller: MaskedPredictor,
}


def predictor_of(model: "TransformerModel", need: type[Any]) -> WithHead:
    """The model with the head that gives it the method of a protocol."""
    if need is Likelihood:
        is_decoder = model.layout.architecture.is_decoder
        return CausalLikelihood(model) if is_decoder else MaskedLikelihood(model)
    if need not in _PREDICTORS:
        known = ", ".join(method_of(protocol) for protocol in (*_PREDICTORS, Likelihood))
        raise UnslantError(
            f"{model.name} is a language model, which has no method {method_of(need)}; its heads "
            f"give {known}. Wrap it in an object with that method."
        )
    return _PREDICTORS[need](model)
