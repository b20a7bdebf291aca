"""Sentiment on an encoder: it learns, and its folder scores texts by the names of its labels."""

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.command_line import unslant  # noqa: E402
from tests.models.classifiers.made_pairs import encoder  # noqa: E402
from unslant.core.errors import FileFormatError, UnslantError  # noqa: E402
from unslant.datasets.labelled_texts import read_labelled_texts  # noqa: E402
from unslant.models.language.model import load_transformer  # noqa: E402
from unslant.predictors.protocols import Sentiment  # noqa: E402

TEXTS = ("the nurse is here .", "the doctor is there .")


def write_texts(path: Path, count: int = 120) -> Path:
    """ "here" is positive and "there" is negative."""
    rng = np.random.default_rng(0)
    people = ("nurse", "doctor", "engineer", "programmer")
    lines = ["sentence\tlabel"]
    for number in range(count):
        label = int(rng.integers(2))
        who = " and a ".join(rng.choice(people, 1 + number % 4))
        lines.append(f"the {who} is {'here' if label else 'there'} .\t{label}")
    path.write_text("\n".join(lines))
    return path


def test_an_encoder_learns_sentiment_and_its_folder_scores_texts(tmp_path: Path) -> None:
    model = encoder(tmp_path / "bert")
    data = write_texts(tmp_path / "train.tsv")
    options = "--epochs 10 --patience 10 --batch 16 --learning-rate 0.003 --dropout 0 --json"
    named = ("train", "sentiment", str(model.folder.path), "--data", str(data), "-o", "out")
    record = json.loads(unslant(*named, *options.split(), cwd=tmp_path).stdout)
    assert record["dev_accuracy"] > 0.9
    assert record["labels"] == ["negative", "positive"]
    assert record["data"]["train"]["held_out"] == 12
    scorer = load_transformer(tmp_path / "out").predictor(Sentiment)
    scores = scorer.score([*TEXTS, TEXTS[0]])
    assert scores[0] > 0 > scores[1]
    assert scores[0] == scores[2]
    plain = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path / "out").eval()
    ids = torch.tensor([load_transformer(tmp_path / "out").tokens.of(TEXTS[:1])[0].ids])
    with torch.inference_mode():
        negative, positive = plain(input_ids=ids).logits[0].softmax(0).tolist()
    assert scores[0] == pytest.approx(positive - negative, abs=1e-5)


def test_labels_that_say_nothing_are_refused(tmp_path: Path) -> None:
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, num_labels=2
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path / "plain")
    from tests.models.language.folders import tokenizer

    tokenizer().save(str(tmp_path / "plain" / "tokenizer.json"))
    with pytest.raises(UnslantError, match="cannot be guessed"):
        load_transformer(tmp_path / "plain").predictor(Sentiment)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\nc\td\n", "not a table of labelled texts"),
        ("text,label\nfine,\n", "line 2: expected a text and a label"),
        ("text,label\n", "contains no text"),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(content)
    with pytest.raises(FileFormatError, match=message):
        read_labelled_texts(path)


def test_other_labels_than_sentiments_are_refused(tmp_path: Path) -> None:
    model = encoder(tmp_path / "bert")
    (tmp_path / "texts.csv").write_text("text,label\nhe is here,sport\nshe is here,politics\n")
    named = ("train", "sentiment", str(model.folder.path), "--data", "texts.csv", "-o", "out")
    assert "Found politics, sport" in unslant(*named, cwd=tmp_path, code=2).stderr
