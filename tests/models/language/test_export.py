"""Exported folders: complete, without pickles, loadable by others, or not written at all."""

# ruff: noqa: E402
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.models.language.erasers import random_affine, random_projection, with_eraser
from tests.models.language.folders import SENTENCES, save_sentence_model
from unslant.core.errors import DamagedFileError, OutputError, UnslantError
from unslant.core.places import Place
from unslant.models.language import export as module
from unslant.models.language.export import ONLY_UNSLANT, export
from unslant.models.language.exported_files import write_folded
from unslant.models.language.folding import Folded
from unslant.models.language.interventions import INTERVENTION
from unslant.models.language.model import TransformerModel, load_transformer

ModelOf = Callable[..., TransformerModel]
_REAL = ("She is a nurse.", "He worked as an engineer for years.", "This is a doctor.")


@pytest.mark.parametrize("place", ["sentence", "layer:-1"])
def test_minilm_equals_ours_in_plain_sentence_transformers(
    real_folder: Callable[[str], Path], tmp_path: Path, place: str
) -> None:
    package = pytest.importorskip("sentence_transformers")
    model = load_transformer(real_folder("minilm"))
    for number, eraser in enumerate((random_projection(384), random_affine(384, rank=3))):
        changed = with_eraser(model, eraser, place)
        written = export(changed, tmp_path / f"{number}")
        assert not written.needs_unslant
        plain = package.SentenceTransformer(str(written.folder), device="cpu")
        ours = changed.encode(_REAL)
        assert np.abs(plain.encode(list(_REAL)) - ours).max() < 1e-6
        assert np.abs(model.encode(_REAL) - ours).max() > 1e-2


def test_gte_small_with_an_eraser_in_its_table_loads_in_plain_transformers(
    real_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    model = load_transformer(real_folder("gte-small"))
    changed = with_eraser(model, random_affine(384, rank=1, offset=0.02), "wordpieces")
    assert not export(changed, tmp_path / "out").needs_unslant
    plain = transformers.AutoModel.from_pretrained(tmp_path / "out").eval()
    for text, pieces in zip(_REAL, model.tokens.of(_REAL), strict=True):
        with torch.inference_mode():
            mean = plain(input_ids=torch.tensor([pieces.ids])).last_hidden_state.mean(dim=1)
        assert np.abs(mean.numpy() - changed.encode([text])).max() < 1e-5


def test_smollm_with_a_projection_of_its_last_layer_loads_with_its_head(
    real_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    model = load_transformer(real_folder("smollm2"))
    changed = with_eraser(model, random_projection(model.layout.width), "layer:-1")
    with pytest.raises(UnslantError, match="Other libraries would load the ORIGINAL model"):
        export(changed, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    written = export(changed, tmp_path / "out", loader="heads")
    assert not written.needs_unslant
    assert written.only_in_heads
    assert "ORIGINAL" in written.who_applies
    plain = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "out").eval()
    ours = model.head("causal")
    ids = torch.tensor([model.tokens.of(_REAL[:1])[0].ids])
    with torch.inference_mode():
        with changed.intervening(ours):
            expected = ours(input_ids=ids).logits
        given = plain(input_ids=ids).logits
    assert (given - expected).abs().max() < 1e-5 * expected.abs().max()


def test_with_unslant_alone_the_last_layer_is_debiased_for_us_load_too(
    model_of: ModelOf, tmp_path: Path
) -> None:
    """Weights that only a head reads would leave the vectors of ``us.load`` as they were."""
    model = model_of("bert")
    changed = with_eraser(model, random_projection(16), "layer:-1")
    written = export(changed, tmp_path / "out", loader="unslant")
    assert written.who_applies == ONLY_UNSLANT
    vectors = load_transformer(written.folder).encode(SENTENCES)
    assert np.array_equal(vectors, changed.encode(SENTENCES))
    assert np.abs(vectors - model.encode(SENTENCES)).max() > 1e-2


@pytest.mark.parametrize("where", ["wordpieces", "layer:-1", "sentence"])
def test_whoever_is_said_to_apply_an_eraser_loads_another_model_than_the_original(
    tmp_path: Path, where: str
) -> None:
    package = pytest.importorskip("sentence_transformers")
    model = load_transformer(save_sentence_model(tmp_path / "in"))
    changed = with_eraser(model, random_affine(16), where)
    written = export(changed, tmp_path / "out")
    ids = torch.tensor([model.tokens.of(SENTENCES[:1])[0].ids])
    states = []
    for folder in (tmp_path / "in", written.folder):
        plain = transformers.AutoModel.from_pretrained(folder).eval()
        with torch.inference_mode():
            states.append(plain(input_ids=ids).last_hidden_state)
    differs = bool((states[0] - states[1]).abs().max() > 1e-4)
    assert differs == ("WARNING: plain transformers" not in written.who_applies)
    before, after = (
        package.SentenceTransformer(str(folder), device="cpu").encode(list(SENTENCES))
        for folder in (tmp_path / "in", written.folder)
    )
    assert np.abs(after - changed.encode(SENTENCES)).max() < 1e-6
    assert np.abs(after - before).max() > 1e-3


def test_a_folder_that_sentence_transformers_loads_unchanged_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Dense module is there and ours reads it, but others read a list that lacks it."""
    package = pytest.importorskip("sentence_transformers")
    model = load_transformer(save_sentence_model(tmp_path / "in"))
    changed = with_eraser(model, random_affine(16), "sentence")
    original = package.SentenceTransformer(str(tmp_path / "in"), device="cpu")
    monkeypatch.setattr(package, "SentenceTransformer", lambda *_, **__: original)
    with pytest.raises(UnslantError, match="was not written: the new model differs"):
        export(changed, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_a_folder_that_transformers_loads_unchanged_is_not_written(
    model_of: ModelOf, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(kind)
    plain = transformers.AutoModel.from_pretrained(model.folder.path)
    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", lambda *_, **__: plain)
    with pytest.raises(UnslantError, match="was not written: the new model differs"):
        export(with_eraser(model, random_affine(16), "wordpieces"), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["bert", "albert", "gpt2", "llama"])
def test_what_does_not_fold_is_kept_beside_the_original_files(
    model_of: ModelOf, kind: str, tmp_path: Path
) -> None:
    model = model_of(kind)
    changed = with_eraser(model, random_affine(16), "layer:2")
    with pytest.raises(UnslantError, match=r"residual path.*would load the ORIGINAL model"):
        export(changed, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    written = export(changed, tmp_path / "out", loader="unslant")
    assert "residual path" in written.why_not_folded
    for path in model.folder.path.iterdir():
        assert (written.folder / path.name).read_bytes() == path.read_bytes()
    read = load_transformer(written.folder)
    assert np.array_equal(read.encode(SENTENCES), changed.encode(SENTENCES))
    assert np.array_equal(read.original.encode(SENTENCES), model.encode(SENTENCES))
    assert read.content_hash == changed.content_hash
    card = (written.folder / "README.md").read_text()
    assert 'us.load("out")' in card
    assert ONLY_UNSLANT in card
    assert "residual path" in card


def test_a_damaged_or_foreign_intervention_is_refused(model_of: ModelOf, tmp_path: Path) -> None:
    changed = with_eraser(model_of("bert"), random_affine(16), "layer:2")
    path = export(changed, tmp_path / "out", loader="unslant").folder / INTERVENTION
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match="checksum"):
        load_transformer(tmp_path / "out")
    with_eraser(model_of("bert"), random_affine(5), "layer:2").intervention.save(path)
    with pytest.raises(UnslantError, match="has width 5, but layer:2"):
        load_transformer(tmp_path / "out")


def test_the_card_is_kept_and_gets_one_section(tmp_path: Path) -> None:
    model = load_transformer(save_sentence_model(tmp_path / "in"))
    original = (tmp_path / "in" / "README.md").read_text()
    changed = with_eraser(model, random_affine(16), "sentence")
    written = export(changed, tmp_path / "out", "| measure | before | after |")
    card = (written.folder / "README.md").read_text()
    assert card.startswith(original.rstrip())
    assert card.count("## Debiased with Unslant") == 1
    assert "- `toy` at `sentence`" in card
    assert "| measure | before | after |" in card


def test_an_exported_model_can_be_exported_again(tmp_path: Path) -> None:
    model = load_transformer(save_sentence_model(tmp_path / "in", dense=("tanh",)))
    once = with_eraser(model, random_affine(16, seed=1), "layer:-1")
    first = load_transformer(export(once, tmp_path / "first").folder)
    twice = with_eraser(first, random_affine(14, seed=2), "sentence")
    second = load_transformer(export(twice, tmp_path / "second").folder)
    assert np.abs(second.encode(SENTENCES) - twice.encode(SENTENCES)).max() < 1e-6
    kinds = [entry["type"] for entry in json.loads((tmp_path / "second/modules.json").read_text())]
    names = [kind.rsplit(".", 1)[-1] for kind in kinds]
    assert names == ["Transformer", "Pooling", "Dense", "Dense", "Dense", "Normalize"]


def test_only_known_files_are_copied_and_no_pickles(tmp_path: Path) -> None:
    folder = save_sentence_model(tmp_path / "in")
    for name in ("pytorch_model.bin", "training_args.bin", "notes.txt", "evil.py"):
        (folder / name).write_bytes(b"\x80\x04.")
    model = load_transformer(folder)
    for number, place in enumerate(("sentence", "layer:2")):
        changed = with_eraser(model, random_affine(16), place)
        out = export(changed, tmp_path / f"{number}", loader="unslant").folder
        names = {path.name for path in out.rglob("*")}
        assert not names & {"pytorch_model.bin", "training_args.bin", "notes.txt", "evil.py"}
        assert {"model.safetensors", "config.json", "tokenizer.json", "README.md"} <= names


def test_an_existing_target_is_refused_and_kept(model_of: ModelOf, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("out", "link"):
        with pytest.raises(OutputError, match="already exists"):
            export(model_of("bert"), tmp_path / name)
    with pytest.raises(OutputError, match="Cannot write"):
        export(model_of("bert"), tmp_path / "no" / "such" / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "out"]


@pytest.mark.parametrize("place", ["wordpieces", "layer:2"])
def test_a_full_disk_leaves_nothing(
    model_of: ModelOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    changed = with_eraser(model_of("bert"), random_affine(16), place)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for owner, name in ((shutil, "copyfile"), (Path, "write_text"), (Path, "rename")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, full)
            with pytest.raises(OutputError, match="No space left"):
                export(changed, tmp_path / "out", loader="unslant")
        assert list(tmp_path.iterdir()) == []
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_card", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            export(changed, tmp_path / "out", loader="unslant")
    assert list(tmp_path.iterdir()) == []


def test_safetensors_that_cannot_be_written_leave_nothing(
    model_of: ModelOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import safetensors.torch

    def full(*_: object, **__: object) -> None:
        raise safetensors.SafetensorError("Error while serializing: I/O error: No space left")

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(OutputError, match="No space left"):
        export(with_eraser(model_of("bert"), random_affine(16), "wordpieces"), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_differs_from_ours_is_not_shipped(
    model_of: ModelOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def wrong(model: TransformerModel, result: Folded, target: Path) -> None:
        arrays = dict(result.arrays)
        name = next(name for name in arrays if name.endswith("query.weight"))
        arrays[name] = arrays[name] + 0.01
        write_folded(model, replace(result, arrays=arrays), target)

    monkeypatch.setattr(module, "write_folded", wrong)
    with pytest.raises(UnslantError, match="was not written: the new model differs"):
        export(with_eraser(model_of("bert"), random_affine(16), "wordpieces"), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_interventions_is_exported_as_it_is(
    model_of: ModelOf, tmp_path: Path
) -> None:
    model = model_of("llama")
    written = load_transformer(export(model, tmp_path / "out").folder)
    assert np.array_equal(written.encode(SENTENCES), model.encode(SENTENCES))
    assert written.site(Place("wordpieces")).width == 16


@pytest.mark.parametrize("place", ["wordpieces", "layer:2"])
def test_a_model_in_several_files_is_exported_too(
    folder_of: Callable[..., Path], tmp_path: Path, place: str
) -> None:
    plain = transformers.AutoModelForCausalLM.from_pretrained(folder_of("llama-untied"))
    plain.save_pretrained(tmp_path / "in", max_shard_size="4KB")
    shutil.copy(folder_of("llama-untied") / "tokenizer.json", tmp_path / "in")
    model = load_transformer(tmp_path / "in")
    assert len(model.folder.weights) > 2
    changed = with_eraser(model, random_affine(16), place)
    written = export(changed, tmp_path / "out", loader="unslant")
    assert written.needs_unslant == (place == "layer:2")
    read = load_transformer(written.folder)
    assert np.abs(read.encode(SENTENCES) - changed.encode(SENTENCES)).max() < 1e-5


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_decoder_saved_without_its_tied_head_keeps_the_original_head(
    model_of: ModelOf, kind: str, tmp_path: Path
) -> None:
    """The head is the table of word pieces, which changes for what is read, not what is written."""
    model = model_of(kind, False)
    changed = with_eraser(model, random_projection(16), "wordpieces")
    export(changed, tmp_path / "out")
    plain = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "out").eval()
    table = model.network.get_submodule(model.site(Place("wordpieces")).module).weight
    assert torch.equal(plain.lm_head.weight, table)
    assert not torch.equal(plain.get_input_embeddings().weight, table)
    ids = torch.tensor([model.tokens.of(SENTENCES[:1])[0].ids])
    with torch.inference_mode(), changed.intervening():
        expected = model.network(input_ids=ids)[0] @ table.T
        assert (plain(input_ids=ids).logits - expected).abs().max() < 1e-5
