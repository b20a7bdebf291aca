"""Files are never written over silently, and completion offers what there is."""

from pathlib import Path

import pytest

from tests.command_line import unslant
from unslant.cli.components import completing
from unslant.cli.outputs import check_new, free_name
from unslant.core.errors import OutputError
from unslant.measures.registry import metrics


def test_a_generated_name_is_never_that_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert free_name(path) == path
    path.write_text("kept")
    (tmp_path / "report-2.html").write_text("kept")
    assert free_name(path).name == "report-3.html"


def test_a_given_name_is_refused_if_it_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    check_new(path, overwrite=False, ending=".html")
    path.write_text("kept")
    check_new(path, overwrite=True)
    for given, said in (
        (path, "exists"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "a.html", "does not exist"),
        (tmp_path / "a.txt", "must end in .html"),
    ):
        with pytest.raises(OutputError, match=said):
            check_new(given, overwrite=False, ending="" if given.is_dir() else ".html")


def test_completion_offers_names_then_parameters() -> None:
    complete = completing(metrics)
    assert "weat" in complete("we")
    assert "weat(ddof=" in complete("weat(dd")
    assert "weat(ddof=0, seed=" in [
        text.replace(",seed", ", seed") for text in complete("weat(ddof=0,se")
    ]
    assert complete("nothing(") == []


def test_help_tells_the_parameters_of_the_metric_that_is_named(tmp_path: Path) -> None:
    assert "random_lists" in unslant("measure", "weat", "--help", cwd=tmp_path).stdout
    listed = unslant("measure", "--help", cwd=tmp_path).stdout
    assert all(entry.name in listed for entry in metrics())
