"""A server on loopback that answers as a test tells it to."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from unslant.datasets import download as downloads

Answer = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """A local server that answers as it is told and counts what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = send(b"")
        self.asked = 0
        self.over = Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked += 1
                outer.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.handle_error = lambda *args: None  # type: ignore[method-assign]
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}/toy.txt"


def send(content: bytes, announced: int | None = None, status: int = 200) -> Answer:
    """An answer of this content that announces its length, or another one."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        length = len(content) if announced is None else announced
        request.send_header("Content-Length", str(length))
        request.end_headers()
        request.wfile.write(content)

    return answer


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server under way, from which downloads are allowed although it does not encrypt."""
    made = Server()
    thread = Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    monkeypatch.setattr(downloads, "SCHEMES", ("http",))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    yield made
    made.over.set()
    made.http.shutdown()
    made.http.server_close()
    thread.join()
