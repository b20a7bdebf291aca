"""Texts through a network: batches of equal length, read at several places in one pass."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import UnslantError, refuse_one_text
from unslant.core.files import Progress
from unslant.core.places import Place
from unslant.models.language.hooks import Change, Hooks
from unslant.models.language.layout import Site
from unslant.models.language.tokens import Pieces, without_marks

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel

from unslant.core.types import Matrix

TOKENS_IN_A_BATCH = 4_096
"""Enough for the products to run at full speed, few enough for states to stay in the cache."""
_SHOWN = 60


class _Enough(BaseException):
    pass


@dataclass(frozen=True)
class EncodedBatch:
    """Some of the texts, of equal length, and their states at each place.

    A state has the shape texts × pieces × width, or texts × width where a text has one vector.
    """

    rows: tuple[int, ...]
    pieces: tuple[Pieces, ...]
    states: Mapping[Place, Any]


def batches(
    model: "LanguageModel",
    texts: Sequence[str],
    places: Sequence[Place],
    progress: Progress | None = None,
    *,
    normalise: bool = True,
) -> Iterator[EncodedBatch]:
    """The states of texts at places, a batch at a time; nothing is padded.

    Texts of one length share a batch, so that no result depends on the other texts.
    """
    pieces = model.tokens.of(texts)
    lengths: dict[int, list[int]] = {}
    for row, item in enumerate(pieces):
        lengths.setdefault(len(item), []).append(row)
    done = 0
    for length, rows in sorted(lengths.items()):
        size = max(1, TOKENS_IN_A_BATCH // length)
        for start in range(0, len(rows), size):
            chosen = tuple(rows[start : start + size])
            part = tuple(pieces[row] for row in chosen)
            yield EncodedBatch(chosen, part, states(model, part, places, normalise=normalise))
            done += len(chosen)
            if progress:
                progress(f"Encoding with {model.name}", done, len(texts))


def states(
    model: "LanguageModel",
    pieces: Sequence[Pieces],
    places: Sequence[Place],
    *,
    normalise: bool = True,
) -> dict[Place, Any]:
    """The states of texts of one length at places, with the model's interventions in effect."""
    import torch

    sites = [model.site(place) for place in places]
    inner = [site for site in sites if site.place.part != "sentence"]
    found: dict[Place, Any] = {}
    if len(inner) < len(sites):
        inner = [*inner, model.site(Place("layer", -1))]
    waiting = {site.place for site in inner}

    def reading(site: Site) -> Change:
        def keep(state: Any) -> Any:
            if site.place not in waiting:  # a later call, for something else than the tokens
                return state
            found[site.place] = state
            waiting.discard(site.place)
            if not waiting:
                raise _Enough
            return state

        return keep

    ids = torch.tensor([item.ids for item in pieces])
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(model.intervening(read=min(site.depth for site in inner)))
        stack.enter_context(Hooks(model.network, [(site, reading(site)) for site in inner]))
        with suppress(_Enough):
            model.run(ids)
        for site in sites:
            if site.place.part == "sentence":
                found[site.place] = model.sentences(found[Place("layer", -1)], normalise=normalise)
    return found


def vectors(
    model: "LanguageModel",
    texts: Sequence[str],
    places: Sequence[Place],
    progress: Progress | None = None,
    *,
    normalise: bool = True,
) -> dict[Place, Matrix]:
    """One vector for each text at each place: of the tokens that the place names."""
    refuse_one_text(texts, model.name)
    found = {
        place: np.empty((len(texts), model.site(place).width), dtype=np.float32) for place in places
    }
    for batch in batches(model, texts, places, progress, normalise=normalise):
        for place, state in batch.states.items():
            if place in found:
                found[place][list(batch.rows)] = _pooled(place, state, batch, texts).float().numpy()
    return found


def _pooled(place: Place, state: Any, batch: EncodedBatch, texts: Sequence[str]) -> Any:
    if state.dim() == 2:
        return state
    if place.tokens == "cls":
        return state[:, 0]
    if place.tokens == "last":
        return state[:, -1]
    if place.tokens == "word":
        return _of_words(state, batch, texts)
    return state.mean(dim=1)


def _of_words(state: Any, batch: EncodedBatch, texts: Sequence[str]) -> Any:
    """The mean over the pieces of each marked word."""
    weights = state.new_zeros(state.shape[:2])
    for number, (row, pieces) in enumerate(zip(batch.rows, batch.pieces, strict=True)):
        if not pieces.word:
            shown = without_marks(texts[row])[:_SHOWN]
            raise UnslantError(
                f'No word is marked in "{shown}", but the place asks for [word]. Mark it as in '
                f'"This is [[she]].", or use [all].'
            )
        weights[number, list(pieces.word)] = 1 / len(pieces.word)
    return (weights[:, :, None] * state).sum(dim=1)
