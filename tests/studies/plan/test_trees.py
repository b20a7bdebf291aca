"""Trees of interventions in plans: what they expand to, and what is wrong with them."""

from pathlib import Path

import pytest

from tests.studies.language_models import CONCEPT, tiny_bert
from unslant.core.expression import parse_chain
from unslant.core.toml_source import TomlSource
from unslant.studies.plan.cells import PlanError
from unslant.studies.plan.reading import read_plan, read_trees

EXAMPLE = Path(__file__).parents[3] / "examples" / "thesis-tree.toml"
LEVEL = """
[[tree.mine]]
level = "last"
at = "layer:-1"
method = "misp(exponent={n})"
n = [0, 1]
"""


def _source(text: str) -> TomlSource:
    return TomlSource("plan.toml", Path(), text, PlanError)


def test_the_tree_of_the_thesis_has_74_settings_level_by_level() -> None:
    [settings] = read_trees(_source(EXAMPLE.read_text())).values()
    levels = [setting.level for setting in settings]
    assert [levels.count(level) for level in dict.fromkeys(levels)] == [2, 8, 32, 32]
    assert len({setting.label for setting in settings}) == 74
    assert len({setting.method for setting in settings}) == 74


def test_each_level_includes_the_later_ones_and_acts_before_them() -> None:
    [settings] = read_trees(_source(EXAMPLE.read_text())).values()
    [chosen] = [s for s in settings if s.label == "layer 11 + attn (k=2 n=1; k=1 n=0; n=1)"]
    steps = list(parse_chain(chosen.method))
    places = [str(step.place) for step in steps]
    assert places == [
        *("layer:-2.query:*", "layer:-2.key:*", "layer:-2.value:*"),
        *("layer:-2", "layer:-1[cls]", "pooled"),
    ]
    exponents = [dict(step.call.kwargs)["exponent"] for step in steps]
    assert exponents == [0, 0, 0, 1, 0, 1]
    assert ["k=2" in str(step) for step in steps] == [False, False, False, True, False, False]


def test_places_and_methods_can_vary_too() -> None:
    text = """
[[tree.any]]
level = "layers"
at = "layer:{where}"
method = ["linear", "leace", "misp(exponent={n})"]
where = [-1, -2]
n = [0.5]
"""
    [settings] = read_trees(_source(text)).values()
    assert [setting.label for setting in settings] == [
        f"layers (method={method} where={where})"
        for method in ("linear", "leace", "misp")
        for where in (-1, -2)
    ]
    assert settings[-1].method == "misp(exponent=0.5)@layer:-2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LEVEL.replace("[[tree.mine]]", "[tree.mine]"), "double brackets"),
        (LEVEL.replace("n = [0, 1]", "n = [0, 0]"), "a value twice"),
        (LEVEL.replace("n = [0, 1]", "n = [true]"), "numbers or texts"),
        (LEVEL.replace("n = [0, 1]", "n = 1"), "an array"),
        (LEVEL + "k = [1]\n", "neither the method nor the place has {k}"),
        (LEVEL.replace("misp", "mips"), 'Did you mean "misp"'),
        (LEVEL.replace("layer:-1", "layer"), "needs a number"),
        (LEVEL + LEVEL, "the same name"),
        (LEVEL.replace('at = "layer:-1"\n', ""), '"at" is missing'),
        (LEVEL.replace("n = [0, 1]", f"n = {list(range(30_000))}"), "at most 20,000 settings"),
    ],
)
def test_what_is_wrong_with_a_tree_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=r"plan\.toml line \d+") as told:
        read_trees(_source(text))
    assert message in str(told.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trees")
    (path / "sides.toml").write_text(CONCEPT)
    (path / "text.txt").write_text("the nurse is here .\nshe sat down\n")
    tiny_bert(path / "bert")
    return path


_PLAN = """
[resources]
bert = "bert"
[methods]
original = ""
%s
[measures]
accuracy = { probe = "masked-accuracy", text = "TEXT", measure = "masked-accuracy" }
[[matrix]]
concept = "sides.toml"
"""


def _plan(folder: Path, tree: str, matrix: str = "") -> Path:
    path = folder / "plan.toml"
    plan = (_PLAN % tree).replace("TEXT", str(folder / "text.txt"))
    path.write_text(plan + matrix)
    return path


def test_a_matrix_takes_all_settings_or_those_of_a_named_tree(folder: Path) -> None:
    every = read_plan(_plan(folder, LEVEL))
    labels = ["original", "last (n=0)", "last (n=1)"]
    assert [cell.method_label for cell in every.cells] == labels
    named = read_plan(_plan(folder, LEVEL, 'methods = ["mine"]\n'))
    assert [cell.method_label for cell in named.cells] == labels[1:]
    assert [setting.label for setting in named.trees["mine"]] == labels[1:]


def test_a_place_that_a_model_lacks_is_refused_before_anything_runs(folder: Path) -> None:
    tree = LEVEL.replace("layer:-1", "pooled")
    with pytest.raises(PlanError, match="bert has no place pooled: its weights have no pooler"):
        read_plan(_plan(folder, tree))


def test_labels_of_settings_and_methods_do_not_collide(folder: Path) -> None:
    taken = LEVEL.replace("[[tree.mine]]", '"last (n=0)" = "linear@layer:-1"\n[[tree.mine]]')
    with pytest.raises(PlanError, match="the label of something else"):
        read_plan(_plan(folder, taken))
    named = LEVEL.replace("[[tree.mine]]", 'mine = "linear@layer:-1"\n[[tree.mine]]')
    with pytest.raises(PlanError, match="also the label of a method"):
        read_plan(_plan(folder, named))


def test_a_probe_that_a_fine_tuned_model_answers_is_planned(folder: Path) -> None:
    path = _plan(folder, LEVEL)
    text = path.read_text()
    start = text.index("accuracy =")
    probe = 'accuracy = { probe = "nli", set = "marked-attribute", measure = "marked-error" }\n'
    path.write_text(text[:start] + probe + text[text.index("[[matrix]]") :])
    assert {cell.measure.label for cell in read_plan(path).cells} == {"accuracy"}
    trained = probe.replace("measure =", 'retrain = "snli", measure =')
    path.write_text(path.read_text().replace(probe, trained))
    with pytest.raises(PlanError, match="is answered by another model"):
        read_plan(path)
