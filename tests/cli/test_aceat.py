"""``unslant probe aceat``: from the command line, before and after, and what is refused."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import json_of, unslant
from tests.language_models import data_folder
from tests.real_models import real_model

POSITIVE = (
    "the doctor is here",
    "she sat down",
    "an engineer is there and",
    "this is a programmer",
)
NEGATIVE = (
    "she is there",
    "down sat the nurse",
    "a programmer and he is",
    "here is the engineer and",
)
CORPUS = "".join(
    "".join(f"{word} O\n" for word in text.split()) + f"{mood} O\nAnn B-PER\n. O\n\n"
    for texts, moods in ((POSITIVE, ("good", "happy")), (NEGATIVE, ("bad", "awful")))
    for mood in moods
    for text in texts
)
NAMES = "name,gender\nnurse,f\nnurses,f\nshe,f\ndoctor,m\nhe,m\nengineer,m\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random encoder, a tagged corpus and names."""
    pytest.importorskip("torch")
    pytest.importorskip("vaderSentiment")
    from tests.models.language.folders import save

    here = tmp_path_factory.mktemp("aceat")
    save(here / "encoder", "bert", head=False)
    save(here / "other", "bert", head=False, seed=1)
    (here / "corpus.txt").write_text(CORPUS)
    (here / "names.csv").write_text(NAMES)
    return here


ASKED = ("--corpus", "corpus.txt", "--names", "names.csv", "--resamples", "100", "--json")


def results(record: Any) -> dict[str, Any]:
    return {result["now"]["metric"]: result for result in record["results"]}


def test_the_probe_runs_and_its_report_shows_every_name(folder: Path, tmp_path: Path) -> None:
    html = tmp_path / "aceat.html"
    record = json_of("probe", "aceat", "encoder", *ASKED, "--html", str(html), cwd=folder)
    now = results(record)["aceat-gender"]["now"]
    assert now["value"] is not None
    assert now["interval"]["how"] == "BCa Poisson bootstrap over sentences"
    assert now["details"]["sign"].startswith("positive: f names are nearer to positive")
    assert record["subject"]["facts"]["sentences-with-a-person"] == 16
    assert record["subject"]["facts"]["sentiment-package"].startswith("vaderSentiment")
    page = html.read_text(encoding="utf-8")
    assert "Association of each name with positive rather than negative sentences" in page
    assert all(name in page for name in ("nurses", "engineer"))


def test_before_and_after_are_paired_and_have_controls(folder: Path) -> None:
    record = json_of(
        *("probe", "aceat", "encoder", *ASKED, "--with", "random(seed=3)@layer:-1", "--compare"),
        *("--controls", "2"),
        cwd=folder,
    )
    found = results(record)["aceat-gender"]
    assert found["change"]["interval"]["how"].endswith("the same resamples before and after")
    assert len(found["control"]["values"]) == 2
    assert {item["when"] for item in record["exhibits"] if item["id"] == "names"} == {
        "now",
        "before",
    }


def test_a_model_is_compared_with_another(folder: Path) -> None:
    record = json_of("probe", "aceat", "encoder", *ASKED, "--baseline", "other", cwd=folder)
    found = results(record)["aceat-gender"]
    assert found["before"]["value"] != found["now"]["value"]
    assert found["change"]["interval"]
    same = json_of("probe", "aceat", "encoder", *ASKED, "--baseline", "encoder", cwd=folder)
    change = results(same)["aceat-gender"]["change"]
    assert change["difference"] == 0
    assert (change["interval"]["low"], change["interval"]["high"]) == (0, 0)


def test_other_places_give_other_effects(folder: Path) -> None:
    values = {
        results(json_of("probe", "aceat", "encoder", *ASKED, "--place", place, cwd=folder))[
            "aceat-gender"
        ]["now"]["value"]
        for place in ("last", "layer:-2", "layer:-1")
    }
    assert len(values) == 2  # the last layer is layer:-1


def test_a_text_classifier_gives_the_labels_and_a_tagger_is_read_without_its_head(
    folder: Path, tmp_path: Path
) -> None:
    import torch
    import transformers

    from tests.models.language.folders import VOCABULARY, tokenizer

    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=40,
        id2label={0: "NEGATIVE", 1: "POSITIVE"}, label2id={"NEGATIVE": 0, "POSITIVE": 1},
    )  # fmt: skip
    classifier = transformers.BertForSequenceClassification(config)
    classifier.eval()
    spoken = [f"{text} good [NAME] ." for text in (*POSITIVE, *NEGATIVE)]
    with torch.inference_mode():
        logits = [
            classifier(input_ids=torch.tensor([tokenizer().encode(text).ids])).logits[0]
            for text in spoken
        ]
    lean = torch.stack(logits).diff(dim=1)[:, 0]
    classifier.classifier.bias.data[1] -= lean.median()  # so that it finds both sentiments
    tagger = transformers.BertForTokenClassification(config)
    for name, network in (("classifier", classifier), ("tagger", tagger)):
        network.save_pretrained(tmp_path / name)
        tokenizer().save(str(tmp_path / name / "tokenizer.json"))
    scorer = ("--sentiment", str(tmp_path / "classifier"), "--neutral", "0")
    record = json_of("probe", "aceat", str(tmp_path / "tagger"), *ASKED, *scorer, cwd=folder)
    assert results(record)["aceat-gender"]["now"]["value"] is not None
    facts = record["subject"]["facts"]
    assert facts["sentiment"] == "classifier"
    assert len(facts["sentiment-sha256"]) == 64
    plain = json_of("probe", "aceat", str(tmp_path / "tagger"), *ASKED, cwd=folder)
    assert plain["subject"]["sha256"] != record["subject"]["sha256"]
    refused = unslant(
        "probe", "aceat", "encoder", *ASKED, "--sentiment", "other", cwd=folder, code=2
    )
    assert "has no" in refused.stderr


def test_labels_and_confidences_can_be_written_without_a_model(
    folder: Path, tmp_path: Path
) -> None:
    target = tmp_path / "labels.csv"
    unslant("probe", "aceat", "--corpus", "corpus.txt", "--export", str(target), cwd=folder)
    rows = list(csv.DictReader(target.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 16
    assert rows[0]["text"] == "the doctor is here good [NAME] ."
    assert {row["label"] for row in rows} == {"positive", "negative"}
    assert all(0 < float(row["confidence"]) <= 1 for row in rows)


def test_without_a_usable_answer_there_is_no_score_and_the_exit_code_says_so(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "neutral.txt").write_text("Ann B-PER\nis O\nhere O\n")
    record = tmp_path / "r.json"
    done = unslant(
        *("probe", "aceat", "encoder", "--names", "names.csv", "--record", str(record)),
        *("--corpus", str(tmp_path / "neutral.txt")),
        cwd=folder,
        code=2,
    )
    assert "encoder has no score: no usable sentence of neutral.txt is positive or" in " ".join(
        done.stderr.split()
    )
    assert not record.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--corpus", "absent.txt"), "There is no file absent.txt"),
        (("--corpus", "names.csv"), "one column"),
        (("--names", "absent.csv"), "There is no file absent.csv"),
        (("--by", "race"), 'No attribute of names.csv is called "race"'),
        (("--place", "pooled"), "does not have a vector for each token"),
        (("--kind", "PERSON"), "no sentence with an entity of the kind PERSON"),
        (("--mask", " "), "The mask is empty"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(
    folder: Path, options: tuple[str, str], said: str
) -> None:
    done = unslant("probe", "aceat", "encoder", *ASKED, *options, cwd=folder, code=2)
    assert said in " ".join(done.stderr.split())


def test_without_the_corpus_the_message_says_how_to_name_one(folder: Path) -> None:
    done = unslant("probe", "aceat", "encoder", cwd=folder, code=2, UNSLANT_DATA="")
    assert "Name a file or a folder with the corpus" in " ".join(done.stderr.split())


def test_minilm_on_a_sample_of_the_real_corpus(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("vaderSentiment")
    corpus = data_folder("ner/conll2003")
    record = tmp_path / "aceat.json"
    unslant(
        *("probe", "aceat", str(real_model("minilm")), "--corpus", str(corpus)),
        *("--sentences", "8", "--seed", "1", "--record", str(record)),
        cwd=tmp_path,
    )
    found = json.loads(record.read_text(encoding="utf-8"))
    assert len(found["results"]) == 9
    assert found["subject"]["facts"]["sentences-used"] == 8
    assert all(result["now"]["value"] is not None for result in found["results"])
