"""Who may ask the server for what, decided before anything else looks at a request.

A page of any site that the user happens to visit can make the browser send requests to this
machine, and so can every other user of it. So a request must name this server exactly (``Host``; a
name that an attacker points here does not), must not come from another site (``Origin``,
``Sec-Fetch-Site``), must bring the cookie that was given for the printed address (``web/door.py``),
and whatever starts work must carry a token that only our own page was given. Paths are made of a
few plain characters and lead to names in an index, never to files. Only a file that was dropped
onto the page may be larger than a request in JSON; it passes the same checks.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from unslant.web.door import Door, same

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src data: 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
TOKEN_HEADER = b"x-unslant-token"
ADMITTED = "unslant.admitted"
"""Where the scope of a request says that it brought a cookie, for those who count connections."""
NO_ACCESS = 'Open the newest address that "unslant serve" shows in its terminal; each works once.'

LONGEST_PATH = 200
LONGEST_QUERY = 4 << 10
MOST_HEADER_BYTES = 16 << 10
MOST_BODY_BYTES = 256 << 10
BODY_SECONDS = 20.0
DROP_PATH = "/api/dropped"
"""Where a file that was dropped onto the page goes: the one address that takes more than JSON."""
MOST_DROPPED_BYTES = 2 << 30
DROP_SECONDS = 600.0

_PATH = re.compile(
    rb"/(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*(?:/[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)*)?"
)
# No redirect: after a link from elsewhere, browsers keep a strict cookie back until a page of ours
# asks for something.
_WELCOME = (
    b'<!doctype html><meta http-equiv="refresh" content="0;url=/"><link rel="icon" href="data:,">'
    b"<title>Unslant</title>\n"
)
_TYPES = {
    False: ("application/json", "application/json; charset=utf-8"),
    True: ("application/octet-stream",),
}
_SINGLE = (
    b"host", b"origin", b"sec-fetch-site", b"content-type", b"content-length",
    b"transfer-encoding", TOKEN_HEADER,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What the guard knows: the names of this server, the page's token, who was let in.

    ``hosts`` are what ``Host`` may say, with the port. ``cookie`` is the name of the cookie; it
    holds the port, because a browser sends cookies to every port of a host.
    """

    hosts: frozenset[str]
    page_token: str
    door: Door
    cookie: str


class Guard:
    """Refuses what the policy does not allow, and puts the same headers on every answer."""

    def __init__(self, app: App, policy: Policy) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application do so."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        if refusal := self._refusal(scope):
            await _refuse(send, *refusal)
            return
        # A key is spent even by a browser that needs none: its history would keep it.
        if self.policy.door.fits(*_brought(scope)) or not self._has_access(scope):
            await self._at_the_door(scope, send)
            return
        scope[ADMITTED] = True
        body = b""
        if _is_drop(scope):
            await self.app(scope, _in_time(receive), _with_headers(send))
            return
        if scope["method"] == "POST":
            try:
                found = await asyncio.wait_for(_body(receive), BODY_SECONDS)
            except TimeoutError:
                await _refuse(send, 408, "The request took too long to arrive.")
                return
            if found is None:
                await _refuse(send, 413, "The request is too large.")
                return
            body = found
        await self.app(scope, _replayed(body, receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence of a refusal; None where there is none."""
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size > MOST_HEADER_BYTES:
            return 431, "The headers are too large."
        raw = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogatepass")
        if len(raw) > LONGEST_PATH or len(scope["query_string"]) > LONGEST_QUERY:
            return 414, "The address is too long."
        heads = _heads(scope)
        if heads is None:
            return 400, "A header was given twice."
        host = heads.get(b"host", "")
        if host not in self.policy.hosts:
            return 403, "This server does not answer to that name."
        if scope.get("scheme", "http") != "http":
            return 403, "This server speaks plain HTTP."
        if heads.get(b"origin", f"http://{host}") != f"http://{host}":
            return 403, "Requests from other sites are refused."
        site = heads.get(b"sec-fetch-site", "none")
        if site not in ("same-origin", "none") and not self.policy.door.fits(*_brought(scope)):
            return 403, "Requests from other sites are refused."
        if scope["method"] not in ("GET", "POST"):
            return 405, "Only GET and POST are answered."
        if not _PATH.fullmatch(raw) or scope["path"].encode("utf-8", "surrogatepass") != raw:
            return 404, "There is nothing here."
        if scope["method"] != "POST":
            return None
        return self._post_refusal(heads, is_drop=_is_drop(scope))

    def _post_refusal(self, heads: dict[bytes, str], *, is_drop: bool) -> tuple[int, str] | None:
        if heads.get(b"content-type", "").lower() not in _TYPES[is_drop]:
            return 415, "A file must be sent as it is." if is_drop else "Requests must be JSON."
        if not same(heads.get(TOKEN_HEADER, ""), self.policy.page_token):
            return 403, "The token of the page is missing or old. Load the page again."
        if b"content-length" in heads and b"transfer-encoding" in heads:
            return 400, "The request says in two ways how long it is."
        length = heads.get(b"content-length", "0")
        if not length.isascii() or not length.isdigit():
            return 400, "The length of the request is not a number."
        if is_drop and not int(length[:12]):
            return 411, "A file must say how long it is."
        most = MOST_DROPPED_BYTES if is_drop else MOST_BODY_BYTES
        if len(length) > 12 or int(length) > most:
            return 413, "The request is too large."
        return None

    def _has_access(self, scope: Scope) -> bool:
        for name, value in scope["headers"]:
            if name == b"cookie":
                for part in value.decode("latin-1").split(";"):
                    key, _, given = part.strip().partition("=")
                    if key == self.policy.cookie and self.policy.door.knows(given):
                        return True
        return False

    async def _at_the_door(self, scope: Scope, send: Send) -> None:
        """Give a cookie for what the address carries, so that the address does not keep it."""
        if given := self.policy.door.enter(*_brought(scope)):
            cookie = f"{self.policy.cookie}={given}; HttpOnly; SameSite=Strict; Path=/"
            await _answer(send, 200, _WELCOME, "text/html", [(b"set-cookie", cookie.encode())])
            return
        if scope["method"] == "GET" and scope["path"] == "/":
            self.policy.door.knock()
        await _refuse(send, 401, NO_ACCESS)


def _is_drop(scope: Scope) -> bool:
    return bool(scope["method"] == "POST" and scope["path"] == DROP_PATH)


def _brought(scope: Scope) -> tuple[str, str]:
    """The key and the token in the address of the page; empty if there are none."""
    if scope["method"] != "GET" or scope["path"] != "/":
        return "", ""
    given = parse_qs(scope["query_string"].decode("latin-1"))
    return given.get("key", [""])[0], given.get("token", [""])[0]


def _heads(scope: Scope) -> dict[bytes, str] | None:
    """The headers that decide, by name; None where one of them stands twice."""
    found: dict[bytes, str] = {}
    for name, value in scope["headers"]:
        key = name.lower()
        if key in _SINGLE:
            if key in found:
                return None
            found[key] = value.decode("latin-1")
    return found


async def _body(receive: Receive) -> bytes | None:
    """The whole body of a request; None where it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BODY_BYTES:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _in_time(receive: Receive) -> Receive:
    """A body that is read as it comes; one that stops, or takes too long in all, is given up."""
    until = time.monotonic() + DROP_SECONDS

    async def next_part() -> MutableMapping[str, Any]:
        left = min(BODY_SECONDS, until - time.monotonic())
        try:
            return await asyncio.wait_for(receive(), left)
        except TimeoutError:
            return {"type": "http.disconnect"}

    return next_part


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read already, then whatever comes after it."""
    is_given = False

    async def again() -> MutableMapping[str, Any]:
        nonlocal is_given
        if not is_given:
            is_given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


def _with_headers(send: Send) -> Send:
    ours = {name for name, _ in HEADERS}

    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            others = [pair for pair in message.get("headers", ()) if pair[0].lower() not in ours]
            message = {**message, "headers": [*others, *HEADERS]}
        await send(message)

    return sent


async def _refuse(send: Send, status: int, text: str) -> None:
    await _answer(send, status, f"{text}\n".encode(), "text/plain")


async def _answer(
    send: Send,
    status: int,
    content: bytes,
    media_type: str,
    extra: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    headers = [
        (b"content-type", f"{media_type}; charset=utf-8".encode()),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
        *extra,
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
