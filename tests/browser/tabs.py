"""Tabs of a real Chromium, each with a note of what it said, asked for and stumbled over."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Page

PATIENCE_MS = 20_000


@dataclass
class Tab:
    """A page and what happened in it: console messages, errors, dialogs and addresses asked for."""

    page: "Page"
    said: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)

    def assert_quiet(self) -> None:
        """Nothing went wrong, nothing was said and nothing popped up."""
        assert (self.errors, self.said, self.dialogs) == ([], [], [])

    def requests_beside(self, allowed: str) -> list[str]:
        """The addresses asked for that do not begin as allowed; data within the page are none."""
        return [url for url in self.addresses if not url.startswith((allowed, "data:", "blob:"))]

    def tags(self) -> dict[str, int]:
        """How many elements of each kind the page has now.

        But for labels in charts and their groups: which find room depends on how wide they are.
        """
        counted: dict[str, int] = self.page.evaluate(
            """() => [...document.querySelectorAll("*:not(svg text, svg g)")].reduce(
                (all, { tagName }) => ({ ...all, [tagName]: (all[tagName] || 0) + 1 }), {})"""
        )
        return counted

    def style(self, selector: str, name: str) -> str:
        """The value of a style property as the browser computed it."""
        found: str = self.page.eval_on_selector(
            selector, "(element, name) => getComputedStyle(element).getPropertyValue(name)", name
        )
        return found


class Tabs:
    """Opens tabs in contexts of their own, so that no test sees the storage of another."""

    def __init__(self, browser: "Browser") -> None:
        self._browser = browser
        self._open: list[BrowserContext] = []

    def new(self, **options: Any) -> Tab:
        """A tab without page, with the options of a browser context such as ``viewport``."""
        context = self._browser.new_context(**options)
        self._open.append(context)
        context.set_default_timeout(PATIENCE_MS)
        tab = Tab(context.new_page())

        def note(dialog: "Dialog") -> None:
            tab.dialogs.append(dialog.message)
            dialog.dismiss()

        tab.page.on("console", lambda message: tab.said.append(f"{message.type}: {message.text}"))
        tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.page.on("request", lambda request: tab.addresses.append(request.url))
        tab.page.on("dialog", note)
        return tab

    def close_all(self) -> None:
        """Close what was opened."""
        while self._open:
            self._open.pop().close()
