"""The printed address in real browsers: the first one gets in, through a file too."""

import html
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.serving import Served, served

from tests.browser.tabs import Tabs
from unslant.web.guard import NO_ACCESS
from unslant.web.start import _doorway

LOADED = "#vectors option"
KEPT = "() => sessionStorage.getItem('unslant-secret')"


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as found:
        yield found


def test_the_first_browser_gets_in_and_the_address_keeps_no_key(tabs: Tabs, server: Served) -> None:
    first, second = tabs.new(), tabs.new()
    first.page.goto(server.once)
    first.page.wait_for_selector(LOADED, state="attached")
    assert first.page.url == server.root
    first.page.reload()
    first.page.wait_for_selector(LOADED, state="attached")
    first.assert_quiet()

    for address in (server.once, server.root):
        second.page.goto(address)
        second.page.wait_for_selector("[role=alert]")
        assert second.page.inner_text("main").strip() == NO_ACCESS
        assert second.page.url == server.root
        assert second.page.locator("nav, button:visible, select:visible").count() == 0
    assert second.page.context.cookies() == []


def test_each_tab_has_a_secret_of_its_own_which_it_keeps_when_it_is_loaded_again(
    tabs: Tabs, server: Served
) -> None:
    tab = tabs.new()
    other = tab.page.context.new_page()
    for page in (tab.page, other):
        page.goto(server.address)
        page.wait_for_selector(LOADED, state="attached")
        assert page.url == server.root, "no token in the address, and none in the history"
        page.reload()
        page.wait_for_selector(LOADED, state="attached")
        page.goto(f"{server.root}#tab=own")
        page.wait_for_selector("#own:visible")
    assert tab.page.evaluate(KEPT) != other.evaluate(KEPT)
    tab.page.goto(server.once)
    tab.page.goto(server.once)  # spent by now, but the tab is in
    tab.page.wait_for_selector(LOADED, state="attached")
    assert tab.page.context.cookies() == []
    assert not [url for url in tab.addresses if tab.page.evaluate(KEPT) in url]
    third = tab.page.context.new_page()
    third.goto(f"{server.root}#tab=own")
    third.wait_for_selector("[role=alert]")
    assert third.inner_text("main").strip() == NO_ACCESS


def test_a_browser_that_stores_nothing_shows_the_page_all_the_same(
    tabs: Tabs, server: Served
) -> None:
    tab = tabs.new()
    tab.page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('none'); } })"
    )
    tab.page.goto(server.once)
    tab.page.wait_for_selector(LOADED, state="attached")
    tab.assert_quiet()


def test_the_file_that_is_opened_at_the_start_leads_to_the_page(
    tabs: Tabs, server: Served, tmp_path: Path
) -> None:
    tab = tabs.new()
    tab.page.goto(_doorway(tmp_path, server.once).as_uri())
    for _ in range(2):  # the file is another site, which a reload must not be taken to come from
        tab.page.wait_for_selector(LOADED, state="attached")
        assert tab.page.url == server.root
        tab.page.reload()
    assert tab.page.context.cookies() == []
    tab.assert_quiet()


@pytest.mark.parametrize("way", ["link", "frame", "form"])
def test_a_page_of_another_site_gets_nothing_from_a_browser_that_was_let_in(
    tabs: Tabs, server: Served, tmp_path: Path, way: str
) -> None:
    tab = tabs.new()
    tab.page.goto(server.once)
    tab.page.wait_for_selector(LOADED, state="attached")
    tab.page.goto("about:blank")  # what our own page asks for does not count
    other = tmp_path / "other.html"
    other.write_text(_attack(way, server.root))
    answers: list[int] = []
    tab.page.on(
        "response",
        lambda answer: answers.append(answer.status) if answer.url.startswith("http") else None,
    )
    with tab.page.expect_response(f"{server.root}**"):
        tab.page.goto(other.as_uri())
    assert set(answers) <= {401, 403, 405, 415}
    assert answers


def _attack(way: str, root: str) -> str:
    at = html.escape(root)
    return {
        "link": f'<meta http-equiv="refresh" content="0;url={at}">',
        "frame": f'<iframe src="{at}"></iframe>',
        "form": f'<form method="post" action="{at}api/jobs"></form>'
        "<script>document.forms[0].submit()</script>",
    }[way]
