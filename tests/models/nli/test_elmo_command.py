"""``unslant train nli ELMO`` and the probe of what it writes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.command_line import json_of, unslant
from tests.models.nli.elmos import small_elmo
from unslant.datasets.nli import read_corpus
from unslant.models.elmo import load_elmo
from unslant.predictors.protocols import NliModel
from unslant.studies.at_places import fit_at_places

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("h5py", reason="h5py is not installed")

PAIRS = [
    {"gold_label": label, "sentence1": f"A man {verb} .", "sentence2": f"A {who} {verb} ."}
    for verb in ("eats", "sleeps", "runs", "walks", "reads", "sings", "waits", "works")
    for who, label in (("person", "entailment"), ("woman", "contradiction"), ("Nurse", "neutral"))
]
SMALL = ("--hidden", "4", "--attention", "5", "--classification", "6", "--epochs", "1")
TRAIN = ("train", "nli", "elmo", "--data", "nli", *SMALL)
PROBE = ("probe", "nli", "--contexts", "2", "--resamples", "50", "--json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("command")
    small_elmo(made / "elmo")
    (made / "nli").mkdir()
    for part, rows in (("train", PAIRS), ("dev", PAIRS[:6])):
        marked = [{**row, "sentence1": row["sentence1"] + " ." * (part == "dev")} for row in rows]
        text = "".join(json.dumps(row) + "\n" for row in marked)
        (made / "nli" / f"{part}.jsonl").write_text(text)
    (made / "text.txt").write_text("he saw her .\nshe saw him .\n" * 6)
    return made


@pytest.fixture(scope="module")
def plain(folder: Path) -> dict[str, Any]:
    return dict(json_of(*TRAIN, "--most", "20", "-o", "plain", "--json", cwd=folder))


@pytest.fixture(scope="module")
def treated(folder: Path) -> dict[str, Any]:
    methods = ("--with", "elmo-layers", "--fit-contexts", "types(text.txt)")
    return dict(json_of(*TRAIN, *methods, "-o", "treated", "--json", cwd=folder))


def test_it_writes_a_folder_that_loads_and_answers(folder: Path, plain: dict[str, Any]) -> None:
    assert plain["pairs"]["train"]["count"] == plain["pairs"]["train"]["drawn"] == 20
    assert plain["intervention"] == {}
    assert json.loads((folder / "plain" / "training.json").read_text()) == plain
    assert not (folder / "plain.checkpoint").exists()
    model = load_elmo(folder / "plain")
    answers = model.predictor(NliModel).predict(["A man eats ."], ["A Nurse eats ."])
    assert answers.sum() == pytest.approx(1)
    assert not model.intervention.steps


def test_an_intervention_is_fitted_acts_and_is_in_the_folder(
    folder: Path, treated: dict[str, Any]
) -> None:
    model = load_elmo(folder / "treated")
    expected = fit_at_places(
        "elmo-layers", load_elmo(folder / "elmo"), "gender", contexts=f"types({folder}/text.txt)"
    )
    for found, wanted in zip(model.intervention.steps, expected.steps, strict=True):
        assert found.place == wanted.place
        one, other = (step.eraser.stages[0].removed for step in (found, wanted))
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert treated["intervention"]["expression"] == expected.expression
    assert len(treated["intervention"]["stages"]) == 3


def test_the_probe_asks_it_and_compares(
    folder: Path, plain: dict[str, Any], treated: dict[str, Any]
) -> None:
    at_test = ("--with", "elmo-static", "--fit-contexts", "plain", "--compare", "--controls", "2")
    found = json_of(*PROBE, "plain", *at_test, cwd=folder)
    net = found["results"][0]
    assert net["change"]["interval"]["low"] <= net["change"]["difference"]
    assert len(net["control"]["values"]) == 2
    assert found["treatment"]["expression"] == "linear@chars"
    other = json_of(*PROBE, "treated", "--baseline", "plain", cwd=folder)
    assert other["results"][0]["before"]["value"] == net["before"]["value"]
    assert other["resource"]["facts"]["training-intervention-expression"].count("output") == 3


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--intra",), "--intra does not apply to training on an ELMo"),
        (("--tune", "all"), "--tune does not apply to training on an ELMo"),
        (("--fit-contexts", "plain"), "--fit-contexts does nothing without --with"),
        (("--hidden", "3"), "an even number of at least 2, not 3"),
        (("--overwrite",), "--overwrite is for files"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_read(
    folder: Path, options: tuple[str, ...], reason: str
) -> None:
    said = unslant(
        "train", "nli", "elmo", "--data", "none", *options, "-o", "x", cwd=folder, code=2
    )
    assert reason in " ".join(said.stderr.split())
    assert not (folder / "x").exists()


def test_the_sizes_for_an_elmo_are_refused_elsewhere(folder: Path) -> None:
    said = unslant(
        "train", "nli", "--data", "nli", "--attention", "5", "-o", "m.safetensors",
        cwd=folder, code=2,
    )  # fmt: skip
    assert "--attention does not apply to training on" in " ".join(said.stderr.split())


def test_contexts_to_fit_in_need_a_method_in_a_model(folder: Path, plain: dict[str, Any]) -> None:
    said = unslant(*PROBE, "plain", "--fit-contexts", "plain", cwd=folder, code=2)
    assert "--fit-contexts does nothing without --with" in " ".join(said.stderr.split())


def test_pairs_keep_their_case_if_asked_and_count_as_equal_without_it(tmp_path: Path) -> None:
    rows = [
        {"gold_label": "neutral", "sentence1": text, "sentence2": "It ISN'T"}
        for text in ("The Dog ran .", "the dog ran .")
    ]
    for part in ("train", "dev"):
        more = [{**row, "sentence2": f"{row['sentence2']} {part}"} for row in rows]
        (tmp_path / f"{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in more))
    plain, cased = (read_corpus(tmp_path, keeps_case=keeps) for keeps in (False, True))
    assert plain.train.tokens(0) == (["the", "dog", "ran", "."], ["it", "is", "n't", "train"])
    assert cased.train.tokens(0) == (["The", "Dog", "ran", "."], ["It", "IS", "N'T", "train"])
    assert len(plain.train) == len(cased.train) == 1
    assert len(plain.dev) == len(cased.dev) == 2


def test_drawn_pairs_are_pairs_of_the_whole_in_its_order() -> None:
    from tests.models.nli.elmos import PAIRS as MADE

    drawn = MADE.train.drawn(50, np.random.default_rng(1))
    every = [(*MADE.train.tokens(row), MADE.train.labels[row]) for row in range(len(MADE.train))]
    rows = [(*drawn.tokens(row), drawn.labels[row]) for row in range(50)]
    rest = iter(every)
    assert all(row in rest for row in rows)
    assert drawn.record["drawn"] == len(drawn) == 50
    again = MADE.train.drawn(50, np.random.default_rng(1))
    assert again.content_hash == drawn.content_hash != MADE.train.content_hash
