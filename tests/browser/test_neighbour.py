"""Another user listens on another port of the same host; the browser of the owner goes there."""

import json
from collections.abc import Iterator

import pytest
from scripts.serving import Served, served

from tests.browser.neighbour import Neighbour, can_change_user, neighbour_of
from tests.browser.tabs import Tab, Tabs

CANARY = "any-cookie-of-this-host"
READY = "#vectors option"
INJECTED = """(root) => {
    const add = (tag, given) =>
        document.body.append(Object.assign(document.createElement(tag), given));
    add("img", { src: root + "injected-picture" });
    add("iframe", { src: root + "injected-frame" });
    add("form", { method: "post", action: root + "injected-form", id: "injected" });
    document.getElementById("injected").submit();
    fetch(root + "injected-fetch", { credentials: "include" }).catch(() => {});
    add("a", { href: root, id: "away", textContent: "away" });
}"""


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as found:
        yield found


@pytest.fixture
def neighbour(server: Served) -> Iterator[Neighbour]:
    if not can_change_user():
        pytest.skip("only root can start the server of another user, which the browser visits")
    with neighbour_of(server.root) as found:
        assert found.uid != 0
        yield found


def held_by(tab: Tab) -> set[str]:
    """Everything that the browser keeps for the page: what it would prove itself with."""
    stored = tab.page.evaluate("() => Object.values({ ...sessionStorage, ...localStorage })")
    return {*stored, *(cookie.get("value", "") for cookie in tab.page.context.cookies())}


def test_a_neighbour_on_another_port_gets_no_secret_and_no_data(
    tabs: Tabs, server: Served, neighbour: Neighbour
) -> None:
    tab = tabs.new()
    tab.page.goto(server.once)
    tab.page.wait_for_selector(READY, state="attached")
    secrets = {*held_by(tab), server.once.partition("key=")[2]}
    assert min(map(len, secrets)) >= 32
    assert len(secrets) == 2
    tab.page.context.add_cookies([{"name": "canary", "value": CANARY, "url": server.root}])

    answered: list[tuple[str, int]] = []
    tab.page.evaluate(INJECTED, neighbour.root)
    tab.page.context.on("response", lambda it: answered.append((it.url, it.status)))
    tab.page.evaluate("() => document.getElementById('away').click()")
    tab.page.wait_for_url(neighbour.root)
    tab.page.wait_for_function("() => document.title === 'done'")

    received = neighbour.received()
    paths = {path for _, path, _, _ in received}
    assert paths >= {"/", "/picture.png", "/framed", "/away", "/form", "/loot"}, "it was visited"
    assert not any("injected" in path for path in paths), "the page's policy lets nothing out"
    assert CANARY in str(received), "a cookie of the page would have arrived"
    for request in received:
        assert not any(secret in json.dumps(request) for secret in secrets), request
        assert server.root not in str(request[2]), "nor where the visitor came from"
    assert all(set(statuses) == {401} for statuses in neighbour.replayed())

    [loot] = [json.loads(body) for _, path, _, body in received if path == "/loot"]
    assert loot[:4] == [f"canary={CANARY}", "", "", "{}"]
    told = dict(line.split(": ", 1) for line in loot[4:])
    assert {told[what] for what in ("fetch", "opaque", "header", "enter")} == {"no (TypeError)"}
    assert told["opener"] == "null"
    assert {told["frame"], told["window"]} <= {"no (SecurityError)", "no (TypeError)", "null"}
    attacked = [status for url, status in answered if url.startswith(server.root)]
    assert attacked
    assert set(attacked) <= {401, 403, 405, 415}, "not even a file of the program"

    tab.page.goto(server.root)
    tab.page.wait_for_selector(READY, state="attached")
    assert held_by(tab) >= secrets - {server.once.partition("key=")[2]}, "the tab is still let in"
