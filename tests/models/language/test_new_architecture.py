"""docs/add-an-architecture.md is true: its row is enough for an architecture to work."""

# ruff: noqa: E402
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.models.language import folders
from tests.models.language.erasers import random_affine, random_projection, with_eraser
from tests.models.language.folders import SENTENCES
from unslant.core.errors import UnslantError
from unslant.core.places import Place, parse_place
from unslant.models.language import architectures
from unslant.models.language.export import export
from unslant.models.language.model import load_transformer
from unslant.models.language.passes import states

PAGE = Path(__file__).parents[3] / "docs" / "add-an-architecture.md"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    usual = folders.CONFIGURATIONS["bert"][1]
    monkeypatch.setattr(folders, "CONFIGURATIONS", {"ernie": ("ernie", usual)})
    return folders.save(tmp_path / "ernie", "ernie")


def test_without_its_row_the_architecture_is_refused(folder: Path) -> None:
    with pytest.raises(UnslantError, match=r"'ernie', which is not supported.*add-an-architecture"):
        load_transformer(folder)


def test_the_row_on_the_page_is_enough(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    made: dict[str, Any] = {}
    exec(block, made)
    rows = {**architectures.ARCHITECTURES, "ernie": made["ERNIE"]}
    monkeypatch.setattr(architectures, "ARCHITECTURES", rows)
    model = load_transformer(folder)
    plain = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    pieces = model.tokens.of(SENTENCES[:1])
    ids = torch.tensor([pieces[0].ids])
    places = [Place("embeddings"), *(Place("layer", n) for n in (1, 2, 3))]
    with torch.inference_mode():
        given = plain(input_ids=ids, output_hidden_states=True).hidden_states
    for place, expected in zip(places, given, strict=True):
        assert (states(model, pieces, [place])[place] - expected).abs().max() < 1e-6
    for text in ("wordpieces", "layer:2.query:1", "layer:-1"):
        place = parse_place(text)
        changed = with_eraser(model, random_affine(model.site(place).width), text)
        assert not export(changed, tmp_path / text, loader="heads").needs_unslant
    changed = with_eraser(model, random_projection(16), "layer:2")
    assert export(changed, tmp_path / "hooked", loader="unslant").needs_unslant
    read = load_transformer(tmp_path / "hooked")
    assert np.array_equal(read.encode(SENTENCES), changed.encode(SENTENCES))


def test_every_field_of_a_row_is_explained_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for field in architectures.Architecture.__dataclass_fields__:
        assert f"{field}=" in page or f"`{field}`" in page
