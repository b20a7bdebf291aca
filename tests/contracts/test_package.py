"""What the package promises as a whole: light to import, whole without extras, small to ship."""

import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant.concepts.wordlists import bundled_lists
from unslant.core.references import references
from unslant.core.registry import Entry
from unslant.measures.registry import MEASURES, metrics
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.subspaces.estimator import ESTIMATORS
from unslant.vectors import WordVectors

HEAVY = ("torch", "sklearn", "altair", "scipy.stats", "transformers", "pandas")


def in_fresh_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, unslant; print([m for m in {HEAVY} if m in sys.modules])"
    assert in_fresh_python(code) == "[]"


def test_the_command_line_starts_without_the_libraries_that_only_some_measures_need() -> None:
    late = ("scipy", "sklearn", "altair", "pandas", "torch", "numba", "starlette")
    code = f"import sys, unslant.cli.verbs; print([m for m in {late} if m in sys.modules])"
    assert in_fresh_python(code) == "[]"


@pytest.mark.parametrize(
    ("verb", "others"),
    [("check", ("audit", "probe", "study")), ("serve", ("audit", "debias", "train_nli"))],
)
def test_a_verb_starts_without_the_modules_of_the_others(verb: str, others: Sequence[str]) -> None:
    late = [f"unslant.cli.{name}" for name in others]
    code = f"""
import sys
from unslant.cli.verbs import app
from typer.testing import CliRunner
assert CliRunner().invoke(app, [{verb!r}, "--help"]).exit_code == 0
assert "unslant.cli.{verb}" in sys.modules
print([m for m in {late} if m in sys.modules])
"""
    assert in_fresh_python(code) == "[]"


def test_an_audit_works_without_torch_and_other_extras() -> None:
    code = """
import sys

class Refuse:
    def find_spec(self, name, *rest):
        extras = ("torch", "transformers", "h5py", "starlette", "uvicorn", "distributed")
        if name.split(".")[0] in extras:
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
import unslant as us
print(len(us.audit(us.load(), us.concept("age"), quality=False).measurements))
"""
    assert int(in_fresh_python(code)) >= 9


@pytest.mark.parametrize("name", unslant.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(unslant, name) is not None
    assert name in dir(unslant)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        _ = unslant.lod


def test_the_builtin_vectors_are_small_and_say_where_they_come_from(glove: WordVectors) -> None:
    path = files("unslant.vectors") / "data" / "glove.6B.100d.slice.safetensors"
    assert len(path.read_bytes()) <= 8_000_000
    assert glove.origin["licence"] == "PDDL 1.0"
    assert "Pennington" in glove.origin["citation"]
    fresh = WordVectors(glove.words, glove.matrix, glove.lineage)
    assert fresh.content_hash == glove.content_hash
    fresh.check_finite()


def test_every_word_of_every_list_is_builtin_or_listed_as_absent(glove: WordVectors) -> None:
    folder = files("unslant.vectors") / "data"
    text = (folder / "glove.6B.100d.slice.absent.txt").read_text(encoding="utf-8")
    absent = set(text.split("\n"))
    assert "a" in absent
    wanted = {word.lower() for item in bundled_lists().values() for word in item.all_words}
    lost = [word for word in sorted(wanted) if ":" not in word and word not in absent]
    rows = glove.words.rows_of(lost)
    assert [word for word, row in zip(lost, rows, strict=True) if row < 0] == []


def test_every_metric_says_its_range_its_better_side_and_when_it_misleads() -> None:
    for entry in metrics():
        assert entry.summary
        assert entry.cites
        assert entry.facts.takes in ("test", "concept", "vectors")
        score = entry.facts.scores[entry.name]
        assert score.misleads
        assert str(score.range)


def test_every_citation_leads_to_a_publication_and_every_publication_is_cited() -> None:
    registries: tuple[Iterable[Entry[Any]], ...] = (MEASURES, DEBIASERS, ESTIMATORS, TUNINGS)
    keys = {entry.cites for registry in registries for entry in registry}
    scores = [score for entry in MEASURES for score in entry.facts.scores.values()]
    keys |= {score.scale.source for score in scores if score.scale and score.scale.source}
    assert keys == set(references())
    for text in references().values():
        assert re.fullmatch(r".+ \(\d{4}\)\. .+[.?] .+\.", text), text


def test_measures_of_vectors_alone_are_about_quality_and_scales_of_sizes_have_a_source() -> None:
    for entry in MEASURES:
        for name, score in entry.facts.scores.items():
            if entry.facts.takes != "set":
                assert (score.tells == "quality") == (entry.facts.takes == "vectors"), name
            if score.scale and score.scale.steps:
                assert score.scale.source in references(), name


def test_the_benchmarks_bring_what_wefe_imports_without_naming_it() -> None:
    pinned = (Path(__file__).parents[2] / "requirements" / "bench.txt").read_text()
    found = re.search(r"^setuptools==(\d+)\.\S+ \\\n +--hash=sha256:", pinned, re.MULTILINE)
    assert found, "pkg_resources is part of setuptools"
    assert int(found[1]) < 81, "later versions have no pkg_resources"
