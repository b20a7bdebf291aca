"""Reports of studies and probes opened from disk are as alive and as quiet as those of audits."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.browser.opening import read
from tests.browser.tabs import Tabs
from unslant.cli.verbs import app
from unslant.concepts import Concept
from unslant.numerics.chunks import one_blas_thread
from unslant.studies.plan.reading import read_plan
from unslant.studies.probe import probe as ask
from unslant.studies.run.executors import InProcess
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.vectors import WordVectors

PLAN = """
name = "small"
about = "A plan for a browser."

[resources]
slice = "builtin"

[methods]
original = ""
linear = "linear"
hard = "hard"
leace = "leace"
random = "random"

[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
"WEAT 7" = { measure = "weat", test = "math-arts" }
DB = "direct-bias(neutral=occupations)"
E = { probe = "nli", set = "marked-attribute", measure = "marked-error", contexts = 20 }

[[matrix]]
concept = "gender"
"""


@pytest.fixture(scope="module")
def study(folder: Path, shared_cache: Path) -> Path:
    (folder / "plan.toml").write_text(PLAN)
    with one_blas_thread():
        run(read_plan(folder / "plan.toml"), Store(folder / "study"), InProcess())
    return _reported(folder / "study")


@pytest.fixture(scope="module")
def probe(folder: Path, glove: WordVectors, gender: Concept) -> Path:
    text = "nli(set=marked-attribute, contexts=20)"
    asked = ask(text, glove, method="hard", concept=gender, compare=True, controls=2)
    return _reported(asked.save(folder / "probe.json"))


def _reported(source: Path) -> Path:
    target = source.with_suffix(".html")
    done = CliRunner().invoke(app, ["report", str(source), "-o", str(target)])
    assert done.exit_code == 0, done.output
    return target


@pytest.mark.parametrize(("kind", "figures"), [("study", 3), ("probe", 2)])
def test_it_opens_from_disk_without_a_sound_or_a_request(
    kind: str, figures: int, tabs: Tabs, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(kind)
    tab = read(tabs, path)
    assert tab.page.locator("figure.is-live .live svg").count() >= figures
    live = tab.page.locator("#figure-1 .live")
    live.focus()
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.locator(".tip").is_visible()
    assert len(tab.page.inner_text(".tip")) > 5
    tab.page.click("#theme")
    tab.page.set_viewport_size({"width": 390, "height": 844})
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.requests_beside(path.as_uri()) == []
    tab.assert_quiet()
