"""A file that is dropped onto the page: taken only from the page, read safely, and gone again."""

import asyncio
import json
import os
import pickle  # noqa: TID251 — to be refused
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.web.serving import (
    HOST,
    PORT,
    SECRET,
    Answer,
    Headers,
    Page,
    asked,
    guarded,
    on_a_socket,
    policy_for,
    raw,
)
from tests.web.test_guard import HOSTS, ORIGINS, SECRETS, SITES, Reached, heads
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.core.files import cache_folder
from unslant.studies.audit import audit
from unslant.vectors import WordVectors, load
from unslant.vectors.save import save
from unslant.web import drops, guard
from unslant.web.app import application
from unslant.web.drops import shown_name
from unslant.web.guard import DROP_PATH, Guard
from unslant.web.opened import Concepts, Given, quick_jobs
from unslant.web.work import Desk

TEXT = b"he 1 0 0\nshe 0 1 0\nnurse 0.1 0.9 0\nengineer 0.9 0.1 0\n"


def good_drop(length: int = len(TEXT), **other: str | None) -> Headers:
    usual = {"content_type": "application/octet-stream", "content_length": str(length)}
    return heads(**{**usual, **other})


def drop(page: Page, content: bytes, name: str = "mine.txt") -> Answer:
    query = f"name={name}".encode()
    return asked(page.app, "POST", DROP_PATH, query, good_drop(len(content)), content)


def opened(page: Page, content: bytes, name: str = "mine.txt") -> dict[str, Any]:
    """What the page is told of a file that can be read."""
    job = page.ended(drop(page, content, name).json()["id"])
    assert job["state"] == "done", job
    found: dict[str, Any] = page.get(f"/api/jobs/{job['id']}/result").json()
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "server").mkdir()
    return tmp_path / "server"


@pytest.fixture
def page(folder: Path) -> Page:
    return Page(guarded(folder))


def left_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_dropped_vectors_are_measured_like_any_others_and_leave_no_file(
    page: Page, folder: Path, tmp_path: Path, glove: WordVectors
) -> None:
    path = save(glove.head(12_000), tmp_path / "mine.safetensors")
    before = left_in(cache_folder())
    id = opened(page, path.read_bytes(), "mine.safetensors")["vectors"]
    assert left_in(folder) == []
    assert left_in(cache_folder()) == before
    listed = {item["id"]: item for item in page.get("/api/start").json()["vectors"]}
    assert listed[id]["note"] == "dropped here"
    shown = page.result(kind="look", vectors=id, concept="gender")
    found = page.get(f"/api/jobs/{shown['id']}/record.json").json()
    gender = concept("gender")
    expected = audit(load(path), gender, jobs=quick_jobs(gender)).to_dict()
    values = [result["now"]["value"] for result in found["results"]]
    assert values == [result["now"]["value"] for result in expected["results"]]
    assert found["resource"]["sha256"] == expected["resource"]["sha256"]


def test_a_text_file_keeps_the_name_its_owner_knows(page: Page) -> None:
    id = opened(page, TEXT, "my%20vectors.%C3%A4.txt")["vectors"]
    [name] = [item["name"] for item in page.get("/api/start").json()["vectors"] if item["id"] == id]
    assert name == "my vectors.ä"
    desk = page.app.app.state.desk  # type: ignore[attr-defined]
    vectors = desk.spaces.load(id)
    assert vectors.origin["file"] == "my vectors.ä.txt"
    assert np.allclose(vectors["nurse"], [0.1, 0.9, 0])


def test_the_next_file_takes_the_place_of_the_last(page: Page) -> None:
    first = opened(page, TEXT)["vectors"]
    second = opened(page, TEXT.replace(b"nurse", b"baker"), "other.txt")["vectors"]
    assert first != second
    listed = [item["id"] for item in page.get("/api/start").json()["vectors"]]
    assert second in listed
    assert first not in listed
    told = page.job(kind="look", vectors=first, concept="gender")
    assert told["mistake"] == "The file that was dropped here is gone. Drop it again."


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("/nonexistent-folder-of-a-test/x",)


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (pickle.dumps(Bomb()), "model.bin", "pickle"),
        (pickle.dumps(Bomb(), protocol=0), "model.txt", "pickle"),
        (b"\x00\x01\x02\x03" * 100, "noise.bin", "format is unknown"),
        (b"he 1 0\nshe 1\n", "short.txt", "short.txt"),
        (b"{}", "x.json", "is not a record"),
        (b"[" * 100_000, "deep.json", "deep.json"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence_and_removed(
    page: Page, folder: Path, content: bytes, name: str, said: str
) -> None:
    job = page.ended(drop(page, content, name).json()["id"])
    assert job["state"] == "failed"
    assert said in job["error"]
    assert str(folder) not in job["error"]
    assert left_in(folder) == []
    assert len(page.get("/api/start").json()["vectors"]) == 1


def test_a_record_is_shown_under_its_own_name(page: Page, glove: WordVectors, folder: Path) -> None:
    gender = concept("gender")
    record = audit(glove.head(12_000), gender, jobs=quick_jobs(gender)[:2]).record
    found = opened(page, json.dumps(record.to_dict()).encode(), "kept.json")
    given = page.get("/api/start").json()["given"]
    assert given == [{"id": found["record"], "name": "kept.json", "kind": "record"}]
    assert page.result(kind="record", record=found["record"])["sentences"]
    [path] = left_in(folder)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "kept" not in str(path)
    opened(page, TEXT)
    assert left_in(folder) == []
    assert "does not exist" in page.job(kind="record", record=found["record"])["error"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\glove.txt", "glove.txt"),
        ("", "vectors"),
        ("..", ".."),
        ("a\x00b\u202ec", "a\\x00b\\u202ec"),
        ("\ud800", "?"),
        ("n" * 500, "n" * 120),
    ],
)
def test_a_name_is_only_a_text(name: str, shown: str) -> None:
    assert shown_name(name) == shown


def test_no_name_reaches_the_file_system(page: Page, folder: Path, tmp_path: Path) -> None:
    for name in ("..%2F..%2Fout.txt", "%2Ftmp%2Fout.txt", "out.txt%00", "..", "x%0A.txt"):
        drop(page, TEXT, name)
    assert not (tmp_path / "out.txt").exists()
    assert {path.name for path in folder.iterdir()} <= {"dropped"}


def forged_drops() -> Iterator[tuple[str, Headers, bytes]]:
    for host in HOSTS:
        yield f"host {host}", good_drop(host=host), TEXT
    for origin in ORIGINS:
        yield f"origin {origin}", good_drop(origin=origin), TEXT
    for site in SITES:
        yield f"site {site}", good_drop(sec_fetch_site=site), TEXT
    for secret in (*SECRETS, None):
        yield f"secret {secret}", good_drop(x_unslant_secret=secret), TEXT
    for kind in ("application/json", "text/plain", "multipart/form-data; boundary=x", "", None):
        yield f"type {kind}", good_drop(content_type=kind), TEXT
    for length in (None, "0", "-1", "1e3", str((2 << 30) + 1), "9" * 30, "00"):
        yield f"length {length}", good_drop(content_length=length), TEXT
    chunked: dict[str, Any] = {"content_length": None, "transfer_encoding": "chunked"}
    yield "chunked", good_drop(**chunked), TEXT
    yield "both", good_drop(transfer_encoding="chunked"), TEXT
    yield "twice", [*good_drop(), (b"content-length", b"5")], TEXT


def test_every_forged_drop_is_refused_before_anything_is_reached() -> None:
    reached = Reached()
    wall = Guard(reached, policy_for(PORT))
    for what, headers, body in forged_drops():
        found = asked(wall, "POST", DROP_PATH, b"name=x.txt", headers, body)
        assert 400 <= found.status < 500, what
        assert reached.count == 0, what
    same: dict[str, Any] = {"origin": f"http://{HOST}", "sec_fetch_site": "same-origin"}
    assert asked(wall, "POST", DROP_PATH, b"name=x.txt", good_drop(**same), TEXT).status == 200
    assert reached.count == 1


def test_only_that_one_address_takes_more_than_json() -> None:
    wall = Guard(Reached(), policy_for(PORT))
    for path in ("/api/jobs", "/api/association", "/api/dropped/x", "/api/droppe"):
        assert asked(wall, "POST", path, b"", good_drop(), TEXT).status == 415
    large = good_drop(300_000, content_type="application/json")
    assert asked(wall, "POST", "/api/jobs", b"", large, b" " * 300_000).status == 413


def test_a_file_that_ends_too_soon_is_not_kept(page: Page, folder: Path) -> None:
    answer = asked(page.app, "POST", DROP_PATH, b"name=x.txt", good_drop(500), TEXT)
    assert answer.json()["mistake"] == drops.TOO_SLOW
    assert left_in(folder) == []


def test_a_file_that_does_not_fit_on_the_disk_is_refused_before_it_comes(
    page: Page, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drops, "_SPARE_BYTES", 1 << 60)
    assert "too little for this file" in drop(page, TEXT).json()["mistake"]
    assert left_in(folder) == []


def test_one_file_is_taken_at_a_time(folder: Path) -> None:
    async def slow() -> Any:
        yield b"he 1 0\n"
        await asyncio.sleep(0.2)

    async def one() -> Any:
        yield b"x"

    async def both() -> tuple[Any, Any]:
        taking = drops.Drops(folder)
        first = asyncio.create_task(taking.take("a.txt", 7, slow()))
        await asyncio.sleep(0.05)
        with pytest.raises(UnslantError, match="still arriving"):
            await taking.take("b.txt", 1, one())
        return await first, await taking.take("b.txt", 1, one())

    first, second = asyncio.run(both())
    assert (first.name, second.name) == ("a.txt", "b.txt")
    assert not first.path.exists()
    assert second.path.read_bytes() == b"x"


def test_a_file_that_stops_on_its_way_is_given_up_on_a_real_socket(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.3)

    def app_for(port: int) -> Guard:
        return application(Desk(Given(), Concepts(), folder), policy_for(port))

    with on_a_socket(app_for) as port:
        head = (
            f"POST {DROP_PATH}?name=x.txt HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Content-Type: application/octet-stream\r\nX-Unslant-Secret: {SECRET}\r\n"
            f"Content-Length: 100000\r\nConnection: close\r\n\r\n"
        )
        answer = raw(port, head.encode() + TEXT)
    assert b" 408 " in answer.split(b"\r\n")[0]
    assert left_in(folder) == []
