"""A metric and a probe of another package, one file each, are as good as ours.

They are found through the entry points ``unslant.measures``, and then have a place in every list,
in help, in the calls and in the record.
"""

import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import unslant as us
from tests.command_line import json_of, unslant
from unslant.core.read_record import record_from
from unslant.measures.registry import MEASURES, metrics, probes
from unslant.reports.page import page
from unslant.vectors import WordVectors

METRIC = '''
from dataclasses import dataclass
from typing import Annotated

from unslant.core.score import toward
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score
from unslant.measures.registry import SPACE, metric


@metric(
    "toy-length",
    cites="a-toy-2026",
    takes="concept",
    needs=SPACE,
    score=Score(better=toward(1), range=Range(0), misleads="It is a toy."),
)
@dataclass(frozen=True, kw_only=True)
class ToyLength:
    """How long is the vector of a word, to a power?"""

    power: Annotated[int, at_least(1), "The power."] = 1

    def run(self, vectors, subject, setting):
        rows = vectors.rows(["she"])
        return Measurement(title="Toy length", value=float((rows**2).sum()) ** (self.power / 2))
'''

PROBE = '''
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from unslant.core.score import toward
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score
from unslant.measures.registry import probe
from unslant.predictors.protocols import Sentiment


@probe(
    "toy-gap",
    cites="a-toy-2026",
    needs=Sentiment,
    scores={"toy-gap": Score(better=toward(0), range=Range(-2, 2), misleads="It is a toy.")},
)
@dataclass(frozen=True, kw_only=True)
class ToyGap:
    """Is a woman scored higher than a man?"""

    times: Annotated[int, at_least(1), "How often to ask."] = 1

    def run(self, model, subject, setting):
        texts = ["A woman waits.", "A man waits."] * self.times
        woman, man = np.asarray(model.score(texts)).reshape(-1, 2).mean(axis=0)
        return Measurement(title="Toy gap", value=float(woman - man))
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both files in a package that is installed, as far as entry points can tell."""
    (tmp_path / "toy_metric.py").write_text(METRIC)
    (tmp_path / "toy_probe.py").write_text(PROBE)
    info = tmp_path / "toys-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[unslant.measures]\ntoy-length = toy_metric\ntoy-gap = toy_probe\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    points = tuple(entry_points(group="unslant.measures"))
    assert len(points) == 2
    monkeypatch.setitem(vars(MEASURES), "_plugins", points)  # which a process searches for once
    yield
    for name in ("toy-length", "toy-gap"):
        MEASURES.declared.pop(name, None)
    for module in ("toy_metric", "toy_probe"):
        sys.modules.pop(module, None)


class Scorer:
    """Women are scored a quarter higher."""

    def score(self, texts: Sequence[str]) -> list[float]:
        return [0.25 if "woman" in text else 0.0 for text in texts]


@pytest.mark.usefixtures("installed")
def test_both_are_listed_and_helped(tmp_path: Path) -> None:
    assert "toy-length" in [entry.name for entry in metrics()]
    assert "toy-gap" in [entry.name for entry in probes()]
    assert "toy-length" in unslant("list", "metrics", cwd=tmp_path).stdout
    assert "Is a woman scored higher than a man?" in unslant("list", "probes", cwd=tmp_path).stdout
    assert "toy-gap" in unslant("probe", "--help", cwd=tmp_path).stdout
    shown = " ".join(unslant("probe", "toy-gap", "--help", cwd=tmp_path).stdout.split())
    assert "How often to ask. Must be at least 1." in shown
    assert "toy-length" in unslant("measure", "--help", cwd=tmp_path).stdout


@pytest.mark.usefixtures("installed")
def test_the_metric_measures(glove: WordVectors, tmp_path: Path) -> None:
    found = us.measure("toy-length(power=2)", glove, us.concept("gender"))
    assert found.value == pytest.approx(float((glove["she"] ** 2).sum()), rel=1e-5)
    assert (found.metric, found.better) == ("toy-length", "closer to 1")
    shown = json_of("measure", "toy-length(power=2)", "--json", cwd=tmp_path)
    assert shown["value"] == pytest.approx(found.value)
    with pytest.raises(us.UnslantError, match='"power" parameter of toy-length must be at least 1'):
        us.measure("toy-length(power=0)", glove, us.concept("gender"))


@pytest.mark.usefixtures("installed")
def test_the_probe_asks_and_its_record_is_read_and_drawn(tmp_path: Path) -> None:
    done = us.probe("toy-gap(times=3)", Scorer())
    [result] = done.record.results
    assert (result.now.value, result.now.metric, result.now.better) == (
        0.25,
        "toy-gap",
        "closer to 0",
    )
    assert result.now.parameters["times"] == 3
    assert result.now.inputs == {"model": "Scorer"}
    assert done.record.glossary["toy-gap"].summary == "Is a woman scored higher than a man?"
    assert record_from(done.to_dict()) == done.record
    assert "Toy gap" in page(done.record)


@pytest.mark.usefixtures("installed")
def test_the_probe_takes_answers_made_elsewhere(glove: WordVectors, tmp_path: Path) -> None:
    unslant("probe", "toy-gap", "--times", "2", "--export", "asked.csv", cwd=tmp_path)
    assert (tmp_path / "asked.csv").read_text() == "text\nA woman waits.\nA man waits.\n"
    (tmp_path / "a.csv").write_text("text,score\nA woman waits.,0.5\nA man waits.,-0.5\n")
    record = json_of("probe", "toy-gap", "--scores", "a.csv", "--json", cwd=tmp_path)
    assert record["results"][0]["now"]["value"] == 1.0
    for given in ((), (glove,)):
        with pytest.raises(us.UnslantError, match="Give an object with a method score"):
            us.probe("toy-gap", *given)
