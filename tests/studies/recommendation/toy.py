"""Small vectors with a known bias, others without one, and a concept of their words."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import unslant as us

CONCEPT = """
name = "toy"
title = "Toy"
groups = ["left", "right"]
direction = "pair-pca(definitional)"
[words]
left = {left}
right = {right}
[sets]
definitional = {{ columns = ["left", "right"], rows = {pairs} }}
[neutral]
things = {things}
[tests.one]
targets = {{ x = {x}, y = {y} }}
attributes = {{ a = {left}, b = {right} }}
"""


def write_toy(folder: Path) -> None:
    """Vectors whose first axis is the bias, others that have none, and the concept."""
    rng = np.random.default_rng(0)
    names = {
        side: [f"{side}{chr(97 + n)}{chr(97 + m)}" for n in range(3) for m in range(5)]
        for side in ("l", "r", "x", "y")
    }
    rest = ["w" + chr(97 + n // 26) + chr(97 + n % 26) for n in range(400)]
    leans = {"l": 3.0, "r": -3.0, "x": 1.2, "y": -1.2}
    rows: dict[str, Any] = {}
    for side, words in names.items():
        for word in words:
            rows[word] = rng.standard_normal(12) + leans[side] * np.eye(12)[0]
    for word in rest:
        rows[word] = rng.standard_normal(12)
    us.save(us.WordVectors.of(rows, name="toy"), folder / "toy.txt")
    fair: dict[str, Any] = {word: rng.standard_normal(12) for word in rows}
    us.save(us.WordVectors.of(fair, name="fair"), folder / "fair.txt")
    pairs = [list(pair) for pair in zip(names["l"], names["r"], strict=True)]
    text = CONCEPT.format(
        left=json.dumps(names["l"]),
        right=json.dumps(names["r"]),
        pairs=json.dumps(pairs),
        things=json.dumps(names["x"] + names["y"]),
        x=json.dumps(names["x"]),
        y=json.dumps(names["y"]),
    )
    (folder / "toy.toml").write_text(text)
