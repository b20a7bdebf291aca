"""The page shows every word as it is and runs none of them."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest
from markupsafe import escape

from unslant.concepts import concept
from unslant.reports.page import page
from unslant.reports.words import number, p_value, visible
from unslant.studies.audit import audit
from unslant.vectors import WordVectors

SHAPES = [
    "<script>{}</script>", "</script><script>{}</script>", "<img src=x onerror={}>",
    "<svg onload={}>", '"><script>{}</script>', "'><script>{}</script>", '" onmouseover="{}',
    "' onfocus='{}' autofocus='", "<details open ontoggle={}>",
    "</style><script>{}</script>", "</title><script>{}</script>", "<!-- --><script>{}</script>",
    "javascript:{}", "{{{{ {} }}}}", "{{% {} %}}", "&lt;script&gt;{}&lt;/script&gt;",
    "<iframe srcdoc='<script>{}</script>'>", "<a href='javascript:{}'>",
    "<math><mtext></mtext><script>{}</script>", "\u202e<script>{}</script>",
    "<base href='//x'>{}", "<meta http-equiv=refresh content='0;{}'>", "<style>*{{x:{}}}</style>",
    "<link rel=stylesheet href={}>",
]  # fmt: skip
CODES = ["alert(1)", "fetch('x')", "document.title=1", "1/0", "x`y`"]
PAYLOADS = [shape.format(code) for shape in SHAPES for code in CODES]


class Shape(HTMLParser):
    """The elements and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def shape_of(html: str) -> Shape:
    parser = Shape()
    parser.feed(html)
    parser.close()
    return parser


@pytest.fixture(scope="module")
def record(glove: WordVectors) -> dict[str, Any]:
    found = audit(glove.head(20_000), concept("gender"), quality=False).record
    for item in found["measurements"]:  # a few words and points stand for all
        item["points"] = item["points"][:40]
    return found


@pytest.fixture(scope="module")
def plain_tags(record: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    return shape_of(page(with_text(record, "word"))).tags


def with_text(record: dict[str, Any], text: str) -> dict[str, Any]:
    """The record with one text in every place that can come from a user."""
    copy: dict[str, Any] = json.loads(json.dumps(record))
    copy["vectors"]["name"] = text
    copy["vectors"]["origin"] = {"file": text, text: text, "notes": [text]}
    for key in ("name", "title", "about", "direction"):
        copy["concept"][key] = text
    copy["concept"]["caveats"] = [text]
    copy["left_out"] = [{"what": text, "why": text}]
    copy["stability"] = [{"estimator": text, "ratios": [0.5], "cosine": 0.5}]
    for item in copy["measurements"]:
        item["title"] = text
        item["warnings"] = [text]
        if item["metric"] == "direct-bias":
            sides = ("direction", "positive side", "negative side")
            item["details"] |= dict.fromkeys(sides, text)
        for use in item["words"]:
            use["set"] = text
            use["used"][0] = text
            use["missing"] = use["set_aside"] = [text]
            use["spelt"] = []
        for point in item["points"]:
            point["word"] = text
    return copy


def test_there_are_120_payloads() -> None:
    assert len(set(PAYLOADS)) == 120


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_hostile_word_adds_no_element_and_is_shown_exactly(
    payload: str, record: dict[str, Any], plain_tags: list[tuple[str, tuple[str, ...]]]
) -> None:
    hostile = shape_of(page(with_text(record, payload)))
    assert hostile.tags == plain_tags
    assert visible(payload) in "".join(hostile.text)


def test_there_is_no_script_and_no_handler_and_no_address(record: dict[str, Any]) -> None:
    html = page(record)
    shape = shape_of(html)
    assert not {"script", "img", "iframe", "link", "object"} & {tag for tag, _ in shape.tags}
    names = {name for _, attributes in shape.tags for name in attributes}
    assert not any(name.startswith("on") for name in names)
    assert not names & {"href", "src", "style", "action"}
    assert "http://" not in html
    assert "https://" not in html


def test_the_policy_allows_this_style_sheet_and_nothing_else(record: dict[str, Any]) -> None:
    html = page(record)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in html


def test_the_style_sheet_has_nothing_that_html_escapes() -> None:
    css = (files("unslant.reports") / "templates" / "report.css").read_text()
    assert str(escape(css)) == css


def test_no_template_switches_escaping_off() -> None:
    for path in (files("unslant.reports") / "templates").iterdir():
        text = path.read_text()
        assert "|safe" not in text.replace(" ", "")
        assert "autoescape" not in text


def test_the_page_has_the_answer_every_word_and_how_to_make_it_again(
    record: dict[str, Any],
) -> None:
    text = "".join(shape_of(page(record)).text)
    for wanted in (
        "was measured for “Binary gender in English”",
        "babysitter",
        "after Holm’s correction",
        record["vectors"]["content_sha256"],
        record["concept"]["words_sha256"],
        "When it misleads",
        "missing",
    ):
        assert wanted in text
    assert len(page(record)) < 5_000_000


def test_a_measure_without_a_value_is_na_with_its_reason(record: dict[str, Any]) -> None:
    copy: dict[str, Any] = json.loads(json.dumps(record))
    for item in copy["measurements"]:
        item |= {"value": None, "why_undefined": "she equals he", "p": None}
    text = "".join(shape_of(page(copy)).text)
    assert "NA" in text
    assert "she equals he" in text


def test_numbers_are_printed_for_people() -> None:
    assert number(-0.5, 2) == "−0.50"
    assert number(None) == "NA"
    floor = {"value": 1e-5, "how": "monte carlo", "outcomes": 100_000}
    assert p_value(floor) == "≤ 1.0e-05"
    assert p_value({"value": 0.25, "how": "exact", "outcomes": 4}) == "0.2500"
    assert p_value(None) == "NA"
    assert visible("a\u202eb\x00") == "a\\u202eb\\x00"
