"""Spaces at several places of one model that encode every text once for all of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unslant.concepts.contexts import GivenContexts, TypeContexts, any_contexts_from
from unslant.core.errors import refuse_one_text
from unslant.core.files import Progress
from unslant.core.places import Place, parse_place
from unslant.core.types import Matrix
from unslant.models.language.averages import type_averages_at
from unslant.models.language.passes import vectors
from unslant.models.language.space import PlaceSpace, WordsInContext
from unslant.vectors import WordVectors

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel


class SharedSpace(PlaceSpace):
    """One of several spaces of a model that share their forward passes."""

    def __init__(
        self, model: "LanguageModel", place: Place, progress: Progress | None, of: "_Together"
    ) -> None:
        super().__init__(model, place, progress=progress)
        self._together = of

    def rows(self, items: Sequence[str]) -> Matrix:
        """The vectors of texts; new ones are encoded at every place of the group in one pass."""
        refuse_one_text(items, self.name)
        new = [text for text in dict.fromkeys(items) if text not in self._known]
        if new:
            self._together.learn(new)
        return super().rows(items)

    def learn(self, texts: Sequence[str], rows: Matrix) -> None:
        """Keep the vectors of texts."""
        self._known.update(zip(texts, np.asarray(rows), strict=True))


class _Together:
    def __init__(self, model: "LanguageModel", progress: Progress | None) -> None:
        self._model, self._progress = model, progress
        self.spaces: list[SharedSpace] = []

    def learn(self, texts: list[str]) -> None:
        places = [space.place for space in self.spaces]
        found = vectors(self._model, texts, places, self._progress)
        for space in self.spaces:
            space.learn(texts, found[space.place])


def spaces_at(
    model: "LanguageModel",
    places: Sequence[Place | str],
    contexts: GivenContexts | None = None,
    progress: Progress | None = None,
) -> list[SharedSpace | WordsInContext | WordVectors]:
    """A space for each place; a pass through the network serves all of them.

    With ``contexts`` they are spaces of words in these contexts, as those of ``model.at``.
    """
    around = None if contexts is None else any_contexts_from(contexts)
    if isinstance(around, TypeContexts):
        return [
            *type_averages_at(model, places, around.path, least=around.least, progress=progress)
        ]
    together = _Together(model, progress)
    for place in places:
        parsed = parse_place(place) if isinstance(place, str) else place
        together.spaces.append(SharedSpace(model, parsed, progress, together))
    if around is None:
        return [*together.spaces]
    return [WordsInContext(space, around) for space in together.spaces]
