"""Transformers as language models, and the way in for every kind of model."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.models.language.base import LanguageModel
from unslant.models.language.classifying import EntailmentPredictor, SentimentPredictor, TokenTagger
from unslant.models.language.folder import ModelFolder, found_locally, is_elmo_folder, read_folder
from unslant.models.language.interventions import INTERVENTION, Intervention, base_of
from unslant.models.language.last_block import Narrowed, Positions
from unslant.models.language.layout import ModelLayout
from unslant.models.language.likelihood import CausalPredictor, MaskedPredictor
from unslant.models.language.name_vectors import NameVectors
from unslant.models.language.plausibility import (
    AfterSentence,
    NextSentenceCheck,
    NextSentencePredictor,
    PlausibilityPredictor,
    checked,
)
from unslant.models.language.resuming import KeptStates, Resumed
from unslant.models.language.sentences import read_modules
from unslant.models.language.span_likelihood import CausalLikelihood, MaskedLikelihood
from unslant.models.language.tokens import Tokens, read_tokens
from unslant.models.language.weights import Head, network, on_shared_base
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

# Which of its heads makes a language model what a probe asks.

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
    """The model with the head that a protocol needs."""
    known = _DECODERS if model.layout.architecture.is_decoder else _ENCODERS
    if need not in known:
        raise UnslantError(
            f"{model.name} is a language model, which has no method {method_of(need)}; its heads "
            f"give {', '.join(dict.fromkeys(map(method_of, known)))}. Wrap it in an object with "
            f"that method."
        )
    return known[need](model)


__all__ = ["TransformerModel", "load_model"]


class TransformerModel(LanguageModel):
    """An encoder or decoder that transformers knows, or a sentence-transformers folder."""

    folder: ModelFolder
    layout: ModelLayout
    tokens: Tokens

    def read_network(self) -> Any:
        """The network without a head."""
        return network(self.folder, self.layout)

    kept: KeptStates | None = None
    """Stored block outputs within ``resuming``; shared by all models made from the original."""

    @contextmanager
    def intervening(
        self,
        within: Any = None,
        positions: Positions | None = None,
        *,
        read: float | None = None,
    ) -> Iterator[None]:
        """A context in which the interventions act in the network, or in one that contains it.

        With ``positions`` the last layer, and so a head, is computed for these pieces of each text
        only, as ``last_hidden_at`` has it. Within ``resuming`` blocks whose result is known are
        skipped, unless something is ``read`` before.
        """
        base = self.network if within is None else base_of(within)
        narrow = None if positions is None else Narrowed(self, base, positions)
        resumed = None
        kept = self.original.kept
        if kept is not None and not self.layout.architecture.shared:
            resumed = Resumed(self, base, kept, narrow=narrow, read=read)
        with ExitStack() as stack:
            # The order matters: a context entered later answers first. Each pass counts its pieces
            # (choosing), then looks for kept states (acting), then computes the block for some
            # pieces (computing). Erasers are off while blocks are skipped, because they acted
            # before the state was kept.
            off = None if resumed is None else lambda: resumed.is_skipping
            stack.enter_context(self.intervention.on(self, within, unless=off))
            if narrow is not None:
                stack.enter_context(narrow.computing())
            if resumed is not None:
                stack.enter_context(resumed.acting())
            if narrow is not None:
                stack.enter_context(narrow.choosing())
            yield

    @cached_property
    def _heads(self) -> dict[Head, Any]:
        return self._origin._heads if self._origin else {}

    def head(self, head: Head) -> Any:
        """The network with a head, read once; a missing head is an error."""
        if head not in self._heads:
            read = network(self.folder, self.layout, head)
            self._heads[head] = on_shared_base(read, self.network)
        return self._heads[head]

    @cached_property
    def next_sentence_check(self) -> NextSentenceCheck:
        """The meaning of the next-sentence head's outputs, determined without interventions."""
        return self._origin.next_sentence_check if self._origin else checked(self)

    def predictor(self, need: type[Any]) -> Any:
        """The model as what a probe asks, such as ``model.predictor(CausalLM)``."""
        return predictor_of(self, need)

    def can_answer(self, need: type[Any]) -> bool:
        """Whether models of this kind have what a probe asks, if their file has the head."""
        return can_answer(self, need)

    @property
    def default_place(self) -> Place:
        """The place of a text's own vector: the declared one, or the mean of the last layer."""
        return Place("sentence") if self.modules else Place("layer", -1, tokens="all")


def load_model(path: str | Path) -> LanguageModel:
    """The model in a folder, or one of the Hugging Face cache by its name; nothing is downloaded.

    Only headers are read now; the weights when a vector is first needed. Erasers that were
    exported with the model act in it.
    """
    where = found_locally(path)
    if is_elmo_folder(where):
        from unslant.models.elmo import load_elmo  # which itself builds on this package

        return load_elmo(where)
    return load_transformer(where)


def load_transformer(path: str | Path, *, called: str = "") -> TransformerModel:
    """The transformer in a folder, ``called`` by its folder if no name is given."""
    folder = replace(read_folder(Path(path)), called=called)
    modules = read_modules(folder)
    layout = ModelLayout.of(folder, modules)
    most = layout.positions
    if layout.kind in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        most -= 2  # positions begin after the number of the padding
    if most < 1:
        raise UnslantError(f"{folder.name} has no positions for pieces.")
    if modules is not None and modules.most is not None:
        most = min(most, modules.most)
    lower = modules is not None and modules.lower
    tokens = read_tokens(folder, most=most, pieces=layout.pieces, lower=lower)
    model = TransformerModel(folder, layout, tokens, modules)
    if INTERVENTION in folder.files:
        intervention = Intervention.load(folder.files.checked(INTERVENTION))
        intervention.check(model)
        model = model.intervened(intervention)
    return model
