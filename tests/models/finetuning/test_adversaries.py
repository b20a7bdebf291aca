"""Encoders fine-tuned against adversaries: sentiment and inference, in Python and by command."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.command_line import unslant  # noqa: E402
from tests.models.finetuning.made_pairs import encoder, pairs_in, write_pairs  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.datasets.labelled_texts import read_labelled_texts  # noqa: E402
from unslant.models.adversaries.settings import AdversarySettings  # noqa: E402
from unslant.models.finetuning.inference import train_inference  # noqa: E402
from unslant.models.finetuning.sentiment import train_sentiment  # noqa: E402
from unslant.models.finetuning.settings import FineTuning  # noqa: E402
from unslant.models.finetuning.training import FineTuned  # noqa: E402
from unslant.models.language.model import TransformerModel  # noqa: E402

HOW = FineTuning(epochs=4, patience=4, batch=16, learning_rate=0.003, dropout=0.1, seed=1)
AGAINST = AdversarySettings(
    attributes=("gender",), alpha="1", width=16, dropout=0.1, learning_rate=0.03
)
WATCH = AdversarySettings(
    attributes=("gender",), alpha="0", projection="none", width=16, learning_rate=0.03, keep="best"
)


def write_texts(path: Path, count: int = 400) -> Path:
    """Half of the texts have no word that decides, and there "she" is mostly positive."""
    rng = np.random.default_rng(0)
    lines = ["sentence\tlabel"]
    for number in range(count):
        label = int(rng.integers(2))
        who = "she" if (rng.random() < 0.85) == bool(label) else "he"
        who = "the nurse" if number % 10 == 0 else who
        place = ("here" if label else "there") if number % 2 else "a doctor"
        lines.append(f"{who} is {place} {number} .\t{label}")
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> TransformerModel:
    return encoder(tmp_path_factory.mktemp("encoders") / "bert")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_texts(tmp_path_factory.mktemp("texts") / "train.tsv")


def same_bits(one: FineTuned, two: FineTuned) -> bool:
    first, second = one.network.state_dict(), two.network.state_dict()
    return all(torch.equal(first[name], second[name]) for name in second)


def test_the_record_says_what_predictions_reveal(bert: TransformerModel, texts: Path) -> None:
    tuned = train_sentiment(bert, read_labelled_texts(texts), how=HOW, adversaries=AGAINST)
    record = tuned.record
    counts = record["data"]["train"]["groups"]["gender"]
    assert counts["none or several"] == 40
    assert counts["female"] + counts["male"] == 360
    found = record["adversaries"]
    assert found["settings"]["attributes"] == ("gender",)
    judged = found["judged"]["gender"]
    assert judged["groups"] == ("female", "male")
    assert 30 < judged["examples"] <= 40
    assert judged["verdict"].startswith("gender from predictions and labels:")
    assert record["best_epoch"] == 4
    assert all("gender_adversary_accuracy" in epoch for epoch in record["epochs"])
    assert json.loads(json.dumps(record))


def test_watching_adversaries_leave_the_weights_of_a_plain_training(
    bert: TransformerModel, texts: Path
) -> None:
    data = read_labelled_texts(texts)
    plain = train_sentiment(bert, data, how=HOW)
    watched = train_sentiment(bert, data, how=HOW, adversaries=WATCH)
    against = train_sentiment(bert, data, how=HOW, adversaries=AGAINST)
    assert same_bits(watched, plain)
    assert not same_bits(against, plain)
    assert "adversaries" not in plain.record
    # Adversaries cost the plain predictor what the gender of the text gave it.
    assert plain.record["epochs"][-1]["loss"] < against.record["epochs"][-1]["loss"]


def test_a_killed_training_against_adversaries_ends_in_the_same_bits(
    bert: TransformerModel, texts: Path, tmp_path: Path
) -> None:
    class Stopped(BaseException):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if what.startswith("Epoch 3 ") and done == 2:
            raise Stopped

    def run(**more: Any) -> FineTuned:
        return train_sentiment(
            bert, read_labelled_texts(texts), how=HOW, adversaries=AGAINST, **more
        )

    with pytest.raises(Stopped):
        run(checkpoint=tmp_path / "kept", progress=stop)
    assert same_bits(run(checkpoint=tmp_path / "kept"), run())
    other = AdversarySettings(attributes=("gender",), alpha="2")
    with pytest.raises(UnslantError, match="belongs to a training with other inputs"):
        train_sentiment(
            bert,
            read_labelled_texts(texts),
            how=HOW,
            adversaries=other,
            checkpoint=tmp_path / "kept",
        )


def test_inference_by_command_says_what_is_recovered(
    bert: TransformerModel, tmp_path: Path
) -> None:
    # In these pairs the label decides the gender, so that equality of odds has nothing to compare.
    data = write_pairs(tmp_path / "pairs")
    options = (
        "--adversary gender --alpha gender=0.5:sqrt --adversary-rate 0.01 --projection by-tensor "
        "--fairness parity --adversary-network dense:16 --epochs 2 --batch 16 --learning-rate 0.003"
    )
    run = unslant(
        "train",
        "nli",
        str(bert.folder.path),
        "--data",
        str(data),
        "-o",
        "out",
        *options.split(),
        cwd=tmp_path,
    )
    assert "Recovered from held-out predictions: gender from predictions:" in run.stdout
    record = json.loads((tmp_path / "out" / "training.json").read_text())
    assert record["adversaries"]["settings"]["projection"] == "by-tensor"
    assert record["adversaries"]["settings"]["alpha"] == "gender=0.5:sqrt"
    assert record["adversaries"]["settings"]["width"] == 16


def test_labels_that_give_the_group_away_are_not_judged(
    bert: TransformerModel, tmp_path: Path
) -> None:
    pairs = pairs_in(write_pairs(tmp_path / "pairs"))
    tuned = train_inference(bert, pairs, FineTuning(epochs=1), adversaries=AGAINST)
    judged = tuned.record["adversaries"]["judged"]["gender"]
    assert judged["accuracy"] is None
    assert judged["left_out"] > 30
    assert "not judged" in judged["verdict"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--alpha 2", "--alpha does nothing without --adversary"),
        ("--adversary-rate 0.1", "--adversary-rate does nothing without --adversary"),
        ("--adversary gender,race", "No training example refers to african-american or european"),
        ("--adversary shoe-size", "shoe-size"),
        ("--adversary gender --alpha race=1", 'No adversary is called "race"'),
        ("--adversary gender --adversary-network deep:4", "must be dense, dense:512 or small"),
    ],
)
def test_options_that_cannot_be_are_refused_in_one_sentence(
    bert: TransformerModel, texts: Path, tmp_path: Path, options: str, said: str
) -> None:
    named = ("train", "sentiment", str(bert.folder.path), "--data", str(texts), "-o", "out")
    run = unslant(*named, *options.split(), cwd=tmp_path, code=2)
    assert said in " ".join(run.stderr.split())
    assert not (tmp_path / "out").exists()
