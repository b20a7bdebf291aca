"""The tab that measures by any one metric or probe."""

from typing import Any

import pytest

import unslant as us
from tests.web.serving import Page, guarded
from unslant.core.wording import number
from unslant.measures.registry import metrics

GENDER = {"kind": "measure", "vectors": "v0", "concept": "gender"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(guarded(tmp_path_factory.mktemp("files")))


def test_every_installed_measure_is_offered_with_its_parameters(page: Page) -> None:
    offered = {item["name"]: item for item in page.get("/api/start").json()["measures"]}
    assert offered.keys() >= {entry.name for entry in metrics()}
    parameters = {item["name"]: item for item in offered["weat"]["parameters"]}
    assert parameters["ddof"]["default"] == "1"
    [gender] = [c for c in page.get("/api/start").json()["concepts"] if c["id"] == "gender"]
    assert "career-family" in gender["tests"]


def test_one_metric_is_measured_with_the_parameters_given(page: Page) -> None:
    shown = page.result(name="weat", parameters="ddof=0", test="career-family", **GENDER)
    test = us.concept("gender").test("career-family")
    value = us.measure("weat(ddof=0)", us.load(), test).value
    assert number(value) in {
        cell for table in shown["tables"] for row in table["rows"] for cell in row
    }


def test_with_a_method_it_is_measured_before_and_after(page: Page) -> None:
    shown = page.result(
        name="direct-bias", parameters="neutral=occupations", method="linear", **GENDER
    )
    heads = [column["name"] for column in shown["tables"][0]["columns"]]
    assert heads[0] == "measure"
    assert (
        len([head for head in heads if head.startswith("glove") or head in ("before", "after")])
        == 2
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"name": "weta"}, 'No measure is called "weta"'),
        ({"name": "weat", "parameters": "ddof=x", "test": "career-family"}, '"ddof" parameter'),
        ({"name": "weat", "test": "nowhere"}, "nowhere"),
        ({"name": "weat", "parameters": ")", "test": "career-family"}, "cannot be read"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(page: Page, asked: dict[str, Any], said: str) -> None:
    assert said in page.job(**GENDER, **asked)["mistake"]
