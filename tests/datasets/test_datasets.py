"""Public files: found where they are, refused where they differ, fetched whole or not at all."""

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.local_server import Server, send, serving
from tests.tallies import Tally
from unslant.cli.verbs import app
from unslant.core.errors import UnknownNameError
from unslant.datasets import download as downloads
from unslant.datasets import registry as module
from unslant.datasets.download import DownloadError
from unslant.datasets.registry import (
    Dataset,
    MissingDatasetError,
    WrongFileError,
    datasets,
    fetch,
    find,
)

CONTENT = b"sun\tsunlight\t50.0\n" * 20_000
TOY = Dataset(
    name="toy",
    repository="someone/something",
    commit="0" * 40,
    path="data/toy.txt",
    local="benchmarks/toy-copy.txt",
    bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="none",
    cite="Nobody 2026",
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(monkeypatch) as made:
        made.answer = send(CONTENT)
        monkeypatch.setattr(Dataset, "address", property(lambda self: made.address))
        yield made


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Dataset:
    monkeypatch.setattr(module, "datasets", lambda: {"toy": TOY})
    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    monkeypatch.delenv("UNSLANT_OFFLINE", raising=False)
    return TOY


def kept() -> list[Path]:
    folder = TOY.download.parent
    return list(folder.iterdir()) if folder.exists() else []


def put(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_every_entry_is_pinned_by_commit_size_and_hash() -> None:
    assert {"similarity/men", "similarity/rg-65", "analogy/google", "analogy/msr"} <= set(
        datasets()
    )
    for name, item in datasets().items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9-]+)?", name)
        assert re.fullmatch(r"[0-9a-f]{40}", item.commit)
        assert re.fullmatch(r"[0-9a-f]{64}", item.sha256)
        assert item.address.startswith("https://")
        assert item.bytes > 0
        assert item.licence
        assert item.cite


def test_every_file_of_the_data_folder_is_the_pinned_one(data: Path) -> None:
    there = [item for item in datasets().values() if (data / item.local).exists()]
    assert len(there) >= 50
    for item in there:
        assert find(item.name) == data / item.local


@pytest.mark.parametrize("place", ["benchmarks/toy-copy.txt", "data/toy.txt", "toy.txt"])
@pytest.mark.parametrize("by", ["argument", "environment"])
def test_a_local_copy_is_found_in_each_layout(
    place: str, by: str, toy: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "mine" / place)
    if by == "environment":
        monkeypatch.setenv("UNSLANT_DATA", str(tmp_path / "mine"))
    assert find("toy", tmp_path / "mine" if by == "argument" else None) == path


@pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT[:-1] + b"?", b"", CONTENT + b"\n"])
def test_a_copy_that_differs_is_refused_by_name(
    content: bytes, toy: Dataset, tmp_path: Path
) -> None:
    path = put(tmp_path / "mine" / "toy.txt", content)
    put(toy.download)  # a good copy elsewhere does not hide the bad one
    with pytest.raises(WrongFileError, match=re.escape(f"{path} is not the expected file for toy")):
        find("toy", tmp_path / "mine")


def test_what_is_missing_is_told_with_where_and_how_to_get_it(
    toy: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingDatasetError) as without:
        find("toy")
    assert "UNSLANT_DATA is not set" in str(without.value)
    monkeypatch.setenv("UNSLANT_DATA", str(tmp_path))
    with pytest.raises(MissingDatasetError) as told:
        find("toy", tmp_path / "mine")
    for part in (str(tmp_path / "mine"), str(toy.download.parent), "unslant files fetch toy"):
        assert part in str(told.value)
    with pytest.raises(UnknownNameError, match='Did you mean "toy"'):
        find("toi")


def test_a_file_is_fetched_once_and_then_found(toy: Dataset, server: Server) -> None:
    seen: list[tuple[int, int]] = []
    path = fetch("toy", lambda what, done, total: seen.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert find("toy") == fetch("toy") == path
    assert server.asked == 1
    assert kept() == [path]


def test_a_copy_damaged_since_is_fetched_anew(toy: Dataset, server: Server) -> None:
    put(toy.download, CONTENT[:-1])
    assert fetch("toy").read_bytes() == CONTENT


@pytest.mark.parametrize("turns", [30, pytest.param(120, marks=pytest.mark.full)])
def test_no_cut_or_altered_download_is_ever_kept(
    toy: Dataset, server: Server, turns: int, tally: Tally
) -> None:
    rng = random.Random(0)
    for turn in range(turns):
        at = rng.randrange(len(CONTENT))
        if turn % 3 == 0:  # the connection ends early
            server.answer = send(CONTENT[:at], announced=len(CONTENT))
        elif turn % 3 == 1:  # the server says that this is all
            server.answer = send(CONTENT[:at])
        else:
            server.answer = send(CONTENT[:at] + bytes([CONTENT[at] ^ 1]) + CONTENT[at + 1 :])
        with pytest.raises(DownloadError, match="Nothing was saved"):
            fetch("toy")
        assert kept() == []
    assert server.asked == turns
    tally(turns)


def test_a_download_that_does_not_end_is_stopped(toy: Dataset, server: Server) -> None:
    server.answer = send(CONTENT * 50)
    with pytest.raises(DownloadError, match=r"more than the expected 360,000 bytes"):
        fetch("toy")
    assert kept() == []


def test_a_server_that_falls_silent_is_given_up(
    toy: Dataset, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "TIMEOUT_SECONDS", 0.3)

    def stall(request: BaseHTTPRequestHandler) -> None:
        send(CONTENT[:1000], announced=len(CONTENT))(request)
        server.over.wait(10)

    server.answer = stall
    begun = time.monotonic()
    with pytest.raises(DownloadError, match="could not be downloaded"):
        fetch("toy")
    assert time.monotonic() - begun < 5
    assert kept() == []


def test_a_refusal_of_the_server_is_told(toy: Dataset, server: Server) -> None:
    server.answer = send(b"no", status=404)
    with pytest.raises(DownloadError, match="the server answered 404"):
        fetch("toy")


def test_only_encrypted_addresses_are_fetched(
    toy: Dataset, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "SCHEMES", ("https",))
    with pytest.raises(DownloadError, match="the address must be https"):
        fetch("toy")
    assert server.asked == 0


def test_a_redirect_to_another_kind_of_address_is_refused(toy: Dataset, server: Server) -> None:
    def elsewhere(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", "ftp://127.0.0.1/toy.txt")
        request.send_header("Content-Length", "0")
        request.end_headers()

    server.answer = elsewhere
    with pytest.raises(DownloadError, match=r"ftp://127\.0\.0\.1/toy\.txt was not downloaded"):
        fetch("toy")


def test_offline_nothing_is_asked_and_what_is_there_still_works(
    toy: Dataset, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_OFFLINE", "1")
    with pytest.raises(DownloadError, match="because UNSLANT_OFFLINE is set"):
        fetch("toy")
    put(toy.download)
    assert fetch("toy") == find("toy") == toy.download
    assert server.asked == 0


FETCH = """
import json, sys
from unslant.datasets import registry as datasets, download
from unslant.datasets.registry import Dataset
facts, address = json.loads(sys.argv[1]), sys.argv[2]
download.SCHEMES = ("http",)
Dataset.address = property(lambda self: address)
toy = Dataset(**facts)
datasets.datasets = lambda: {"toy": toy}
for _ in range(int(sys.argv[3])):
    datasets.fetch("toy").unlink(missing_ok=True)
    datasets.fetch("toy")
"""


@pytest.mark.parametrize(
    ("processes", "rounds"), [(8, 5), pytest.param(16, 20, marks=pytest.mark.full)]
)
def test_processes_may_fetch_the_same_file(
    toy: Dataset, server: Server, processes: int, rounds: int, tally: Tally
) -> None:
    # Each also removes it now and then, as clearing the cache would.
    facts = (json.dumps(TOY.__dict__), server.address, str(rounds))
    command = [sys.executable, "-c", FETCH, *facts]
    running = [
        subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.PIPE)
        for _ in range(processes)
    ]
    errors = [process.communicate(timeout=240)[1].decode() for process in running]
    assert [process.returncode for process in running] == [0] * processes, errors
    assert kept() == [TOY.download]
    assert TOY.download.read_bytes() == CONTENT
    tally(processes * rounds)


def test_looking_for_files_does_not_load_the_network() -> None:
    code = "import sys, unslant.datasets.registry; print({'pooch', 'requests'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_command_lists_every_file_and_refuses_unknown_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_DATA", str(tmp_path))
    put(tmp_path / "EN-RG-65.txt", b"another file")
    shown = CliRunner().invoke(app, ["list", "data", "--json"])
    assert shown.exit_code == 0
    listed = {item["name"]: item for item in json.loads(shown.stdout)}
    assert listed.keys() == datasets().keys()
    assert listed["similarity/men"]["found"] is None
    assert "is not the expected file" in listed["similarity/rg-65"]["problem"]
    assert CliRunner().invoke(app, ["list", "data"]).exit_code == 0
    assert isinstance(
        CliRunner().invoke(app, ["files", "fetch", "similarity/me"]).exception, UnknownNameError
    )


def test_a_group_is_fetched_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unslant.datasets.registry.fetch", lambda name: Path(name))
    shown = CliRunner().invoke(app, ["files", "fetch", "similarity", "--json"])
    assert len(json.loads(shown.stdout)) == 6
    shown = CliRunner().invoke(app, ["files", "fetch", "all", "--json"])
    assert json.loads(shown.stdout).keys() == datasets().keys()
