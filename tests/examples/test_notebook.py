"""The example notebook runs from top to bottom in an empty folder, and shows what it says."""

import copy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
SECONDS = 300
SHORT_AUDITS = """
from functools import partial
import unslant as us
_gender = us.concept("gender")
_jobs = [("weat", _gender.test("career-family")), ("direct-bias(neutral=occupations)", _gender)]
us.audit = partial(us.audit, jobs=_jobs)
"""


@pytest.fixture(scope="module")
def clean() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def test_the_notebook_is_kept_clean_and_its_cells_have_names(clean: Any) -> None:
    nbformat.validate(clean)
    assert (clean.nbformat, clean.nbformat_minor) == (4, 5)
    assert all(cell.id.replace("-", "").isalpha() for cell in clean.cells)
    code = [cell for cell in clean.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)


def html_of(cell: Any) -> str:
    return str(cell.outputs[-1].data["text/html"])


@pytest.mark.timeout(900)  # every cell may take SECONDS
def test_the_notebook_runs_and_shows_its_results(
    clean: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR"):
        monkeypatch.setenv(f"JUPYTER_{name}", str(tmp_path / "jupyter" / name))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    folder = tmp_path / "empty"
    folder.mkdir()

    shortened = copy.deepcopy(clean)
    shortened.cells[0:0] = [nbformat.v4.new_code_cell(SHORT_AUDITS, id="short")]  # type: ignore[no-untyped-call]
    client = NotebookClient(
        shortened,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    shown = {cell.id: cell for cell in client.execute().cells if cell.cell_type == "code"}

    assert all(output.output_type != "error" for cell in shown.values() for output in cell.outputs)
    assert "1.7" in html_of(shown["measure"])
    for name in ("audit", "after", "probe", "figure"):
        assert "data:image/svg+xml;base64," in html_of(shown[name]), name
    assert "went from" in html_of(shown["after"])
    assert "scatter-occupations" in shown["figures"].outputs[0].text
    assert (folder / "scatter.svg").read_bytes().startswith(b"<svg")
    assert (folder / "unslant-report.html").stat().st_size > 1_000_000
    assert (folder / "unslant-report.json").exists()
