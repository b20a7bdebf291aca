"""A report of every kind, made as a user would make it, from small things."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import unslant as us
from tests.studies.recommendation.toy import write_toy
from unslant.concepts import concept
from unslant.core.record import Record
from unslant.numerics.chunks import one_blas_thread
from unslant.reports.page import page
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import jobs_of
from unslant.studies.plan.reading import read_plan
from unslant.studies.probe import probe
from unslant.studies.recommendation import recommend as recommending
from unslant.studies.recommendation.plan_text import Candidate
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record
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


def report_of(kind: str, vectors: WordVectors, folder: Path) -> Path:
    """The report of one kind; it is made when it is first asked for."""
    path = folder / f"{kind}.html"
    if not path.exists():
        with one_blas_thread():
            record = _MADE[kind](vectors, folder)
        path.write_text(page(record), encoding="utf-8")
    return path


def _audit(vectors: WordVectors, folder: Path) -> Record:
    gender = concept("gender")
    jobs = [job for job in jobs_of(gender, quality=False) if str(job[0]).startswith("weat")]
    return audit(vectors.head(12_000), gender, jobs=jobs).record


def _probe(vectors: WordVectors, folder: Path) -> Record:
    text = "nli(set=marked-attribute, contexts=20)"
    asked = probe(text, vectors, method="hard", concept=concept("gender"), compare=True, controls=2)
    return asked.record


def _study(vectors: WordVectors, folder: Path) -> Record:
    (folder / "plan.toml").write_text(PLAN)
    run(read_plan(folder / "plan.toml"), Store(folder / "study"), InProcess())
    return study_record(folder / "study")


def _recommendation(vectors: WordVectors, folder: Path) -> Record:
    toy = folder / "toy"
    toy.mkdir()
    write_toy(toy)
    some = (Candidate(expression="linear", cost=1), Candidate(expression="hard", cost=3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recommending, "CANDIDATES", some)
        patch.setattr("unslant.studies.recommendation.plan_text.CANDIDATES", some)
        patch.setattr("unslant.studies.recommendation.plan_text._BENCHMARKS", ())
        found = us.recommend(toy / "toy.txt", toy / "toy.toml", output=toy / "out")
    return found.record


def _layers(vectors: WordVectors, folder: Path) -> Record:
    from tests.tiny_network import tiny_concept, tiny_model
    from unslant.studies.layer_map import layer_map

    expression = 'probing(contexts="plain", controls=1)'
    return layer_map(expression, tiny_model(1, recomputes=True), tiny_concept()).record


_MADE: Mapping[str, Callable[[WordVectors, Path], Record]] = {
    "audit": _audit,
    "probe": _probe,
    "study": _study,
    "recommendation": _recommendation,
    "layers": _layers,
}
KINDS = ("changed", *_MADE)
"""``changed`` is the audit before and after debiasing that most tests here open."""
