"""``unslant probe nli`` and ``unslant nli train`` as a newcomer runs them."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import json_of, unslant
from unslant.vectors import load
from unslant.vectors.save import save


def test_the_sets_are_listed_with_their_pair_counts(tmp_path: Path) -> None:
    listed = json_of("probe", "nli", "--list", "--json", cwd=tmp_path)
    counts = {item["name"]: item["pairs"] for item in listed}
    assert counts["gender-occupation"] == 1_936_512
    assert counts["nationality"] == 2_134_080
    assert counts["religion"] == 1_133_730
    assert counts["marked-attribute"] == 15_744
    assert "1,936,512" in unslant("probe", "nli", "--list", cwd=tmp_path).stdout


def test_a_probe_shows_measures_changes_examples_and_words(tmp_path: Path) -> None:
    shown = unslant(
        *("probe", "nli", "--set", "marked-attribute", "--contexts", "10", "--compare"),
        *("--debias", "hard | misp", "--controls", "2", "--resamples", "20"),
        cwd=tmp_path,
    ).stdout
    for part in (
        "were asked of the model",
        "Before and after debiasing",
        "removed random directions",
        "The least neutral answers",
        "Words with the least neutral answers",
        "read as a hash of the word: a",
        "--retrain",
    ):
        assert part in " ".join(shown.split()), part


def test_the_record_is_one_json_document_with_slices(tmp_path: Path) -> None:
    record = json_of(
        *("probe", "nli", "--set", "nationality", "--contexts", "5", "--resamples", "10"),
        *("--slice", "rude,iraqi", "--slice", "evil, dutch", "--json"),
        cwd=tmp_path,
    )
    assert [item["words"] for item in record["slices"]] == [["rude", "iraqi"], ["evil", "dutch"]]
    assert record["set"]["pairs"] == 26 * 32 * 5


def test_pairs_are_exported_without_asking_a_model(tmp_path: Path) -> None:
    unslant(
        *("probe", "nli", "--set", "sirt", "--contexts", "3", "--export", "pairs.jsonl"),
        cwd=tmp_path,
    )
    lines = (tmp_path / "pairs.jsonl").read_text().splitlines()
    assert len(lines) == 30 * 3
    assert {json.loads(line)["label"] for line in lines} == {"entailment", "contradiction"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "gender-ocupation"), 'Did you mean "gender-occupation"'),
        (("--slice", "rude"), "two words with a comma"),
        (("--compare",), "nothing to compare with"),
        (("--model", "none.safetensors"), "none.safetensors does not exist"),
        (("--debias", "hrad"), 'Did you mean "hard"'),
        (("--retrain", "none", "--debias", "hard"), "none"),
        (("--contexts", "0"), "1 to 1,968 contexts"),
        (("--examples", "0"), "at least 1"),
        (("--controls", "-1", "--debias", "hard", "--compare"), "at least 0"),
        (("--resamples", "-1"), "at least 0"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    done = unslant("probe", "nli", *arguments, cwd=tmp_path, code=2)
    assert words in " ".join(done.stderr.split())


PAIRS = [
    {"gold_label": label, "sentence1": f"A man {verb} .", "sentence2": f"A {who} {verb} ."}
    for verb in ("eats", "sleeps", "runs", "walks", "reads", "sings", "waits", "works")
    for who, label in (("person", "entailment"), ("woman", "contradiction"), ("nurse", "neutral"))
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(load().head(3000), tmp_path / "some.txt")
    (tmp_path / "nli").mkdir()
    for part, rows in (("train", PAIRS), ("dev", PAIRS[:6])):
        rows = [{**row, "sentence1": row["sentence1"] + " ." * (part == "dev")} for row in rows]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "nli" / f"{part}.jsonl").write_text(text)
    return tmp_path


def test_a_model_is_trained_saved_and_probed(folder: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    small = ("--hidden", "8", "--epochs", "2", "--batch", "8")
    shown = unslant(
        *("nli", "train", "--vectors", "some.txt", "--data", "nli", "-o", "m.safetensors", *small),
        *("--note", "a toy"),
        cwd=folder,
    ).stdout
    assert "dev accuracy" in shown
    assert json.loads((folder / "m.json").read_text())["record"]["note"] == "a toy"
    assert not (folder / "m.checkpoint").exists()
    record = json_of(
        *("probe", "nli", "some.txt", "--model", "m.safetensors", "--set", "marked-attribute"),
        *("--contexts", "3", "--resamples", "5", "--json"),
        cwd=folder,
    )
    assert record["models"][0]["model"] == "m"
    again = ("nli", "train", "--vectors", "some.txt", "--data", "nli", "-o", "m.safetensors")
    assert "exists" in unslant(*again, cwd=folder, code=2).stderr


def test_a_bad_line_is_named_counted_and_skipped_only_when_asked(folder: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    with (folder / "nli" / "train.jsonl").open("a") as stream:
        stream.write("{broken\n")
    train = ("nli", "train", "--data", "nli", "-o", "m.safetensors", "--hidden", "4")
    done = unslant(*train, "--epochs", "1", cwd=folder, code=2)
    assert "train.jsonl" in done.stderr
    assert "25" in done.stderr
    assert not (folder / "m.safetensors").exists()
    record = json_of(*train, "--epochs", "1", "--skip-bad", "--json", cwd=folder)
    assert record["record"]["pairs"]["train"]["bad lines"] == 1


def test_retraining_trains_one_model_for_each_space_and_keeps_it(folder: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    probe = (
        *("probe", "nli", "some.txt", "--set", "marked-attribute", "--contexts", "2", "--json"),
        *("--debias", "linear", "--compare", "--controls", "1", "--retrain", "nli"),
        *("--resamples", "5"),
    )
    record = json_of(*probe, cwd=folder, UNSLANT_CACHE=str(folder / "kept"))
    assert record["retrained"]
    assert len({model["sha256"] for model in record["models"]}) == 3
    again = json_of(*probe, cwd=folder, UNSLANT_CACHE=str(folder / "kept"))
    assert again["measurements"] == record["measurements"]
    assert len(list((folder / "kept" / "nli").glob("*.safetensors"))) == 3
