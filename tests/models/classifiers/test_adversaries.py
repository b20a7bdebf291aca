"""Encoders fine-tuned against adversaries: sentiment and inference, in Python and by command."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.command_line import unslant  # noqa: E402
from tests.language_models import data_folder  # noqa: E402
from tests.language_models import real_model as loaded_model  # noqa: E402
from tests.models.classifiers.made_pairs import encoder, pairs_in, write_pairs  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.datasets.labelled_texts import LabelledTexts, read_labelled_texts  # noqa: E402
from unslant.datasets.nli import read_corpus  # noqa: E402
from unslant.models.adversaries.settings import AdversarySettings  # noqa: E402
from unslant.models.adversaries.task import AdversarialTask  # noqa: E402
from unslant.models.classifiers.inference import train_inference  # noqa: E402
from unslant.models.classifiers.sentiment import sentiment_task, train_sentiment  # noqa: E402
from unslant.models.classifiers.settings import FineTuning  # noqa: E402
from unslant.models.classifiers.training import FineTuned  # noqa: E402
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
        "--adversary gender --adversary-alpha gender=0.5:sqrt --adversary-learning-rate 0.01 "
        "--adversary-projection by-tensor --adversary-fairness parity --adversary-width 16 "
        "--epochs 2 --batch 16 --learning-rate 0.003"
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
        ("--adversary-alpha 2", "--adversary-alpha does nothing without --adversary"),
        ("--adversary-learning-rate 0.1", "-learning-rate does nothing without --adversary"),
        ("--adversary gender,race", "No training example refers to african-american or european"),
        ("--adversary shoe-size", "shoe-size"),
        ("--adversary gender --adversary-alpha race=1", 'No adversary is called "race"'),
        ("--adversary gender --adversary-network deep", 'No choice of network is called "deep"'),
    ],
)
def test_options_that_cannot_be_are_refused_in_one_sentence(
    bert: TransformerModel, texts: Path, tmp_path: Path, options: str, said: str
) -> None:
    named = ("train", "sentiment", str(bert.folder.path), "--data", str(texts), "-o", "out")
    run = unslant(*named, *options.split(), cwd=tmp_path, code=2)
    assert said in " ".join(run.stderr.split())
    assert not (tmp_path / "out").exists()


def test_minilm_with_an_adversary_on_real_pairs(tmp_path: Path) -> None:
    model = loaded_model("minilm")
    assert isinstance(model, TransformerModel)
    snli = data_folder("nli/snli")
    for part, rows in (("train", slice(0, 64)), ("dev", slice(64, 128))):
        for name in ("s1", "s2", "labels"):
            lines = (snli / f"{name}.dev").read_text().split("\n")[rows]
            (tmp_path / f"{name}.{part}").write_text("\n".join(lines))
    pairs = read_corpus(tmp_path, keep_texts=True)
    how = FineTuning(epochs=1, batch=32, tune="last:2", dropout=0.0)
    tuned = train_inference(model, pairs, how, adversaries=AGAINST)
    counts = tuned.record["data"]["dev"]["groups"]["gender"]
    assert counts["female"] > 5
    assert counts["male"] > 5
    assert tuned.record["adversaries"]["judged"]["gender"]["verdict"].startswith("gender")


def test_on_minilm_the_gradient_has_no_component_along_the_adversarys() -> None:
    model = loaded_model("minilm")
    assert isinstance(model, TransformerModel)
    who, what = ("he", "she", "a nurse"), ("sat down", "fell", "sang", "left the room")
    said = [(f"{one} {two}", len(two) % 2) for one in who for two in what]
    data = LabelledTexts(
        tuple(text for text, _ in said),
        tuple("positive" if label else "negative" for _, label in said),
        {},
    )
    how = FineTuning(batch=12, tune="last:2", dropout=0.0)
    task, _ = sentiment_task(model, data, data, how, ("gender",))
    settings = AdversarySettings(attributes=("gender",), alpha="0", dropout=0.0)
    opposed = AdversarialTask(task, settings)
    torch.manual_seed(0)
    network = opposed.build_network()
    opponent = opposed.companions()["adversary gender"].network
    [(_, batch)] = task.batches(1, 0)
    opposed.backward(network, batch, 0, 1)
    trained = [value for value in network.parameters() if value.requires_grad]
    found = torch.cat([value.grad.ravel().double() for value in trained])
    outputs = task.outputs(network, batch)
    known = outputs.protected["gender"] >= 0
    assert int(known.sum()) == 8
    loss = torch.nn.functional.cross_entropy(
        opponent(outputs.logits[known], outputs.labels[known]), outputs.protected["gender"][known]
    )
    slopes = torch.autograd.grad(loss, trained, retain_graph=True)
    u = torch.cat([each.ravel().double() for each in slopes])
    own = torch.cat(
        [e.ravel().double() for e in torch.autograd.grad(task.loss_of(outputs), trained)]
    )
    assert len(u) > 3_000_000
    assert abs(float(own @ u)) > 1e-3 * float(own.norm() * u.norm())  # there was one before
    assert abs(float(found @ u)) < 1e-5 * float(own.norm() * u.norm())
