"""Silent and slow connections on real sockets: they are closed, and the page is answered."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.web.serving import SECRET, on_a_socket, policy_for, raw
from unslant.web import connections
from unslant.web.app import application
from unslant.web.guard import Guard
from unslant.web.opened import Concepts, Given
from unslant.web.work import Desk


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    def app_for(port: int) -> Guard:
        return application(Desk(Given(), Concepts(), tmp_path), policy_for(port))

    with on_a_socket(app_for) as port:
        yield port


def request(port: int, *more: str) -> bytes:
    lines = ["GET /api/start HTTP/1.1", f"Host: 127.0.0.1:{port}", f"X-Unslant-Secret: {SECRET}"]
    return "\r\n".join([*lines, *more, "", ""]).encode()


def opened(port: int, begun: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=10)
    made.sendall(begun)
    return made


def is_closed(made: socket.socket) -> bool:
    try:
        return made.recv(1 << 16) == b""
    except ConnectionResetError:
        return True


def status(answer: bytes) -> bytes:
    return answer.split(b"\r\n")[0].split()[1]


@pytest.mark.parametrize("begun", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: 127.0.0.1"])
def test_three_hundred_silent_connections_keep_nobody_waiting(port: int, begun: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(opened(port, begun))
        began = time.monotonic()
        for _ in range(20):
            assert status(raw(port, request(port, "Connection: close"))) == b"200"
        assert time.monotonic() - began < connections.HEADER_SECONDS / 2, "without waiting"


FLOOD = """
import os, selectors, socket, sys, time
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
port, count = map(int, sys.argv[1:])
watched, closed, until = selectors.DefaultSelector(), 0, time.monotonic() + 60
def connect():
    made = socket.socket()
    made.setblocking(False)
    made.connect_ex(("127.0.0.1", port))
    watched.register(made, selectors.EVENT_READ)
for _ in range(count):
    connect()
while time.monotonic() < until:
    for key, _ in watched.select(0.05):
        watched.unregister(key.fileobj)
        key.fileobj.close()
        connect()
        closed += 1
        if closed == count:
            print("came again", flush=True)
"""


@contextmanager
def flooded(port: int, count: int) -> Iterator["subprocess.Popen[str]"]:
    """Connections of another user that say nothing and come again as soon as they are closed."""
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("only root can start a process of another user")
    command = [sys.executable, "-c", FLOOD, str(port), str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "came again\n"
            yield process
        finally:
            process.kill()


def test_a_flood_by_another_user_takes_places_from_that_user_alone(port: int) -> None:
    if not hasattr(socket, "AF_NETLINK"):
        pytest.skip("only Linux tells which user is at the other end of a connection")
    with flooded(port, 400) as flood:
        took = []
        for path in ("/", "/page.js", "/page.css", "/door.js") * 2:
            began = time.monotonic()
            plain = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
            assert status(raw(port, plain.encode())) == b"200", path
            assert status(raw(port, request(port, "Connection: close"))) == b"200"
            took.append((time.monotonic() - began) / 2)
        assert flood.poll() is None, "it went on all the time"
    assert sorted(took)[len(took) // 2] < connections.HEADER_SECONDS / 5


def test_the_other_end_of_a_connection_is_known_by_its_user_or_its_address() -> None:
    if not hasattr(socket, "AF_NETLINK"):
        pytest.skip("only Linux tells which user is at the other end of a connection")
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as listening:
            try:
                listening.bind((host, 0))
            except OSError:
                continue  # a machine without IPv6
            listening.listen()
            here = listening.getsockname()
            client = socket.create_connection(here[:2], timeout=10)
            server, there = listening.accept()
            with server:
                assert connections.peer_of(there, here) == f"uid {os.getuid()}"
                client.close()
                assert connections.peer_of(there, here) == host, "closed ends would be root's"
                assert connections.peer_of(("192.0.2.1", 80), here) == "192.0.2.1"
    assert connections.peer_of("", "/some/socket") == ""


def test_strangers_lose_their_places_and_those_with_a_secret_keep_theirs(port: int) -> None:
    with ExitStack() as stack:
        known = stack.enter_context(opened(port, request(port)))
        assert status(known.recv(1 << 20)) == b"200"
        silent = [stack.enter_context(opened(port)) for _ in range(connections.MOST_STRANGERS + 5)]
        assert all(is_closed(made) for made in silent[:5])
        known.sendall(request(port, "Connection: close"))
        assert status(_last_answer(known)) == b"200"


def _last_answer(made: socket.socket) -> bytes:
    """The answer after the rest of the one before it."""
    parts = []
    while part := made.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)[b"".join(parts).rindex(b"HTTP/1.1") :]


def test_one_byte_now_and_then_does_not_prolong_the_time_for_headers(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 1.0)
    began = time.monotonic()
    with opened(port, b"GET / HTTP/1.1\r\nX: ") as slow:
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            while time.monotonic() < began + 20:
                slow.sendall(b"y")
                time.sleep(0.1)
        assert 0.5 < time.monotonic() - began < 10


def test_the_headers_of_a_second_request_have_a_limit_too(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 1.0)
    with opened(port, request(port)) as made:
        assert status(made.recv(1 << 20)) == b"200"
        made.sendall(b"GET / HT")
        began = time.monotonic()
        while not is_closed(made):
            pass
        assert time.monotonic() - began < connections.IDLE_SECONDS / 2


def test_a_connection_that_is_idle_after_an_answer_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "IDLE_SECONDS", 1)

    def app_for(port: int) -> Guard:
        return application(Desk(Given(), Concepts(), tmp_path), policy_for(port))

    with on_a_socket(app_for) as port, opened(port, request(port)) as made:
        assert status(made.recv(1 << 20)) == b"200"
        began = time.monotonic()
        while not is_closed(made):
            pass
        assert time.monotonic() - began < 10
