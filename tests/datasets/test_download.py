"""Downloads end: by size and by time, with one sentence and with nothing left behind."""

import hashlib
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.local_server import Server, send, serving
from unslant.datasets.download import DownloadError, download
from unslant.studies.plan.cells import PlannedResource
from unslant.studies.run.compute import vectors_of

CONTENT = b"she 0.1 0.2\nhe 0.3 0.4\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("UNSLANT_OFFLINE", raising=False)
    with serving(monkeypatch) as made:
        yield made


def endless(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    while True:
        request.wfile.write(bytes(1 << 16))


def drip(server: Server, request: BaseHTTPRequestHandler, *, in_headers: bool) -> None:
    """A byte every 50 ms: no single wait is long, and the whole never ends."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\n" + (b"X: " if in_headers else b"\r\n"))
    while not server.over.wait(0.05):
        request.wfile.write(b"x")


def test_a_file_that_comes_whole_in_time_is_kept(server: Server, tmp_path: Path) -> None:
    server.answer = send(CONTENT)
    download(server.address, tmp_path / "a", sha256=SHA256, most_bytes=len(CONTENT), seconds=30)
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_body_without_an_end_stops_at_the_limit(server: Server, tmp_path: Path) -> None:
    server.answer = endless
    with pytest.raises(DownloadError, match=r"more than the limit of 300,000 bytes"):
        download(server.address, tmp_path / "a", sha256=SHA256, most_bytes=300_000)
    assert list(tmp_path.iterdir()) == []


def test_a_length_over_the_limit_is_refused_before_anything_comes(
    server: Server, tmp_path: Path
) -> None:
    server.answer = send(CONTENT, announced=10**12)
    with pytest.raises(DownloadError, match=r"more than the limit of 10,000,000,000 bytes"):
        download(server.address, tmp_path / "a", sha256=SHA256)
    server.answer = send(CONTENT, announced=10**30)
    with pytest.raises(DownloadError, match=r"more than the limit of 10,000,000,000 bytes"):
        download(server.address, tmp_path / "a", sha256=SHA256)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("in_headers", [False, True], ids=["body", "headers"])
def test_a_server_that_sends_a_byte_now_and_then_is_given_up(
    in_headers: bool, server: Server, tmp_path: Path
) -> None:
    server.answer = lambda request: drip(server, request, in_headers=in_headers)
    begun = time.monotonic()
    with pytest.raises(DownloadError, match=r"was stopped after 1 seconds.*Nothing was saved"):
        download(server.address, tmp_path / "a", sha256=SHA256, seconds=1)
    assert 1 <= time.monotonic() - begun < 5
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_known_size_has_less_time(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.datasets.download._SECONDS_TO_START", 0.5)
    server.answer = lambda request: drip(server, request, in_headers=False)
    with pytest.raises(DownloadError, match=r"was stopped after 1 seconds"):
        download(server.address, tmp_path / "a", sha256=SHA256, size=10_000)


def test_vectors_that_a_study_fetches_have_a_limit_too(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))
    resource = PlannedResource(label="far", path="", url=server.address, sha256=SHA256)
    server.answer = send(b"", announced=10**12)
    with pytest.raises(DownloadError, match=r"more than the limit of 10,000,000,000 bytes"):
        vectors_of(resource, SHA256)
    assert list((tmp_path / "cache" / "downloads").iterdir()) == []
    server.answer = send(CONTENT)
    assert len(vectors_of(resource, SHA256)) == 2
