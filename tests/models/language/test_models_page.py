"""Everything on the page about models runs as it stands."""

import re
from pathlib import Path

import pytest

from tests.language_models import real_model

PAGE = Path(__file__).parents[3] / "docs" / "models.md"


def test_the_page_about_models_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = real_model("minilm").folder.path.resolve()
    (tmp_path / "minilm").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(code) == 8
    exec(compile("\n".join(code), str(PAGE), "exec"), {})
    assert {"layers.html", "heads.html", "re-emergence.html"} <= {
        p.name for p in tmp_path.iterdir()
    }
