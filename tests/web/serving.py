"""A desk and a server for tests: in process, or on a real socket."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from unslant.web.app import application
from unslant.web.door import Door
from unslant.web.guard import Guard, Policy
from unslant.web.opened import Concepts, sorted_out
from unslant.web.start import hosts_of, server_config
from unslant.web.work import Desk

PORT = 8642
HOST = f"127.0.0.1:{PORT}"
DOOR = Door()
SECRET = DOOR.admit()
"""What a tab sends that was let in."""


def policy_for(port: int, door: Door = DOOR) -> Policy:
    """The policy of a server on the loopback interface."""
    return Policy(hosts=hosts_of("127.0.0.1", port, ()), door=door)


def guarded(folder: Path, paths: Sequence[str] = (), concepts: Sequence[str] = ()) -> Guard:
    """The application as ``unslant serve`` makes it, on the usual port."""
    desk = Desk(sorted_out(paths), Concepts(concepts), folder)
    return application(desk, policy_for(PORT))


Headers = list[tuple[bytes, bytes]]
ADMITTED: Headers = [(b"host", HOST.encode()), (b"x-unslant-secret", SECRET.encode())]


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    status: int
    headers: dict[bytes, bytes]
    content: bytes

    def json(self) -> Any:
        return json.loads(self.content)


def asked(
    guard: Guard,
    method: str,
    path: str,
    query: bytes = b"",
    headers: Headers | None = None,
    body: bytes = b"",
) -> Answer:
    """The answer to a request, given to the application as a server gives it."""
    sent: list[Any] = []
    is_read: list[bool] = []

    async def receive() -> Any:
        if is_read:
            await asyncio.Event().wait()  # the browser stays and says no more
        is_read.append(True)
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode("utf-8"),
        "query_string": query,
        "headers": ADMITTED if headers is None else headers,
    }
    asyncio.run(guard(scope, receive, send))
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return Answer(sent[0]["status"], dict(sent[0]["headers"]), content)


class Page:
    """Does what the page does: asks, sends, follows jobs."""

    def __init__(self, app: Guard) -> None:
        self.app = app

    def get(self, path: str, query: str = "") -> Answer:
        return asked(self.app, "GET", path, query.encode())

    def post(self, path: str, value: Any) -> Answer:
        headers = [*ADMITTED, (b"content-type", b"application/json")]
        return asked(self.app, "POST", path, b"", headers, json.dumps(value).encode())

    def job(self, **wanted: Any) -> dict[str, Any]:
        """Start a job and wait for its end."""
        begun: dict[str, Any] = self.post("/api/jobs", wanted).json()
        return begun if "mistake" in begun else self.ended(begun["id"])

    def ended(self, id: str) -> dict[str, Any]:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            told: dict[str, Any] = self.get(f"/api/jobs/{id}").json()
            if told["state"] not in ("waiting", "running"):
                return told
            time.sleep(0.02)
        raise AssertionError(f"the job is still {told}")

    def result(self, **wanted: Any) -> dict[str, Any]:
        """What the page shows of a job that ends well."""
        told = self.job(**wanted)
        assert told["state"] == "done", told
        shown: dict[str, Any] = self.get(f"/api/jobs/{told['id']}/result").json()
        return shown | {"id": told["id"]}


@contextmanager
def on_a_socket(app_for: Any, host: str = "127.0.0.1") -> Iterator[int]:
    """A real server in a thread; ``app_for`` makes the application for its port."""
    bound = socket.socket()
    bound.bind((host, 0))
    bound.listen(64)
    port = int(bound.getsockname()[1])
    server = uvicorn.Server(server_config(app_for(port)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def raw(port: int, request: bytes, host: str = "127.0.0.1") -> bytes:
    """The answer to bytes sent as they are."""
    with socket.create_connection((host, port), timeout=10) as made:
        made.sendall(request)
        parts = []
        try:
            while part := made.recv(1 << 16):
                parts.append(part)
        except ConnectionResetError:
            pass
        return b"".join(parts)
