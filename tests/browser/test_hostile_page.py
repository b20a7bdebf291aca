"""120 texts that try to be more than text, in files that a server is given and typed into it."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from scripts.serving import Served, served

from tests.browser.exploring import SCATTER, SHOWN
from tests.browser.hostile import harmless
from tests.browser.tabs import Tab, Tabs
from tests.reports.hostile import PAYLOADS, SHAPES
from unslant.core.visible import visible
from unslant.vectors import WordVectors
from unslant.vectors.save import save

CONTROLS = [harmless(text, number) for number, text in enumerate(PAYLOADS)]
GROUPS = [[f"{group}{number}" for number in range(6)] for group in ("a", "b")]
ONE_A_SHAPE = PAYLOADS[:: len(PAYLOADS) // len(SHAPES)]
AT_ONCE = 8
"""How many groups are typed at a time."""


def concept_of(texts: list[str]) -> str:
    """A concept whose names, titles and words are those texts."""
    quoted = iter([json.dumps(text) for text in texts])
    first, second, test = (next(quoted) for _ in range(3))
    males, females = (json.dumps(group) for group in GROUPS)
    return f"""
name = {next(quoted)}
title = {next(quoted)}
about = {next(quoted)}
caveats = [{next(quoted)}]
groups = [{first}, {second}]
direction = "two-means(words)"
[words]
{first} = {males}
{second} = {females}
[neutral]
list = {json.dumps(texts)}
[tests.{test}]
title = {next(quoted)}
[tests.{test}.targets]
{next(quoted)} = {json.dumps(texts[:8])}
{next(quoted)} = {json.dumps(texts[8:16])}
[tests.{test}.attributes]
{next(quoted)} = {males}
{next(quoted)} = {females}
"""


@contextmanager
def serving(folder: Path, texts: list[str], name: str) -> Iterator[Served]:
    """A server with vectors whose words are the texts, and a concept that is made of them."""
    words = [*GROUPS[0], *GROUPS[1], *texts]
    matrix = np.random.default_rng(3).normal(size=(len(words), 20))
    vectors, concept = folder / f"{name}.safetensors", folder / f"{len(name)}.toml"
    save(WordVectors.of(dict(zip(words, matrix.tolist(), strict=True))), vectors)
    concept.write_text(concept_of(texts), encoding="utf-8")
    with served(str(vectors), "--concept", str(concept)) as found:
        yield found


def opened(tabs: Tabs, server: Served) -> Tab:
    tab = tabs.new()
    tab.page.goto(server.address)
    tab.page.wait_for_selector(SHOWN)
    return tab


def html_tags(tab: Tab) -> dict[str, int]:
    """The elements outside charts, whose ticks and bars depend on the numbers."""
    return {tag: number for tag, number in tab.tags().items() if tag.isupper()}


@pytest.fixture(scope="module")
def hostile(folder: Path) -> Iterator[Served]:
    with serving(folder, PAYLOADS, "<img src=x onerror=alert(1)>") as server:
        yield server


def test_hostile_files_add_no_element_to_the_page(
    tabs: Tabs, hostile: Served, folder: Path
) -> None:
    tab = opened(tabs, hostile)
    with serving(folder, CONTROLS, "w002xxxxxxxxxxxxxxxxxxxx") as server:
        control = opened(tabs, server)
        assert tab.tags() == control.tags()
    assert "<img src=x onerror=alert(1)>" in tab.page.inner_text("#vectors")
    tab.page.locator(f"{SCATTER} .live >> nth=0").focus()
    told = set()
    for _ in PAYLOADS:
        tab.page.keyboard.press("ArrowRight")
        told.add(tab.page.inner_text(".tip dd >> nth=0"))
    assert told == {visible(text) for text in PAYLOADS}
    tab.assert_quiet()
    assert tab.requests_beside(hostile.root) == []


def test_hostile_words_that_are_typed_stay_text(tabs: Tabs, hostile: Served) -> None:
    tab = opened(tabs, hostile)
    tab.page.click("#tab-own")
    tab.page.locator("#own-result table").first.wait_for()
    kinds = set(tab.tags())
    tab.page.fill("#own-words", "\n".join(PAYLOADS))
    typed = {visible(word) for word in re.split(r"[\s,;]+", " ".join(PAYLOADS))}
    tab.page.locator("#own-missing").filter(has_text="href=x`y`>").wait_for()
    told = tab.page.inner_text("#own-missing") + tab.page.inner_text("#own-result")
    assert [word for word in typed if word not in told] == []
    assert set(tab.tags()) <= kinds
    tab.assert_quiet()


def test_hostile_names_that_are_typed_stay_text(tabs: Tabs, hostile: Served) -> None:
    tab = opened(tabs, hostile)
    tab.page.click("#tab-own")
    for _ in range(AT_ONCE - 2):
        tab.page.click("#own-add")
    for field in tab.page.locator("#own-groups textarea").all():
        field.fill(" ".join(GROUPS[0]))
    tab.page.fill("#own-words", " ".join(GROUPS[1]))
    names = tab.page.locator("#own-groups input").all()
    drawn = tab.page.locator("#own-result figure .live svg")
    tab.page.locator("#own-result").filter(has_text="group 8").wait_for()
    drawn.last.wait_for()
    before = html_tags(tab)
    for begin in range(0, len(ONE_A_SHAPE), AT_ONCE):
        for name, text in zip(names, ONE_A_SHAPE[begin:], strict=False):
            name.fill(text)
        last = visible(ONE_A_SHAPE[begin + AT_ONCE - 1])
        tab.page.locator("#own-result").filter(has_text=last).wait_for()
        told = tab.page.inner_text("#own-result")
        typed = [visible(text) for text in ONE_A_SHAPE[begin : begin + AT_ONCE]]
        assert [text for text in typed if text not in told] == []
        drawn.last.wait_for()
        assert html_tags(tab) == before
    tab.assert_quiet()
    assert tab.requests_beside(hostile.root) == []


def test_hostile_methods_are_refused_in_words(tabs: Tabs, hostile: Served) -> None:
    tab = opened(tabs, hostile)
    tab.page.click("#more")
    tags = tab.tags()
    for text in ONE_A_SHAPE:
        with tab.page.expect_response("**/api/check*"):
            tab.page.fill("#method", text)
        tab.page.wait_for_selector("#method-check.wrong")
    assert tab.tags() == tags
    tab.assert_quiet()
