"""The interface of language models: places are spaces, interventions return another model."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, Self

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.lineage import Lineage
from unslant.core.places import Place, parse_place
from unslant.core.types import Matrix
from unslant.models.language.interventions import Intervention
from unslant.models.language.layout import Site
from unslant.models.language.name_vectors import NameVectors
from unslant.models.language.passes import vectors
from unslant.models.language.sentences import SentenceModules
from unslant.models.language.space import (
    GivenContexts,
    PlaceSpace,
    WordsInContext,
    piece_vectors,
    space_at,
)
from unslant.models.language.tokens import Pieces
from unslant.models.language.weights import Head
from unslant.predictors.protocols import NameInContext
from unslant.vectors import WordVectors


class ModelFiles(Protocol):
    """The files a model was read from."""

    @property
    def path(self) -> Path:
        """The folder."""

    @property
    def name(self) -> str:
        """The model's name in records and messages."""

    def sha256(self) -> str:
        """A hash of the weights and of everything that says how they are used."""


class Places(Protocol):
    """Which places a model has."""

    @property
    def kind(self) -> str:
        """The architecture."""

    @property
    def layers(self) -> int:
        """How many layers there are."""

    @property
    def width(self) -> int:
        """The width of the last."""

    def site(self, place: Place) -> Site:
        """The site of a place in this model, or an error that says why it has no such place."""

    def places(self) -> list[Place]:
        """Every place that an eraser could act at, from the first to the last."""


class Tokenizer(Protocol):
    """Texts in, pieces out."""

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Every piece with its number; empty for models that spell."""

    @property
    def most(self) -> int:
        """How many pieces a text may have."""

    def of(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of each text."""

    def spans(self, texts: Sequence[str]) -> list[tuple[tuple[int, int] | None, ...]]:
        """The character span of each piece of each text; None for added pieces."""


class LanguageModel(ABC):
    """A model that has a vector for every piece of a text at every place.

    :func:`load_model` reads one. It is never changed: ``intervened`` returns another that shares
    its weights.
    """

    def __init__(
        self,
        folder: ModelFiles,
        layout: Places,
        tokens: Tokenizer,
        modules: SentenceModules | None = None,
        intervention: Intervention | None = None,
        origin: Self | None = None,
    ) -> None:
        self.folder, self.layout, self.tokens, self.modules = folder, layout, tokens, modules
        self.intervention = intervention or Intervention(())
        self._origin = origin
        self._sites: dict[Place, Site] = origin._sites if origin else {}

    @abstractmethod
    def read_network(self) -> Any:
        """The network without a head, with every parameter from the file."""

    @abstractmethod
    def head(self, head: Head) -> Any:
        """The network with a head; a missing head is an error."""

    def predictor(self, need: type[Any]) -> Any:
        """The model as a probe's predictor; without a head it has vectors but no answers."""
        if need is NameInContext:
            return NameVectors(self)
        raise UnslantError(
            f"{self.name} has no head, so it cannot answer as a {need.__name__}. Use a model that "
            f"was saved with its language-model head."
        )

    def can_answer(self, need: type[Any]) -> bool:
        """Whether models of this kind have what a probe asks, if their file has the head."""
        return need is NameInContext

    @property
    @abstractmethod
    def default_place(self) -> Place:
        """The place of a text's own vector."""

    @property
    def lineage(self) -> Lineage:
        """The model's name with its lineage."""
        lineage = Lineage(self.folder.name)
        for step in self.intervention.steps:
            lineage = lineage.then(step.name)
        return lineage

    @property
    def name(self) -> str:
        """The name in records and messages."""
        return str(self.lineage)

    @property
    def original(self) -> Self:
        """The model without any intervention."""
        return self._origin or self

    @cached_property
    def weights_sha256(self) -> str:
        """A hash of the weights, the configuration and the tokenizer."""
        return self._origin.weights_sha256 if self._origin else self.folder.sha256()

    @cached_property
    def content_hash(self) -> str:
        """A hash of the weights and of the interventions."""
        return self.intervention.hash_with(self.weights_sha256)

    @cached_property
    def network(self) -> Any:
        """The network without a head, read when it is first needed."""
        return self._origin.network if self._origin else self.read_network()

    def site(self, place: Place) -> Site:
        """The site of a place, or an error that says why there is none."""
        if place not in self._sites:
            self._sites[place] = self.layout.site(place)
        return self._sites[place]

    def run(self, ids: Any) -> Any:
        """Pass pieces (texts × pieces) through the network."""
        return self.network(input_ids=ids)

    def intervening(
        self, within: Any = None, *, read: float | None = None
    ) -> AbstractContextManager[Any]:
        """A context in which the interventions act in the network, or in one that contains it.

        ``read`` is the depth of the first place that is read meanwhile, if one is; models that
        resume compute everything from there on.
        """
        return self.intervention.on(self, within)

    def sentences(self, states: Any, *, normalise: bool = True) -> Any:
        """Sentence vectors from the last layer's states."""
        assert self.modules is not None
        rows = self.intervention.at_sentence(self.modules.pooled(states))
        return self.modules.normalised(rows) if normalise else rows

    def intervened(self, intervention: Intervention) -> Self:
        """The same model with more interventions, after those it has."""
        return type(self)(
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

        ``model.at("layer:-1[cls]").rows(["She is here."])`` returns the vector of a text, and
        ``model.at("layer:-2[word]", "bleached").rows(["nurse"])`` that of a word in contexts.
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

    def encode(self, sentences: str | Sequence[str]) -> Matrix:
        """One vector for each text, or the vector of one text, as in sentence-transformers."""
        if isinstance(sentences, str):
            one: Matrix = self.encode([sentences])[0]
            return one
        return vectors(self, sentences, [self.default_place])[self.default_place]

    def __repr__(self) -> str:
        shape = f"{self.layout.kind}, {self.layout.layers} layers × {self.layout.width}"
        return f"<{type(self).__name__} {self.name} ({shape})>"

    __str__ = __repr__
