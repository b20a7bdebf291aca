"""``unslant train coref``, and what can be done with the file that it writes."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import json_of, unslant
from tests.made_coreference import A_NURSE, TWO_PEOPLE, WORDS, made_vectors
from unslant.datasets.coreference.conll2012 import write_file
from unslant.models.coreference.trained import load_coref

pytest.importorskip("torch", reason="training needs torch")

SMALL = ("--hidden", "8", "--rounds", "2", "--data", "documents")
TRAIN = ("train", "coref", "made.txt", *SMALL, "-o", "m.safetensors")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, document in (("train", TWO_PEOPLE), ("dev", A_NURSE)):
        (tmp_path / "documents" / part).mkdir(parents=True)
        write_file(tmp_path / "documents" / part / "made.conll", [document])
    rows = made_vectors().rows_at(np.arange(len(WORDS)))
    lines = (" ".join([word, *map(str, row)]) for word, row in zip(WORDS, rows, strict=True))
    (tmp_path / "made.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_a_model_is_trained_and_its_scores_are_printed(folder: Path) -> None:
    said = unslant(*TRAIN, cwd=folder).stdout
    headings = set(said.split())  # which a narrow terminal breaks
    assert {"held-out,", "predicted", "true", "mentions"} <= headings
    assert "Singletons: kept" in said
    made = load_coref(folder / "m.safetensors")
    assert made.record["documents"]["train"]["documents"] == 1
    assert len(made.record["rounds"]) == 2
    assert not (folder / "m.checkpoint").exists()
    assert json.loads((folder / "m.json").read_text())["record"] == made.record


def test_the_record_can_be_printed_and_augmentation_doubles_the_documents(folder: Path) -> None:
    record = json_of(*TRAIN, "--swap", "gender", "--seed", "3", "--json", cwd=folder)["record"]
    assert record["settings"]["seed"] == 3
    assert record["documents"]["train"]["documents"] == 2
    assert record["scores"]["held_out"]["true_mentions"]["mentions"]["f1"] == 1.0
    assert record["vectors"]["name"] == "made"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--rounds", "0"), "rounds must be at least 1"),
        (("--data", "nowhere"), "nowhere"),
        (("-o", "m.bin"), "safetensors"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    folder: Path, options: tuple[str, ...], reason: str
) -> None:
    said = unslant(*TRAIN, *options, cwd=folder, code=2).stderr
    assert reason in " ".join(said.split())
    assert not (folder / "m.safetensors").exists()


def test_a_file_that_is_there_is_not_overwritten_unasked(folder: Path) -> None:
    (folder / "m.safetensors").write_text("mine")
    unslant(*TRAIN, cwd=folder, code=2)
    assert (folder / "m.safetensors").read_text() == "mine"


def test_a_trained_model_answers_a_probe_through_vectors(folder: Path) -> None:
    unslant(*TRAIN, cwd=folder)
    probe = ("probe", "sowinobias", "made.txt", "--model", "m.safetensors", "--resamples", "0")
    found = json_of(*probe, "--sample", "--json", cwd=folder)
    names = [result["now"]["metric"] for result in found["results"]]
    assert "sowinobias-difference-all" in names
    assert "hash" in json.dumps(found["left_out"])
