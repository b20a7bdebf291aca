"""Records of every kind, made once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from unslant.concepts import Concept, concept
from unslant.core.record import Record
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.reports.page import page
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import Job, jobs_of
from unslant.studies.debiasing import debiasing
from unslant.studies.plan.reading import read_plan
from unslant.studies.probe import probe
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record
from unslant.vectors import WordVectors

PLAN = """
name = "small"
about = "A plan for tests."

[resources]
slice = "builtin"

[methods]
original = ""
linear = "linear"
hard = "hard"
"no such" = "hard(subspace=pair-pca(nowhere))"

[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
"WEAT 7" = { measure = "weat", test = "math-arts" }
DB = "direct-bias(neutral=occupations)"

[[matrix]]
concept = "gender"
"""


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache for all, away from the user's: the script of charts takes seconds to make."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("UNSLANT_CACHE", str(folder))
        yield folder


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path) -> Path:
    """In place of a cache for each test."""
    return shared_cache


@pytest.fixture(scope="session")
def pages(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """The page of a record by the name of its fixture, made once."""

    @cache
    def made(name: str) -> str:
        return page(request.getfixturevalue(name))

    return made


SLOW = ("rnsb", "gipe", "generalised-weat", "biased-analogies", "mdl", "analogy", "similarity")


@contextmanager
def without_slow_measures() -> Iterator[None]:
    """Whole audits without what takes longest; of the similarities, the shortest list stays."""

    def some(concept: Concept, **given: bool) -> list[Job]:
        return [
            (call, subject)
            for call, subject in jobs_of(concept, **given)
            if call.name not in SLOW or "rg-65" in str(call)
        ]

    with pytest.MonkeyPatch.context() as patch:
        for module in ("audit", "debiasing"):
            patch.setattr(f"unslant.studies.{module}.jobs_of", some)
        yield


@pytest.fixture(scope="session")
def audited(glove: WordVectors) -> Record:
    """An audit of the first 10,000 vectors, so that words are missing."""
    with without_slow_measures():
        return audit(glove.head(10_000), concept("gender"), quality=False).record


@pytest.fixture(scope="session")
def compared(glove: WordVectors) -> Record:
    """Before and after a method."""
    gender, small = concept("gender"), glove.head(10_000)
    eraser = fit("hard", small, gender)
    with without_slow_measures():
        return debiasing(small, debiased(small, eraser), eraser, gender).record


@pytest.fixture(scope="session")
def probed(glove: WordVectors) -> Record:
    """A probe before and after a method, with controls."""
    asked = 'nli(set=marked-attribute, contexts=8, slice="person,lady", resamples=50)'
    return probe(
        asked, glove, method="hard", concept=concept("gender"), compare=True, controls=2
    ).record


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with a method that fails."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "plan.toml").write_text(PLAN)
    run(read_plan(folder / "plan.toml"), Store(folder / "done"), InProcess())
    return folder / "done"


@pytest.fixture(scope="session")
def studied(study_folder: Path) -> Record:
    """The record of that study."""
    return study_record(study_folder)
