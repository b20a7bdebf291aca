"""The printed address in real browsers: the first one gets in, through a file too."""

import html
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.serving import Served, served

from tests.browser.tabs import Tabs
from unslant.web.guard import NO_ACCESS
from unslant.web.start import _doorway

PAGE = "h1:has-text('Unslant')"


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as found:
        yield found


def test_the_first_browser_gets_in_and_the_address_keeps_no_key(tabs: Tabs, server: Served) -> None:
    first, second = tabs.new(), tabs.new()
    first.page.goto(server.once)
    first.page.wait_for_selector(PAGE)
    assert first.page.url == server.root
    first.page.reload()
    first.page.wait_for_selector(PAGE)
    first.assert_quiet()

    for address in (server.once, server.root, f"{server.root}page.js"):
        second.page.goto(address)
        assert second.page.inner_text("body").strip() == NO_ACCESS
    assert second.page.context.cookies() == []


def test_the_file_that_is_opened_at_the_start_leads_to_the_page(
    tabs: Tabs, server: Served, tmp_path: Path
) -> None:
    tab = tabs.new()
    tab.page.goto(_doorway(tmp_path, server.once).as_uri())
    tab.page.wait_for_selector(PAGE)
    assert tab.page.url == server.root
    [cookie] = tab.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    tab.assert_quiet()


@pytest.mark.parametrize("way", ["link", "frame", "form"])
def test_a_page_of_another_site_gets_nothing_from_a_browser_that_was_let_in(
    tabs: Tabs, server: Served, tmp_path: Path, way: str
) -> None:
    tab = tabs.new()
    tab.page.goto(server.once)
    tab.page.wait_for_selector(PAGE)
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
