"""Pages show every word as it is and run none of them."""

import base64
import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from tests.reports.hostile import PAYLOADS, Shape, shape_of, shrunk, with_text
from tests.tallies import Tally
from unslant.core.measurement import Interval, Measurement, PValue, WordUse
from unslant.core.read_record import record_from
from unslant.core.record import Record
from unslant.core.visible import visible
from unslant.reports.figures.figure import Figure
from unslant.reports.html.notebook import figure_html, notebook_html
from unslant.reports.page import page

KINDS = ("audited", "compared", "probed", "studied")


class Chart:
    """A chart that costs nothing, with a text where charts have theirs."""

    def __init__(self, text: str) -> None:
        self.text = text

    def to_dict(self, **_: bool) -> dict[str, Any]:
        values = [{"word": self.text, "x": 1}, {"word": "other", "x": 2}]
        encoding = {"x": {"field": "x", "title": self.text}, "y": {"field": "word"}}
        return {"data": {"values": values}, "mark": "bar", "encoding": encoding}


def figure_of(text: str) -> Figure:
    return Figure(name=text, title=text, caption=text, description=text, chart=Chart(text))


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages with one figure that says what its record is called, and neither Vega nor pictures."""

    def figures(record: Record) -> tuple[Figure, ...]:
        named = record.resource or record.subject
        return (figure_of(named.name),)

    for module in ("page", "html.notebook"):
        monkeypatch.setattr(f"unslant.reports.{module}.figures_of", figures)
    monkeypatch.setattr("unslant.reports.html.shell.still", lambda _: "data:,")
    monkeypatch.setattr("unslant.reports.html.notebook.still", lambda _: "data:,")
    monkeypatch.setattr("unslant.reports.html.shell.vega_script", lambda: "var vegaEmbed;")


@pytest.fixture(params=KINDS, scope="module")
def record(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: Record = request.getfixturevalue(request.param)
    return shrunk(found.to_dict())


def keyed(plain: dict[str, Any], text: str) -> Record:
    """The record with the text as a name too, where a file or a plan gives the names."""
    copy = with_text(plain, text)
    copy["left_out"] = [{"what": text, "why": text}]
    if study := copy["study"]:
        study["plan"]["expressions"] = {text: text}
        study["word_sets"] = {text: next(iter(study["word_sets"].values()))}
        return record_from(copy)
    copy["resource"]["facts"] = copy["subject"]["facts"] = {text: text, "notes": [text]}
    copy["settings"] = {text: text}
    copy["warnings"] = [text]
    for item in (result["now"] for result in copy["results"]):
        item["warnings"] = [text]
        for use in item["words"]:
            use["missing"] = use["set_aside"] = [text]
    return record_from(copy)


def test_there_are_120_payloads() -> None:
    assert len(set(PAYLOADS)) == 120


@pytest.mark.usefixtures("cheap")
def test_a_hostile_text_anywhere_adds_no_element_and_is_shown_exactly(
    record: dict[str, Any], tally: Tally
) -> None:
    plain = shape_of(page(keyed(record, "word"))).tags
    for payload in PAYLOADS:
        html = page(keyed(record, payload))
        assert "\u202e" not in html, "a character that turns the text around"
        hostile = shape_of(html)
        assert hostile.tags == plain, payload
        assert visible(payload) in "".join(hostile.text), payload
        figure = json.loads(hostile.data[0])
        assert figure["data"]["values"][0]["word"] == visible(payload)
        assert figure["description"] == visible(payload)
        check_addresses(hostile)
    tally(len(PAYLOADS))


@pytest.mark.usefixtures("cheap")
def test_a_hostile_text_in_a_notebook_adds_no_element_and_is_shown_exactly(
    record: dict[str, Any], tally: Tally
) -> None:
    plain = shape_of(notebook_html(keyed(record, "word"))).tags
    for payload in PAYLOADS:
        html = notebook_html(keyed(record, payload))
        assert "\u202e" not in html
        hostile = shape_of(html)
        assert hostile.tags == plain, payload
        assert visible(payload) in "".join(hostile.text), payload
        assert not hostile.scripts
        assert not hostile.data
    tally(len(PAYLOADS))


@pytest.mark.parametrize("value", [0.5, None])
def test_a_hostile_text_in_a_measurement_adds_no_element_and_is_shown_exactly(
    value: float | None,
) -> None:
    def shown(text: str) -> Shape:
        return shape_of(
            Measurement(
                value=value,
                metric=text,
                title=text,
                better=text,
                why_undefined=text,
                interval=Interval(low=0, high=1, level=0.95, how=text),
                p=PValue(value=0.5, how=text, alternative="less", outcomes=2),
                words=(WordUse(set=text, used=(text,), missing=(text,)),),
                warnings=(text,),
            )._repr_html_()
        )

    plain = shown("word").tags
    for payload in PAYLOADS:
        assert shown(payload).tags == plain
        assert "".join(shown(payload).text).count(visible(payload)) >= 8


def check_addresses(shape: Shape) -> None:
    """Links lead to places in the page, pictures are inside it, and nothing else has an address."""
    names = {name for _, given in shape.attributes for name in given}
    assert not any(name.startswith("on") for name in names)
    assert not names & {"style", "action", "formaction", "srcdoc", "srcset", "data", "xlink:href"}
    tags = {tag for tag, _ in shape.tags}
    assert not tags & {"iframe", "link", "object", "embed", "base", "form", "svg", "math"}
    assert {address[:1] for address in shape.values("href")} <= {"#"}
    assert {address[:5] for address in shape.values("src")} <= {"data:"}


def test_real_figures_of_hostile_words_stay_figures(audited: Record) -> None:
    """All payloads as words, in the page's data and in the pictures."""
    plain, copy = cut(audited), cut(audited)
    by_word: dict[str, str] = {}
    items = [result["now"] for result in copy["results"]]
    for point in (point for item in items for point in item["points"] if "word" in point):
        place = len(by_word) % len(PAYLOADS)
        point["word"] = by_word.setdefault(point["word"], PAYLOADS[place])
    for use in (use for item in items for use in item["words"]):
        use["used"] = [by_word.get(word, word) for word in use["used"]]
    harmless, hostile = (shape_of(page(record_from(part))) for part in (plain, copy))
    assert hostile.tags == harmless.tags
    shown = set(strings([json.loads(block) for block in hostile.data]))
    assert {visible(payload) for payload in PAYLOADS} <= shown
    pictures = [source for source in hostile.values("src") if source.startswith("data:image")]
    assert pictures
    for source in pictures:
        check_picture(base64.b64decode(source.partition(",")[2]))


def cut(record: Record) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(record.to_dict()))
    for result in plain["results"]:
        result["now"]["points"] = result["now"]["points"][:150]
    return plain


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in strings(part)]
    return [value] if isinstance(value, str) else []


def check_picture(svg: bytes) -> None:
    for element in ET.fromstring(svg).iter():
        assert element.tag.rpartition("}")[2] in {
            *("svg", "g", "path", "line", "rect", "text", "tspan", "defs", "clipPath", "style"),
            *("linearGradient", "radialGradient", "stop", "use"),
        }
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert "href" not in name or value.startswith("#m")


def test_a_picture_of_a_hostile_figure_holds_nothing_but_drawing() -> None:
    for payload in PAYLOADS[::12]:
        source = next(s for s in shape_of(figure_html(figure_of(payload))).values("src"))
        check_picture(base64.b64decode(source.partition(",")[2]))
