"""Inference on an encoder: it learns, resumes, is written whole, and its interventions stay."""

import json
from dataclasses import replace
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
from tests.models.language.folders import save  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.datasets.nli import Splits, read_corpus  # noqa: E402
from unslant.datasets.nli.pairs import LABELS  # noqa: E402
from unslant.models.classifiers.folder import write_fine_tuned  # noqa: E402
from unslant.models.classifiers.inference import train_inference  # noqa: E402
from unslant.models.classifiers.settings import FineTuning  # noqa: E402
from unslant.models.classifiers.task import with_head  # noqa: E402
from unslant.models.classifiers.training import FineTuned  # noqa: E402
from unslant.models.language.model import TransformerModel, load_transformer  # noqa: E402
from unslant.predictors.protocols import NliModel  # noqa: E402
from unslant.studies.at_places import fit_at_places  # noqa: E402

HOW = FineTuning(epochs=8, patience=8, batch=16, learning_rate=0.003, dropout=0.0, seed=1)
PREMISES = ["the nurse is here .", "the doctor and a nurse is there .", "the nurse is here ."]
HYPOTHESES = ["she is here .", "he sat", "she is here ."]
KINDS = ("bert", "roberta", "distilbert", "albert", "electra", "mpnet", "deberta-v2", "modernbert")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def pairs(folder: Path) -> Splits:
    return pairs_in(folder)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> TransformerModel:
    return encoder(tmp_path_factory.mktemp("encoders") / "bert")


@pytest.fixture(scope="module")
def tuned(bert: TransformerModel, pairs: Splits) -> FineTuned:
    return train_inference(bert, pairs, HOW)


def weights(tuned: FineTuned) -> dict[str, Any]:
    return {name: value.clone() for name, value in tuned.network.state_dict().items()}


def same_bits(one: FineTuned, two: FineTuned) -> bool:
    first, second = weights(one), weights(two)
    return set(first) == set(second) and all(torch.equal(first[n], second[n]) for n in first)


def test_an_encoder_learns_a_rule(tuned: FineTuned) -> None:
    losses = [epoch["loss"] for epoch in tuned.record["epochs"]]
    assert tuned.record["dev_accuracy"] > 0.9  # a third is chance
    assert losses[-1] < 0.5 * losses[0]


def test_the_original_is_left_as_it_is(bert: TransformerModel, tuned: FineTuned) -> None:
    own = dict(bert.network.named_parameters())
    changed = dict(tuned.network.bert.named_parameters())
    assert any(not torch.equal(own[name], changed[name]) for name in own)
    fresh = load_transformer(bert.folder.path).network
    assert all(torch.equal(v, own[n]) for n, v in fresh.named_parameters())


@pytest.mark.parametrize("kind", KINDS)
def test_the_written_folder_answers_as_plain_transformers_does(
    kind: str, tmp_path: Path, pairs: Splits
) -> None:
    model = encoder(tmp_path / kind, kind)
    tuned = train_inference(model, pairs, replace(HOW, epochs=1), most=48)
    target = write_fine_tuned(tuned, tmp_path / "tuned")
    plain, found = transformers.AutoModelForSequenceClassification.from_pretrained(
        target, output_loading_info=True
    )
    assert not any(found[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    plain.eval()
    again = load_transformer(target)
    encode = again.tokens._backend.encode
    expected = []
    for first, second in zip(PREMISES, HYPOTHESES, strict=True):  # one at a time
        item = encode(first, second)
        given = {"input_ids": torch.tensor([item.ids])}
        if getattr(plain.config, "type_vocab_size", 0) > 1:
            given["token_type_ids"] = torch.tensor([item.type_ids])
        with torch.inference_mode():
            expected.append(plain(**given).logits[0].softmax(0).numpy())
    answers = again.predictor(NliModel).predict(PREMISES, HYPOTHESES)
    assert answers == pytest.approx(np.array(expected), abs=1e-5)
    assert np.array_equal(answers[0], answers[2])
    assert json.loads((target / "training.json").read_text())["labels"] == list(LABELS)


def test_labels_are_found_by_name_in_any_order(tmp_path: Path, tuned: FineTuned) -> None:
    target = write_fine_tuned(tuned, tmp_path / "tuned")
    before = load_transformer(target).predictor(NliModel).predict(PREMISES, HYPOTHESES)
    config = json.loads((target / "config.json").read_text())
    config["id2label"] = {"0": "NEUTRAL", "1": "contradiction", "2": "Entailment"}
    config["label2id"] = {label: int(n) for n, label in config["id2label"].items()}
    (target / "config.json").write_text(json.dumps(config))
    after = load_transformer(target).predictor(NliModel).predict(PREMISES, HYPOTHESES)
    assert after == pytest.approx(before[:, [2, 0, 1]])
    config["id2label"] = {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
    (target / "config.json").write_text(json.dumps(config))
    with pytest.raises(UnslantError, match="cannot be guessed"):
        load_transformer(target).predictor(NliModel)


def test_an_encoder_without_a_trained_head_is_refused(tmp_path: Path) -> None:
    model = load_transformer(save(tmp_path / "bert", "bert"))
    with pytest.raises(UnslantError, match=r"no sequence head.*unslant train nli"):
        model.predictor(NliModel)


def test_an_intervention_acts_in_training_and_stays(
    bert: TransformerModel, pairs: Splits, tmp_path: Path
) -> None:
    acting = fit_at_places("linear@wordpieces", bert, "gender")
    direction = acting.steps[0].transforms[0].read[0]  # type: ignore[attr-defined]
    treated = bert.intervened(acting)
    tuned = train_inference(treated, pairs, replace(HOW, epochs=1))
    assert "linear" in tuned.record["intervention"]
    assert not same_bits(tuned, train_inference(bert, pairs, replace(HOW, epochs=1)))
    written = load_transformer(write_fine_tuned(tuned, tmp_path / "tuned"))
    assert [str(step.place) for step in written.intervention.steps] == ["wordpieces"]
    # The network never sees the direction: adding it to the table changes no answer.
    answers = written.predictor(NliModel).predict(PREMISES, HYPOTHESES)
    with torch.no_grad():
        written.network.embeddings.word_embeddings.weight.add_(torch.tensor(direction).float())
    assert written.predictor(NliModel).predict(PREMISES, HYPOTHESES) == pytest.approx(
        answers, abs=1e-6
    )
    bare = TransformerModel(written.folder, written.layout, written.tokens)
    assert not np.allclose(bare.predictor(NliModel).predict(PREMISES, HYPOTHESES), answers)


def test_erasers_are_exact_in_half_precision(bert: TransformerModel) -> None:
    step = fit_at_places("linear@wordpieces", bert, "gender").steps[0]
    direction = torch.tensor(step.transforms[0].read[0]).float()  # type: ignore[attr-defined]
    rows = torch.randn(4, 5, len(direction))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        after = step.through(rows)
    assert float((after @ direction).abs().max()) < 1e-5


def test_only_the_last_blocks_change(bert: TransformerModel, pairs: Splits) -> None:
    tuned = train_inference(bert, pairs, replace(HOW, epochs=1, tune="last:1"), most=48)
    own = dict(bert.network.named_parameters())
    changed = {
        name
        for name, value in tuned.network.bert.named_parameters()
        if name not in own or not torch.equal(value, own[name])
    }
    assert all(name.startswith(("encoder.layer.2.", "pooler.")) for name in changed)
    assert any(name.startswith("encoder.layer.2.") for name in changed)
    with pytest.raises(UnslantError, match="has 3 blocks"):
        train_inference(bert, pairs, replace(HOW, tune="last:4"))


def test_training_goes_on_from_a_head_with_the_same_labels(
    tmp_path: Path, tuned: FineTuned
) -> None:
    written = load_transformer(write_fine_tuned(tuned, tmp_path / "tuned"))
    same = with_head(written, "sequence", LABELS, HOW)
    assert torch.equal(same.classifier.weight, tuned.network.classifier.weight)
    other = with_head(written, "sequence", ("good", "bad"), HOW)
    assert other.classifier.weight.shape[0] == 2


def test_a_stopped_training_goes_on_to_the_same_weights(
    bert: TransformerModel, pairs: Splits, tmp_path: Path
) -> None:
    how, kept = replace(HOW, epochs=3, dropout=0.1), tmp_path / "checkpoint"

    def stop(name: str, done: int, total: int) -> None:
        if name.startswith("Epoch 3"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_inference(bert, pairs, how, checkpoint=kept, progress=stop)
    begun: list[str] = []
    again = train_inference(
        bert, pairs, how, checkpoint=kept, progress=lambda name, *_: begun.append(name)
    )
    assert not any(name.startswith(("Epoch 1", "Epoch 2")) for name in begun)
    assert same_bits(again, train_inference(bert, pairs, how))
    with pytest.raises(UnslantError, match="other inputs, data or settings"):
        train_inference(bert, pairs, replace(how, seed=2), checkpoint=kept)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--hidden 100", "--hidden does not apply to training on an encoder"),
        ("--concept gender", "does nothing without --with"),
        ("--overwrite", "--overwrite is for files"),
        ("--precision half", "precision must be single or bfloat16"),
        ("--tune last:9", "the last 9 cannot be tuned"),
        ("--with linear", "Say where in bert"),
        ("--longest 4", "Use a larger --longest"),
    ],
)
def test_mistakes_are_said_in_one_sentence(
    bert: TransformerModel, folder: Path, tmp_path: Path, arguments: str, message: str
) -> None:
    named = ("train", "nli", str(bert.folder.path), "--data", str(folder), "-o", "out")
    result = unslant(*named, *arguments.split(), cwd=tmp_path, code=2)
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_a_decoder_and_options_for_encoders_are_refused(folder: Path, tmp_path: Path) -> None:
    gpt = save(tmp_path / "gpt", "gpt2")
    arguments = ("--data", str(folder), "-o", "out.safetensors")
    refused = unslant("train", "nli", str(gpt), *arguments, cwd=tmp_path, code=2)
    assert "is a decoder" in refused.stderr
    wrong = unslant("train", "nli", "--tune", "all", *arguments, cwd=tmp_path, code=2)
    assert "--tune does not apply to training on word vectors" in " ".join(wrong.stderr.split())


def test_minilm_learns_real_pairs(tmp_path: Path) -> None:
    model = loaded_model("minilm")
    assert isinstance(model, TransformerModel)
    snli = data_folder("nli/snli")
    for part, rows in (("train", slice(0, 48)), ("dev", slice(48, 60))):
        for name in ("s1", "s2", "labels"):
            lines = (snli / f"{name}.dev").read_text().split("\n")[rows]
            (tmp_path / f"{name}.{part}").write_text("\n".join(lines))
    read = read_corpus(tmp_path, keep_texts=True)
    how = FineTuning(
        epochs=12, patience=12, batch=16, learning_rate=3e-4, tune="last:4", dropout=0.0
    )
    tuned = train_inference(model, read._replace(dev=read.train), how)
    assert tuned.record["dev_accuracy"] > 0.9  # of the pairs that it learnt
