"""A language model as a resource: its places are spaces, and interventions give another model."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.lineage import Lineage
from unslant.core.places import Place, parse_place
from unslant.models.language.folder import ModelFolder, read_folder
from unslant.models.language.heads import on_shared_base
from unslant.models.language.hub import found_locally
from unslant.models.language.interventions import Intervention
from unslant.models.language.layout import Layout, Site
from unslant.models.language.passes import vectors
from unslant.models.language.predicting import predictor_of
from unslant.models.language.sentences import SentenceModules, read_modules
from unslant.models.language.space import (
    GivenContexts,
    PlaceSpace,
    WordsInContext,
    piece_vectors,
    space_at,
)
from unslant.models.language.tokens import Tokens, read_tokens
from unslant.models.language.weights import Head, network
from unslant.vectors import WordVectors

Matrix = NDArray[np.float32]


class LanguageModel:
    """A model that gives every piece of a text a vector at every place.

    :func:`load_model` reads one. It is never changed: ``intervened`` gives another one that shares
    its weights.
    """

    def __init__(
        self,
        folder: ModelFolder,
        layout: Layout,
        tokens: Tokens,
        modules: SentenceModules | None = None,
        intervention: Intervention | None = None,
        origin: "LanguageModel | None" = None,
    ) -> None:
        self.folder, self.layout, self.tokens, self.modules = folder, layout, tokens, modules
        self.intervention = intervention or Intervention(())
        self._origin = origin

    @property
    def lineage(self) -> Lineage:
        """The model's name and what was done to it."""
        lineage = Lineage(self.folder.name)
        for step in self.intervention.steps:
            lineage = lineage.then(step.name)
        return lineage

    @property
    def name(self) -> str:
        """What records and messages call it."""
        return str(self.lineage)

    @property
    def original(self) -> "LanguageModel":
        """The model without any intervention."""
        return self._origin or self

    @cached_property
    def weights_sha256(self) -> str:
        """A hash of the weights, the configuration and the tokenizer."""
        return self._origin.weights_sha256 if self._origin else self.folder.sha256()

    @property
    def content_hash(self) -> str:
        """A hash of the weights and of the interventions."""
        return self.intervention.hash_with(self.weights_sha256)

    @cached_property
    def network(self) -> Any:
        """The network without a head, read when it is first needed."""
        return self._origin.network if self._origin else network(self.folder, self.layout)

    @cached_property
    def _heads(self) -> dict[Head, Any]:
        return self._origin._heads if self._origin else {}

    def head(self, head: Head) -> Any:
        """The network with a head, read once; a head that the file lacks is an error."""
        if head not in self._heads:
            read = network(self.folder, self.layout, head)
            self._heads[head] = on_shared_base(read, self.network)
        return self._heads[head]

    def predictor(self, need: type[Any]) -> Any:
        """The model as what a probe asks, such as ``model.predictor(CausalLM)``."""
        return predictor_of(self, need)

    def site(self, place: Place) -> Site:
        """Where a place is; one sentence says why there is none."""
        return self.layout.site(place)

    def run(self, ids: Any) -> Any:
        """Pass pieces (texts × pieces) through the network."""
        return self.network(input_ids=ids)

    def intervening(self, within: Any = None) -> AbstractContextManager[Any]:
        """A context in which the interventions act in the network, or in one that contains it."""
        return self.intervention.on(self, within)

    def sentences(self, states: Any, *, normalise: bool = True) -> Any:
        """The sentence vectors made of the last layer's states."""
        assert self.modules is not None
        rows = self.intervention.at_sentence(self.modules.pooled(states))
        return self.modules.normalised(rows) if normalise else rows

    def intervened(self, intervention: Intervention) -> "LanguageModel":
        """The same model with more interventions, after those it has."""
        return LanguageModel(
            self.folder,
            self.layout,
            self.tokens,
            self.modules,
            Intervention((*self.intervention.steps, *intervention.steps)),
            self.original,
        )

    def at(
        self, place: Place | str, contexts: GivenContexts | None = None, **options: Any
    ) -> PlaceSpace | WordsInContext | WordVectors:
        """The space at a place: of texts, of words in contexts, or the table of word pieces.

        >>> model.at("layer:-1[cls]").rows(["She is here."])      # doctest: +SKIP
        >>> model.at("layer:-2[word]", "bleached").rows(["nurse"])  # doctest: +SKIP
        """
        place = parse_place(place) if isinstance(place, str) else place
        self.site(place)
        if place.part == "wordpieces":
            return piece_vectors(self)
        return space_at(self, place, contexts, **options)

    def vectors(
        self,
        texts: Sequence[str],
        places: Sequence[Place | str],
        progress: Progress | None = None,
    ) -> dict[Place, Matrix]:
        """One vector for each text at each place, in one pass through the network."""
        parsed = [parse_place(place) if isinstance(place, str) else place for place in places]
        return vectors(self, texts, parsed, progress)

    @property
    def default_place(self) -> Place:
        """Where a text's own vector is: what the folder declares, or the mean of the last layer."""
        return Place("sentence") if self.modules else Place("layer", -1, tokens="all")

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """The sentence vectors, as for any encoder of sentences."""
        return vectors(self, sentences, [self.default_place])[self.default_place]

    def __repr__(self) -> str:
        shape = f"{self.layout.kind}, {self.layout.layers} layers × {self.layout.width}"
        return f"<LanguageModel {self.name} ({shape})>"

    __str__ = __repr__


def load_model(path: str | Path, *, cut: bool = False) -> LanguageModel:
    """The model in a folder, or one of the Hugging Face cache by its name; nothing is downloaded.

    Only headers are read now; the weights when a vector is first asked for.
    """
    folder = read_folder(found_locally(path))
    modules = read_modules(folder)
    layout = Layout.of(folder, has_sentence=modules is not None)
    most = layout.positions
    if layout.kind in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        most -= 2  # positions begin after the number of the padding
    if most < 1:
        raise UnslantError(f"{folder.name} has no positions for pieces.")
    if modules is not None and modules.most is not None:
        most = min(most, modules.most)
    tokens = read_tokens(folder, most=most, pieces=layout.pieces)
    return LanguageModel(folder, layout, tokens, modules)
