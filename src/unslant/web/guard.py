"""Access control, applied before anything else looks at a request.

A page of any site that the user happens to visit can make the browser send requests to this
machine, and so can every other user of it. So a request must name this server exactly (``Host``; a
name that an attacker points here does not), must not come from another site (``Origin``,
``Sec-Fetch-Site``), and must carry the secret that a tab was given for the printed address
(``web/door.py``) in a header, which no link, picture, frame or form can send. Only the program's
own files, which are the same for everybody, are answered without it: a browser loads them before
any script of ours can add a header. Paths are made of a few plain characters and lead to names in
an index, never to files. Only a file that was dropped onto the page may be larger than a request
in JSON; it passes the same checks.
"""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from unslant.web.door import Door

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
SECRET_HEADER = b"x-unslant-secret"
ADMITTED = "unslant.admitted"
"""The scope key that marks an authenticated request, for the connection counter."""
NO_ACCESS = 'Open the newest address that "unslant serve" shows in its terminal; each works once.'

LONGEST_PATH = 200
LONGEST_QUERY = 4 << 10
MOST_HEADER_BYTES = 16 << 10
MOST_BODY_BYTES = 256 << 10
BODY_SECONDS = 20.0
ENTER_PATH = "/api/enter"
"""Where the page exchanges the key or the token in its address for a secret."""
MOST_ENTER_BYTES = 4 << 10
DROP_PATH = "/api/dropped"
"""Where a file that was dropped onto the page goes: the one address that takes more than JSON."""
MOST_DROPPED_BYTES = 2 << 30
DROP_SECONDS = 600.0

_PATH = re.compile(
    rb"/(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*(?:/[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)*)?"
)
_TYPES = {
    False: ("application/json", "application/json; charset=utf-8"),
    True: ("application/octet-stream",),
}
_SINGLE = (
    b"host", b"origin", b"sec-fetch-site", b"content-type", b"content-length",
    b"transfer-encoding", SECRET_HEADER,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The guard's state: this server's host names with the port, and the open sessions."""

    hosts: frozenset[str]
    door: Door


class Guard:
    """Refuses what the policy does not allow, and puts the same headers on every answer.

    ``public`` are the paths of the program's own files, which hold nothing of the user's.
    """

    def __init__(self, app: App, policy: Policy, public: Collection[str] = ()) -> None:
        self.app = app
        self.policy = policy
        self.public = frozenset(public)

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
        if scope["method"] == "GET" and scope["path"] in self.public:
            await self.app(scope, _replayed(b"", receive), _with_headers(send))
            return
        is_entering = scope["method"] == "POST" and scope["path"] == ENTER_PATH
        if not is_entering:
            if not self._has_access(scope):
                await self._send_away(send)
                return
            scope[ADMITTED] = True
        if _is_drop(scope):
            await self.app(scope, _in_time(receive), _with_headers(send))
            return
        body = b""
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
        if is_entering:
            await self._enter(body, send)
            return
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
        return _post_refusal(heads, scope["path"])

    def _has_access(self, scope: Scope) -> bool:
        secret = (_heads(scope) or {}).get(SECRET_HEADER, "")
        return self.policy.door.knows(secret)

    async def _enter(self, body: bytes, send: Send) -> None:
        """Give a secret for the key or the token that the page found in its address."""
        if secret := self.policy.door.enter(*_keys_in(body)):
            answer = json.dumps({"secret": secret}).encode()
            await _answer(send, 200, answer, "application/json")
        else:
            await self._send_away(send)

    async def _send_away(self, send: Send) -> None:
        self.policy.door.knock()
        await _refuse(send, 401, NO_ACCESS)


def _post_refusal(heads: dict[bytes, str], path: str) -> tuple[int, str] | None:
    is_drop = path == DROP_PATH
    if heads.get(b"content-type", "").lower() not in _TYPES[is_drop]:
        return 415, "A file must be sent as it is." if is_drop else "Requests must be JSON."
    if b"content-length" in heads and b"transfer-encoding" in heads:
        return 400, "The request says in two ways how long it is."
    length = heads.get(b"content-length", "0")
    if not length.isascii() or not length.isdigit():
        return 400, "The length of the request is not a number."
    if is_drop and not int(length[:12]):
        return 411, "A file must say how long it is."
    most = {DROP_PATH: MOST_DROPPED_BYTES, ENTER_PATH: MOST_ENTER_BYTES}.get(path, MOST_BODY_BYTES)
    if len(length) > 12 or int(length) > most:
        return 413, "The request is too large."
    return None


def _is_drop(scope: Scope) -> bool:
    return bool(scope["method"] == "POST" and scope["path"] == DROP_PATH)


def _brought(scope: Scope) -> tuple[str, str]:
    """The key and the token in the address of the page; empty if there are none."""
    if scope["method"] != "GET" or scope["path"] != "/":
        return "", ""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    return query.get("key", [""])[0], query.get("token", [""])[0]


def _keys_in(body: bytes) -> tuple[str, str]:
    """The key and the token that the page found in its address; empty if there are none."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    values = [content.get(name) if isinstance(content, dict) else None for name in ("key", "token")]
    key, token = (value if isinstance(value, str) else "" for value in values)
    return key, token


def _heads(scope: Scope) -> dict[bytes, str] | None:
    """The headers that decide, by name; None if one of them is repeated."""
    headers: dict[bytes, str] = {}
    for name, value in scope["headers"]:
        key = name.lower()
        if key in _SINGLE:
            if key in headers:
                return None
            headers[key] = value.decode("latin-1")
    return headers


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
    """Replays the body that was already read, then continues with the rest."""
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


async def _answer(send: Send, status: int, content: bytes, media_type: str) -> None:
    headers = [
        (b"content-type", f"{media_type}; charset=utf-8".encode()),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
