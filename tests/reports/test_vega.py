"""The script of charts is made once, pinned by hash, and never ends the element that holds it."""

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
import vl_convert

from unslant.core.files import cache_folder
from unslant.reports.html.shell import PINNED, vega_script

INSTALLED = version("vl-convert-python")
MADE = r"var vegaEmbed = 1; var x = '<\/script><\!--\x3cscript>';"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache, which these tests fill and damage, and nothing remembered."""
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))
    vega_script.cache_clear()
    yield
    vega_script.cache_clear()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that a script is made; a short one in place of Vega, pinned like it."""
    calls: list[str] = []

    def bundle() -> str:
        calls.append("made")
        return "var vegaEmbed = 1; var x = '</script><!--<script>';"

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    monkeypatch.setitem(PINNED, INSTALLED, hashlib.sha256(MADE.encode()).hexdigest())
    return calls


def in_a_new_process() -> str:
    """The script as a process finds it that has not asked before."""
    vega_script.cache_clear()
    return vega_script()


def kept() -> Path:
    [path] = (cache_folder() / "reports").iterdir()
    return path


def test_a_script_is_made_once_and_kept(made: list[str]) -> None:
    assert [in_a_new_process() for _ in range(3)] == [MADE] * 3
    assert made == ["made"]


def test_a_process_reads_it_once(made: list[str]) -> None:
    vega_script()
    kept().unlink()
    assert vega_script() == MADE
    assert made == ["made"]


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", MADE[:-1].encode(), MADE.encode() + b"\n"])
def test_a_damaged_file_is_made_anew(made: list[str], damage: bytes) -> None:
    vega_script()
    kept().write_bytes(damage)
    assert in_a_new_process() == MADE
    assert kept().read_text() == MADE
    assert len(made) == 2


def test_a_script_that_somebody_put_into_the_cache_never_runs(made: list[str]) -> None:
    vega_script()
    evil = "var vegaEmbed = 1; fetch('https://evil.example');"
    of_evil = hashlib.sha256(evil.encode()).hexdigest()
    for planted in (evil, f"// sha256 {of_evil}\n{evil}", f"{of_evil}\n{evil}"):
        kept().write_text(planted)
        assert in_a_new_process() == MADE


def test_the_script_of_a_version_that_is_not_pinned_is_neither_kept_nor_taken(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vega_script()
    planted = kept()
    planted.write_text("evil()")
    monkeypatch.delitem(PINNED, INSTALLED)
    assert in_a_new_process() == MADE
    assert planted.read_text() == "evil()"
    assert len(made) == 2


def test_a_script_other_than_the_pinned_one_is_used_but_not_kept(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PINNED, INSTALLED, "0" * 64)
    assert in_a_new_process() == MADE
    assert not (cache_folder() / "reports").exists()


def test_a_folder_that_cannot_be_written_to_hinders_nothing(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "file"))
    assert vega_script() == MADE


def test_the_real_script_is_the_pinned_one_has_what_pages_call_and_fits_a_page() -> None:
    script = vega_script()
    assert hashlib.sha256(script.encode()).hexdigest() == PINNED[INSTALLED]
    assert kept().read_text() == script
    assert "vegaEmbed" in script
    assert "</script" not in script
    assert len(script) < 1_500_000
