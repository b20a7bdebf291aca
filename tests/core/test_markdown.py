"""Text of others in Markdown, as a parser of CommonMark with GitHub's tables reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.reports.hostile import PAYLOADS
from unslant.core.visible import cell, code, escaped, paragraph, visible

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = st.text(alphabet="\\`*_{}[]<>()#+-.!|~&$:@=/ ab1;\n\t\x1b", max_size=30)
HOSTILE = SIGNS | st.sampled_from(PAYLOADS)
LIKELY = (
    "leace@sentence",
    "hard | misp",
    "leace@layer:-1.output",
    "glove.6B.100d.slice",
    "snake_case_name (May test 6b)",
    "p < .05, A > B, C & D; 50 %",
    "closer to −0.5!",
)


def leaves(text: str) -> list[Token]:
    """What Markdown makes of the inner part of each block."""
    blocks = [token for token in PARSER.parse(text) if token.type == "inline"]
    return [leaf for block in blocks for leaf in block.children or ()]


def shown(text: str) -> str:
    return " ".join(visible(text).split())


@given(HOSTILE)
def test_text_in_a_line_is_text_and_no_sign_is_lost(text: str) -> None:
    found = leaves(f"Measured in {escaped(text)}: **{escaped(text)}** end.")
    expected = shown(text)
    strong = ["strong_open", "strong_close"] if expected else []
    assert [leaf.type for leaf in found if leaf.type not in ("text", "text_special")] == strong
    if expected:
        read = "".join(leaf.content for leaf in found)
        assert read == f"Measured in {expected}: {expected} end."


@given(HOSTILE)
def test_text_in_a_heading_is_text(text: str) -> None:
    kinds = [token.type for token in PARSER.parse(f"## Bias: {escaped(text)}")]
    assert kinds == ["heading_open", "inline", "heading_close"]
    assert "".join(leaf.content for leaf in leaves(f"## Bias: {escaped(text)}")) == (
        f"Bias: {shown(text)}".rstrip()
    )


@given(HOSTILE)
def test_text_in_a_cell_stays_in_it(text: str) -> None:
    table = f"| a | b |\n|---|---|\n| {cell(text)} | {cell(text)} |\n"
    cells = [token for token in PARSER.parse(table) if token.type == "inline"]
    assert len(cells) == 4
    for token in cells[2:]:
        assert {leaf.type for leaf in token.children or ()} <= {"text", "text_special"}
        assert "".join(leaf.content for leaf in token.children or ()) == shown(text)


@given(HOSTILE)
def test_text_that_begins_a_line_is_a_paragraph(text: str) -> None:
    tokens = PARSER.parse(paragraph(text))
    if not shown(text):
        assert tokens == []
        return
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert "".join(leaf.content for leaf in leaves(paragraph(text))) == shown(text)


@given(HOSTILE)
def test_a_span_of_code_holds_any_text(text: str) -> None:
    [before, span, after] = leaves(f"after {code(text)}.")
    assert (before.content, after.content) == ("after ", ".")
    assert span.type == "code_inline"
    assert span.content.strip() == shown(text)


@pytest.mark.parametrize("text", LIKELY)
def test_what_usual_names_and_sentences_hold_is_not_escaped(text: str) -> None:
    assert escaped(text) == paragraph(text) == text
    assert cell(text) == text.replace("|", r"\|")
    assert code(text) == f"`{text}`"


@pytest.mark.parametrize("text", ["http://x.y", "https://x.y", "www.x.y"])
def test_a_bare_address_does_not_become_a_link(text: str) -> None:
    assert text not in escaped(text)
