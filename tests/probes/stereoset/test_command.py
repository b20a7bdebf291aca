"""``unslant probe stereoset`` on a small model with both heads, and on files of answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import json_of, unslant
from tests.language_models import data_folder

pytest.importorskip("torch")
pytest.importorskip("transformers")

CONTEXTS = ("My mother came in.", "The girl ran home.", "That man sat down.", "His aunt called.")
NEXT = (
    ("She cooked.", "She boxed."),
    ("She wore a dress.", "She fixed a car."),
    ("He fixed a car.", "He wore a dress."),
    ("She baked.", "She ran a company."),
)


def dataset(path: Path) -> Path:
    """Items of both tasks in the layout of the release."""

    def item(name: str, target: str, context: str, texts: tuple[str, ...]) -> dict[str, Any]:
        labels = ("stereotype", "anti-stereotype", "unrelated")
        sentences = [
            {"id": f"{name}{n}", "sentence": text, "gold_label": label}
            for n, (text, label) in enumerate(zip(texts, labels, strict=True))
        ]
        facts = {"id": name, "target": target, "bias_type": "gender", "context": context}
        return {**facts, "sentences": sentences}

    inter = [
        item(f"x{n}", ("mother", "girl")[n % 2], context, (*texts, "Rain fell on the roof."))
        for n, (context, texts) in enumerate(zip(CONTEXTS, NEXT, strict=True))
    ]
    intra = []
    for n, word in enumerate(("mother", "girl", "sister")):
        texts = (f"The {word} was kind.", f"The {word} was rude.", f"The {word} was tin.")
        intra.append(item(f"y{n}", word, f"The {word} was BLANK.", texts))
    intra.append(item("z", "girl", "The girl BLANKed.", ("The girl jumped.",) * 3))
    table = {"version": "1", "data": {"intersentence": inter, "intrasentence": intra}}
    path.write_text(json.dumps(table))
    return path


def words() -> list[str]:
    swapped = ["father", "he", "boy", "woman", "uncle", "her", "kind", "rude", "tin", "was"]
    return [*CONTEXTS, *(text for pair in NEXT for text in pair), *swapped]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.next_sentence_models import saved_with_heads

    return saved_with_heads(tmp_path_factory.mktemp("models") / "small", words())


def values(record: dict[str, Any]) -> dict[str, float | None]:
    return {result["now"]["metric"]: result["now"]["value"] for result in record["results"]}


def test_a_model_with_both_heads_gets_every_score(model: Path, tmp_path: Path) -> None:
    path = dataset(tmp_path / "dev.json")
    options = ("probe", "stereoset", str(model), "--data", str(path), "--resamples", "100")
    record = json_of(*options, "--json", cwd=tmp_path)
    found = values(record)
    for name in ("strength", "distance", "ss", "lms", "icat", "ss-intra", "lms-inter-gender"):
        assert found[f"stereoset-{name}"] is not None, name
    assert found["stereoset-ss-intra-race"] is None
    assert record["resource"]["facts"]["next-sentence-output"] == 0
    assert record["resource"]["facts"]["next-sentence-check-pairs"] == 64
    assert record["subject"]["facts"]["left-out-part-of-a-word"] == ["z"]
    assert {"what": "1 intra-sentence item", "why": "Its gap is a part of a word."} in record[
        "left_out"
    ]
    assert {item["id"] for item in record["exhibits"]} == {
        *("preference", "by-domain", "strongest", "furthest")
    }
    shown = unslant(*options, "--html", "page.html", cwd=tmp_path).stdout
    assert "Strength of gender stereotypes" in shown
    assert "Its gap is a part of a word" in (tmp_path / "page.html").read_text()


def test_answers_of_the_same_model_from_a_file_give_the_same_scores(
    model: Path, tmp_path: Path
) -> None:
    from unslant.models.language.model import load_model
    from unslant.predictors.protocols import Plausibility

    path = dataset(tmp_path / "dev.json")
    options = ("--data", str(path), "--resamples", "0")
    unslant("probe", "stereoset", "--data", str(path), "--export", "t.jsonl", cwd=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    predictor = load_model(model).predictor(Plausibility)
    contexts, candidates = ([row[key] for row in rows] for key in ("context", "candidate"))
    for row, answer in zip(rows, predictor.plausibility(contexts, candidates), strict=True):
        row["plausibility"] = float(answer)
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = values(json_of("probe", "stereoset", str(model), *options, "--json", cwd=tmp_path))
    read = values(
        json_of("probe", "stereoset", *options, "--scores", "a.jsonl", "--json", cwd=tmp_path)
    )
    assert read == pytest.approx(asked, abs=1e-5)


def test_a_model_without_a_usable_answer_ends_with_an_error(model: Path, tmp_path: Path) -> None:
    from tests.next_sentence_models import saved_with_heads

    path = dataset(tmp_path / "dev.json")
    options = ("--data", str(path), "--resamples", "0", "--json")
    untrained = saved_with_heads(tmp_path / "untrained", words(), is_trained=False)
    said = unslant("probe", "stereoset", str(untrained), *options, cwd=tmp_path, code=2)
    assert "is undecided" in said.stderr
    assert "--tasks intra" in said.stderr
    unslant("probe", "stereoset", str(untrained), "--tasks", "intra", *options, cwd=tmp_path)
    items = json.loads(path.read_text())["data"]
    every = {
        key: [{"id": s["id"], "score": 0.5} for item in some for s in item["sentences"]]
        for key, some in items.items()
    }
    (tmp_path / "constant.json").write_text(json.dumps(every))
    said = unslant(
        "probe", "stereoset", *options, "--scores", "constant.json", cwd=tmp_path, code=2
    )
    assert "constant.json has no score" in said.stderr
    assert not said.stdout.strip()


def test_published_predictions_are_read_from_the_command_line(tmp_path: Path) -> None:
    golden = data_folder("golden/stereoset")
    name = "predictions_bert-large-cased_BertNextSentence_BertLM.json.gz"
    data = data_folder("stereoset") / "dev.json"
    record = json_of(
        *("probe", "stereoset", "--scores", str(golden / name), "--ties", "against"),
        *("--no-curated", "--resamples", "0", "--data", str(data), "--json"),
        cwd=tmp_path,
    )
    printed = json.loads((golden / "printed-results.json").read_text())["bert-large-cased"]
    found = values(record)
    assert found["stereoset-icat"] == pytest.approx(printed["overall"]["ICAT Score"], abs=1e-9)
    assert found["stereoset-strength"] is None
    assert record["resource"]["kind"] == "scores"
