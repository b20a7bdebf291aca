"""``unslant probe NAME`` and ``unslant train nli`` as a newcomer runs them."""

import json
from pathlib import Path
from typing import Any

import pytest

import unslant as us
from tests.command_line import json_of, unslant
from unslant.cli.app import main
from unslant.probes.nli.sentences import bundled_pairings
from unslant.vectors import load
from unslant.vectors.save import save


def test_the_sets_are_listed_with_their_pair_counts(tmp_path: Path) -> None:
    [probe] = json_of("list", "probes", "nli", "--json", cwd=tmp_path)
    counts = {item["name"]: item["size"] for item in probe["sets"]}
    assert counts["gender-occupation"] == 1_936_512
    assert counts["nationality"] == 2_134_080
    assert counts["religion"] == 1_133_730
    assert counts["marked-attribute"] == 15_744
    assert "1,936,512" in unslant("list", "probes", "nli", cwd=tmp_path).stdout


def test_a_probe_shows_measures_changes_examples_and_words(tmp_path: Path) -> None:
    shown = unslant(
        *("probe", "nli", "--set", "marked-attribute", "--contexts", "10", "--compare"),
        *("--with", "hard | misp", "--controls", "2", "--resamples", "20"),
        cwd=tmp_path,
    ).stdout
    for part in (
        "We asked snli-glove-100d 80 pairs of sentences",
        "debiased with hard | misp for gender",
        "This model is right on 80 % of its dev set",
        "random: with 5 random directions removed instead",
        "Pairs most confidently called entailment",
        "Pairs most confidently called contradiction",
        "Mean answer for each hypothesis word",
        "a: missing from the vectors, so the model read a hash of each word instead",
    ):
        assert part in " ".join(shown.split()), part


def test_the_record_is_one_json_document_with_slices(tmp_path: Path) -> None:
    record = json_of(
        *("probe", "nli", "--set", "nationality", "--contexts", "5", "--resamples", "10"),
        *("--slice", "rude,iraqi; evil, dutch", "--json"),
        cwd=tmp_path,
    )
    [slices] = [item for item in record["exhibits"] if item["id"] == "slices"]
    assert [row[0] for row in slices["rows"]] == ["rude → iraqi", "evil → dutch"]
    assert record["subject"]["facts"]["pairs"] == 26 * 32 * 5


def test_pairs_are_exported_without_asking_a_model(tmp_path: Path) -> None:
    unslant(
        *("probe", "nli", "--set", "sirt", "--contexts", "3", "--export", "pairs.jsonl"),
        cwd=tmp_path,
    )
    lines = (tmp_path / "pairs.jsonl").read_text().splitlines()
    assert len(lines) == 30 * 3
    assert {json.loads(line)["label"] for line in lines} == {"entailment", "contradiction"}


def test_an_export_replaces_a_file_only_when_told_to(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("mine")
    export = ("probe", "nli", "--set", "sirt", "--contexts", "3", "--export", "pairs.csv")
    done = unslant(*export, cwd=tmp_path, code=2)
    assert "pairs.csv exists. Choose another name, or add --overwrite." in done.stderr
    assert (tmp_path / "pairs.csv").read_text() == "mine"
    found = json_of(*export, "--overwrite", "--json", cwd=tmp_path)
    assert found == {"rows": 90, "file": "pairs.csv"}
    assert (tmp_path / "pairs.csv").read_text().startswith("id,premise,")


def test_the_seed_is_the_seed_of_the_controls_too(tmp_path: Path) -> None:
    probe = (
        *("probe", "nli", "--set", "marked-attribute", "--contexts", "2", "--resamples", "0"),
        *("--with", "linear", "--compare", "--controls", "2", "--json", "--seed", "7"),
    )
    record = json_of(*probe, cwd=tmp_path)
    assert record["settings"]["seed"] == 7
    gender = us.concept("gender")
    for number, value in enumerate(record["results"][0]["control"]["values"], start=7):
        space = us.debias(f"random(seed={number}, k=1)", us.load(), gender)
        by_hand: Any = us.probe(
            "nli(set=marked-attribute, contexts=2, resamples=0, seed=7)", space
        ).record
        assert by_hand.results[0].now.value == value


NO_CONCEPT = """
name = "mine"
sentence = "{determiner} {subject} {verb} {article} {object} ."
activities = "fitting"
premise = ["nurse", "doctor", "nurse"]
hypothesis = ["man"]
"""


def test_a_set_without_a_concept_is_not_debiased_by_gender(tmp_path: Path) -> None:
    text = NO_CONCEPT.replace('["nurse", "doctor", "nurse"]', '["nurse", "doctor"]')
    (tmp_path / "mine.toml").write_text(text)
    probe = ("probe", "nli", "--set", "mine.toml", "--contexts", "2", "--with", "linear")
    assert "does not say which concept" in unslant(*probe, cwd=tmp_path, code=2).stderr
    shown = unslant(*probe, "--concept", "age", "--resamples", "0", cwd=tmp_path).stdout
    assert "age" in " ".join(shown.split())


def test_a_repeated_word_counts_once_with_unique(tmp_path: Path) -> None:
    options = ("--set", "nationality", "--contexts", "1", "--export", "a.csv", "--json")
    every = json_of("probe", "nli", *options, cwd=tmp_path)["rows"]
    once = json_of("probe", "nli", *options, "--unique", "--overwrite", cwd=tmp_path)["rows"]
    assert (every, once) == (26 * 32, 25 * 32)


def test_the_help_shows_each_parameter_with_its_choices_and_limits(tmp_path: Path) -> None:
    shown = " ".join(unslant("probe", "nli", "--help", cwd=tmp_path, COLUMNS="200").stdout.split())
    for part in (
        "own|all-things|fitting",
        "tuned encoders do). Must be at least 0.",
        "--retrain",
    ):
        assert part in shown
    assert set(bundled_pairings()) == {"all-things", "fitting"}, "the choices of --pairing"
    assert "--retrain" not in unslant("probe", "eec", "--help", cwd=tmp_path).stdout


def test_the_probes_are_listed_and_mistaken_names_say_what_to_type(tmp_path: Path) -> None:
    shown = unslant("list", "probes", cwd=tmp_path).stdout
    assert "Does a sentiment score depend on who a sentence is about?" in shown
    names = [item["name"] for item in json_of("list", "probes", "--json", cwd=tmp_path)]
    assert names == sorted(names)
    assert {"eec", "masked-accuracy", "nli", "perplexity", "stereoset"} <= set(names)
    assert {"aul", "cbs", "crows-pairs", "lpbs"} <= set(names)
    assert 'Did you mean "nli"' in unslant("probe", "nly", cwd=tmp_path, code=2).stderr
    assert "unslant measure weat" in unslant("probe", "weat", cwd=tmp_path, code=2).stderr


def test_sentiment_answers_made_elsewhere_are_read_from_an_export(tmp_path: Path) -> None:
    unslant("probe", "eec", "--export", "asked.jsonl", cwd=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "asked.jsonl").read_text().splitlines()]
    assert len(rows) == 8_640
    for row in rows:
        row["score"] = 0.25 if row["gender"] == "female" else 0.0
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    record = json_of(
        *("probe", "eec", "--scores", "a.jsonl", "--resamples", "0", "--json"), cwd=tmp_path
    )
    values = {item["now"]["metric"]: item["now"]["value"] for item in record["results"]}
    assert (values["eec-gender"], values["eec-race"]) == (0.25, 0.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "gender-ocupation"), 'Did you mean "gender-occupation"'),
        (("--slice", "rude"), "two words with a comma"),
        (("--compare",), "--compare does nothing without --with"),
        (("--controls", "2", "--with", "hard"), "--controls does nothing without --compare"),
        (("--concept", "gender"), "--concept does nothing without --with"),
        (("--case", "any"), "--case does nothing without --with"),
        (("--skip-bad",), "--skip-bad does nothing without --retrain"),
        (("--overwrite",), "--overwrite does nothing without --export, --html or --record"),
        (("--export", "a.csv", "--with", "hard"), "--with does nothing with --export"),
        (("--export", "none/a.csv"), "in a folder that does not exist"),
        (("--seed", "-1"), 'The "seed" parameter of nli must be at least 0'),
        (("--missing", "balance"), "Invalid value for '--missing'"),
        (("--determiner", "this"), "Invalid value for '--determiner'"),
        (("--nonsense",), "No such option: --nonsense"),
        (("--slice", "nurse,mam", "--contexts", "2"), 'Did you mean "man"'),
        (("--model", "none.safetensors"), "none.safetensors does not exist"),
        (("--with", "hrad"), 'Did you mean "hard"'),
        (("--retrain", "none", "--with", "hard"), "none"),
        (("--contexts", "2000"), "1 to 1,968 contexts"),
        (("--examples", "0"), "at least 1"),
        (("--controls", "-1", "--with", "hard", "--compare"), "at least 0"),
        (("--resamples", "-1"), "at least 0"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    arguments: tuple[str, ...],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["unslant", "probe", "nli", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert words in " ".join(capsys.readouterr().err.split())


WHEN = ("now", "before")
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
        *("train", "nli", "some.txt", "--data", "nli", "-o", "m.safetensors", *small),
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
    assert record["predictor"]["name"] == "m"
    again = ("train", "nli", "some.txt", "--data", "nli", "-o", "m.safetensors")
    assert "exists" in unslant(*again, cwd=folder, code=2).stderr


def test_a_bad_line_is_named_counted_and_skipped_only_when_asked(folder: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    with (folder / "nli" / "train.jsonl").open("a") as stream:
        stream.write("{broken\n")
    train = ("train", "nli", "--data", "nli", "-o", "m.safetensors", "--hidden", "4")
    done = unslant(*train, "--epochs", "1", cwd=folder, code=2)
    assert "train.jsonl" in done.stderr
    assert "line 25" in done.stderr
    assert not (folder / "m.safetensors").exists()
    record = json_of(*train, "--epochs", "1", "--skip-bad", "--json", cwd=folder)
    assert record["record"]["pairs"]["train"]["bad_lines"] == 1


def test_retraining_trains_one_model_for_each_space_and_keeps_it(folder: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch")
    probe = (
        *("probe", "nli", "some.txt", "--set", "marked-attribute", "--contexts", "2", "--json"),
        *("--with", "linear", "--compare", "--controls", "1", "--retrain", "nli"),
        *("--resamples", "5", "--seed", "3", "--skip-bad"),
    )
    with (folder / "nli" / "train.jsonl").open("a") as stream:
        stream.write("{broken\n")
    done = unslant(*probe, cwd=folder, UNSLANT_CACHE=str(folder / "kept"))
    assert "1 malformed line was skipped" in done.stderr
    record = json.loads(done.stdout)
    facts = record["predictor"]["facts"]
    assert facts["training-settings-seed"] == 3
    assert facts["training-pairs-train-bad-lines"] == 1
    assert len(facts["training-pairs-train-files-1-sha256"]) == 64
    assert record["treatment"]["is_retrained"]
    models = {item[when]["inputs"]["model_sha256"] for item in record["results"] for when in WHEN}
    assert len(models) == 2
    again = json_of(*probe, cwd=folder, UNSLANT_CACHE=str(folder / "kept"))
    assert again["results"] == record["results"]
    assert len(list((folder / "kept" / "nli").glob("*.safetensors"))) == 3


@pytest.mark.parametrize("name", ["perplexity", "masked-accuracy", "nli-accuracy"])
def test_a_probe_of_quality_has_an_example_with_a_concept_which_it_needs(
    name: str, tmp_path: Path
) -> None:
    told = " ".join(unslant("probe", name, "--help", cwd=tmp_path).stdout.split())
    assert "--concept gender --compare" in told
