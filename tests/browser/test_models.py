"""A language model on the page in a browser: choose a place, apply a method there, measure."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.serving import Served, served

from tests.browser.exploring import SHOWN, apply, press
from tests.browser.tabs import Tab, Tabs
from tests.studies.language_models import CONCEPT, tiny_bert


@pytest.fixture(scope="module")
def server(folder: Path, shared_cache: Path) -> Iterator[Served]:
    """A server with a random model, and a concept of words that it has pieces for."""
    (folder / "sides.toml").write_text(CONCEPT)
    model = tiny_bert(folder / "bert")
    with served(str(model), "--concept", str(folder / "sides.toml")) as found:
        yield found
        assert found.said() == ""


@pytest.fixture
def tab(tabs: Tabs, server: Served) -> Iterator[Tab]:
    tab = tabs.new(viewport={"width": 1200, "height": 900})
    tab.page.goto(server.address)
    tab.page.wait_for_selector(SHOWN)
    yield tab
    tab.assert_quiet()
    assert tab.requests_beside(server.root) == []


def test_places_are_listed_for_a_model_and_a_method_acts_at_the_chosen_one(tab: Tab) -> None:
    assert tab.page.input_value("#vectors") == "m1"
    assert tab.page.input_value("#place") == "layer:3"
    with tab.page.expect_response("**/api/jobs"):
        tab.page.select_option("#place", "layer:2[cls]")
    tab.page.wait_for_selector(SHOWN)
    tab.page.click("#more")
    tab.page.fill("#method", "leace")
    tab.page.wait_for_selector("#method-check:has-text('Will run: leace@layer:2[cls]')")
    apply(tab, "leace")
    assert tab.page.locator("#keepers .get-report").count() == 1
    assert tab.page.locator("#keepers .get-file").count() == 0
    tab.page.wait_for_selector("#tables-result table")
    press(tab, "#as-it-is")
    assert tab.page.inner_text("#choice-1 code") == "linear"  # hard needs a vocabulary
    with tab.page.expect_response("**/api/jobs"):
        tab.page.select_option("#vectors", "v0")
    assert tab.page.locator("#place").is_hidden()
    assert tab.page.input_value("#place") == ""


def test_what_needs_a_vocabulary_is_said_in_a_sentence(tab: Tab) -> None:
    tab.page.click("#tab-measure")
    tab.page.select_option("#measure-place", "layer:1[word]")
    tab.page.click("#measure-start")
    tab.page.wait_for_selector("#measure-result table")
    tab.page.select_option("#measure-name", "gipe")
    tab.page.click("#measure-start")
    tab.page.wait_for_selector("#measure-job .error:has-text('needs a vocabulary')")
