"""Pages: what is in them, what they may do, and that they stand on their own."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from tests.reports.hostile import Shape, shape_of
from unslant.core.exhibits import Examples
from unslant.core.measurement import Measurement, PValue
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.core.study_record import StudyPart, StudyStatus
from unslant.core.visible import visible
from unslant.core.wording import interval, number, p_value
from unslant.reports.answers import answer
from unslant.reports.figures.of_record import figures_of
from unslant.reports.figures.theme import THEMES
from unslant.reports.page import page

KINDS = ("audited", "compared", "probed", "studied")
MEGABYTE = 1_000_000
GOLDEN = Path(__file__).parents[1] / "golden" / "records"


Pages = Callable[[str], str]


@pytest.fixture(scope="session")
def study(studied: Record) -> StudyPart:
    assert studied.study is not None
    return studied.study


@pytest.fixture(params=KINDS, scope="module")
def found(request: pytest.FixtureRequest, pages: Pages) -> tuple[Record, str]:
    return request.getfixturevalue(request.param), pages(request.param)


@pytest.fixture(scope="module")
def shape(found: tuple[Record, str]) -> Shape:
    return shape_of(found[1])


def hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_style_and_scripts_of_the_page_and_nothing_else(
    shape: Shape,
) -> None:
    [policy] = [
        given["content"]
        for _, given in shape.attributes
        if given.get("http-equiv") == "Content-Security-Policy"
    ]
    [style] = shape.styles
    scripts = " ".join(hashed(script) for script in shape.scripts) or "'none'"
    assert policy == (
        f"default-src 'none'; script-src {scripts}; style-src {hashed(style)}; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )


def test_a_page_is_small_and_asks_nothing_of_a_network(
    found: tuple[Record, str], shape: Shape
) -> None:
    assert len(found[1].encode()) < 5 * MEGABYTE
    addresses = [*shape.values("src"), *shape.values("href")]
    assert all(address.startswith(("data:", "#")) for address in addresses)


def test_every_figure_has_its_data_its_picture_and_its_words(
    found: tuple[Record, str], shape: Shape
) -> None:
    figures = figures_of(found[0])
    *blocks, themes = [json.loads(block) for block in shape.data] or [{}]
    told = [visible(item.description) for item in figures]
    assert [block["description"] for block in blocks] == told
    assert shape.values("alt") == told
    if figures:
        assert tuple(themes) == THEMES
    text = "".join(shape.text)
    for item in figures:
        assert visible(item.title) in text
        assert visible(item.caption) in text


def test_a_page_can_be_used_by_keyboard_and_screen_reader(shape: Shape) -> None:
    tags = [tag for tag, _ in shape.tags]
    for landmark in ("main", "header", "nav", "footer", "h1"):
        assert tags.count(landmark) == 1, landmark
    assert tags.count("table") == tags.count("caption")
    assert all(given.get("scope") for tag, given in shape.attributes if tag == "th")
    ids = shape.values("id")
    assert len(ids) == len(set(ids))
    for address in (
        *shape.values("href"),
        *(f"#{name}" for name in shape.values("aria-labelledby")),
    ):
        assert address[1:] in ids
    sections = [given["aria-labelledby"] for tag, given in shape.attributes if tag == "section"]
    assert {f"#{name}" for name in sections if name != "answer"} <= set(shape.values("href"))
    assert ("html", {"lang": "en"}) in shape.attributes


def test_a_page_begins_with_the_verdict_then_its_figure_then_the_account(
    found: tuple[Record, str], shape: Shape
) -> None:
    record, _ = found
    start, _, _ = "".join(shape.text).partition("Details")
    verdict, *account = answer(record)
    places = [start.index(visible(line)) for line in (verdict, *account)]
    assert places == sorted(places)
    assert shape.values("id").index("figure-1") < shape.values("id").index("contents")
    assert record.provenance["date"] in start


def text_of(html: str) -> str:
    return "".join(shape_of(html).text)


def test_an_audit_has_every_word_and_how_to_reproduce_it(audited: Record, pages: Pages) -> None:
    text = text_of(pages("audited"))
    missing = {word for item in audited.results for use in item.now.words for word in use.missing}
    assert len(missing) > 10
    assert audited.resource is not None
    for wanted in (
        "for “Binary gender in English”",
        "babysitter",
        "after Holm’s correction",
        audited.resource.sha256,
        audited.subject.sha256,
        "When it misleads",
        "Reproduce this report",
        *audited.subject.caveats,
        *missing,
        *(meaning.misleads for meaning in audited.glossary.values()),
    ):
        assert wanted in text


def test_a_comparison_says_what_was_done_and_what_remains(compared: Record, pages: Pages) -> None:
    text = text_of(pages("compared"))
    for wanted in ("What was done", "hard was applied to", "50 % is chance", "vectors changed"):
        assert wanted in text
    assert compared.treatment is not None
    lacking = {
        word for stage in compared.treatment.stages for use in stage.words for word in use.missing
    }
    assert len(lacking) > 40
    assert all(visible(word) in text for word in lacking)


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of words and tables alone, for tests of those."""
    monkeypatch.setattr("unslant.reports.page.figures_of", lambda _: ())


def with_words(item: Measurement, *words: str) -> Measurement:
    first, *rest = item.words
    return replace(item, words=(replace(first, used=words, spelt=()), *rest))


@pytest.mark.usefixtures("without_figures")
def test_words_that_were_others_before_are_all_there(compared: Record) -> None:
    assert "Different words were used before" not in page(compared)
    first, *rest = compared.results
    assert first.before is not None
    other = replace(
        first, before=with_words(first.before, "just", "other"), not_comparable="other words"
    )
    text = text_of(page(replace(compared, results=(other, *rest))))
    assert text.count("≠ Different words were used before:") == 1
    assert "just, other" in text


@pytest.mark.usefixtures("without_figures")
def test_the_words_of_a_measure_that_differ_from_those_of_its_test_are_there_too(
    audited: Record,
) -> None:
    results = [
        replace(item, now=with_words(item.now, "quite", "different"))
        if item.now.metric == "mac"
        else item
        for item in audited.results
    ]
    assert "quite, different" in page(replace(audited, results=tuple(results)))


@pytest.mark.usefixtures("without_figures")
def test_a_study_that_is_not_complete_says_so_first(
    studied: Record, study: StudyPart, pages: Pages
) -> None:
    assert not study.status.is_complete
    text = "".join(shape_of(pages("studied")).text)
    start, _, _ = text.partition("In short")
    assert "This study is not complete" in start
    assert study.failures[0].message in text
    whole = replace(study, status=StudyStatus(planned=1, done=1))
    assert "not complete" not in page(replace(studied, study=whole))


@pytest.mark.usefixtures("without_figures")
def test_a_study_of_many_cells_says_which_are_left_out(studied: Record, study: StudyPart) -> None:
    many = replace(study, cells=study.cells * 500)
    html = page(replace(studied, study=many))
    assert f"The first 3000 of {len(many.cells)}" in html
    assert len(html) < 5 * MEGABYTE


@pytest.mark.usefixtures("without_figures")
def test_a_wide_table_is_parted_so_that_it_fits_on_paper(studied: Record, study: StudyPart) -> None:
    assert study.table is not None
    first = study.table.columns[0]
    wide = replace(
        study.table,
        columns=tuple(replace(first, label=f"measure {n}") for n in range(20)),
        rows=tuple(replace(row, cells=row.cells[:1] * 20) for row in study.table.rows),
    )
    html = page(replace(studied, study=replace(study, table=wide)))
    heads = re.findall(r"<thead><tr>(.*?)</tr></thead>", html)
    named = [re.findall(r"measure (\d+) ", head) for head in heads]
    assert [int(n) for part in named for n in part] == list(range(20))
    assert max(map(len, named)) == 7


def test_a_probe_has_its_examples_words_and_models(probed: Record, pages: Pages) -> None:
    text = text_of(pages("probed"))
    [first, *_] = [item for item in probed.exhibits if isinstance(item, Examples)]
    assert probed.predictor is not None
    for wanted in (
        first.cases[0].texts[0],
        probed.predictor.sha256,
        "person → lady",
        "gentleman",
        "If removing random directions causes the same change",
        "One trained on the debiased vectors may answer differently",
    ):
        assert wanted in text


@pytest.mark.usefixtures("without_figures")
def test_a_measure_without_a_value_is_na_with_its_reason(audited: Record) -> None:
    results = [
        replace(item, now=replace(item.now, value=None, why_undefined="she equals he", p=None))
        for item in audited.results
    ]
    text = text_of(page(replace(audited, results=tuple(results))))
    assert "NA" in text
    assert "No value: she equals he." in text


@pytest.mark.usefixtures("without_figures")
def test_changes_controls_and_verdicts_stand_beside_the_numbers(probed: Record) -> None:
    html = page(probed)
    for result in probed.results:
        assert result.change is not None
        if result.change.percent_interval:
            assert f"({interval(result.change.percent_interval, 1)})" in html
        if result.control:
            assert number(result.control.mean) in html


@pytest.mark.parametrize("name", ["audit", "debiasing", "probe", "study", "association"])
def test_every_kind_of_record_is_drawn(name: str) -> None:
    record = read_record(GOLDEN / f"{name}.json")
    text = text_of(page(record))
    for result in record.results:
        if result.now.value is not None:
            assert number(result.now.value) in text or number(result.now.value, 2) in text


def sources() -> list[Path]:
    folder = Path(str(files("unslant")))
    return [path for path in folder.rglob("*") if path.suffix in (".html", ".js", ".css")]


def test_no_template_or_script_of_ours_can_make_elements_from_text() -> None:
    found = sources()
    assert {"base.html", "charts.js", "page.css"} <= {path.name for path in found}
    for path in found:
        text = path.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", ""), path
        for never in (
            *("autoescape", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"),
            *("createContextualFragment", "DOMParser", "eval(", "new Function", "localStorage"),
            *("setTimeout('", "http://", "https://", "@import", "url("),
        ):
            assert never not in text, (path, never)
        if path.suffix == ".html":
            assert not re.search(r"<[^>]*\son[a-z]+\s*=", text), path
            assert not re.search(r"=\s*\{\{", text), f"an attribute without quotes in {path}"


def test_numbers_are_printed_for_people() -> None:
    def p(value: float, how: str, outcomes: int) -> PValue:
        return PValue(value=value, how=how, alternative="less", outcomes=outcomes)

    assert number(-0.5, 2) == "−0.50"
    assert number(None) == "NA"
    assert number(-1e-9) == number(-0.0) == "0.000"
    assert number(-0.0005000001) == "−0.001"
    assert p_value(p(1e-5, "monte carlo", 100_000)) == "≤ 1.0e-05"
    assert p_value(p(0.25, "exact", 4)) == "0.2500"
    assert p_value(None) == "NA"


def test_characters_that_would_hide_or_turn_text_are_written_out() -> None:
    assert visible("a\u202eb\x00") == "a\\u202eb\\x00"
    assert visible("\u200f\u2028\x85\ud800") == "\\u200f\\u2028\\x85\\ud800"
    assert visible("naïve 日本 “x”") == "naïve 日本 “x”"
