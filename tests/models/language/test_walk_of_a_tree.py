"""The 74 settings of the thesis and random ones, walked and one by one."""

# ruff: noqa: E402
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from benchmarks import walk
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.models.language.resuming import MOST_BYTES, resuming


def _batches() -> list[tuple[Any, Any]]:
    made = torch.Generator().manual_seed(0)
    found = []
    for length in (7, 12):
        ids = torch.randint(5, 20, (4, length), generator=made)
        found.append((ids, (torch.arange(length) > length // 2).long().expand(4, -1)))
    return found


def _walked(model: TransformerModel, settings: Any, batches: Any, most: int) -> tuple[Any, Any]:
    weights = walk._weights(model)
    models = walk._intervened(model, settings)
    places = {step[0] for setting in settings for step in setting}
    with resuming(model, places, most_bytes=most) as kept:
        found = [walk._scores(each, batches, weights, positions=[0]) for each in models]
    return np.array(found), kept


@pytest.mark.parametrize("most", [MOST_BYTES, 4_000])
def test_all_settings_give_what_they_give_alone(
    model_of: Callable[..., TransformerModel], most: int
) -> None:
    model = model_of("bert", False)
    settings = [*walk.thesis_settings(4), *walk.random_settings(4, 60)]
    assert len(settings) == 74 + 60
    found, kept = _walked(model, settings, _batches(), most)
    alone = [
        walk._scores(each, _batches(), walk._weights(model))
        for each in walk._intervened(model, settings)
    ]
    assert np.abs(found - np.array(alone)).max() < 1e-5
    assert len({row.tobytes() for row in found}) == len(settings)
    assert kept.bytes <= most
    if most == MOST_BYTES:
        assert kept.misses == 2  # one for each batch


@pytest.mark.parametrize("name", ["minilm", "gte-small"])
def test_real_models_give_what_they_give_alone(
    real_folder: Callable[[str], Path], name: str, tmp_path: Path
) -> None:
    model = load_transformer(walk._with_pooler(real_folder(name), tmp_path / name))
    every = walk.thesis_settings(12)
    settings = [every[0], every[5], every[20], every[29], every[50], every[73]]
    batches = walk._batches(model, 2)
    found, _ = _walked(model, settings, batches, MOST_BYTES)
    alone = [
        walk._scores(each, batches, walk._weights(model))
        for each in walk._intervened(model, settings)
    ]
    assert np.abs(found - np.array(alone)).max() < 1e-5
