"""Probes on the page: who can be asked what, and the same numbers as elsewhere."""

from pathlib import Path
from typing import Any

import pytest

import unslant as us
from tests.studies.language_models import CONCEPT, tiny_bert
from tests.web.serving import Page, guarded
from unslant.core.errors import UnslantError
from unslant.web.measuring import offered_probes

ASKED = {"kind": "probe", "vectors": "v0", "concept": "gender"}
SET = "set=marked-attribute, resamples=20"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(guarded(tmp_path_factory.mktemp("files")))


def test_probes_that_need_no_corpus_are_offered_with_their_sets(page: Page) -> None:
    offered = {item["name"]: item for item in page.get("/api/probes").json()["probes"]}
    assert offered.keys() == {entry.name for entry in offered_probes()}
    assert not offered.keys() & {"name-swap", "aceat", "nli-accuracy"}
    assert offered["nli"]["vectors"]
    assert "marked-attribute" in offered["nli"]["sets"]
    assert not offered["cbs"]["vectors"]
    assert offered["cbs"]["models"] == []


def test_the_answers_are_those_of_the_command(page: Page) -> None:
    shown = page.result(name="nli", parameters=SET, **ASKED)
    record = page.get(f"/api/jobs/{shown['id']}/record.json").json()
    expected = us.probe("nli(set=marked-attribute, resamples=20)", us.load()).record.to_dict()
    assert [item["now"]["value"] for item in record["results"]] == [
        item["now"]["value"] for item in expected["results"]
    ]
    assert shown["sentences"]
    assert shown["figures"]


def test_a_probe_is_cancelled_like_any_job(page: Page) -> None:
    begun = page.post("/api/jobs", {**ASKED, "name": "nli", "method": "linear"}).json()
    told = page.post(f"/api/jobs/{begun['id']}/cancel", {}).json()
    assert told["state"] == "cancelled"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"name": "cbs"}, "cbs cannot be put to word vectors"),
        ({"name": "weat"}, 'No probe is called "weat"'),
        ({"name": "nil"}, 'Did you mean "nli"?'),
        ({"name": "nli", "parameters": "set=mine.toml"}, "mine.toml"),
        ({"name": "nli", "parameters": "resamples=99999"}, "at most"),
        ({"name": "name-swap"}, "a corpus, which a page cannot name"),
        ({"name": "nli", "method": "hrad"}, 'Did you mean "hard"?'),
    ],
)
def test_mistakes_are_told_in_a_sentence(page: Page, asked: dict[str, Any], said: str) -> None:
    assert said in page.job(**ASKED, **asked)["mistake"]


def test_a_model_that_is_open_is_asked_itself(tmp_path: Path) -> None:
    (tmp_path / "sides.toml").write_text(CONCEPT)
    model = tiny_bert(tmp_path / "bert")
    page = Page(guarded(tmp_path, [str(model)], [str(tmp_path / "sides.toml")]))
    offered = {item["name"]: item for item in page.get("/api/probes").json()["probes"]}
    assert offered["cbs"]["models"] == ["m1"]
    told = page.job(kind="probe", vectors="m1", concept="own-1", name="cbs")
    # All groups are the same to a model that knows none of them, which is no score.
    with pytest.raises(UnslantError) as said:
        us.probe("cbs", str(model))
    assert told["doing"] == "Scoring sentences"
    assert told["error"] == str(said.value)
