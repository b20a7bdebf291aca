"""The table of branches by package fails where the tests take too few."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts.branch_coverage import KEPT, main, shares


def report(taken: int, packages: tuple[str, ...] = KEPT) -> dict[str, Any]:
    """Two files of ten branches for each package."""
    summary = {"num_branches": 10, "covered_branches": taken}
    names = (f"src/unslant/{package}/{file}.py" for package in packages for file in "ab")
    return {"files": {name: {"summary": summary} for name in names}}


def test_branches_are_added_up_by_package() -> None:
    assert shares(report(9)) == dict.fromkeys(KEPT, (18, 20))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (report(9), ""),
        (report(8), "Below 90 %: concepts, core"),
        (report(10, KEPT[1:]), "not there: .*core"),
    ],
)
def test_too_few_branches_or_a_missing_package_are_an_error(
    found: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "coverage.json").write_text(json.dumps(found))
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "coverage.json")])
    if not said:
        main()
        return
    with pytest.raises(SystemExit, match=said):
        main()
