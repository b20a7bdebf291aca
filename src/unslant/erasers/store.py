"""Erasers in sealed files: arrays as safetensors, everything else as JSON in the header."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.expression import parse_chain
from unslant.core.files import atomic_write
from unslant.core.measurement import WordUse
from unslant.core.plain import from_plain
from unslant.core.sealed import Header, Kind, Tensors, sealed
from unslant.core.text_files import json_from
from unslant.erasers.eraser import Eraser, Stage
from unslant.erasers.transform import TRANSFORMS, Action, EachVector, TheseWords, frozen

_FILE = Kind(
    mark="unslant eraser 1",
    what="eraser",
    foreign="is not a fitted eraser. Create one with: unslant debias FILE --with METHOD "
    "--save-eraser OUT.safetensors.",
    remedy="The file may be truncated, damaged or from another version; fit the method again.",
)


@dataclass(frozen=True, kw_only=True)
class _PlainStage:
    """A stage without its arrays, as the header has it."""

    expression: str
    name: str
    parameters: Mapping[str, Any]
    inputs: Mapping[str, str]
    words: tuple[WordUse, ...]
    details: Mapping[str, float | int | str | bool | None]
    warnings: tuple[str, ...]
    seed: int | None
    version: str
    steps: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class _PlainStages:
    stages: tuple[_PlainStage, ...]


def write_eraser(eraser: Eraser, path: Path) -> Path:
    """Write an eraser, completely or not at all."""
    tensors: Tensors = {}
    stages = stored_stages(eraser.stages, tensors)
    header = {"kind": _FILE.mark, "stages": json.dumps(stages, allow_nan=False)}
    with atomic_write(path) as stream:
        stream.write(sealed(tensors, header))
    return path


def stored_stages(
    stages: Sequence[Stage], tensors: Tensors, prefix: str = ""
) -> list[dict[str, Any]]:
    """Stages as plain values, with their arrays added to ``tensors``."""
    found = []
    for number, stage in enumerate(stages):
        plain = {**stage.to_dict(), "name": stage.name}
        if stage.removed is not None:
            tensors[f"{prefix}{number}.removed"] = frozen(stage.removed)
        plain["steps"] = [
            _step_facts(step, f"{prefix}{number}.{place}", tensors)
            for place, step in enumerate(stage.steps)
        ]
        found.append(plain)
    return found


def _step_facts(step: Action, prefix: str, tensors: Tensors) -> dict[str, Any]:
    if isinstance(step, TheseWords):
        tensors[f"{prefix}.vectors"] = frozen(step.vectors)
        return {"these words": list(step.words)}
    transform: Any = step.transform
    facts: dict[str, Any] = {}
    for field in fields(transform):
        value = getattr(transform, field.name)
        if isinstance(value, np.ndarray):
            tensors[f"{prefix}.{field.name}"] = frozen(value)
        elif isinstance(value, tuple):
            facts[field.name] = {"arrays": len(value)}
            for place, item in enumerate(value):
                tensors[f"{prefix}.{field.name}.{place}"] = frozen(item)
        else:
            facts[field.name] = value
    return {"each vector": transform.kind, "facts": facts, "spared": list(step.spared)}


def read_eraser(path: Path) -> Eraser:
    """The eraser in a file; any other file raises an error with the reason."""
    return _FILE.read(path, _understood)


def eraser_from(plain: Any, tensors: Tensors, prefix: str = "") -> Eraser:
    """The eraser whose stages :func:`stored_stages` stored, tried once.

    UnslantError or ValueError if it does not fit: the seal of a file only shows that it is as it
    was written.
    """
    for name, tensor in tensors.items():
        if tensor.dtype != np.float64 or not np.isfinite(tensor).all():
            raise ValueError(f"{name} does not contain finite float64 numbers")
    stages = from_plain(_PlainStages, {"stages": plain}).stages
    eraser = Eraser(tuple(_stage(one, f"{prefix}{n}", tensors) for n, one in enumerate(stages)))
    if eraser.acts_on_any_vector:
        for precision in (np.float64, np.float32):  # numbers that are too large fail here
            eraser.apply(np.ones((1, eraser.dim), dtype=precision))
    return eraser


def _understood(tensors: Tensors, header: Header) -> Eraser:
    return eraser_from(json_from(header["stages"]), tensors)


def _stage(plain: _PlainStage, prefix: str, tensors: Tensors) -> Stage:
    [method] = parse_chain(plain.expression)
    return Stage(
        method=method,
        name=plain.name or str(method),
        steps=tuple(_step(facts, f"{prefix}.{n}", tensors) for n, facts in enumerate(plain.steps)),
        removed=tensors.get(f"{prefix}.removed"),
        parameters=plain.parameters,
        inputs=plain.inputs,
        words=plain.words,
        details={key.replace(" ", "-"): value for key, value in plain.details.items()},
        warnings=plain.warnings,
        seed=plain.seed,
        version=plain.version,
    )


def _step(plain: Mapping[str, Any], prefix: str, tensors: Tensors) -> Action:
    if "these words" in plain:
        return TheseWords(_texts(plain["these words"]), tensors[f"{prefix}.vectors"])
    kind = TRANSFORMS[plain["each vector"]]
    values: dict[str, Any] = {}
    for field in fields(kind):
        fact = plain["facts"].get(field.name)
        if f"{prefix}.{field.name}" in tensors:
            values[field.name] = tensors[f"{prefix}.{field.name}"]
        elif isinstance(fact, dict):
            values[field.name] = tuple(
                tensors[f"{prefix}.{field.name}.{n}"] for n in range(fact["arrays"])
            )
        else:
            values[field.name] = fact
    return EachVector(kind(**values), _texts(plain["spared"]))


def _texts(words: Any) -> tuple[str, ...]:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("its words are not a list of texts")
    return tuple(words)
