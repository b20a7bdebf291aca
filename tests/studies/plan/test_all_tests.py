"""Plans in a few lines: every test, several concepts, measures as an array."""

from pathlib import Path

import pytest

from unslant.concepts import concept
from unslant.measures.registry import metrics
from unslant.studies.plan.cells import Plan, PlanError
from unslant.studies.plan.reading import read_plan


def plan(folder: Path, text: str) -> Plan:
    (folder / "p.toml").write_text(text)
    return read_plan(folder / "p.toml")


BUILTIN = '[resources]\nv = "builtin"\n'


def test_a_measure_on_all_tests_becomes_one_for_each_test_of_each_concept(tmp_path: Path) -> None:
    found = plan(
        tmp_path,
        f'{BUILTIN}[measures]\nW = {{ measure = "weat", tests = "all" }}\nD = "direct-bias"\n'
        '[[matrix]]\nconcepts = ["gender", "age"]\n',
    )
    expected = [
        (f"W: {test}", name) for name in ("gender", "age") for test in concept(name).tests
    ] + [("D", "gender"), ("D", "age")]
    assert sorted((c.measure.label, c.concept_label) for c in found.cells) == sorted(expected)
    assert {c.measure.test for c in found.cells if c.concept == "age"} == {"young-old-pleasant", ""}


def test_a_plan_without_a_matrix_combines_everything(tmp_path: Path) -> None:
    found = plan(tmp_path, f'concepts = ["age"]\nmeasures = ["weat", "rnsb"]\n{BUILTIN}')
    labels = [cell.measure.label for cell in found.cells]
    assert labels == ["weat: young-old-pleasant", "rnsb"]
    every = plan(tmp_path, f'concepts = ["gender"]\nmeasures = "all"\n{BUILTIN}')
    tests = len(concept("gender").tests)
    takes = [entry.facts.takes for entry in metrics()]
    assert len(every.cells) == takes.count("test") * tests + takes.count("concept")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('measures = "some"\nconcepts = ["age"]\n', 'an array or "all"'),
        ('measures = ["waet"]\nconcepts = ["age"]\n', 'Did you mean "weat"'),
        ('measures = ["weat"]\nconcepts = ["nationality"]\n', "nationality has none"),
        ('measures = ["weat"]\nconcepts = ["agee"]\n', 'Did you mean "age"'),
        ('measures = ["weat"]\nconcepts = ["age"]\n[[matrix]]\n', "in each"),
        ('measures = ["weat"]\n[[matrix]]\nconcept = "age"\nconcepts = ["age"]\n', "not both"),
        ('[measures]\nW = { measure = "weat", tests = "some" }\n[[matrix]]\n', 'tests = "all"'),
        ('[measures]\nD = { measure = "direct-bias", tests = "all" }\n[[matrix]]\n', "leave out"),
    ],
)
def test_what_makes_no_plan_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    keys, bracket, tables = text.partition("[measures]")
    if not bracket:  # keys stand before the first table
        keys, bracket, tables = text.partition("[[matrix]]")
    with pytest.raises(PlanError, match=message):
        plan(tmp_path, f"{keys}{BUILTIN}{bracket}{tables}")
