"""Up to six spaces side by side: the numbers, the words better and worse, and the report."""

from typing import Any

import pytest

import unslant as us
from tests.web.serving import Page, guarded
from unslant.core.verdicts import judged
from unslant.core.wording import number
from unslant.vectors.save import save
from unslant.web.app import CHOICES
from unslant.web.chains import checked
from unslant.web.opened import quick_jobs

METHODS = ("", "hard", "linear", "leace", "random(seed=3)", "hard | misp")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    folder = tmp_path_factory.mktemp("compare")
    save(us.load(limit=8_000), folder / "small.safetensors")
    return Page(guarded(tmp_path_factory.mktemp("files"), [str(folder / "small.safetensors")]))


def sides(*methods: str) -> list[dict[str, str]]:
    return [{"vectors": "v1", "method": method} for method in methods]


@pytest.fixture(scope="module")
def six(page: Page) -> dict[str, Any]:
    return page.result(kind="compare", concept="gender", sides=sides(*METHODS))


def test_six_methods_have_the_numbers_and_the_verdicts_of_an_audit_each(
    six: dict[str, Any],
) -> None:
    table, verdicts = six["tables"]
    heads = [column["name"] for column in table["columns"]]
    assert heads == ["measure", "as it is", *METHODS[1:], "better is"]
    vectors, gender = us.load(limit=8_000), us.concept("gender")
    jobs = quick_jobs(gender, refitted=True)
    for place, method in enumerate(METHODS[1:], 2):
        if method not in ("hard", "random(seed=3)"):
            continue
        fair = us.debias(method, vectors, gender)
        record = us.audit(fair, gender, baseline=vectors, jobs=jobs).record
        expected = []
        for result in record.results:
            said = result.change.verdict if result.change else ""
            word = f" {said}" if said in ("better", "worse") else ""
            expected.append("NA" if result.now.value is None else number(result.now.value) + word)
        assert [row[place] for row in table["rows"]] == expected
        assert [row[place] for row in table["values"]] == [it.now.value for it in record.results]
        whole = judged(record).conclusion
        assert whole is not None
        assert verdicts["rows"][place - 1] == [method, whole.sentence]
    assert any(str(cell).endswith(" better") for row in table["rows"] for cell in row)


def test_the_first_sentence_counts_what_changed_for_certain(six: dict[str, Any]) -> None:
    [first, caution] = six["sentences"]
    rows = six["tables"][0]["rows"]
    for place, method in enumerate(METHODS[1:], 2):
        said = [str(row[place]).rpartition(" ")[2] for row in rows]
        assert f"{method}: {said.count('better')} better, {said.count('worse')} worse" in first
    assert "interval" in caution


def test_six_methods_are_drawn_and_have_a_report_and_a_record(
    page: Page, six: dict[str, Any]
) -> None:
    assert [figure["name"] for figure in six["figures"]] == ["heatmap", "front", "ranks"]
    told = page.job(kind="report", of=six["id"])
    assert told["state"] == "done", told
    record = page.get(f"/api/jobs/{six['id']}/record.json").json()
    assert len(record["study"]["cells"]) == len(METHODS) * len(six["tables"][0]["rows"])
    assert record["conclusion"]["sentence"] == six["verdict"] == six["sentences"][0]


def test_a_seventh_is_too_many_and_no_space_is_compared_with_itself(page: Page) -> None:
    seven = sides(*METHODS, "misp")
    assert "two to 6" in page.job(kind="compare", concept="gender", sides=seven)["mistake"]
    same = sides("", "hard", "hard")
    assert "same space" in page.job(kind="compare", concept="gender", sides=same)["mistake"]
    bad = sides("", "hrad")
    assert (
        'Did you mean "hard"?' in page.job(kind="compare", concept="gender", sides=bad)["mistake"]
    )


def test_different_vectors_are_named_in_the_columns(page: Page) -> None:
    mixed = [*sides("", "linear"), {"vectors": "v0", "method": ""}]
    shown = page.result(kind="compare", concept="gender", sides=mixed)
    heads = [column["name"] for column in shown["tables"][0]["columns"]]
    assert heads[1:4] == ["small: as it is", "small: linear", "glove.6B.100d.slice: as it is"]


def test_the_three_choices_can_run_and_are_told_apart(page: Page) -> None:
    told = page.get("/api/start").json()["choices"]
    assert [item["name"] for item in told] == [choice.name for choice in CHOICES]
    assert len({choice.vectors for choice in CHOICES}) == len(CHOICES) == 3
    for choice in CHOICES:
        assert checked(choice.vectors) == choice.vectors


def test_the_strongest_choice_removes_more_than_the_smallest_and_costs_more(page: Page) -> None:
    vectors, gender = us.load(limit=8_000), us.concept("gender")
    removed = {}
    moved = {}
    for choice in CHOICES:
        fair = us.debias(choice.vectors, vectors, gender)
        jobs = [job for job in quick_jobs(gender) if job[0].name == "weat"]
        found = us.audit(fair, gender, jobs=jobs).record.results
        removed[choice.name] = sum(abs(item.now.value or 0) for item in found)
        moved[choice.name] = float(((fair.matrix - vectors.matrix) ** 2).sum())
    assert removed["Strongest removal"] == min(removed.values())
    assert moved["Smallest change"] < moved["Strongest removal"]
