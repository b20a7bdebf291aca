"""Erasers at places of a model: in effect within a context, stored in one sealed file."""

import hashlib
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.files import atomic_write
from unslant.core.places import Place
from unslant.core.sealed import Header, Kind, Tensors, sealed
from unslant.core.text_files import json_from
from unslant.erasers import EachVector, Eraser
from unslant.erasers.store import eraser_from, stored_stages
from unslant.erasers.transform import Transform
from unslant.models.language.hooks import Change, Hooks

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel

INTERVENTION = "intervention.safetensors"
"""The file in a model's folder with the erasers that act in it."""
_FILE = Kind(
    mark="unslant intervention 1",
    what="intervention",
    foreign="is not an intervention. Create one with: unslant debias MODEL --with "
    '"leace@layer:-1" -o OUT.',
    remedy="The file may be truncated, damaged or from another version; fit the methods again.",
)


@dataclass(frozen=True, eq=False)
class AtPlace:
    """One fitted eraser and the place at which it acts."""

    place: Place
    eraser: Eraser

    def __post_init__(self) -> None:
        if self.place.tokens == "word":
            raise UnslantError(
                f"Nothing can act at {self.place}: which word is asked about is known only to a "
                f"measure. Act on every token: {Place(*_without_tokens(self.place))}."
            )

    @property
    def name(self) -> str:
        """Its name in a lineage."""
        return " | ".join(stage.name for stage in self.eraser.stages)

    @cached_property
    def widths(self) -> tuple[int, int]:
        """The widths of its input and output."""
        return self.eraser.dim, self.eraser.dim_out

    @cached_property
    def transforms(self) -> tuple[Transform, ...]:
        """The transformations of every vector."""
        steps = self.eraser.steps
        return tuple(step.transform for step in steps if isinstance(step, EachVector))

    @cached_property
    def content_key(self) -> bytes:
        """Equal for equal maps at the same place, independent of their training data."""
        found = hashlib.sha256(str(self.place).encode())
        for transform in cast(tuple[Any, ...], self.transforms):
            found.update(f"\n{transform.kind}".encode())
            for field in fields(transform):
                _update(found, field.name, getattr(transform, field.name))
        return found.digest()

    def change(self, state: Any) -> Any:
        """The state with its tokens treated: all of them, or the first or last alone."""
        # Parts are joined to a new tensor. Writing into ``state`` would break the gradients of a
        # training and change states that the walk keeps.
        if self.place.tokens == "cls":
            return _joined(self.through(state[:, :1]), state[:, 1:])
        if self.place.tokens == "last":
            return _joined(state[:, :-1], self.through(state[:, -1:]))
        return self.through(state)

    def through(self, rows: Any) -> Any:
        """Vectors of any leading shape through every step; no vector is singled out.

        Erasers act in single precision also where the network around them does not.
        """
        import torch

        with torch.autocast("cpu", enabled=False):
            rows = rows.float() if rows.dtype == torch.bfloat16 else rows
            for transform in self.transforms:
                rows = transform.on_tensor(rows)
        return rows


def _update(found: Any, name: str, value: Any) -> None:
    for item in value if isinstance(value, tuple) else (value,):
        is_array = isinstance(item, np.ndarray)
        found.update(f"\n{name} {item.shape if is_array else item!r}:".encode())
        if is_array:
            found.update(np.ascontiguousarray(item).tobytes())


def _without_tokens(place: Place) -> tuple[Any, ...]:
    return place.part, place.index, place.component, place.head


def _joined(first: Any, second: Any) -> Any:
    import torch

    return torch.cat([first, second], dim=1)


@dataclass(frozen=True, eq=False)
class Intervention:
    """Erasers at places of one model, in the order in which they were fitted.

    ``on`` returns a context in which they act. Parameters of the model are never changed.
    """

    steps: tuple[AtPlace, ...]

    @property
    def expression(self) -> str:
        """The methods with their places, as they can be typed again."""
        return " | ".join(step.eraser.expression for step in self.steps)

    def on(
        self,
        model: "LanguageModel",
        within: Any = None,
        *,
        unless: Callable[[], bool] | None = None,
    ) -> AbstractContextManager[Any]:
        """A context in which the erasers act on a model's network, ``unless`` that is true.

        ``within`` is a network that contains the model's base, such as one with a head.
        """
        self.check(model)
        network = model.network if within is None else base_of(within)
        changes: list[tuple[Any, Change]] = [
            (model.site(step.place), _unless(unless, step.change))
            for step in self.steps
            if step.place.part != "sentence"
        ]
        return Hooks(network, changes)

    def check(self, model: "LanguageModel") -> None:
        """Refuse a model that has no such places, or places of another width."""
        for step in self.steps:
            site = model.site(step.place)
            if step.widths != (site.width, site.width):
                raise UnslantError(
                    f"{step.eraser} has width {step.eraser.dim}, but {step.place} in "
                    f"{model.original.name} has width {site.width}. Fit it for this model."
                )

    def at_sentence(self, rows: Any) -> Any:
        """Sentence vectors before normalisation, after the erasers there."""
        for step in self.steps:
            if step.place.part == "sentence":
                rows = step.through(rows)
        return rows

    def at_wordpieces(self, table: Any) -> Any:
        """The table of word pieces after the erasers there."""
        for step in self.steps:
            if step.place.part == "wordpieces":
                table = step.through(table)
        return table

    def hash_with(self, weights: str) -> str:
        """A hash of the model's weights and of what acts on them."""
        if not self.steps:
            return weights
        return hashlib.sha256(weights.encode() + self._content()).hexdigest()

    def save(self, path: str | Path) -> Path:
        """Write it to a sealed safetensors file, completely or not at all."""
        path = Path(path)
        content = self._content()
        with atomic_write(path) as stream:
            stream.write(content)
        return path

    @property
    def content_hash(self) -> str:
        """A hash of everything that a file of it contains."""
        return hashlib.sha256(self._content()).hexdigest()

    def stored(self) -> tuple[Tensors, Header]:
        """Its arrays and the rest as text, for a sealed file that contains more than this."""
        tensors: Tensors = {}
        stages = [
            stored_stages(step.eraser.stages, tensors, f"{number}.")
            for number, step in enumerate(self.steps)
        ]
        return tensors, {
            "places": json.dumps([str(step.place) for step in self.steps]),
            "stages": json.dumps(stages, allow_nan=False),
        }

    @classmethod
    def from_stored(cls, tensors: Tensors, header: Header) -> "Intervention":
        """The inverse of :meth:`stored`; the file's seal has already been checked."""
        return _understood(tensors, header)

    def _content(self) -> bytes:
        tensors, header = self.stored()
        return sealed(tensors, {"kind": _FILE.mark, **header})

    @classmethod
    def load(cls, path: str | Path) -> "Intervention":
        """The intervention written by :meth:`save`."""
        return _FILE.read(Path(path), _understood)


def _unless(is_off: Callable[[], bool] | None, change: Change) -> Change:
    if is_off is None:
        return change
    return lambda state: state if is_off() else change(state)


def _understood(tensors: Tensors, header: Header) -> Intervention:
    from unslant.core.places import parse_place

    places, stages = json_from(header["places"]), json_from(header["stages"])
    if not isinstance(places, list) or not isinstance(stages, list):
        raise TypeError("its places are not a list")
    return Intervention(
        tuple(
            AtPlace(parse_place(str(place)), eraser_from(plain, tensors, f"{number}."))
            for number, (place, plain) in enumerate(zip(places, stages, strict=True))
        )
    )


def base_of(network: Any) -> Any:
    """The part of a network with a head that has no head."""
    return getattr(network, network.base_model_prefix, network)
