"""A Chromium for the tests of this folder, and the reports that they open in it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from scripts.chromium import NoBrowserError, chromium
from scripts.serving import Served, served

from tests.browser.exploring import SHOWN
from tests.browser.made_reports import KINDS, report_of
from tests.browser.tabs import Tab, Tabs
from unslant.concepts import Concept, concept
from unslant.core.record import Record, Result
from unslant.methods.pipeline import debias
from unslant.numerics.chunks import one_blas_thread
from unslant.reports.page import page
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import jobs_of
from unslant.vectors import WordVectors
from unslant.vectors.save import save

METRICS = ("weat", "direct-bias(neutral=occupations", "clustering")


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="package", autouse=True)
def shared_cache(folder: Path) -> Iterator[Path]:
    """One cache for these tests: the script that draws the charts takes seconds to make."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSLANT_CACHE", str(folder / "cache"))
        patch.delenv("UNSLANT_DATA", raising=False)
        yield folder / "cache"


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path) -> Path:
    """In place of a cache for each test."""
    return shared_cache


@pytest.fixture(scope="package")
def all_tabs() -> Iterator[Tabs]:
    """One browser for all tests here.

    It ends with the last of them: playwright's event loop would be in the way of other tests.
    """
    try:
        with chromium() as browser:
            yield Tabs(browser)
    except NoBrowserError as error:
        pytest.skip(str(error))


@pytest.fixture
def tabs(all_tabs: Tabs) -> Iterator[Tabs]:
    """The browser, which closes after each test what that test has opened."""
    yield all_tabs
    all_tabs.close_all()


@pytest.fixture(scope="package")
def server(glove: WordVectors, folder: Path, shared_cache: Path) -> Iterator[Served]:
    """A server with the built-in vectors, and a third of them, with which all goes faster."""
    small = save(glove.head(12_000), folder / "small.safetensors")
    with served(str(small)) as found:
        yield found
        assert found.said() == ""
    assert found.process.returncode == 0


@pytest.fixture
def tab(tabs: Tabs, server: Served) -> Iterator[Tab]:
    """The page with its first chart; after the test, nothing went wrong and nothing left."""
    tab = tabs.new(viewport={"width": 1200, "height": 900}, accept_downloads=True)
    tab.page.goto(server.address)
    tab.page.wait_for_selector(SHOWN, timeout=60_000)
    yield tab
    tab.assert_quiet()
    assert tab.requests_beside(server.root) == []
    assert server.root.startswith("http://127.0.0.1:")


@pytest.fixture(scope="package")
def gender() -> Concept:
    return concept("gender")


@pytest.fixture(scope="package")
def record(glove: WordVectors, gender: Concept, shared_cache: Path) -> Record:
    """The part of an audit before and after debiasing that has pictures, one of each kind."""
    vectors = glove.head(12_000)
    jobs = [job for job in jobs_of(gender, quality=False) if str(job[0]).startswith(METRICS)]
    with one_blas_thread():
        fair = debias("hard | misp", vectors, gender)
        found = audit(fair, gender, baseline=vectors, jobs=jobs).record
    return replace(found, results=tuple(map(_thinned, found.results)))


def _thinned(result: Result) -> Result:
    """With a fifth of the points of the clusters: 1,500 words take long to draw."""
    if result.now.metric != "clustering" or result.before is None:
        return result
    now, before = (replace(it, points=it.points[::5]) for it in (result.now, result.before))
    return replace(result, now=now, before=before)


@pytest.fixture(scope="package")
def report(record: Record, folder: Path) -> Path:
    path = folder / "report.html"
    path.write_text(page(record), encoding="utf-8")
    return path


@pytest.fixture(params=KINDS)
def any_report(request: pytest.FixtureRequest, glove: WordVectors, folder: Path) -> Path:
    """A report of each kind in turn, each made once."""
    if request.param == "changed":
        found: Path = request.getfixturevalue("report")
        return found
    return report_of(request.param, glove, folder)
