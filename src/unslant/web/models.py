"""The language models that a page may choose from, by id, and the places in them.

Folders are those that the server was started with. A request names the id of a model and one of
the places listed for it; neither text reaches the file system.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from unslant.concepts import Concept
from unslant.concepts.contexts import BLEACHED
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.places import Place, parse_place
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import load_model
from unslant.studies.verbs import debias
from unslant.vectors import Space
from unslant.web.jobs import Report

MOST_KEPT = 6
_WAIT_SECONDS = 0.2
Key = tuple[str, ...]
Made = TypeVar("Made")


class Models:
    """Models whose weights are read on first use."""

    def __init__(self, folders: Sequence[str] = ()) -> None:
        self._models = {f"m{number}": load_model(path) for number, path in enumerate(folders, 1)}
        self._places = {id: places_of(model) for id, model in self._models.items()}
        self._spaces: dict[Key, Space] = {}
        self._fitted: dict[Key, LanguageModel] = {}
        self._turn = threading.Lock()
        self._report: Report | None = None

    def __contains__(self, id: str) -> bool:
        return id in self._models

    def __getitem__(self, id: str) -> LanguageModel:
        return self._models[id]

    def listed(self) -> list[dict[str, Any]]:
        """The available choices, without reading any weights."""
        return [
            {
                "id": id,
                "name": model.name,
                "note": "language model",
                "places": self._places[id],
                "place": self._usual(id),
            }
            for id, model in self._models.items()
        ]

    def place(self, id: str, text: str) -> Place:
        """The place that a request names, which must be one of those listed; or the usual one."""
        if not text:
            return parse_place(self._usual(id))
        if text not in self._places[id]:
            raise UnknownNameError(f"place in {self._models[id].name}", text, self._places[id])
        return parse_place(text)

    def _usual(self, id: str) -> str:
        """The default place of a model, as listed."""
        model = self._models[id]
        usual = model.default_place
        if usual.tokens == "all":  # the mean, which is also the default of a layer without tokens
            usual = replace(usual, tokens=None)
        site = model.site(usual)
        for text in self._places[id]:
            place = parse_place(text)
            if place.tokens == usual.tokens and replace(model.site(place), place=usual) == site:
                return text
        return self._places[id][-1]

    @contextmanager
    def in_turn(self, report: Report) -> Iterator[None]:
        """One job at a time: interventions act in a network that others would be reading."""
        while not self._turn.acquire(timeout=_WAIT_SECONDS):
            report("Waiting for other work on a model to end", 0, 0)
        self._report = report
        try:
            yield
        finally:
            self._report = None
            self._turn.release()

    def space(self, id: str, place: Place, concept: Concept, chain: str = "") -> Space:
        """The words of a model at a place, after a chain of methods; only :meth:`in_turn`.

        The spaces used last are kept with the vectors that they found.
        """
        key = (id, str(place), chain, concept.content_hash if chain else "")

        def make() -> Space:
            model = self.model(id, concept, chain)
            return model.at(place, BLEACHED, progress=self._told)

        return _kept(self._spaces, key, make)

    def model(self, id: str, concept: Concept, chain: str = "") -> LanguageModel:
        """A model after a chain of methods, fitted on first use; see :meth:`in_turn`."""
        model = self._models[id]
        if not chain:
            return model
        key = (id, concept.content_hash, chain)
        return _kept(self._fitted, key, lambda: debias(chain, model, concept, progress=self._told))

    def _told(self, doing: str, done: int, total: int) -> None:
        """Report to the job whose turn it is: a space outlives the job that made it."""
        if self._report is not None:
            self._report(doing, done, total)


def _kept(kept: dict[Key, Made], key: Key, make: Callable[[], Made]) -> Made:
    """Get or create an entry; the least recently used one is evicted first."""
    entry = kept.pop(key) if key in kept else make()
    kept[key] = entry
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
    return entry


def places_of(model: LanguageModel) -> list[str]:
    """The places of a model, layers also by their first, last or own token."""
    places: list[str] = []
    for place in model.layout.places():
        places.append(str(place))
        if place.component is not None:
            continue
        for tokens in ("cls", "last", "word"):
            try:
                at_tokens = Place(place.part, place.index, tokens=tokens)
                model.site(at_tokens)
            except UnslantError:  # it has no tokens, or the model has no such token
                continue
            places.append(str(at_tokens))
    return places
