"""Cards as others read them."""

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from tests.reports.gate.records import measured, record, result
from tests.reports.hostile import PAYLOADS
from unslant.core.measurement import Interval
from unslant.core.record import Change, Control, Record, Resource, Subject, Treatment
from unslant.core.visible import escaped
from unslant.reports.card.markdown import model_index, section

HOSTILE = 'a|b"c\\g\n---\nd: [e](http://f) <script>`*_#😀\x00h'
PLAIN = record(
    measured("weat", 1.2, 0.9, 1.5, test="career-family", title="Career"),
    measured("weat", None, test="lost", title="Lost"),
    measured("analogy", 0.6),
)


def test_the_section_has_the_verdict_values_intervals_and_hashes() -> None:
    text = section(PLAIN)
    assert PLAIN.conclusion is not None
    assert f"**{escaped(PLAIN.conclusion.sentence)}**" in text
    assert "| Career | 1.200 | 0.900 to 1.500 | closer to 0 | strong |" in text
    assert "| Lost | NA | – | closer to 0 | not judged |" in text
    assert f"`{'a' * 64}`" in text
    assert "unslant 1.0" in text
    assert "No command computes this again" in text
    typed = section(replace(PLAIN, command="unslant audit 'my  `vectors`.txt'"))
    assert "\n    unslant audit 'my  `vectors`.txt'\n" in typed
    assert "No command" not in typed


def test_before_and_after_are_side_by_side() -> None:
    ends = Interval(low=-0.9, high=-0.3, level=0.95, how="paired")
    item = result(
        1.2, "weat", 0.6, 0.3, 0.9, change=Change(difference=-0.6, interval=ends, verdict="better")
    )
    item = replace(item, control=Control(values=(1.2,) * 19, directions=1, mean=1.2))
    base = Resource(name="base.vec", kind="vectors", sha256="c" * 64)
    text = section(record(item, baseline=base, treatment=Treatment(expression="hard | misp")))
    assert "| weat | 1.200 | 0.600 | 0.300 to 0.900 | closer to 0 |" in text
    assert "at least weak, probably moderate; reduced" in text
    assert "after `hard | misp`, compared with `base.vec`." in text


def named(text: str) -> Record:
    return record(
        measured("weat", 1.2, 0.9, 1.5, test=text, title=text),
        resource=Resource(name=text, kind="vectors", sha256=text),
        predictor=Resource(name=text, kind="model", sha256=text),
        baseline=Resource(name=text, kind="vectors", sha256=text),
        treatment=Treatment(expression=text),
        subject=Subject(kind="concept", name=text, title=text),
    )


def markup(text: str) -> list[str]:
    """What a parser of CommonMark with GitHub's tables finds in a text, but for the words."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    leaves = [leaf for block in parser.parse(text) for leaf in (block, *(block.children or ()))]
    return [leaf.type for leaf in leaves if leaf.type not in ("text", "text_special")]


@pytest.mark.parametrize("text", [HOSTILE, *PAYLOADS[::7]])
def test_no_text_of_a_record_is_markup(text: str) -> None:
    written = section(named(text))
    assert "\x00" not in written
    assert markup(written) == markup(section(named("plain")))


@pytest.mark.parametrize("name", ["word.vec", HOSTILE, "yes", "1.0", "# no", ": a", "'"])
def test_hugging_face_reads_the_metadata_back(name: str) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="the extra lm is not installed")
    found = record(
        measured("weat", 1.2, 0.9, 1.5, test="career-family", title=name),
        measured("weat", None, title="Lost"),
        resource=Resource(name=name, kind="vectors"),
    )
    card = hub.ModelCard(f"---\n{model_index(found)}\n---\n\n{section(found)}")
    shown = name.replace("\n", "\\x0a").replace("\x00", "\\x00")
    assert card.data.model_name == shown
    [read] = card.data.eval_results
    assert read.metric_type == "weat"
    assert read.metric_value == pytest.approx(1.2)
    assert read.metric_name == shown
    assert read.dataset_name == "Gender"
    assert read.metric_args["interval"] == [0.9, 1.5]
    assert read.metric_args["verdict"] == "strong"
    assert card.text.lstrip().startswith("## Bias: Gender")
