"""What the page asks for, end to end: looks, methods, own words, comparisons, files."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.web.serving import SECRET, Page, guarded, on_a_socket, policy_for, raw
from unslant.concepts import concept
from unslant.methods.pipeline import debias
from unslant.studies.association import association
from unslant.studies.audit import audit
from unslant.vectors import WordVectors, load
from unslant.vectors.save import save
from unslant.web import view
from unslant.web.app import application
from unslant.web.guard import Guard
from unslant.web.opened import Concepts, Given, quick_jobs
from unslant.web.work import Desk

BANNED = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
    'setAttribute("on', 'setAttribute("style', "localStorage", "http://", "https://",
)  # fmt: skip
PETS = """
name = "pets"
title = "Cats and dogs"
version = "1"
about = "Words for pets."
groups = ["cat", "dog"]
[words]
cat = ["cat", "kitten"]
dog = ["dog", "puppy"]
"""
GENDER = {"vectors": "v0", "concept": "gender"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(guarded(tmp_path_factory.mktemp("files")))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """A page with two files of its own, one of which lacks words."""
    folder = tmp_path_factory.mktemp("two")
    whole = load(limit=12_000)
    save(whole, folder / "whole.safetensors")
    words = [word for word in whole.words if word not in ("nurse", "executive", "John", "john")]
    save(whole.only(words), folder / "part.safetensors")
    paths = [str(folder / f"{name}.safetensors") for name in ("whole", "part")]
    return Page(guarded(tmp_path_factory.mktemp("files"), paths))


def test_the_start_tells_what_there_is_to_choose_from(page: Page) -> None:
    start = page.get("/api/start").json()
    assert start["first"] == GENDER
    assert {"gender", "race", "religion"} <= {item["id"] for item in start["concepts"]}
    assert {"hard", "inlp", "linear"} <= {item["name"] for item in start["methods"]}
    assert set(start["themes"]) == {"light", "dark"}


def test_the_page_carries_the_token_and_no_script_of_its_own(page: Page) -> None:
    text = page.get("/").content.decode()
    assert "@TOKEN@" not in text
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert not re.search(r"\son[a-z]+\s*=", text)
    assert "style=" not in text
    assert not re.search(r"(https?:)?//[a-z]", text)


def test_everything_that_the_page_loads_is_there_and_puts_text_in_as_text_only(page: Page) -> None:
    waiting, seen = ["/"], set[str]()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        if path == "/vega.js":  # not ours, and takes seconds to make
            continue
        answer = page.get(path)
        assert answer.status == 200, path
        text = answer.content.decode()
        if path.endswith(".js") and path != "/charts.js":
            assert not [banned for banned in BANNED if banned in text]
        found = re.findall(r'(?:src|href)="(/[^"]*)"|from "(/[^"]*)"', text)
        waiting += [one or other for one, other in found if (one or other) not in seen]
    assert {"/page.js", "/parts.js", "/results.js", "/charts.js", "/base.css", "/page.css"} <= seen


def test_chains_are_checked_while_they_are_typed(page: Page) -> None:
    assert page.get("/api/check", "method=hard%20%7C%20misp").json() == {"runs": "hard | misp"}
    found = page.get("/api/check", "method=hadr").json()
    assert 'Did you mean "hard"?' in found["mistake"]


def test_a_look_shows_the_figures_of_the_same_audit_that_the_command_makes(page: Page) -> None:
    shown = page.result(kind="look", **GENDER)
    names = [figure["name"] for figure in shown["figures"]]
    assert any(name.startswith("scatter") for name in names)
    assert any(name.startswith("extremes") for name in names)
    assert any("forest" in name or "weat" in name for name in names)
    for figure in shown["figures"]:
        assert figure["description"]
        assert "$schema" in figure["spec"]
    record = page.get(f"/api/jobs/{shown['id']}/record.json").json()
    gender = concept("gender")
    again = audit(load(), gender, jobs=quick_jobs(gender)).to_dict()
    assert record == json.loads(json.dumps(again))


def test_a_glance_is_the_first_figure_of_a_look(page: Page) -> None:
    glance, look = page.result(kind="glance", **GENDER), page.result(kind="look", **GENDER)
    assert look["lead"] == look["figures"][0]["name"] == "findings"
    assert glance["figures"][0] == look["figures"][1]
    without = {"vectors": "v0", "concept": "caliskan"}  # a concept that has tests alone
    assert page.job(kind="glance", **without)["id"] == page.job(kind="look", **without)["id"]


def test_a_concept_with_nothing_to_measure_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "pets.toml").write_text(PETS)
    page = Page(guarded(tmp_path, concepts=[str(tmp_path / "pets.toml")]))
    assert page.get("/api/start").json()["first"]["concept"] == "own-1"
    for kind in ("glance", "look"):
        told = page.job(kind=kind, vectors="v0", concept="own-1")
        assert "Add [tests] or [neutral] to its file" in told["error"]


def test_a_method_shows_before_and_after_and_then_the_full_tables(page: Page) -> None:
    shown = page.result(kind="debias", method="linear", **GENDER)
    record = page.get(f"/api/jobs/{shown['id']}/record.json").json()
    assert record["treatment"]["expression"] == "linear"
    assert all(result["before"] for result in record["results"])
    [table] = shown["tables"]
    heads = [column["name"] for column in table["columns"]]
    assert heads[:3] == ["measure", "before", "after"]
    row = next(row for row in table["rows"] if row[0].startswith("Male and female names with"))
    assert row[1] == "1.718"
    others = {row[0]: row[heads.index("comparable")] for row in table["rows"]}
    assert others[row[0]] == ""
    assert all(not text or text.startswith(("≠", "not measured")) for text in others.values())


def test_the_downloaded_vectors_are_those_that_the_method_makes(
    page: Page, tmp_path: Path, glove: WordVectors
) -> None:
    expected = debias("linear", glove, concept("gender"))
    for form, ending in (("safetensors", ".safetensors"), ("word2vec", ".vec")):
        told = page.job(kind="file", method="linear", format=form, **GENDER)
        answer = page.get(f"/api/jobs/{told['id']}/file")
        assert int(answer.headers[b"content-length"]) == len(answer.content)
        assert b"attachment" in answer.headers[b"content-disposition"]
        path = tmp_path / f"back{ending}"
        path.write_bytes(answer.content)
        back = load(path, cache=False)
        assert back.words == expected.words
        assert np.array_equal(back.matrix, expected.matrix)


def test_the_report_of_a_result_is_a_file_to_save(page: Page) -> None:
    look = page.job(kind="look", **GENDER)
    told = page.job(kind="report", of=look["id"])
    assert told["state"] == "done", told
    answer = page.get(f"/api/jobs/{told['id']}/file")
    assert answer.content.startswith(b"<!doctype html>")
    assert b'filename="unslant-report.html"' in answer.headers[b"content-disposition"]
    assert "mistake" in page.job(kind="report", of="ffff")


def test_a_file_that_had_to_make_room_is_made_again_when_it_is_asked_for(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "MOST_FILES", 1)
    looks = [page.job(kind="look", vectors="v0", concept=name)["id"] for name in ("gender", "age")]
    first, second = (page.job(kind="report", of=look)["id"] for look in looks)
    gone = page.get(f"/api/jobs/{first}/file")
    assert gone.status == 410
    assert b"Ask for it again" in gone.content
    again = page.job(kind="report", of=looks[0])["id"]
    assert page.get(f"/api/jobs/{again}/file").content.startswith(b"<!doctype html>")
    assert page.get(f"/api/jobs/{second}/file").status == 410


def own(**other: Any) -> dict[str, Any]:
    groups = [
        {"name": "female", "words": ["she", "her", "woman", "mother", "girl"]},
        {"name": "male", "words": ["he", "his", "man", "father", "boy", "qqzzq"]},
    ]
    asked = {"vectors": "v0", "method": "", "words": ["nurse", "engineer", "zzqqz"]}
    return {**asked, "groups": groups, **other}


def test_own_words_are_answered_with_every_missing_one_named(
    page: Page, glove: WordVectors
) -> None:
    page.job(kind="look", **GENDER)
    found = page.post("/api/association", own()).json()
    assert found["missing"] == {"words": ["zzqqz"], "male": ["qqzzq"]}
    expected = association(
        glove,
        ["nurse", "engineer", "zzqqz"],
        {group["name"]: group["words"] for group in own()["groups"]},
    )
    assert found["record"] == json.loads(json.dumps(expected.to_dict()))
    assert [figure["name"] for figure in found["figures"]] == ["association"]


def test_own_words_after_a_method_wait_for_it_and_are_then_answered(page: Page) -> None:
    wanted = own(method="random(seed=3)", concept="gender")
    first = page.post("/api/association", wanted)
    assert first.status == 202
    assert page.ended(first.json()["job"]["id"])["state"] == "done"
    found = page.post("/api/association", wanted).json()
    assert found["record"]["resource"]["name"] == "glove.6B.100d.slice.random(seed=3)"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"words": []}, "no word to ask about"),
        ({"words": ["zzqqz"]}, "contains none of the 1 words"),
        ({"groups": own()["groups"][:1]}, "two to 8 groups"),
        ({"groups": [own()["groups"][0]] * 2}, 'called "female"'),
        ({"groups": [{"name": "", "words": ["a"]}] * 2}, "needs a name"),
        ({"groups": [{"name": "words", "words": ["he"]}, own()["groups"][0]]}, "cannot be called"),
        ({"words": ["w"] * 5 + [str(n) for n in range(400)]}, "at most 300"),
        ({"words": "nurse"}, "a list of words"),
        ({"words": ["nurse", "n" * 1_001]}, "at most 1,000"),
        ({"words": ["nurse", "\udcff"]}, "half a character"),
        ({"groups": [{"name": "\ud800", "words": ["he"]}] * 2}, "half a character"),
        ({"vectors": "v" * 5_000}, "at most 1,000"),
        ({"vectors": "../../etc/passwd"}, "No set of vectors"),
        ({"vectors": "v9"}, "No set of vectors"),
        ({"method": "linear", "concept": "/etc/passwd.toml"}, "No concept"),
        ({"method": "adversarial(analogies=/etc/passwd)", "concept": "gender"}, "name of a file"),
    ],
)
def test_mistakes_of_own_words_are_told_in_a_sentence(
    page: Page, changed: dict[str, Any], sentence: str
) -> None:
    page.job(kind="look", **GENDER)
    assert sentence in page.post("/api/association", own(**changed)).json()["mistake"]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"kind": "shell"},
        {"kind": "look"},
        {"kind": "look", "vectors": "v0", "concept": "../../x.toml"},
        {"kind": "look", "vectors": "/etc/passwd", "concept": "gender"},
        {"kind": "debias", "method": "hadr", **GENDER},
        {"kind": "debias", "method": "", **GENDER},
        {"kind": "debias", "method": 'adversarial("/etc/passwd")', **GENDER},
        {"kind": "file", "method": "linear", "format": "pickle", **GENDER},
        {"kind": "file", "method": "linear", "format": "../x.safetensors", **GENDER},
        {"kind": "record", "record": "/etc/passwd"},
        {"kind": "compare", "concept": "gender", "left": "v0", "right": "v0"},
        {"kind": "compare", "concept": "gender", "sides": ["v0", "v0"]},
        {"kind": "compare", "concept": "gender", "sides": [{"vectors": "v0", "method": ""}]},
        {"kind": "probe", "name": "weat", **GENDER},
        {"kind": "probe", "name": "nli", "parameters": "set=/etc/passwd", **GENDER},
        {"kind": "probe", "name": "name-swap", **GENDER},
        {"kind": "probe", "name": "cbs", **GENDER},
        {"kind": "measure", "name": "similarity", "parameters": "dataset=/etc/passwd", **GENDER},
        {"kind": ["look"]},
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(page: Page, asked: dict[str, Any]) -> None:
    assert page.post("/api/jobs", asked).json()["mistake"]


def test_what_is_no_object_is_refused_in_a_sentence(page: Page) -> None:
    values: list[Any] = [[], "x", 3, None]
    for value in values:
        assert "not a JSON object" in page.post("/api/jobs", value).json()["mistake"]


def test_a_bug_is_told_without_its_secrets_and_raised_for_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret of the machine")

    monkeypatch.setattr("unslant.web.work.Desk.start", broken)

    def app_for(port: int) -> Guard:
        return application(Desk(Given(), Concepts(), tmp_path), policy_for(port))

    with on_a_socket(app_for) as port:
        head = f"POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
        more = f"Content-Type: application/json\r\nX-Unslant-Secret: {SECRET}\r\n"
        answer = raw(port, f"{head}{more}Content-Length: 2\r\n\r\n{{}}".encode())
    assert b" 500 " in answer.split(b"\r\n")[0]
    assert b"see the terminal" in answer
    assert b"secret" not in answer
    assert b"default-src 'none'" in answer


def test_two_spaces_are_marked_where_their_words_differ(two: Page) -> None:
    left, right = {"vectors": "v1", "method": ""}, {"vectors": "v2", "method": ""}
    shown = two.result(kind="compare", concept="gender", sides=[left, right])
    [table] = shown["tables"]
    assert [column["name"] for column in table["columns"]][1:3] == ["whole", "part"]
    marks = {row[0]: row[-1] for row in table["rows"]}
    named = {name.partition(" (")[0]: mark for name, mark in marks.items()}
    differ = "Male and female names with career and family"
    assert named[differ].startswith("≠ measured on different words in")
    assert named["Mathematics and arts with male and female terms"] == ""
    assert "mistake" in two.job(kind="compare", concept="gender", sides=[left, left])


def test_a_file_and_its_debiased_form_are_compared(two: Page) -> None:
    left, right = {"vectors": "v1", "method": ""}, {"vectors": "v1", "method": "hard"}
    shown = two.result(kind="compare", concept="gender", sides=[left, right])
    [table] = shown["tables"]
    assert not any(str(row[-1]).startswith("≠") for row in table["rows"])
    assert "comparable" not in [column["name"] for column in table["columns"]]


def test_jobs_are_cancelled_through_the_page(page: Page) -> None:
    begun = page.post(
        "/api/jobs", {"kind": "tables", "method": "inlp(rounds=240)", **GENDER}
    ).json()
    told = page.post(f"/api/jobs/{begun['id']}/cancel", {}).json()
    assert told["state"] == "cancelled"
    assert page.get(f"/api/jobs/{begun['id']}").json()["state"] == "cancelled"
    assert page.get(f"/api/jobs/{begun['id']}/result").status == 404


def test_words_to_begin_with_are_from_all_of_the_list() -> None:
    gender = next(item for item in Concepts().listed() if item["id"] == "gender")
    assert len(gender["neutral"]) == 12
    assert len({word[0] for word in gender["neutral"]}) > 6
