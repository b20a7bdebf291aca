"""Reading a plan: what it asks for, and what is wrong with it on which line."""

import shutil
from itertools import pairwise, product
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import pytest

from unslant.studies.plan.cells import PlanError
from unslant.studies.plan.expand import MOST_CELLS
from unslant.studies.plan.reading import read_plan

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
HASH = "0" * 64
GOOD = f"""name = "study"
about = '''two
lines'''
[resources]
slice = "builtin"
glove = {{ path = "sub/glove.txt", url = "https://x.org/g", sha256 = "{HASH}", limit = 500 }}
[methods]
original = ""
hard = "hard"
"hard, then random" = "hard|random( seed=2 )"
[measures]
WEAT = {{ measure = "weat", test = "career-family" }}
DB = "direct-bias( neutral=most-frequent )"
SB = {{ measure = "sembias", detail = "stereotype" }}
E = {{ probe = "nli", set = "marked-attribute", measure = "marked-error", contexts=20, model="m" }}
[[matrix]]
resources = ["slice", "glove"]
methods = ["original", "hard"]
measures = ["WEAT", "DB"]
seeds = [0, 3]
missing = "balance"
case = "any"
[[cell]]
resource = "slice"
method = "hard, then random"
measure = "E"
seed = 1
"""


def _written(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plan_has_every_combination_and_the_cells_named_one_by_one(tmp_path: Path) -> None:
    plan = read_plan(_written(tmp_path, GOOD))
    assert (plan.name, plan.about, plan.text, plan.folder) == ("study", "two lines", GOOD, tmp_path)
    of_matrix = {cell.label for cell in plan.cells[:-1]}
    assert of_matrix == set(
        product(("slice", "glove"), ("original", "hard"), ("WEAT", "DB"), ("gender",), (0, 3))
    )
    assert len(plan.cells) == 17
    assert {(cell.missing, cell.case) for cell in plan.cells[:-1]} == {("balance", "any")}
    last = plan.cells[-1]
    assert last.label == ("slice", "hard, then random", "E", "gender", 1)
    assert (last.missing, last.case) == ("drop", "lower")
    assert last.measure.expression == "nli(set=marked-attribute, contexts=20)"
    assert (last.measure.score, last.measure.model) == ("marked-error", str(tmp_path / "m"))


def test_expressions_are_written_in_one_way_and_paths_are_those_of_the_plan(tmp_path: Path) -> None:
    plan = read_plan(_written(tmp_path, GOOD))
    assert plan.cells[-1].method == "hard | random(seed=2)"
    assert plan.cells[1].measure.expression == "direct-bias(neutral=most-frequent)"
    glove = next(cell.resource for cell in plan.cells if cell.resource.label == "glove")
    assert glove.path == str(tmp_path / "sub" / "glove.txt")
    assert (glove.url, glove.sha256, glove.limit) == ("https://x.org/g", HASH, 500)


def test_paths_can_be_those_of_another_folder_than_the_plans(tmp_path: Path) -> None:
    plan = read_plan(_written(tmp_path, GOOD), folder=tmp_path / "other")
    assert plan.folder == tmp_path / "other"
    assert str(tmp_path / "other" / "sub" / "glove.txt") in {c.resource.path for c in plan.cells}
    assert plan.cells[-1].measure.model == str(tmp_path / "other" / "m")


def test_cells_that_share_debiased_vectors_stand_together(tmp_path: Path) -> None:
    cells = read_plan(_written(tmp_path, GOOD)).cells
    spaces = [(cell.resource.label, cell.method, cell.seed) for cell in cells]
    changes = sum(a != b for a, b in pairwise(spaces))
    assert changes == len(set(spaces)) - 1


def test_cells_travel_between_processes(tmp_path: Path) -> None:
    cells = read_plan(_written(tmp_path, GOOD)).cells
    assert ForkingPickler.loads(ForkingPickler.dumps(cells)) == cells
    assert len(set(cells)) == len(cells)


def test_a_matrix_without_names_takes_all_and_a_plan_without_methods_none(tmp_path: Path) -> None:
    text = '[resources]\na = "builtin"\n[measures]\nm = "midb"\nn = "same"\n[[matrix]]\n'
    cells = read_plan(_written(tmp_path, text)).cells
    assert [cell.label for cell in cells] == [
        ("a", "original", "m", "gender", 0),
        ("a", "original", "n", "gender", 0),
    ]
    assert {cell.method for cell in cells} == {""}


def test_a_concept_a_set_and_a_benchmark_of_the_user_are_found_beside_the_plan(
    tmp_path: Path,
) -> None:
    root = Path(__file__).resolve().parents[3]
    shutil.copy(root / "examples" / "pets.toml", tmp_path)
    sets = root / "src" / "unslant" / "probes" / "nli" / "data" / "sets"
    shutil.copy(sets / "marked-attribute.toml", tmp_path / "mine.toml")
    (tmp_path / "my pairs.txt").write_text("dog cat 3\n")
    text = """[resources]
a = "builtin"
[measures]
S = 'similarity(dataset="my pairs.txt")'
E = { probe = "nli", set = "mine.toml", measure = "marked-error" }
[[matrix]]
concept = "pets.toml"
"""
    first, second = read_plan(_written(tmp_path, text)).cells
    assert first.concept == str(tmp_path / "pets.toml")
    assert first.measure.expression == f'similarity(dataset="{tmp_path}/my pairs.txt")'
    assert second.measure.expression == f"nli(set={tmp_path}/mine.toml)"


SWAPS = {
    'hard = "hard"': [
        ('hard = "hrad"', 'there is no method "hrad". Did you mean "hard"?'),
        ('hard = "hard | mips"', 'there is no method "mips". Did you mean "misp"?'),
        ('hard = "misp(l=2)"', 'No parameter of misp is called "l"'),
        ('hard = "random(seed=2"', "put arguments in brackets"),
        ("hard = 1", '"hard" must be a text, as in hard = "…", not a whole number.'),
        ('"" = "hard"', "a label must have printable characters, not ''."),
    ],
    'slice = "builtin"': [
        ('slice = "bultin"', 'there is no file "bultin". Did you mean "builtin"?'),
        ('slice = { url = "https://x.org" }', "has a url without sha256"),
        ('slice = { url = "ftp://x", sha256 = "00" }', "a url begins with https://"),
        ('slice = { url = "http://x", sha256 = "00" }', "a url begins with https://"),
        ('slice = { path = "x", sha256 = "00" }', "sha256 must be 64 hexadecimal digits"),
        ('slice = { path = "x", limt = 2 }', 'there is no key "limt". Did you mean "limit"?'),
        ('slice = { path = "x", limit = 0 }', "limit must be at least 1, not 0"),
        ('slice = { path = "x", limit = true }', "not true or false"),
        ("slice = { limit = 5 }", "has neither a path nor a url"),
        ('slice = "https://x.org/v.txt"', "is an address; write { url"),
        ("slice = [1]", 'must be "builtin", a path in quotes'),
    ],
    'DB = "direct-bias( neutral=most-frequent )"': [
        ('DB = "direct-bais"', 'there is no measure "direct-bais". Did you mean "direct-bias"?'),
        ('DB = "weat"', 'write { measure = "weat", test = "…" }'),
        ('DB = { measure = "midb", test = "math-arts" }', "midb measures a whole concept"),
        ('DB = { measure = "similarity", test = "x" }', "similarity measures the vectors alone"),
        ('DB = "similarity(dataset=mne)"', 'dataset or file "mne". Did you mean "men"?'),
        ('DB = "analogy(msr, 3)"', 'The "method" parameter of analogy must be one of'),
        ('DB = { measur = "midb" }', 'there is no key "measur". Did you mean "measure"?'),
        ('DB = { detail = "x" }', '"measure" is missing here'),
        ('DB = { measure = "midb", detail = "" }', '"detail" is empty'),
        ('DB = { measure = "midb", set = "sirt" }', '"set" is for probes; add probe'),
        ("DB = 1979-05-27", "must be a measure in quotes"),
    ],
    'E = { probe = "nli", set = "marked-attribute"': [
        ('E = { probe = "nil", set = "sirt"', 'there is no probe "nil". Did you mean "nli"?'),
        ('E = { probe = "nli", set = "names-x"', 'No test set is called "names-x"'),
        ('E = { probe = "nli", set = "no.toml"', "no.toml cannot be read"),
        (
            'E = { probe = "nli", set = "sirt"',
            'no measure of nli(set=sirt, contexts=20) "marked-error"',
        ),
        ('E = { probe = "nli", pairing = "x", set = "names"', '"pairing" must be one of'),
        ('E = { probe = "nli", test = "x", set = "names"', 'there is no key "test"'),
        ('E = { probe = "nli", retrain = "x", set = "names"', "a model or retrain, not both"),
        ('E = { probe = "nli", contxts = 3, set = "names"', 'Did you mean "contexts"?'),
    ],
    'WEAT = { measure = "weat", test = "career-family" }': [
        ('WEAT = { measure = "weat", test = 3 }', '"test" must be a text'),
    ],
    'resources = ["slice", "glove"]': [
        ('resources = ["slcie"]', 'no label under [resources] "slcie". Did you mean "slice"?'),
        ('resources = ["slice", "slice"]', '"resources" has "slice" twice'),
        ("resources = []", '"resources" is empty'),
        ('resources = "slice"', '"resources" must be an array'),
        ("resources = [1]", "it has a whole number"),
        ('resource = "slice"', 'there is no key "resource". Did you mean "resources"?'),
        ('concept = "gneder"', 'there is no concept "gneder". Did you mean "gender"?'),
        ('concept = "gone.toml"', "cannot be read: No such file"),
    ],
    "seeds = [0, 3]": [
        ("seeds = [0, -1]", "a seed is a number from 0"),
        ("seeds = [0.5]", "it has a number"),
        ("seeds = [true]", "it has true or false"),
    ],
    'missing = "balance"': [('missing = "dorp"', 'missing words "dorp". Did you mean "drop"?')],
    'case = "any"': [('case = "lwer"', 'case policy "lwer". Did you mean "lower"?')],
    "seed = 1": [
        ("sead = 1", 'there is no key "sead". Did you mean "seed"?'),
        ('seed = "1"', '"seed" must be a whole number'),
    ],
    'method = "hard, then random"': [
        ('method = "hard then random"', 'Did you mean "hard, then random"?'),
        ("method = 2", '"method" must be a text'),
    ],
}
MISTAKES = [(old, new, said) for old, cases in SWAPS.items() for new, said in cases]


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert GOOD.count(old) == 1
    text = GOOD.replace(old, new)
    line = text[: text.index(new)].count("\n") + 1
    path = _written(tmp_path, text)
    with pytest.raises(PlanError) as told:
        read_plan(path)
    message = str(told.value)
    assert message.startswith(f"{path} line {line}: "), message
    assert said in message
    assert "\n" not in message


def test_an_element_of_a_long_array_is_told_with_its_own_line(tmp_path: Path) -> None:
    text = GOOD.replace('["WEAT", "DB"]', '[\n  "WEAT",  # "DC"\n\n  "DC",\n]')
    with pytest.raises(PlanError, match=r'line 22: there is no label under \[measures\] "DC"'):
        read_plan(_written(tmp_path, text))


def test_a_test_that_the_concept_lacks_is_told_where_the_measure_is_used(tmp_path: Path) -> None:
    text = GOOD.replace('missing = "balance"', 'concept = "race"')
    with pytest.raises(PlanError, match=r'line 19: "WEAT": there is no test of race "career-f'):
        read_plan(_written(tmp_path, text))


def test_the_same_cell_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    text = GOOD + '[[cell]]\nresource = "slice"\nmethod = "hard"\nmeasure = "DB"\nseed = 3\n'
    said = r"line 28: slice · hard · DB · gender with seed 3 is already asked for on line 16\."
    with pytest.raises(PlanError, match=said):
        read_plan(_written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it asks for nothing"),
        ('[resources]\na = "builtin"\n[measures]\nm = "midb"\n', "it asks for nothing"),
        ("[[matrix]]\n", "line 1: there are no resources: the plan needs [resources]"),
        ("[matrix]\n", 'line 1: "matrix" must be in double brackets: [[matrix]]'),
        ("matrix = [1]\n", "line 1:"),
        ("resources = 3\n", 'line 1: "resources" must be a table, not a whole number'),
        ("name = 3\n", 'line 1: "name" must be a text'),
        ("a = 1\n\n[resorces]\n", 'line 1: there is no key "a"'),
        ("[resorces]\n", 'line 1: there is no key "resorces". Did you mean "resources"?'),
        ("name = \n", "is not valid TOML: Invalid value (at line 1"),
        ("a = " + "[" * 20_000, "nested too deeply"),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PlanError) as told:
        read_plan(_written(tmp_path, text))
    assert said in str(told.value)


def test_files_that_cannot_be_plans_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read: No such file"):
        read_plan(tmp_path / "none.toml")
    with pytest.raises(PlanError, match="cannot be read: it is a folder"):
        read_plan(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes('name = "é"'.encode("latin-1"))
    with pytest.raises(PlanError, match=r"is not UTF-8 text \(byte 8\)"):
        read_plan(latin)
    large = tmp_path / "large.toml"
    with large.open("wb") as stream:
        stream.truncate((8 << 20) + 1)
    with pytest.raises(PlanError, match="it is larger than 8 MB"):
        read_plan(large)


def test_a_byte_order_mark_and_windows_lines_are_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert len(read_plan(path).cells) == 17


def test_a_plan_has_an_upper_limit_of_cells(tmp_path: Path) -> None:
    seeds = ", ".join(map(str, range(1001)))
    text = '[resources]\na = "builtin"\n[measures]\n'
    text += "".join(f'm{n} = "midb(k={n + 1})"\n' for n in range(100))
    too_many = f"{text}[[matrix]]\nseeds = [{seeds}]\n"
    with pytest.raises(PlanError, match=rf"100,100 cells, and a plan has at most {MOST_CELLS:,}"):
        read_plan(_written(tmp_path, too_many))
    as_many = f"{text}[[matrix]]\nseeds = [{seeds.rpartition(',')[0]}]\n"
    assert len(read_plan(_written(tmp_path, as_many)).cells) == MOST_CELLS


def test_a_concept_of_the_user_is_called_as_the_plan_calls_it_in_every_folder(
    tmp_path: Path,
) -> None:
    text = """
[resources]
slice = "builtin"
[measures]
DB = "direct-bias"
[[matrix]]
concept = "own/pets.toml"
"""
    labels = []
    for name in ("here", "there"):
        (tmp_path / name / "own").mkdir(parents=True)
        shutil.copy(EXAMPLES / "pets.toml", tmp_path / name / "own")
        [cell] = read_plan(_written(tmp_path / name, text)).cells
        assert cell.concept == str(tmp_path / name / "own" / "pets.toml")
        labels.append(cell.label)
    assert labels == [("slice", "original", "DB", "own/pets.toml", 0)] * 2
