"""The printed address opens the page once; who does not bring it gets one sentence."""

import itertools
import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command_line import unslant
from tests.web.command import Running, command_running
from tests.web.serving import COOKIE, HOST, PORT, Answer, asked, guarded, policy_for
from tests.web.test_guard import EVERY, Reached, good_post, heads
from unslant.core.errors import UnslantError
from unslant.web.app import _FILES
from unslant.web.door import VARIABLE, Door, token_from
from unslant.web.guard import HEADERS, NO_ACCESS, Guard
from unslant.web.start import serve

TOKEN_OF_MINE = "abcdefgh12345678"
REFUSAL = f"{NO_ACCESS}\n".encode()
PATHS = ("/", "/vega.js", "/base.css", "/charts.js", *(f"/{name}" for name in _FILES))
ASKED = ("/api/start", "/api/check", "/api/jobs/x", "/api/jobs/x/file", "/api/cells/a/b", "/none")


@pytest.fixture
def door() -> Door:
    return Door()


@pytest.fixture
def guard(door: Door) -> Guard:
    return Guard(Reached(), policy_for(PORT, door))


def visit(guard: Guard, query: str = "", path: str = "/", **headers: str | None) -> Answer:
    given: dict[str, str | None] = {"cookie": None, **headers}
    return asked(guard, "GET", path, query.encode(), heads(**given))


def cookie_of(answer: Answer) -> str:
    cookie, *attributes = answer.headers[b"set-cookie"].decode().split("; ")
    assert set(attributes) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    return cookie


def test_without_a_cookie_every_address_gives_the_same_sentence(tmp_path: Path) -> None:
    guard = guarded(tmp_path)
    cookies = (None, "unslant=", "unslant=wrong", f"other={COOKIE.partition('=')[2]}", COOKIE[:-1])
    for path, cookie in itertools.product((*PATHS, *ASKED), cookies):
        found = visit(guard, path=path, cookie=cookie)
        assert (found.status, found.content) == (401, REFUSAL), path
        assert b"set-cookie" not in found.headers
        assert found.headers.items() >= dict(HEADERS).items()
    found = asked(guard, "POST", "/api/jobs", b"", good_post(cookie=None), b"{}")
    assert (found.status, found.content) == (401, REFUSAL)


def test_no_forged_request_gets_further_with_the_key_in_its_address(
    guard: Guard, door: Door
) -> None:
    brings = f"key={door.key()}".encode()
    for method, path, query, headers, body in EVERY:
        without = [pair for pair in headers if pair[0] not in (b"cookie", b"sec-fetch-site")]
        is_good = without == heads(cookie=None) or _only_its_site_is_forged(method, path, headers)
        if query or is_good:
            continue
        found = asked(guard, method, path, brings, without, body)
        assert 400 <= found.status < 500, (method, path, without)
        assert b"set-cookie" not in found.headers
    assert visit(guard, f"key={door.key()}").status == 200, "none of them has spent it"


def _only_its_site_is_forged(method: str, path: str, headers: list[tuple[bytes, bytes]]) -> bool:
    """Only the site that the browser names is forged, and the key is proof of more than that."""
    return (method, path) == ("GET", "/") and any(name == b"sec-fetch-site" for name, _ in headers)


def test_the_key_is_exchanged_for_a_cookie_once(guard: Guard, door: Door) -> None:
    key = door.key()
    welcome = visit(guard, f"key={key}")
    assert (welcome.status, welcome.headers[b"content-type"][:9]) == (200, b"text/html")
    assert key.encode() not in welcome.content
    assert visit(guard, cookie=f"theme=dark; {cookie_of(welcome)}").content == b"reached"
    again = visit(guard, f"key={key}")
    assert (again.status, again.content) == (401, REFUSAL)


def test_a_file_that_leads_to_the_address_counts_as_another_site_and_is_let_in(
    guard: Guard, door: Door
) -> None:
    assert visit(guard, "key=wrong", sec_fetch_site="cross-site").status == 403
    cookie = cookie_of(visit(guard, f"key={door.key()}", sec_fetch_site="cross-site"))
    assert visit(guard, cookie=cookie, sec_fetch_site="cross-site").status == 403
    assert visit(guard, cookie=cookie, sec_fetch_site="same-origin").content == b"reached"


@pytest.mark.parametrize("path", ["/api/start", "/page.js", "/api/jobs"])
def test_the_key_opens_nothing_but_the_page(guard: Guard, door: Door, path: str) -> None:
    assert visit(guard, f"key={door.key()}", path).status == 401
    brings = f"key={door.key()}".encode()
    assert asked(guard, "POST", "/", brings, good_post(cookie=None), b"{}").status == 401


def test_a_browser_that_was_let_in_spends_the_key_too(guard: Guard, door: Door) -> None:
    key = door.key()
    cookie_of(visit(guard, f"key={key}", cookie=f"unslant={door.admit()}"))
    assert door.key() != key


def test_a_knock_makes_the_next_key_only_if_the_last_one_is_spent() -> None:
    said: list[str] = []
    door = Door(announce=said.append)
    guard = Guard(Reached(), policy_for(PORT, door))
    first = door.key()
    for _ in range(5):
        visit(guard)
    assert said == []
    visit(guard, f"key={first}")
    for path in ("/page.js", "/", "/", "/"):
        assert visit(guard, path=path).status == 401
    assert len(said) == 1
    assert visit(guard, f"key={said[0]}").status == 200


def test_a_token_of_ones_own_opens_the_page_more_than_once() -> None:
    guard = Guard(Reached(), policy_for(PORT, Door(token=TOKEN_OF_MINE)))
    for wrong in ("", "wrong", TOKEN_OF_MINE[:-1], TOKEN_OF_MINE.upper()):
        assert visit(guard, f"token={wrong}").status == 401
    cookies = {cookie_of(visit(guard, f"token={TOKEN_OF_MINE}")) for _ in range(3)}
    assert len(cookies) == 3
    assert TOKEN_OF_MINE not in "".join(cookies)
    assert all(visit(guard, cookie=cookie).content == b"reached" for cookie in cookies)


def test_without_a_token_none_opens_the_page(guard: Guard) -> None:
    for given in ("token=", "token=None", "key=None", "key="):
        assert visit(guard, given).status == 401


def test_the_address_cannot_be_guessed_and_differs_each_time() -> None:
    keys = {Door().key() for _ in range(100)}
    assert len(keys) == 100
    assert min(map(len, keys)) >= 32


# From here on with the command itself.


@pytest.fixture(autouse=True)
def shared_cache(warm_cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_CACHE", warm_cache)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with command_running(tmp_path, "--port", "0", "--no-browser") as found:
        yield found


def get(
    connect: Callable[[], socket.socket], host: str, path: str, cookie: str = ""
) -> tuple[int, str, str]:
    """The status, the cookie and the content."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: close"]
    lines += [f"Cookie: {cookie}"] if cookie else []
    with connect() as made:
        made.sendall("\r\n".join([*lines, "", ""]).encode())
        parts = []
        while part := made.recv(1 << 16):
            parts.append(part)
    head, _, content = b"".join(parts).decode().partition("\r\n\r\n")
    given = next((at for at in head.split("\r\n") if at.lower().startswith("set-cookie")), "")
    return int(head.split()[1]), given.partition(": ")[2].partition(";")[0], content


def loopback(port: int) -> Callable[[], socket.socket]:
    """Waits until the server answers, which is a little after it said where it is."""
    return lambda: socket.create_connection(("127.0.0.1", port), timeout=20)


def test_a_second_browser_is_told_where_its_address_is(running: Running) -> None:
    connect, host = loopback(running.port), running.host
    status, cookie, _ = get(connect, host, f"/?key={running.key}")
    assert status == 200
    assert cookie.startswith(f"unslant-{running.port}="), "cookies are the same for all ports"
    assert "<title>Unslant</title>" in get(connect, host, "/", cookie)[2]
    assert get(connect, host, f"/?key={running.key}") == (401, "", REFUSAL.decode())
    second = get(connect, host, f"/?key={running.next_key()}")
    assert (second[0], second[1] != cookie) == (200, True)


ASKS = """
import os, socket, sys
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
place, *paths = sys.argv[1:]
for path in paths:
    made = socket.socket(socket.AF_INET if place.isdigit() else socket.AF_UNIX)
    try:
        made.connect(("127.0.0.1", int(place)) if place.isdigit() else place)
    except OSError as error:
        print(type(error).__name__)
        continue
    made.sendall(f"GET {path} HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\n".replace(
        "PORT", place if place.isdigit() else "8642").encode() + b"Connection: close\\r\\n\\r\\n")
    answer = b""
    while part := made.recv(65536):
        answer += part
    print(answer.split()[1].decode(), answer.partition(b"\\r\\n\\r\\n")[2].decode().strip())
"""


def as_nobody(place: str) -> list[str]:
    """What another user is answered, a line for each request."""
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("only root can start a process of another user")
    paths = [*PATHS, *ASKED, "/?key=x", "/?token=x"]
    done = subprocess.run(
        [sys.executable, "-c", ASKS, place, *paths], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths)
    return lines


def test_another_user_of_the_machine_gets_no_request_answered(running: Running) -> None:
    assert set(as_nobody(str(running.port))) == {f"401 {NO_ACCESS}"}


def test_a_socket_has_the_same_door_and_is_removed_at_the_end(tmp_path: Path) -> None:
    place = tmp_path / "page.sock"
    with command_running(tmp_path, "--socket", str(place), "--no-browser") as running:
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert f"ssh -L 8642:{place}" in running.first_lines

        def connect() -> socket.socket:
            made = socket.socket(socket.AF_UNIX)
            made.connect(str(place))
            return made

        assert get(connect, HOST, "/")[0] == 401
        status, cookie, _ = get(connect, HOST, f"/?key={running.key}")
        assert (status, get(connect, HOST, "/page.css", cookie)[0]) == (200, 200)
        running.process.terminate()
        assert running.process.wait(30) == 0
    assert not place.exists()


def test_another_user_cannot_connect_to_the_socket(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # so that it is the socket that refuses
        place = f"{folder}/page.sock"
        with command_running(tmp_path, "--socket", place, "--no-browser"):
            assert set(as_nobody(place)) == {"PermissionError"}
            Path(place).chmod(0o666)
            assert "PermissionError" not in as_nobody(place), "else the test would show nothing"


def test_the_list_of_processes_holds_no_secret(tmp_path: Path) -> None:
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("/proc is not there: this system does not tell its processes")
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\ncat /proc/*/cmdline > {opened}.all\necho "$@" > {opened}\n')
    browser.chmod(0o700)
    secrets = tmp_path / "token"
    secrets.touch(mode=0o600)
    secrets.write_text(f"{TOKEN_OF_MINE}\n")
    arguments = ("--port", "0", "--token-file", str(secrets))
    with command_running(tmp_path, *arguments, BROWSER=str(browser), DISPLAY=":0") as running:
        deadline = time.monotonic() + 60
        while not (opened.exists() and opened.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        lines = Path(f"{opened}.all").read_bytes()
        assert str(browser).encode() in lines, "the browser itself is among them"
        assert running.key.encode() not in lines
        assert TOKEN_OF_MINE.encode() not in lines
        doorway = Path(opened.read_text().strip().removeprefix("file://"))
        assert stat.S_IMODE(doorway.stat().st_mode) == 0o600
        assert stat.S_IMODE(doorway.parent.stat().st_mode) == 0o700
        assert f"url=http://{running.host}/?key={running.key}" in doorway.read_text()
        connect, token = loopback(running.port), f"/?token={TOKEN_OF_MINE}"
        assert [get(connect, running.host, token)[0] for _ in range(2)] == [200, 200]


def test_a_token_on_the_command_line_is_refused(tmp_path: Path) -> None:
    done = unslant("serve", "--token", TOKEN_OF_MINE, "--no-browser", cwd=tmp_path, code=2)
    assert "can be read by every user" in done.stderr
    assert "--token-file" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_token_comes_from_a_file_or_from_the_environment_not_from_both(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.touch(mode=0o600)
    path.write_text(f"  {TOKEN_OF_MINE}\n")
    assert token_from(None, {}) is None
    assert token_from(path, {}) == TOKEN_OF_MINE
    assert token_from(None, {VARIABLE: TOKEN_OF_MINE}) == TOKEN_OF_MINE
    with pytest.raises(UnslantError, match="two tokens"):
        token_from(path, {VARIABLE: TOKEN_OF_MINE})
    with pytest.raises(UnslantError, match=r"Cannot read the token in .*none"):
        token_from(tmp_path / "none", {})
    for mode in (0o644, 0o640, 0o604, 0o620):
        path.chmod(mode)
        with pytest.raises(UnslantError, match=f"chmod 600 {path}"):
            token_from(path, {})


def test_a_socket_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    for path in (tmp_path / "taken", tmp_path / "no" / "folder", tmp_path / ("x" * 200)):
        with pytest.raises(UnslantError, match=r"Cannot listen at .* with --socket"):
            serve([], socket_path=str(path))
    assert (tmp_path / "taken").read_text() == "mine"
    with pytest.raises(UnslantError, match="cannot both be given"):
        serve([], socket_path=str(tmp_path / "s"), host="::1")
