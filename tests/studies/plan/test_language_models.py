"""Plans with language models: what they may combine, and each mistake with its line."""

from pathlib import Path

import pytest

from tests.studies.language_models import tiny_bert
from unslant.studies.plan.cells import PlanError
from unslant.studies.plan.reading import read_plan

PLAN = """[resources]
slice = "builtin"
bert = "bert"
[methods]
original = ""
hard = "hard"
leace = "leace@layer:-1"
layerwise = "layerwise"
[measures]
WEAT = { measure = "weat", test = "career-family" }
GIPE = "gipe"
E = { probe = "nli", set = "marked-attribute", measure = "marked-error", contexts = 5 }
[[matrix]]
resources = ["slice"]
methods = ["original", "hard"]
[[matrix]]
resources = ["bert"]
methods = ["original", "leace", "layerwise"]
measures = ["WEAT"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("plans")
    tiny_bert(made / "bert")
    (made / "words.txt").write_text("This is {}.\n")
    (made / "bad.txt").write_text("This is nothing.\n")
    return made


def _read(folder: Path, text: str) -> object:
    (folder / "plan.toml").write_text(text)
    return read_plan(folder / "plan.toml")


def test_vectors_and_models_in_separate_matrices_are_one_plan(folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN)
    plan = read_plan(folder / "plan.toml")
    assert len(plan.cells) == 9
    found = {(cell.resource.kind, cell.method) for cell in plan.cells}
    assert found == {
        ("vectors", ""),
        ("vectors", "hard"),
        ("model", ""),
        ("model", "leace@layer:-1"),
        ("model", "layerwise"),
    }


BERT = 'bert = "bert"'
MATRIX = 'resources = ["bert"]\nmethods = ["original", "leace", "layerwise"]'


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (
            (MATRIX, 'resources = ["bert"]\nmethods = ["hard"]'),
            18,
            r'"hard" \(hard\) acts on word vectors, and "bert" is a language model; name a place, '
            r"as in leace@layer:-1, or list them in separate matrices.",
        ),
        (
            (MATRIX, 'resources = ["slice"]\nmethods = ["original",\n  "leace"]'),
            19,
            r'"leace" \(leace@layer:-1\) acts in language models, and "slice" is a set of word '
            r"vectors; list them in separate matrices.",
        ),
        ((MATRIX, 'resources = ["slice"]\nmethods = ["layerwise"]'), 18, '"layerwise".*"slice"'),
        ((MATRIX, 'resources = ["bert"]'), 16, '"hard".*"bert"'),  # every method by default
        (
            (
                'methods = ["original", "leace", "layerwise"]\nmeasures = ["WEAT"]',
                'methods = ["original"]\nmeasures = ["GIPE"]',
            ),
            19,
            r'"GIPE" \(gipe\) needs a vocabulary ranked by frequency, and "bert" is a language',
        ),
        (
            ("leace@layer:-1", "leace@layer:9"),
            18,
            '"leace" cannot act in "bert": bert has no place',
        ),
        (("leace@layer:-1", "leace@layr:1"), 7, 'there is no part "layr"'),
        (("leace@layer:-1", "leace@layer:-1[word]"), 18, r"nothing can act on \[word\] alone"),
        (("leace@layer:-1", "hard@layer:-1"), 7, "hard cannot act at layer:-1"),
        (("leace@layer:-1", "hard | leace@layer:-1"), 7, "and one without: hard"),
        (('"layerwise"', '"layerwize"'), 8, 'Did you mean "layerwise"'),
        ((BERT, 'bert = { path = "bert", place = "layer:9" }'), 3, "bert has no place layer:9"),
        ((BERT, 'bert = { path = "bert", place = "layer" }'), 3, '"layer" needs a number'),
        ((BERT, 'bert = { path = "bert", contexts = "bleachd" }'), 3, 'Did you mean "bleached"'),
        ((BERT, 'bert = { path = "bert", contexts = "bad.txt" }'), 3, "A context has one slot"),
        ((BERT, 'bert = { path = "bert", limit = 5 }'), 3, '"limit" is for word vectors'),
        (
            (BERT, 'bert = { path = "bert", place = "wordpieces", contexts = "plain" }'),
            3,
            "word pieces are measured without contexts",
        ),
        (
            ('slice = "builtin"', 'slice = { path = "builtin", place = "layer:1" }'),
            2,
            '"place" is for a language model, and "slice" is not',
        ),
    ],
)
def test_a_mistake_is_reported_with_its_line(
    folder: Path, change: tuple[str, str], line: int, message: str
) -> None:
    assert change[0] in PLAN
    with pytest.raises(PlanError, match=message) as told:
        _read(folder, PLAN.replace(*change))
    assert str(told.value).startswith(f"{folder / 'plan.toml'} line {line}: ")


def test_contexts_are_a_name_or_a_file_beside_the_plan(folder: Path) -> None:
    (folder / "plan.toml").write_text(
        PLAN.replace(BERT, 'bert = { path = "bert", place = "layer:2[cls]", contexts="words.txt" }')
    )
    resource = read_plan(folder / "plan.toml").cells[-1].resource
    assert (resource.kind, resource.place) == ("model", "layer:2[cls]")
    assert resource.contexts == str(folder / "words.txt")


def test_a_model_that_is_missing_is_no_mistake_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    assert read_plan(tmp_path / "plan.toml").cells[-1].resource.kind == "missing"
