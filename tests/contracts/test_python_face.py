"""What Python offers beside the verbs: tests from lists, names, neighbours, studies, figures."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unslant as us
from tests.spaces import space
from unslant.core.errors import UnslantError
from unslant.core.study_ranks import row_ranks
from unslant.core.study_record import StudyTable, TableCell, TableColumn, TableRow
from unslant.vectors import WordVectors

CAREER = us.concept("gender").test("career-family")


def test_a_test_of_lists_measures_what_the_bundled_one_does(glove: WordVectors) -> None:
    lists: dict[str, Any] = {
        side: [item.all_words for item in getattr(CAREER, side).values()]
        for side in ("targets", "attributes")
    }
    mine = us.test(**lists)
    ours, theirs = (us.measure("weat", glove, item) for item in (mine, CAREER))
    assert (ours.value, ours.p) == (theirs.value, theirs.p)
    assert ours.parameters["definition"]["tests"]["test"], "the record holds the words"
    named = us.test(targets={"a": lists["targets"][0]}, attributes=lists["attributes"], title="T")
    assert (list(named.targets), named.title) == (["a"], "T")
    single = us.test(["boss"], (["he"], ["she"]))
    assert us.measure("sc-weat", glove, us.test((["boss", "chief"], ["home"]), (["he"], ["she"])))
    assert list(single.targets) == ["X"]


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ("he", "targets takes lists"),
        ([], "targets takes lists"),
        ([["he"], []], "must have words"),
        ([["he"], "she"], "must have words"),
        ([["a"]] * 4, "up to three lists"),
        ({"A": ["he"]}, "name of a target list and of an attribute list"),
    ],
)
def test_lists_that_make_no_test_are_refused_in_one_sentence(targets: object, message: str) -> None:
    with pytest.raises(UnslantError, match=message):
        us.test(targets, (["he"], ["she"]))  # type: ignore[arg-type]


def test_names_are_taken_in_any_case(glove: WordVectors) -> None:
    career = us.concept("Gender").test("Career-Family")
    result = us.measure("WEAT", glove, career)
    assert result.metric == "weat"
    assert result.value == us.measure("weat", glove, career).value
    assert us.estimate("Pair_PCA", glove, us.concept("gender")).estimator.startswith("pair-pca")


def test_a_concept_of_lists_has_groups_and_a_direction(glove: WordVectors) -> None:
    groups = {"cat": ["cat", "cats", "kitten"], "dog": ["dog", "dogs", "puppy"]}
    pets = us.concept(groups)
    assert pets.words["cat"].words == ("cat", "cats", "kitten")
    assert us.concept(*groups.values()).groups == ("A", "B")
    fair = us.debias("linear", glove, pets)
    assert us.estimate(None, glove, pets).k == 1
    assert len(fair) == len(glove)
    for wrong in ({"cat": ["cat"]}, {"cat": "cat", "dog": "dog"}):
        with pytest.raises(UnslantError, match="at least two groups"):
            us.concept(wrong)


def test_every_kind_is_listed_by_name() -> None:
    assert "hard" in us.list("methods")
    assert "nli" in us.list("probes")
    assert us.list("tests", "gender")[0] == "career-family"
    assert any(line.startswith("gender ") for line in repr(us.list("concepts")).splitlines())
    assert "<table>" in us.list("metrics")._repr_html_()
    assert list(us.list("Data").to_frame().columns) == ["name", "about"]
    with pytest.raises(UnslantError, match="metrics"):
        us.list("metric")


def test_the_nearest_words_are_those_of_a_plain_sort(glove: WordVectors) -> None:
    found = glove.most_similar(["king", "woman"], ["man"], count=25)
    units = glove.matrix.astype(float)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    rows = glove.words.rows_of(["king", "woman", "man"])
    wanted = units[rows[0]] + units[rows[1]] - units[rows[2]]
    cosines = units @ wanted / np.linalg.norm(wanted)
    cosines[rows] = -2
    expected = np.argsort(-cosines, kind="stable")[:25]
    assert [word for word, _ in found] == [glove.words[row] for row in expected.tolist()]
    assert [value for _, value in found] == pytest.approx(cosines[expected].tolist())


def test_equal_words_stay_in_the_order_of_the_file_and_zero_vectors_are_left_out() -> None:
    made = space(list("abcd"), np.array([[1, 0], [2, 2], [1, 1], [0, 0]], float))
    found: list[Any] = made.most_similar("a")
    assert found == [
        ("b", pytest.approx(0.5**0.5)),
        ("c", pytest.approx(0.5**0.5)),
    ]
    with pytest.raises(UnslantError, match="zero vector"):
        made.most_similar("d")
    with pytest.raises(UnslantError, match="missing"):
        made.most_similar(["a", "nowhere"])
    with pytest.raises(UnslantError, match="cancel"):
        made.most_similar("a", "a")


def table(*lines: tuple[float | None, ...]) -> StudyTable:
    labels = ("weat: one", "weat: two", "db")
    return StudyTable(
        by=("resource", "method"),
        columns=tuple(TableColumn(label=n, measure=n, better="closer to 0") for n in labels),
        rows=tuple(
            TableRow(
                key=(str(number), "original"),
                cells=tuple(TableCell(state="done", value=value, n=1, of=1) for value in line),
            )
            for number, line in enumerate(lines)
        ),
    )


def test_ranks_are_by_distance_with_ties_shared_and_measures_counted_once() -> None:
    found = row_ranks(table((-0.1, 0.2, 3.0), (0.3, -0.2, 1.0), (-0.5, 0.9, 2.0)))
    assert [row.by_column for row in found] == [(1, 1.5, 3), (2, 1.5, 1), (3, 3, 2)]
    assert found[0].by_family == {"weat": 1.25, "db": 3}
    assert [row.mean for row in found] == [2.125, 1.375, 2.5]
    lacking = row_ranks(table((0.1, None, 1.0), (0.2, 0.5, 0.5)))
    assert [row.by_column for row in lacking] == [(1, None, 2), (2, None, 1)]


def test_a_study_is_given_as_a_plan_or_in_parts(tmp_path: Path) -> None:
    parts = {
        "resources": {"slice": {"path": "builtin", "limit": 12_000}},
        "methods": {"original": "", "linear": "linear"},
        "measures": {"W": {"measure": "weat", "test": "career-family"}, "D": "direct-bias"},
    }
    found = us.study(**parts, output=tmp_path / "parts")  # type: ignore[arg-type]
    assert repr(found) == "<Study study: 4 of 4 cells are done.>"
    rows = found.to_frame().set_index(["method", "measure"])
    assert rows.loc[("linear", "D"), "rank"] == 1
    assert rows.loc[("original", "W"), "low"] < rows.loc[("original", "W"), "value"]
    same = us.study({"name": "x", **parts}, tmp_path / "whole")
    assert same.record.study.cells[0].value == found.record.study.cells[0].value  # type: ignore[union-attr]
    with pytest.raises(UnslantError, match="Name the folder"):
        us.study(**parts)  # type: ignore[arg-type]
    with pytest.raises(UnslantError, match="not WordVectors"):
        us.study(resources={"v": us.load(limit=10)}, measures=["weat"], output=tmp_path / "no")
    with pytest.raises(UnslantError, match="not both"):
        us.study(tmp_path, resources={})

    drawn = us.figures.figures_of(found)
    assert {"heatmap", "ranks"} <= set(drawn)
    wide = us.figures.figure(found, "ranks", width=800, title="Mine", caption="Read it so.")
    assert (wide.title, wide.caption, wide.spec()["width"]) == ("Mine", "Read it so.", 800)
    assert us.figures.save(wide, tmp_path / "r.svg").read_text().startswith("<svg")
    for given in (found.record, tmp_path / "parts", found.save(tmp_path / "s.json")):
        assert list(us.figures.figures_of(given)) == list(drawn)
    with pytest.raises(UnslantError, match="ranks"):
        us.figures.figure(found, "rank")
    with pytest.raises(UnslantError, match="100 to 4,000"):
        us.figures.figure(found, "ranks", width=5)


def test_an_error_speaks_python_in_python_and_flags_on_the_command_line() -> None:
    error = UnslantError('Use [[missing="drop"|--missing drop]].')
    assert str(error) == 'Use missing="drop".'
    assert error.typed == "Use --missing drop."
    assert UnslantError("plain").typed == str(UnslantError("plain")) == "plain"
    with pytest.raises(UnslantError) as raised:
        us.measure("weat", us.load(limit=300), CAREER)
    assert 'missing="drop"' in str(raised.value)
    assert "--" not in str(raised.value)
    assert "--missing drop" in raised.value.typed


def test_everything_prints_as_one_short_line(glove: WordVectors) -> None:
    measured = us.measure("weat", glove, CAREER)
    audit = us.audit(glove, "gender", jobs=[("weat", CAREER)])
    assert repr(CAREER) == "<AssociationTest gender/career-family: 4 lists, 32 words>"
    assert repr(us.concept("gender")).startswith("<Concept gender: female, male; ")
    assert repr(measured).startswith("<Measurement weat of ")
    assert f"{measured.value:.4g} (" in repr(measured)
    assert repr(audit.record) == f"<Record of audit: {glove.name}, gender; 1 results>"
    for item in (CAREER, measured, audit, audit.record, glove, us.concept("gender")):
        assert "\n" not in repr(item)
        assert len(repr(item)) < 220


def test_importing_the_package_stays_light() -> None:
    code = "import sys, unslant; print({'altair', 'numpy', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("set()", "{'numpy'}")
