"""A metric and a probe of another package, each one class, in a study from plan to page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from unslant.core.measurement import Measurement
from unslant.core.score import LARGER, SMALLER, Range, Score
from unslant.measures.registry import MEASURES, SPACE, metric, probe
from unslant.measures.setting import Findings, Setting
from unslant.reports.page import page
from unslant.studies.plan.cells import PlanError
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record
from unslant.vectors import WordVectors

PLAN = """
resources = { slice = "builtin" }
methods = { original = "", hard = "hard" }
[measures]
Length = "toy-length(word=nurse)"
Answer = { probe = "toy", measure = "toy-answer", word = "nurse", times = 3 }
[[matrix]]
"""


class Answers(Protocol):
    def answer(self, word: str) -> float: ...


@pytest.fixture(autouse=True)
def plugins() -> Iterator[None]:
    score = Score(better=SMALLER, range=Range(), misleads="It is a toy.", says="How long?")

    @metric("toy-length", cites="dev-2020", takes="vectors", needs=SPACE, score=score)
    @dataclass(frozen=True, kw_only=True)
    class Length:
        """How long is the vector of a word?"""

        word: str = "she"

        def run(self, resource: WordVectors, subject: Any, setting: Setting) -> Measurement:
            return Measurement(value=float(abs(resource[self.word]).sum()), title="Length")

    class Reading:
        name = "toy-reader"

        def __init__(self, vectors: WordVectors | None = None) -> None:
            self.vectors = vectors

        def on(self, vectors: WordVectors) -> "Reading":
            return Reading(vectors)

        def answer(self, word: str) -> float:
            assert self.vectors is not None
            return float(self.vectors[word].sum())

    other = Score(better=LARGER, range=Range(), misleads="It is a toy.", says="What is the sum?")

    @probe("toy", cites="dev-2020", needs=Answers, scores={"toy-answer": other})
    @dataclass(frozen=True, kw_only=True)
    class Toy:
        """What does a model answer?"""

        word: str = "she"
        times: int = 1

        def run(self, resource: Answers, subject: Any, setting: Setting) -> Findings:
            value = self.times * resource.answer(self.word)
            return Findings(measurements=(Measurement(value=value, metric="toy-answer"),))

        def reader(self) -> Reading:
            return Reading()

    yield
    for name in ("toy-length", "toy"):
        MEASURES.declared.pop(name)


def test_both_go_from_the_plan_to_the_page(tmp_path: Path, glove: WordVectors) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    store = Store(tmp_path / "study")
    outcome = run(read_plan(tmp_path / "plan.toml"), store)
    assert outcome.is_complete, store.failures()
    record = study_record(tmp_path / "study")
    assert record.study is not None
    values = {(cell.method, cell.measure): cell.value for cell in record.study.cells}
    nurse = glove["nurse"]
    assert values["original", "Length"] == pytest.approx(abs(nurse).sum())
    assert values["original", "Answer"] == pytest.approx(3 * nurse.sum(), rel=1e-5)
    assert values["hard", "Answer"] != values["original", "Answer"]
    assert record.glossary["toy-answer"].role == "probe"
    html = page(record)
    assert "toy-length" in html
    assert "What is the sum?" in html


def test_a_parameter_that_a_probe_does_not_have_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("times", "tims"))
    with pytest.raises(PlanError, match=r'line 6: there is no key "tims". Did you mean "times"'):
        read_plan(tmp_path / "plan.toml")
