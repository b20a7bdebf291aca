"""Forged requests: each differs from a good one in one way, and each is refused."""

import asyncio
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tallies import Tally
from tests.web.serving import (
    HOST,
    PORT,
    SECRET,
    Headers,
    asked,
    guarded,
    on_a_socket,
    policy_for,
    raw,
)
from unslant.web import guard as guard_module
from unslant.web.app import application
from unslant.web.guard import CONTENT_POLICY, HEADERS, Guard
from unslant.web.opened import Concepts, Given
from unslant.web.work import Desk

POLICY = policy_for(PORT)

HOSTS = (
    "", "localhost", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"127.0.0.1:{PORT}.", "127.0.0.1:0",
    f"127.0.0.2:{PORT}", f"0.0.0.0:{PORT}", f"[::]:{PORT}", "[::1]", f"::1:{PORT}",
    f"evil.example:{PORT}", "evil.example", f"localhost.evil.example:{PORT}", f"LOCALHOST:{PORT}",
    f"127.0.0.1.nip.io:{PORT}", f"2130706433:{PORT}", f"0x7f.1:{PORT}", f"127.1:{PORT}",
    f"user@127.0.0.1:{PORT}", f"127.0.0.1:{PORT}/", f"http://127.0.0.1:{PORT}", f" {HOST}",
    f"{HOST}\t", f"{HOST},{HOST}", f"127.0.0.1:{PORT}#", f"localhost:{PORT}:80", "*",
)  # fmt: skip
ORIGINS = (
    "null", "http://evil.example", f"http://evil.example:{PORT}", f"https://{HOST}",
    "http://127.0.0.1", f"http://127.0.0.1:{PORT + 1}", f"http://localhost:{PORT}",
    f"http://{HOST}.evil.example", f"http://{HOST}/", f"HTTP://{HOST}", "", "*", "file://",
    f"http://evil@{HOST}", "chrome-extension://abc", f"http://{HOST} http://{HOST}", "about:blank",
)  # fmt: skip
SITES = ("cross-site", "same-site", "", "SAME-ORIGIN", "none, cross-site", "same-origin ", "null")
METHODS = (
    "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "post",
    "MOVE", "COPY", "LOCK", "GETX", "",
)  # fmt: skip
PATHS = (
    "/..", "/../", "/../etc/passwd", "/../../../../etc/passwd", "/./page.css", "/static/../page.js",
    "/api/jobs/..", "/api/jobs/../../page.css", "/%2e%2e/etc/passwd", "/%2e%2e%2fetc%2fpasswd",
    "/..%2f..%2fetc/passwd", "/%252e%252e/etc/passwd", "//etc/passwd", "//", "/api//start",
    "/page.css/", "/page%2ecss", "/page.css%00", "/\x00", "/page.css\x00.html", "/%00",
    "/api/jobs/%2e%2e", "/api/cells/%2e%2e/%2e%2e", "/api/cells/s1/../../etc/passwd", "/..;/",
    "/page.css;.js", "/api/jobs/a b", "/\\..\\..\\windows", "/C:/windows", "/~root", "/.env",
    "/.git/config", "/page.css.", "/api/start?", "/é", "/api/jobs/\r\nX: y", "*", "page.css",
    f"http://{HOST}/", "/" + "a" * 300, "/api/jobs/" + "../" * 40, "/%c0%ae%c0%ae/", "/:",
)  # fmt: skip
TYPES = (
    "text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "",
    "multipart/form-data; boundary=x", "text/json", "application/json, text/plain",
    "text/plain; application/json", "application/jsonp", "application/json;", "application/json; x",
)  # fmt: skip
SECRETS = (
    "",
    "0" * 32,
    SECRET[:-1],
    f"{SECRET}0",
    SECRET.swapcase(),
    f" {SECRET}",
    f"{SECRET},{SECRET}",
    "é",
)

Forged = tuple[str, str, bytes, Headers, bytes]
"""The method, the path, the query, the headers and the body."""


def heads(**given: str | None) -> Headers:
    usual: dict[str, str | None] = {"host": HOST, "x_unslant_secret": SECRET, **given}
    return [
        (name.replace("_", "-").encode(), value.encode("utf-8"))
        for name, value in usual.items()
        if value is not None
    ]


def good_post(**other: str | None) -> Headers:
    return heads(**{"content_type": "application/json", **other})


def forged() -> Iterator[Forged]:
    targets = [("GET", "/"), ("GET", "/api/start"), ("POST", "/api/jobs")]
    for (method, path), host in itertools.product(targets, HOSTS):
        yield method, path, b"", good_post(host=host), b"{}"
    for (method, path), origin in itertools.product(targets, ORIGINS):
        yield method, path, b"", good_post(origin=origin), b"{}"
    for (method, path), site in itertools.product(targets, SITES):
        yield method, path, b"", good_post(sec_fetch_site=site), b"{}"
    for method, path in itertools.product(METHODS, ("/", "/api/jobs")):
        yield method, path, b"", good_post(), b"{}"
    for path, method in itertools.product(PATHS, ("GET", "POST")):
        yield method, path, b"", good_post(), b"{}"
    for kind in TYPES:
        yield "POST", "/api/jobs", b"", good_post(content_type=kind), b"{}"
    yield "POST", "/api/jobs", b"", good_post(content_type=None), b"{}"
    for (method, path), secret in itertools.product(targets[1:], (*SECRETS, None)):
        yield method, path, b"", good_post(x_unslant_secret=secret), b"{}"
        cookie = f"unslant={SECRET}; unslant-{PORT}={SECRET}; x-unslant-secret={SECRET}"
        yield method, path, b"", good_post(x_unslant_secret=secret, cookie=cookie), b"{}"
    yield "GET", "/", b"", heads(host=None), b""
    yield "GET", "/", b"x=" + b"y" * 5_000, heads(), b""
    yield "GET", "/", b"", heads(x_filler="z" * 17_000), b""
    yield "GET", "/", b"", heads(cookie="a=" + "z" * 20_000), b""
    yield "POST", "/api/jobs", b"", good_post(), b" " * 300_000
    for length in ("300000", "-1", "+5", "1e9", "９", "9" * 30):
        yield "POST", "/api/jobs", b"", good_post(content_length=length), b"{}"
    both = good_post(content_length="2", transfer_encoding="chunked")
    yield "POST", "/api/jobs", b"", both, b"{}"
    yield "POST", "/api/jobs", b"", [*both[:-2], both[-1], both[-1]], b"{}"
    for name in (b"host", b"origin", b"sec-fetch-site", b"content-type", b"x-unslant-secret"):
        twice = good_post(origin=f"http://{HOST}", sec_fetch_site="same-origin")
        again = next(value for key, value in twice if key == name)
        yield "POST", "/api/jobs", b"", [*twice, (name, again)], b"{}"


class Reached:
    """An application that only notes that it was asked."""

    def __init__(self) -> None:
        self.count = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.count += 1
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"reached"})


EVERY = list(forged())


def test_there_are_more_than_two_hundred_forgeries_of_every_kind() -> None:
    assert len(EVERY) >= 300
    assert len({(m, p, q, tuple(h), b) for m, p, q, h, b in EVERY}) == len(EVERY)


def test_every_forged_request_is_refused_before_anything_is_reached(tally: Tally) -> None:
    reached = Reached()
    guard = Guard(reached, POLICY)
    for request in EVERY:
        found = asked(guard, *request)
        assert 400 <= found.status < 500, request
        assert reached.count == 0, request
        assert len(found.content) < 100
        assert found.content.endswith(b"\n")
        assert found.headers[b"content-type"].startswith(b"text/plain"), request
        assert found.headers.items() >= dict(HEADERS).items()
    tally(len(EVERY))


def test_the_good_requests_that_the_forged_ones_differ_from_are_answered() -> None:
    reached = Reached()
    guard = Guard(reached, POLICY)
    same = {"origin": f"http://{HOST}", "sec_fetch_site": "same-origin"}
    good: list[Forged] = [
        ("GET", "/", b"", heads(), b""),
        ("GET", "/api/start", b"", heads(**same), b""),
        ("GET", "/", b"", heads(host=f"localhost:{PORT}", sec_fetch_site="none"), b""),
        ("GET", "/", b"", heads(host=f"[::1]:{PORT}"), b""),
        ("POST", "/api/jobs", b"", good_post(), b"{}"),
        ("POST", "/api/jobs/ab12/cancel", b"", good_post(**same, content_length="2"), b"{}"),
        ("GET", "/api/check", b"method=hard%20%7C%20misp", heads(), b""),
    ]
    for number, request in enumerate(good, 1):
        found = asked(guard, *request)
        assert (found.status, reached.count) == (200, number), request
        assert found.headers.items() >= dict(HEADERS).items()


def test_an_origin_must_be_the_very_host_that_was_asked() -> None:
    crossed = heads(host=f"localhost:{PORT}", origin=f"http://127.0.0.1:{PORT}")
    assert asked(Guard(Reached(), POLICY), "GET", "/", b"", crossed).status == 403


def test_every_header_that_keeps_the_page_to_itself_is_there() -> None:
    names = {name for name, _ in HEADERS}
    assert names >= {b"content-security-policy", b"x-content-type-options", b"referrer-policy"}
    assert not any(name.startswith(b"access-control") for name in names)
    for rule in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert rule in CONTENT_POLICY
    assert "unsafe" not in CONTENT_POLICY
    assert "*" not in CONTENT_POLICY


def test_websockets_are_refused() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    asyncio.run(Guard(Reached(), POLICY)({"type": "websocket", "headers": []}, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


WATCHED: list[str] = []
WATCHING: list[bool] = []


def _watch(event: str, given: tuple[Any, ...]) -> None:
    if WATCHING and event in ("open", "os.listdir", "os.scandir", "subprocess.Popen"):
        WATCHED.append(f"{event} {given[0]!r}")


sys.addaudithook(_watch)


def test_a_real_server_refuses_forgeries_and_opens_no_file_for_them(
    tmp_path: Path, tally: Tally
) -> None:
    def app_for(port: int) -> Guard:
        desk = Desk(Given(), Concepts(), tmp_path)
        return application(desk, policy_for(port))

    with on_a_socket(app_for) as port:
        here = f"127.0.0.1:{port}"
        good = raw(
            port,
            f"GET / HTTP/1.1\r\nHost: {here}\r\nConnection: close\r\n\r\n".encode(),
        )
        assert b" 200 OK" in good.split(b"\r\n")[0]
        assert b"default-src 'none'" in good
        requests = [
            _as_bytes(request, port) for request in EVERY if _is_forged_on_the_wire(request)
        ]
        assert len(requests) >= 250
        requests += [
            b"GET / HTTP/1.0\r\n\r\n",
            b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
            f"GET / HTTP/1.1\r\nHost: {here}\r\nHost: evil.example\r\n\r\n".encode(),
            f"GET /\x00 HTTP/1.1\r\nHost: {here}\r\n\r\n".encode(),
            f"GET / HTTP/1.1\r\nHost: {here}\r\nX: {'y' * 200_000}\r\n\r\n".encode(),
            f"GET {'/a' * 60_000} HTTP/1.1\r\nHost: {here}\r\n\r\n".encode(),
            f"POST /api/jobs HTTP/1.1\r\nHost: {here}\r\nContent-Length: 2\r\n"
            f"Transfer-Encoding: chunked\r\n\r\n{{}}".encode(),
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
            b"nonsense\r\n\r\n",
        ]
        WATCHED.clear()
        WATCHING.append(True)
        try:
            for request in requests:
                answer = raw(port, request)
                first = answer.split(b"\r\n")[0]
                assert b" 200 " not in first, request[:200]
                assert first.split()[1].startswith(b"4"), request[:200]
                assert b"root:" not in answer
        finally:
            WATCHING.clear()
        assert WATCHED == []
    tally(len(requests))


def _is_forged_on_the_wire(request: Forged) -> bool:
    """Spaces around a value, a bare question mark and no query are the same to HTTP."""
    _, path, _, headers, _ = request
    return not path.endswith("?") and all(value == value.strip() for _, value in headers)


def _as_bytes(request: Forged, port: int) -> bytes:
    """The request as it goes over the wire, with the real port in the place of the usual one."""
    method, path, query, headers, body = request
    target = path.encode() + (b"?" + query if query else b"")
    lines = [method.encode() + b" " + target + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in headers]
    if not any(name == b"content-length" for name, _ in headers):
        lines.append(b"content-length: " + str(len(body)).encode())
    whole = b"\r\n".join([*lines, b"connection: close"]) + b"\r\n\r\n"
    return whole.replace(str(PORT).encode(), str(port).encode()) + body


def test_the_usual_pages_are_served_through_the_guard(tmp_path: Path) -> None:
    guard = guarded(tmp_path)
    for path in ("/", "/page.js", "/page.css", "/base.css", "/charts.js", "/parts.js", "/keep.js"):
        found = asked(guard, "GET", path)
        assert (found.status, bool(found.content)) == (200, True), path
        assert found.headers.items() >= dict(HEADERS).items()
    for path in ("/start.py", "/static/page.js", "/index.html", "/api", "/api/jobs/none", "/etc"):
        found = asked(guard, "GET", path)
        assert found.status in (404, 405), path
        assert len(found.content) < 100


@pytest.mark.parametrize("header", ["x-forwarded-host", "forwarded", "x-original-url"])
def test_what_a_proxy_might_say_changes_nothing(header: str) -> None:
    told = [*heads(host="evil.example"), (header.encode(), HOST.encode())]
    assert asked(Guard(Reached(), POLICY), "GET", "/", b"", told).status == 403


def test_a_body_that_does_not_come_to_its_end_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard_module, "BODY_SECONDS", 0.05)
    reached = Reached()

    async def receive() -> Any:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b" ", "more_body": True}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/api/jobs", "raw_path": b"/api/jobs",
        "query_string": b"", "headers": good_post(),
    }  # fmt: skip
    asyncio.run(asyncio.wait_for(Guard(reached, POLICY)(scope, receive, send), 5))
    assert sent[0]["status"] == 408
    assert reached.count == 0
