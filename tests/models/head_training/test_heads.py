"""Heads for an encoder that has lost them: they learn, they are kept, they load elsewhere."""

import json
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.command_line import unslant  # noqa: E402
from tests.models.language.folders import save  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.models.head_training.heads import HEADS, TrainedHeads, load_heads, write_with_heads  # noqa: E402  # noqa: E402
from unslant.models.head_training.settings import HeadTraining  # noqa: E402
from unslant.models.head_training.task import with_heads  # noqa: E402
from unslant.models.head_training.training import train_heads  # noqa: E402
from unslant.models.language.model import load_transformer  # noqa: E402

HOW = HeadTraining(tune="all", rounds=3, steps=8, batch=16, learning_rate=0.01, seed=3)


def written_text(path: Path) -> Path:
    """A text with rules: "she sat down" follows a nurse, "he is there" follows a doctor."""
    chance = random.Random(0)
    blocks = (
        "the nurse is here . she sat down and sat down .",
        "the doctor is there . he is an engineer .",
    )
    lines = [chance.choice(blocks).replace(" . ", ".  ").title() for _ in range(500)]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("encoders") / "bert", "bert", head=False)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written_text(tmp_path_factory.mktemp("text") / "text.txt")


@pytest.fixture(scope="module")
def trained(encoder: Path, text: Path) -> TrainedHeads:
    return train_heads(load_transformer(encoder), text, HOW)


def same_bits(one: TrainedHeads, two: TrainedHeads) -> bool:
    return set(one.weights) == set(two.weights) and all(
        (one.weights[name] == two.weights[name]).all() for name in one.weights
    )


def test_heads_learn_the_rules_of_a_text(encoder: Path, text: Path) -> None:
    record = train_heads(load_transformer(encoder), text, replace(HOW, steps=80, batch=32)).record
    assert record["test"]["masked_accuracy"] > 0.6  # the most frequent piece is under a third
    assert record["test"]["next_accuracy"] > 0.58
    losses = [each["loss"] for each in record["rounds"]]
    assert losses[-1] < 0.6 * losses[0]
    assert record["text"]["sentences"] > 900


def test_the_written_folder_is_the_trained_model_in_plain_transformers(
    encoder: Path, text: Path, tmp_path: Path
) -> None:
    how = replace(HOW, tune="adapters:2", rounds=1)
    model = load_transformer(encoder)
    heads = train_heads(model, text, how)
    folder = write_with_heads(model, heads, tmp_path / "with-heads")
    plain, found = transformers.BertForPreTraining.from_pretrained(folder, output_loading_info=True)
    assert not any(found[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    plain.eval()
    ours = heads.network(model)
    ids = torch.tensor([[1, 5, 6, 4, 7, 2]])
    with torch.inference_mode():
        theirs, mine = plain(input_ids=ids), ours(input_ids=ids)
    for name in ("prediction_logits", "seq_relationship_logits"):
        torch.testing.assert_close(getattr(theirs, name), getattr(mine, name), rtol=0, atol=1e-6)
    again = load_transformer(folder)
    assert again.head("masked") is not None
    assert again.head("next-sentence") is not None
    small = load_heads(folder / HEADS)
    assert same_bits(small, heads)
    assert (folder / HEADS).stat().st_size < (folder / "model.safetensors").stat().st_size
    base = {n: v for n, v in model.network.named_parameters() if "embeddings" in n}
    for name, value in base.items():  # what was frozen is as it was
        assert torch.equal(dict(plain.bert.named_parameters())[name], value)


def test_only_the_heads_change_if_nothing_else_is_tuned(encoder: Path, text: Path) -> None:
    heads = train_heads(load_transformer(encoder), text, replace(HOW, tune="none", rounds=1))
    assert all(name.startswith(("cls.", "bert.pooler.")) for name in heads.weights)


def test_heads_of_another_encoder_are_refused(trained: TrainedHeads, tmp_path: Path) -> None:
    other = load_transformer(save(tmp_path / "bert", "bert", head=False, seed=1))
    with pytest.raises(UnslantError, match="Use the encoder they were trained for"):
        trained.network(other)


def test_a_flipped_bit_in_a_file_of_heads_is_refused(trained: TrainedHeads, tmp_path: Path) -> None:
    path = trained.save(tmp_path / HEADS)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(whole), 40):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged))
        with pytest.raises(UnslantError):
            load_heads(path)


def test_a_model_that_has_heads_is_trained_further_from_them(
    encoder: Path, text: Path, trained: TrainedHeads, tmp_path: Path
) -> None:
    folder = write_with_heads(load_transformer(encoder), trained, tmp_path / "first")
    net = with_heads(load_transformer(folder), HOW)
    bias = trained.weights["cls.predictions.bias"].astype(np.float32)
    np.testing.assert_array_equal(net.cls.predictions.bias.detach().numpy(), bias)


def test_swapped_text_is_trained_on_too(encoder: Path, text: Path) -> None:
    how = replace(HOW, rounds=1, steps=2)
    model = load_transformer(encoder)
    plain = train_heads(model, text, how)
    swapped = train_heads(
        model, text, how, swap=lambda t: t.replace("Nurse", "Doctor"), swap_name="jobs"
    )
    assert swapped.record["swapped"] == "jobs"
    assert not same_bits(plain, swapped)


def test_dropout_replaces_that_of_the_configuration(encoder: Path) -> None:
    how = replace(HOW, dropout=0.2, attention_dropout=0.15)
    net = with_heads(load_transformer(encoder), how)
    rates = {part.p for part in net.modules() if isinstance(part, torch.nn.Dropout)}
    assert rates == {0.2, 0.15}
    assert net.bert.encoder.layer[0].attention.self.dropout.p == 0.15


def test_other_architectures_are_refused_by_name(tmp_path: Path, text: Path) -> None:
    model = load_transformer(save(tmp_path / "gpt2", "gpt2"))
    with pytest.raises(UnslantError, match=r"is a gpt2\. Heads can be trained for BERT encoders"):
        train_heads(model, text, HOW)


SLOWLY = """
import sys, time
from dataclasses import replace
from pathlib import Path
from tests.models.head_training.test_heads import HOW
from unslant.models.language.model import load_transformer
from unslant.models.head_training.training import train_heads

def progress(what, done, total):
    print(what, done, flush=True)
    time.sleep(0.002)

encoder, text, kept, output = map(Path, sys.argv[1:])
train_heads(load_transformer(encoder), text, HOW, checkpoint=kept, progress=progress).save(output)
"""


def test_a_killed_process_run_again_ends_in_the_same_weights(
    encoder: Path, text: Path, trained: TrainedHeads, tmp_path: Path
) -> None:
    kept, output = tmp_path / "kept", tmp_path / "heads.safetensors"
    command = [sys.executable, "-c", SLOWLY, *map(str, (encoder, text, kept, output))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        steps = (line for line in process.stdout if line.startswith("Round"))
        for _ in range(12):  # into the second round
            assert next(steps)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not output.exists()
    assert kept.exists()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert same_bits(load_heads(output), trained)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"steps": 0}, "steps must be at least 1"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"precision": "half"}, "precision must be single or bfloat16, not half"),
        ({"tune": "some"}, "What is tuned must be"),
    ],
)
def test_choices_that_cannot_be_are_refused(choice: dict[str, Any], said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        HeadTraining(**choice)


def test_the_command_writes_a_model_and_refuses_what_cannot_be(
    encoder: Path, text: Path, tmp_path: Path
) -> None:
    small = ("--rounds", "1", "--steps", "2", "--batch", "4")
    train = ("train", "heads", str(encoder), "--text", str(text), "-o", "out", *small)
    done = unslant(*train, cwd=tmp_path)
    assert "next-sentence accuracy" in " ".join(done.stdout.split())
    assert json.loads((tmp_path / "out/training.json").read_text())["settings"]["steps"] == 2
    assert "out already exists" in unslant(*train, cwd=tmp_path, code=2).stderr
    neither = unslant("train", "heads", str(encoder), "-o", "x", cwd=tmp_path, code=2)
    assert "Name either a text" in neither.stderr
    put = ("train", "heads", str(encoder), "--apply", f"out/{HEADS}", "-o", "again", "--json")
    assert json.loads(unslant(*put, cwd=tmp_path).stdout)["model"] == "bert"
    first, second = (tmp_path / name / "model.safetensors" for name in ("out", "again"))
    assert first.read_bytes() == second.read_bytes()
