"""The page for those who come from WEFE: its plan and its Python run as they stand."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.contracts.test_docs import blocks
from unslant.core.read_record import read_record
from unslant.studies.plan.reading import read_plan
from unslant.vectors import WordVectors

PAGE = "docs/from-wefe.md"


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, glove: WordVectors) -> Path:
    """Three sets of vectors: as they are, with noise, and without the direction of gender."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))
    words = {
        word
        for name in ("gender", "race", "religion")
        for test in us.concept(name).tests.values()
        for item in (*test.targets.values(), *test.attributes.values())
        for word in item.all_words
    }
    members = {
        word
        for name in ("gender", "race", "religion")
        for item in us.concept(name).members.values()
        for word in item.all_words
    }
    found = glove.only([word.lower() for word in {*words, *members}])
    rng = np.random.default_rng(0)
    made = {
        "glove": found,
        "word2vec": WordVectors(
            found.words,
            (found.matrix + 0.4 * rng.standard_normal(found.matrix.shape)).astype(np.float32),
            found.lineage,
        ),
        "fasttext": us.debias("linear", found, "gender"),
    }
    for name, vectors in made.items():
        us.save(vectors, tmp_path / f"{name}.txt")
    return tmp_path


def test_both_ways_are_fifteen_lines_at_most() -> None:
    [plan] = blocks(PAGE, "toml")
    [code] = blocks(PAGE, "python")
    assert len([line for line in plan.splitlines() if line.strip()]) <= 15
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    assert tomllib.loads(plan)["measures"] == ["weat", "rnd", "rnsb"]


def test_the_page_ranks_three_embeddings(three: Path) -> None:
    # RNSB trains a classifier on 6,800 opinion words, which these small files do not have.
    [plan] = blocks(PAGE, "toml")
    (three / "three-embeddings.toml").write_text(plan)
    planned = read_plan(three / "three-embeddings.toml")
    tests = [len(us.concept(name).tests) for name in ("gender", "race", "religion")]
    assert len(planned.cells) == 3 * (2 * sum(tests) + 3)

    [code] = blocks(PAGE, "python")
    space: dict[str, object] = {"__name__": "pasted"}
    exec(code, space)
    found = space["found"]
    table = found.to_frame()  # type: ignore[attr-defined]
    done = table[table.state == "done"]
    assert set(done.measure.str.split(": ").str[0]) >= {"weat", "rnd"}
    gender = done[done.measure == "weat: career-family (gender)"].set_index("resource")
    by_hand = gender.value.abs().rank()
    assert (gender["rank"] == by_hand).all()
    assert (gender.low <= gender.value).all()
    for name in ("ranks.svg", "heatmap.svg"):
        assert (three / name).read_text().startswith("<svg")
    assert "Bias by rank" in (three / "ranks.svg").read_text()
    assert read_record(three / "three" / "record.json").study is not None
