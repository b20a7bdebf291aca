"""The printed address opens the page once; everybody else gets one sentence, and no data."""

import itertools
import json
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
from tests.web.serving import HOST, PORT, SECRET, Answer, Headers, asked, guarded, policy_for
from tests.web.test_guard import EVERY, SECRETS, Reached, good_post, heads
from unslant.core.errors import UnslantError
from unslant.web.app import _FILES, application
from unslant.web.door import VARIABLE, Door, token_from
from unslant.web.guard import ENTER_PATH, HEADERS, NO_ACCESS, Guard
from unslant.web.opened import Concepts, sorted_out
from unslant.web.start import serve
from unslant.web.work import Desk

TOKEN_OF_MINE = "abcdefgh12345678"
REFUSAL = f"{NO_ACCESS}\n".encode()
PROGRAM = ("/", "/vega.js", "/base.css", "/charts.js", *(f"/{name}" for name in _FILES))
ASKED = (
    "/api/start", "/api/check", "/api/probes", "/api/jobs/x", "/api/jobs/x/result",
    "/api/jobs/x/record.json", "/api/jobs/x/file", "/api/cells/a/b", "/none",
)  # fmt: skip


@pytest.fixture
def door() -> Door:
    return Door()


@pytest.fixture
def guard(door: Door) -> Guard:
    return Guard(Reached(), policy_for(PORT, door), public=["/"])


def visit(guard: Guard, path: str, query: str = "", **headers: str | None) -> Answer:
    given: dict[str, str | None] = {"x_unslant_secret": None, **headers}
    return asked(guard, "GET", path, query.encode(), heads(**given))


def enter(guard: Guard, **brought: object) -> Answer:
    """What the page does with the key or the token in its address."""
    headers = good_post(x_unslant_secret=None)
    return asked(guard, "POST", ENTER_PATH, b"", headers, json.dumps(brought).encode())


def secret_of(answer: Answer) -> str:
    assert answer.status == 200, answer
    assert b"set-cookie" not in answer.headers
    [(name, secret)] = answer.json().items()
    assert (name, len(secret) >= 32) == ("secret", True)
    return str(secret)


def test_without_a_secret_every_address_of_yours_gives_the_same_sentence(tmp_path: Path) -> None:
    guard = guarded(tmp_path)
    for path, secret in itertools.product(ASKED, (None, *SECRETS)):
        for cookie in (None, f"unslant={SECRET}", f"unslant-{PORT}={SECRET}"):
            found = visit(guard, path, x_unslant_secret=secret, cookie=cookie)
            assert (found.status, found.content) == (401, REFUSAL), path
            assert found.headers.items() >= dict(HEADERS).items()
    headers = good_post(x_unslant_secret=None)
    found = asked(guard, "POST", "/api/jobs", b"", headers, b"{}")
    assert (found.status, found.content) == (401, REFUSAL)


def test_every_route_but_the_files_of_the_program_needs_the_secret(tmp_path: Path) -> None:
    guard = guarded(tmp_path)
    routes = {route.path for route in guard.app.routes}  # type: ignore[attr-defined]
    assert routes > set(PROGRAM) == guard.public
    for path in routes - guard.public:
        plain = path.replace("{", "").replace("}", "")
        assert visit(guard, plain).status == 401, path


def test_the_files_of_the_program_are_the_same_for_everybody_and_hold_no_secret(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "very-private.txt"
    mine.write_text("hush 1 2\nwoman 3 4\n")
    door = Door(token=TOKEN_OF_MINE)
    secrets = (door.key(), door.admit(), TOKEN_OF_MINE)
    desk = Desk(sorted_out([str(mine)]), Concepts(()), tmp_path)
    guard, other = application(desk, policy_for(PORT, door)), guarded(tmp_path)
    for path in PROGRAM:
        found = visit(guard, path)
        assert (found.status, found.content) == (200, visit(other, path).content)
        assert not any(text.encode() in found.content for text in (*secrets, "very-private"))
        assert b"set-cookie" not in found.headers


def test_no_forged_request_gets_further_with_the_key(guard: Guard, door: Door) -> None:
    key = door.key()
    for method, path, query, headers, body in EVERY:
        without = [pair for pair in headers if pair[0] != b"x-unslant-secret"]
        if query or without == heads(x_unslant_secret=None) or path == "/":
            continue
        found = asked(guard, method, path, f"key={key}".encode(), without, body)
        assert 400 <= found.status < 500, (method, path, without)
    for method, path, _, headers, _ in EVERY:
        if (method, path) == ("POST", "/api/jobs") and _is_forged_for_the_door(headers):
            brings = json.dumps({"key": key}).encode()
            found = asked(guard, method, ENTER_PATH, b"", headers, brings)
            assert 400 <= found.status < 500, headers
    assert door.key() == key, "none of them has spent it"
    secret_of(enter(guard, key=key))


def _is_forged_for_the_door(headers: Headers) -> bool:
    """Whether more is wrong than the secret, which the door does not ask for."""
    others = [pair for pair in headers if pair[0] not in (b"x-unslant-secret", b"cookie")]
    return others != good_post(x_unslant_secret=None) and b"x-unslant-secret" in dict(headers)


def test_the_key_is_exchanged_for_a_secret_once(guard: Guard, door: Door) -> None:
    key = door.key()
    assert visit(guard, "/", f"key={key}").status == 200
    assert door.key() == key, "a preview of the address does not spend it"
    secret = secret_of(enter(guard, key=key))
    assert secret != key
    assert visit(guard, "/api/start", x_unslant_secret=secret).content == b"reached"
    again = enter(guard, key=key)
    assert (again.status, again.content) == (401, REFUSAL)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'{"key":', b'{"key":null}', b'{"key":["x"]}', b"[" * 4_000]
)
def test_whatever_else_is_presented_is_refused(guard: Guard, body: bytes) -> None:
    headers = good_post(x_unslant_secret=None)
    assert asked(guard, "POST", ENTER_PATH, b"", headers, body).status == 401
    large = good_post(x_unslant_secret=None, content_length="5000")
    assert asked(guard, "POST", ENTER_PATH, b"", large, b" " * 5_000).status == 413


def test_a_file_that_leads_to_the_address_counts_as_another_site_and_is_let_in(
    guard: Guard, door: Door
) -> None:
    assert visit(guard, "/", sec_fetch_site="cross-site").status == 403
    assert visit(guard, "/", "key=wrong", sec_fetch_site="cross-site").status == 403
    assert visit(guard, "/", f"key={door.key()}", sec_fetch_site="cross-site").status == 200
    secret = door.admit()
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200)):
        found = visit(guard, "/api/start", sec_fetch_site=site, x_unslant_secret=secret)
        assert found.status == status


@pytest.mark.parametrize("path", ["/api/start", "/api/jobs", "/api/enter"])
def test_the_key_in_an_address_opens_nothing(guard: Guard, door: Door, path: str) -> None:
    assert visit(guard, path, f"key={door.key()}").status == 401
    brings = f"key={door.key()}".encode()
    headers = good_post(x_unslant_secret=None)
    assert asked(guard, "POST", path, brings, headers, b"{}").status == 401


def test_a_knock_makes_the_next_key_only_if_the_last_one_is_spent() -> None:
    said: list[str] = []
    door = Door(announce=said.append)
    guard = Guard(Reached(), policy_for(PORT, door), public=["/"])
    first = door.key()
    for _ in range(5):
        enter(guard)
    assert said == []
    secret_of(enter(guard, key=first))
    assert visit(guard, "/").status == 200
    assert said == [], "the page itself is not private; it asks at the door next"
    for _ in range(3):
        assert enter(guard, key=first).status == 401
        assert visit(guard, "/api/start", x_unslant_secret="of an earlier run").status == 401
    assert len(said) == 1
    secret_of(enter(guard, key=said[0]))


def test_a_token_of_ones_own_opens_the_page_more_than_once() -> None:
    guard = Guard(Reached(), policy_for(PORT, Door(token=TOKEN_OF_MINE)))
    for wrong in ("", "wrong", TOKEN_OF_MINE[:-1], TOKEN_OF_MINE.upper(), "\ud800"):
        assert enter(guard, token=wrong).status == 401
    secrets = {secret_of(enter(guard, token=TOKEN_OF_MINE)) for _ in range(3)}
    assert len(secrets) == 3
    assert TOKEN_OF_MINE not in "".join(secrets)
    for secret in secrets:
        assert visit(guard, "/api/start", x_unslant_secret=secret).content == b"reached"
    assert visit(guard, "/api/start", x_unslant_secret=TOKEN_OF_MINE).status == 401


def test_without_a_token_none_opens_the_page(guard: Guard) -> None:
    for given in ({"token": ""}, {"token": "None"}, {"key": "None"}, {"key": ""}, {}):
        assert enter(guard, **given).status == 401


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
    connect: Callable[[], socket.socket], host: str, path: str, secret: str = ""
) -> tuple[int, str]:
    """The status and the content."""
    return _talk(connect, [f"GET {path} HTTP/1.1", f"Host: {host}", f"X-Unslant-Secret: {secret}"])


def present(
    connect: Callable[[], socket.socket], host: str, **brought: str
) -> tuple[int, dict[str, str]]:
    """The status and the secret for what an address brought."""
    body = json.dumps(brought)
    head = [f"POST {ENTER_PATH} HTTP/1.1", f"Host: {host}", "Content-Type: application/json"]
    status, content = _talk(connect, [*head, f"Content-Length: {len(body)}"], body)
    return status, json.loads(content) if status == 200 else {"refusal": content}


def _talk(
    connect: Callable[[], socket.socket], lines: list[str], body: str = ""
) -> tuple[int, str]:
    with connect() as made:
        made.sendall("\r\n".join([*lines, "Connection: close", "", body]).encode())
        parts = []
        while part := made.recv(1 << 16):
            parts.append(part)
    head, _, content = b"".join(parts).decode().partition("\r\n\r\n")
    assert "set-cookie" not in head.lower()
    return int(head.split()[1]), content


def loopback(port: int) -> Callable[[], socket.socket]:
    """Waits until the server answers, which is a little after it said where it is."""
    return lambda: socket.create_connection(("127.0.0.1", port), timeout=20)


def test_a_second_browser_is_told_where_its_address_is(running: Running) -> None:
    connect, host = loopback(running.port), running.host
    status, first = present(connect, host, key=running.key)
    assert status == 200
    assert get(connect, host, "/api/start", first["secret"])[0] == 200
    assert present(connect, host, key=running.key) == (401, {"refusal": REFUSAL.decode()})
    status, second = present(connect, host, key=running.next_key())
    assert (status, second != first) == (200, True)


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
    content = answer.partition(b"\\r\\n\\r\\n")[2]
    print(path, answer.split()[1].decode(), content.decode().strip() if len(content) < 200 else "")
"""


def as_nobody(place: str) -> list[str]:
    """What another user is answered, a line for each request."""
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("only root can start a process of another user")
    paths = [*ASKED, "/api/start?key=x", "/api/start?token=x"]
    done = subprocess.run(
        [sys.executable, "-c", ASKS, place, *paths], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths)
    return lines


def test_another_user_of_the_machine_gets_nothing_of_yours(running: Running) -> None:
    assert {line.partition(" ")[2] for line in as_nobody(str(running.port))} == {f"401 {NO_ACCESS}"}


def test_a_socket_has_the_same_door_and_is_removed_at_the_end(tmp_path: Path) -> None:
    place = tmp_path / "page.sock"
    with command_running(tmp_path, "--socket", str(place), "--no-browser") as running:
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert f"ssh -L 8642:{place}" in running.first_lines

        def connect() -> socket.socket:
            made = socket.socket(socket.AF_UNIX)
            made.connect(str(place))
            return made

        assert get(connect, HOST, "/api/start")[0] == 401
        status, given = present(connect, HOST, key=running.key)
        assert (status, get(connect, HOST, "/api/start", given["secret"])[0]) == (200, 200)
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
        for _ in range(2):
            status, _ = present(loopback(running.port), running.host, token=TOKEN_OF_MINE)
            assert status == 200


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
