"""Erasers in sealed files: arrays as safetensors, everything else as JSON in the header."""

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.expression import parse_chain
from unslant.core.files import atomic_write
from unslant.core.measurement import WordUse
from unslant.core.sealed import Header, Kind, Tensors, sealed
from unslant.erasers.eraser import Eraser, Stage
from unslant.erasers.steps import Action, EachVector, TheseWords
from unslant.erasers.transform import TRANSFORMS, frozen

_FILE = Kind(
    mark="unslant eraser 1",
    what="eraser",
    foreign="is not a fitted eraser. Create one with: unslant debias FILE --with METHOD "
    "--save-eraser OUT.safetensors.",
    remedy="The file may be truncated, damaged or from another version; fit the method again.",
)
_PLAIN = ("parameters", "inputs", "seed", "version")


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


def stages_from(
    plain: Sequence[dict[str, Any]], tensors: Tensors, prefix: str = ""
) -> tuple[Stage, ...]:
    """The stages that :func:`stored_stages` stored; ValueError if an array is not usable."""
    for name, tensor in tensors.items():
        if tensor.dtype != np.float64 or not np.isfinite(tensor).all():
            raise ValueError(f"{name} does not contain finite float64 numbers")
    return tuple(_stage(facts, f"{prefix}{n}", tensors) for n, facts in enumerate(plain))


def _understood(tensors: Tensors, header: Header) -> Eraser:
    eraser = Eraser(stages_from(json.loads(header["stages"]), tensors))
    if eraser.acts_on_any_vector:
        eraser.apply(np.ones((1, eraser.dim)))  # arrays that do not fit together fail here
    return eraser


def _stage(plain: dict[str, Any], prefix: str, tensors: Tensors) -> Stage:
    if not isinstance(plain["expression"], str):
        raise ValueError("it does not name its methods")
    [method] = parse_chain(plain["expression"])
    return Stage(
        method=method,
        name=str(plain.get("name", method)),  # files of earlier versions do not say it
        steps=tuple(
            _step(facts, f"{prefix}.{n}", tensors) for n, facts in enumerate(plain["steps"])
        ),
        removed=tensors.get(f"{prefix}.removed"),
        words=tuple(WordUse.from_dict(use) for use in plain["words"]),
        warnings=tuple(plain["warnings"]),
        details={key.replace(" ", "-"): value for key, value in plain["details"].items()},
        **{name: plain[name] for name in _PLAIN},
    )


def _step(plain: dict[str, Any], prefix: str, tensors: Tensors) -> Action:
    if "these words" in plain:
        words, vectors = tuple(plain["these words"]), tensors[f"{prefix}.vectors"]
        if len(words) != len(vectors) or vectors.ndim != 2:
            raise ValueError("its words and vectors do not agree")
        return TheseWords(words, vectors)
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
    return EachVector(kind(**values), tuple(plain["spared"]))
