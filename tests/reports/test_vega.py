"""The script of charts is made once, kept whole, and never ends the element that holds it."""

from pathlib import Path

import pytest
import vl_convert

from unslant.core.folders import cache_folder
from unslant.reports.html.vega import vega_script


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, which these tests fill and damage."""
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that a script is made; a short one in place of Vega."""
    calls: list[str] = []

    def bundle() -> str:
        calls.append("made")
        return f"var vegaEmbed = {len(calls)};\r\nvar x = '</script><!--<script>';"

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    return calls


def kept() -> Path:
    [path] = (cache_folder() / "reports").iterdir()
    return path


def test_a_script_is_made_once_and_kept(made: list[str]) -> None:
    first = vega_script()
    assert vega_script() == first
    assert made == ["made"]


@pytest.mark.parametrize("damage", [b"", b"// sha256 0\nvar vegaEmbed = 1;", b"\xff\xfe"])
def test_a_damaged_file_is_made_anew(made: list[str], damage: bytes) -> None:
    vega_script()
    kept().write_bytes(damage)
    assert vega_script().startswith("var vegaEmbed = 2;")
    assert vega_script().startswith("var vegaEmbed = 2;")
    whole = kept().read_bytes()
    kept().write_bytes(whole[:-1])
    assert vega_script().startswith("var vegaEmbed = 3;")


def test_nothing_in_it_ends_the_element_that_holds_it(made: list[str]) -> None:
    script = vega_script()
    assert script.endswith(r"var x = '<\/script><\!--\x3cscript>';")


def test_a_folder_that_cannot_be_written_to_hinders_nothing(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "file"))
    assert vega_script().startswith("var vegaEmbed = 1;")


def test_the_real_script_has_what_pages_call_and_fits_a_page() -> None:
    script = vega_script()
    assert "vegaEmbed" in script
    assert "</script" not in script
    assert len(script) < 1_500_000
    assert vega_script() == script
