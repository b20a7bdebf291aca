"""Tuned models as folders: made once, the same after a kill, and loaded by plain transformers."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from safetensors.numpy import load_file  # noqa: E402
from safetensors.torch import load_file as load_tensors  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

from tests.models.debias_training.setups import FAST, fact, setup, written_text  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.core.files import cache_folder  # noqa: E402
from unslant.models.debias_training import training as training_module  # noqa: E402
from unslant.models.debias_training.context_debias import ContextDebias  # noqa: E402
from unslant.models.debias_training.language import TrainingControl  # noqa: E402
from unslant.models.debias_training.leace_in_training import LeaceInTraining  # noqa: E402
from unslant.models.debias_training.training import (  # noqa: E402
    TUNING,
    kept_folder,
    read_record,
    tuned,
)
from unslant.models.language.model import load_transformer  # noqa: E402
from unslant.models.language.weights import Head  # noqa: E402

IDS = [[1, 5, 6, 4, 7, 2]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))
    written_text(tmp_path / "text.txt")
    return tmp_path


def control(folder: Path, **given: Any) -> TrainingControl:
    return TrainingControl(text=str(folder / "text.txt"), **{**FAST, **given})


def masked_logits(folder: Path) -> Any:
    network, found = transformers.AutoModelForMaskedLM.from_pretrained(
        folder, output_loading_info=True
    )
    assert not any(found[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    with torch.inference_mode():
        return network.eval()(input_ids=torch.tensor(IDS)).logits


@pytest.mark.parametrize("tune", ["all", "last:1", "adapters:2"])
def test_the_folder_is_the_trained_network_in_plain_transformers(folder: Path, tune: str) -> None:
    on = setup(folder)
    bytes_before = (folder / "bert/model.safetensors").read_bytes()
    model, [stage] = tuned(control(folder, tune=tune), on)
    with torch.inference_mode():
        ours = model.head("masked")(input_ids=torch.tensor(IDS)).logits
    theirs = masked_logits(model.folder.path)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6)
    assert (theirs - masked_logits(folder / "bert")).abs().max() > 1e-3
    assert (folder / "bert/model.safetensors").read_bytes() == bytes_before
    assert model.name.startswith("bert.control(text=sha256:")
    assert stage.details["steps"] == 12
    one, other = (
        load_file(at / "model.safetensors") for at in (folder / "bert", model.folder.path)
    )
    frozen = "bert.encoder.layer.0.attention.self.query.weight"
    assert (one[frozen] == other[frozen]).all() == (tune == "last:1")
    assert (one["cls.predictions.bias"] != other["cls.predictions.bias"]).all()
    config = json.loads((model.folder.path / "config.json").read_text())
    assert config["hidden_dropout_prob"] == 0.1


def test_a_table_that_is_stored_twice_is_the_trained_one_both_times(folder: Path) -> None:
    setup(folder)
    path = folder / "bert/model.safetensors"
    arrays = load_tensors(path)
    table = arrays["bert.embeddings.word_embeddings.weight"]
    arrays["cls.predictions.decoder.weight"] = table.clone()
    arrays["cls.predictions.decoder.bias"] = arrays["cls.predictions.bias"].clone()
    save_file(arrays, path, metadata={"format": "pt"})
    how = ContextDebias(text=str(folder / "text.txt"), **FAST)
    for method in (how, control(folder)):
        model, _ = tuned(method, setup(folder))
        stored = load_file(model.folder.path / "model.safetensors")
        shared = stored["bert.embeddings.word_embeddings.weight"]
        assert (stored["cls.predictions.decoder.weight"] == shared).all()
        assert (shared != table.numpy()).any()
        with torch.inference_mode():
            ours = model.head("masked")(input_ids=torch.tensor(IDS)).logits
        torch.testing.assert_close(ours, masked_logits(model.folder.path), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["roberta", "albert", "gpt2", "llama-untied"])
def test_other_architectures_are_tuned_too(folder: Path, kind: str) -> None:
    model, _ = tuned(control(folder), setup(folder, kind))
    head: Head = "causal" if model.layout.architecture.is_decoder else "masked"
    auto = transformers.AutoModelForCausalLM if head == "causal" else None
    auto = auto or transformers.AutoModelForMaskedLM
    plain = auto.from_pretrained(model.folder.path).eval()
    with torch.inference_mode():
        ours = model.head(head)(input_ids=torch.tensor(IDS)).logits
        torch.testing.assert_close(ours, plain(input_ids=torch.tensor(IDS)).logits)


@pytest.mark.parametrize("kind", ["bert", "albert"])
def test_a_pooler_that_no_loss_reads_stays_as_it_is(folder: Path, kind: str) -> None:
    cases: tuple[dict[str, Any], ...] = ({}, {"layers": "first", "beta": 0.0})
    for given in cases:
        how = ContextDebias(text=str(folder / "text.txt"), **FAST, **given)
        model, _ = tuned(how, setup(folder, kind, head=False))
        old, new = (
            load_file(each / "model.safetensors") for each in (folder / kind, model.folder.path)
        )
        changed = {name for name in old if (old[name] != new[name]).any()}
        assert changed
        assert not [name for name in changed if "pooler" in name]
        is_first = all("embedding" in name for name in changed)
        assert is_first == bool(given)


def test_the_same_training_is_done_once_and_another_one_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    made = training_module._trained

    def counted(method: Any, on: Any, target: Path, *more: Any, **named: Any) -> None:
        done.append(target.name)
        made(method, on, target, *more, **named)

    monkeypatch.setattr(training_module, "_trained", counted)
    first, _ = tuned(control(folder), setup(folder))
    again, _ = tuned(control(folder), setup(folder))
    assert len(done) == 1
    assert first.content_hash == again.content_hash
    shutil.copy(folder / "text.txt", folder / "copy.txt")
    tuned(TrainingControl(text=str(folder / "copy.txt"), **FAST), setup(folder))
    assert len(done) == 1  # the same text elsewhere
    tuned(control(folder, seed=1), setup(folder))
    written_text(folder / "text.txt", lines=601)
    tuned(control(folder), setup(folder))
    assert len(set(done)) == 3


def test_a_damaged_folder_is_made_anew(folder: Path) -> None:
    model, _ = tuned(control(folder), setup(folder))
    path = model.folder.path / "model.safetensors"
    whole = path.read_bytes()
    for name, place in (("model.safetensors", -3), (TUNING, 200), ("config.json", 20)):
        file = model.folder.path / name
        damaged = bytearray(file.read_bytes())
        damaged[place] ^= 1
        file.write_bytes(bytes(damaged))
        again, _ = tuned(control(folder), setup(folder))
        assert again.content_hash == model.content_hash
        assert path.read_bytes() == whole


SLOWLY = """
import sys, time
from dataclasses import replace
from pathlib import Path
from tests.models.debias_training.setups import FAST, setup
from unslant.models.debias_training.context_debias import ContextDebias
from unslant.models.debias_training.training import tuned

def progress(what, done, total):
    print(what, done, flush=True)
    time.sleep(0.01)

folder = Path(sys.argv[1])
method = ContextDebias(**{**FAST, "rounds": 3}, text=str(folder / "text.txt"))
tuned(method, replace(setup(folder), progress=progress))
"""


def test_a_killed_training_run_again_ends_in_the_same_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(folder)
    command = [sys.executable, "-c", SLOWLY, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        steps = (line for line in process.stdout if line.startswith("Round"))
        for _ in range(9):  # into the second round
            assert next(steps)
        process.send_signal(signal.SIGKILL)
        process.wait()
    method = ContextDebias(**{**FAST, "rounds": 3}, text=str(folder / "text.txt"))
    _is_resumed_and_the_same(method, folder, "", monkeypatch)


def test_a_training_with_an_eraser_goes_on_to_the_same_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = LeaceInTraining(**{**FAST, "rounds": 3}, text=str(folder / "text.txt"), every=4)

    def stop(what: str, done: int, total: int) -> None:
        if what.startswith("Round 2") and done == 3:
            raise KeyboardInterrupt

    on = replace(setup(folder, place="layer:-1"), progress=stop)
    with pytest.raises(KeyboardInterrupt):
        tuned(method, on)
    _is_resumed_and_the_same(method, folder, "layer:-1", monkeypatch)


def _is_resumed_and_the_same(
    method: Any, folder: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was stopped in its second round ends as one that was not stopped does."""
    kept = cache_folder() / "tunings"
    [checkpoint] = kept.glob("*.checkpoint")
    assert not [path for path in kept.iterdir() if path.is_dir()]
    rounds: set[str] = set()
    on = replace(setup(folder, place=place), progress=lambda what, *_: rounds.add(what))
    resumed, [stage] = tuned(method, on)
    assert sorted(each[:7] for each in rounds if each.startswith("Round")) == ["Round 2", "Round 3"]
    assert not checkpoint.exists()
    assert stage.details["rounds"] == 3
    monkeypatch.setenv("UNSLANT_CACHE", str(folder / "another cache"))
    whole, _ = tuned(method, setup(folder, place=place))
    assert whole.folder.path != resumed.folder.path
    assert whole.weights_sha256 == resumed.weights_sha256
    assert whole.content_hash == resumed.content_hash


def test_the_record_says_what_was_done_and_before_it(folder: Path) -> None:
    first, _ = tuned(control(folder), setup(folder))
    on = replace(setup(folder), model=first)
    second, [stage] = tuned(ContextDebias(text=str(folder / "text.txt"), **FAST), on)
    origin, stages, sha256 = read_record(second.folder.path)
    assert origin == "bert"
    assert [each.expression.partition("(")[0] for each in stages] == ["control", "context-debias"]
    assert sha256 == second.weights_sha256
    assert stages[1] == stage
    assert fact(stage, "held-out regulariser before") == 0
    assert fact(stage, "held-out bias term after") < fact(stage, "held-out bias term before")
    assert 1 <= fact(stage, "best-round") <= fact(stage, "rounds") == 2
    assert stage.inputs["text"] == "text.txt"
    assert len(stage.inputs["text_sha256"]) == 64
    card = (second.folder.path / "README.md").read_text()
    assert "Kaneko and Bollegala (2021)" in card
    assert load_transformer(second.folder.path).name == second.folder.path.name


def test_what_was_used_least_recently_goes_first(folder: Path) -> None:
    def make(target: Path, checkpoint: Path) -> None:
        target.mkdir()
        (target / "file").write_bytes(bytes(100))

    for number in range(4):
        kept_folder({"n": number}, make=make, read=Path.exists, most_bytes=250)
        os.utime(next(p for p in _folders() if p.stat().st_mtime > number + 100), (number, number))
    assert len(_folders()) == 2


def _folders() -> list[Path]:
    return [path for path in (cache_folder() / "tunings").iterdir() if path.is_dir()]


def test_a_text_that_is_not_there_is_one_sentence(folder: Path) -> None:
    with pytest.raises(UnslantError, match=r"nowhere\.txt is not a text file"):
        tuned(TrainingControl(text=str(folder / "nowhere.txt"), **FAST), setup(folder))
