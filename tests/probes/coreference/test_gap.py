"""GAP: characters become words exactly, F1 is that of its scorer, and a missing answer says no."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

import unslant as us
from tests.command_line import json_of, unslant
from tests.language_models import data_folder
from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.datasets.coreference.document import Clusters
from unslant.datasets.coreference.gap import COLUMNS, GapExample, read_gap, read_gap_answers
from unslant.measures.setting import Setting
from unslant.probes.gap import Gap, said_of

TEXT = "Zoe O'Neil-Smith met Ann's mother. Later she left."
ROW = [
    *("x-1", TEXT, "she", str(TEXT.index("she"))),
    *("Zoe O'Neil-Smith", "0", "TRUE", "Ann", str(TEXT.index("Ann")), "FALSE", "url"),
]


def saved(folder: Path, *rows: Sequence[str]) -> Path:
    path = folder / "gap.tsv"
    lines = ["\t".join(row) for row in ([*COLUMNS, "URL"], *rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("part", ["development", "test", "validation"])
def test_every_span_of_gap_is_the_released_text(part: str) -> None:
    path = data_folder("gap") / f"gap-{part}.tsv"
    rows = [line.split("\t") for line in path.read_text("utf-8").split("\n")[1:] if line]
    examples = read_gap(path)
    assert len(examples) == len(rows)
    for row, one in zip(rows, examples, strict=True):
        spans = (one.pronoun, *one.names)
        for span, name in zip(spans, (row[2], row[4], row[7]), strict=True):
            assert "".join(one.words[slice(*span)]) == "".join(name.split())
        assert one.is_true == (row[6] == "TRUE", row[9] == "TRUE")
    genders = Counter(one.gender for one in examples)
    assert genders["female"] == genders["male"]


def test_a_name_is_cut_from_what_follows_it(tmp_path: Path) -> None:
    (one,) = read_gap(saved(tmp_path, ROW))
    assert [one.text(span) for span in (one.pronoun, *one.names)] == [
        "she",
        "Zoe O'Neil-Smith",
        "Ann",
    ]
    assert one.words[one.names[1][1]] == "'s"


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        (3, "2", "line 2: 'she' is not in the text at character 2"),
        (3, "x", "line 2: 'she' is not in the text"),
        (6, "maybe", "A-coref is 'maybe'"),
    ],
)
def test_damage_is_named(tmp_path: Path, column: int, value: str, says: str) -> None:
    row = [*ROW]
    row[column] = value
    with pytest.raises(DamagedFileError, match=says):
        read_gap(saved(tmp_path, row))
    with pytest.raises(DamagedFileError, match="columns, expected 10"):
        read_gap(saved(tmp_path, ROW[:5]))


def test_a_cluster_says_which_name_the_pronoun_is(tmp_path: Path) -> None:
    (one,) = read_gap(saved(tmp_path, ROW))
    first, second = one.names
    assert said_of(one, ((first, one.pronoun),)) == (True, False)
    assert said_of(one, (((first[0] + 1, first[1]), one.pronoun),)) == (True, False)
    assert said_of(one, ((first, second, one.pronoun),)) == (True, True)
    assert said_of(one, ((first, second),)) == (False, False)


class Random:
    """Says each name with a chance of its own."""

    def __init__(self, examples: Sequence[GapExample]) -> None:
        rng = random.Random(3)
        self.said = {
            one.id: tuple(rng.random() < (0.8 if true else 0.3) for true in one.is_true)
            for one in examples
        }
        self.known: dict[tuple[str, ...], Clusters] = {}
        for one in examples:
            names = [n for n, is_it in zip(one.names, self.said[one.id], strict=True) if is_it]
            self.known[one.words] = ((one.pronoun, *names),)

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        return [self.known[tuple(words)] for words in documents]


def expected_f1(examples: Sequence[GapExample], said: dict[str, tuple[bool, bool]]) -> float:
    """From the definition, one decision at a time."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for one in examples:
        counts.update(zip(one.is_true, said.get(one.id, (False, False)), strict=True))
    hits = counts[True, True]
    precision = hits / (hits + counts[False, True])
    recall = hits / (hits + counts[True, False])
    return 2 * precision * recall / (precision + recall)


def test_f1_and_bias_are_those_of_the_definition(tmp_path: Path) -> None:
    examples = read_gap(data_folder("gap") / "gap-validation.tsv")
    model = Random(examples)
    found = us.probe("gap(part=validation)", model=model)
    of = {one.metric: one for one in found.measurements}
    by = {g: [one for one in examples if one.gender == g] for g in ("female", "male")}
    f1 = {g: expected_f1(some, model.said) for g, some in by.items()}  # type: ignore[arg-type]
    assert of["gap-f1-all"].value == pytest.approx(expected_f1(examples, model.said))  # type: ignore[arg-type]
    assert of["gap-f1-female"].value == pytest.approx(f1["female"])
    assert of["gap-bias"].value == pytest.approx(f1["female"] / f1["male"])
    interval = of["gap-bias"].interval
    assert interval is not None
    assert interval.low < of["gap-bias"].value < interval.high  # type: ignore[operator]


def test_a_missing_answer_costs_a_name_only_where_there_is_one(tmp_path: Path) -> None:
    examples = read_gap(data_folder("gap") / "gap-validation.tsv")
    neither = next(one for one in examples if one.is_true == (False, False))
    lines = [
        "\t".join([one.id, *(str(true).upper() for true in one.is_true)])
        for one in examples
        if one.id != neither.id
    ]
    (tmp_path / "said.tsv").write_text("\n".join(lines), "utf-8")
    args = ("probe", "gap", "--part", "validation", "--scores", "said.tsv", "--json")
    record = json_of(*args, cwd=tmp_path)
    of = {one["now"]["metric"]: one["now"] for one in record["results"]}
    assert of["gap-f1-all"]["value"] == 1  # its own scorer counts a false negative
    assert of["gap-f1-all"]["details"]["false-negatives"] == 0
    assert record["left_out"][0]["what"] == "1 answers"
    (tmp_path / "said.tsv").write_text("\n".join([*lines[1:], "z-1\tTRUE\tFALSE"]), "utf-8")
    shown = unslant(*args, cwd=tmp_path, code=2)
    assert 'has an answer to "z-1"' in shown.stderr


def test_answers_in_another_layout_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("x-1\tyes\tno\n", "utf-8")
    with pytest.raises(FileFormatError, match="line 1: expected an id and TRUE or FALSE"):
        read_gap_answers(path)
    path.write_text("x\tTRUE\tFALSE\nx\tTRUE\tTRUE\n", "utf-8")
    with pytest.raises(FileFormatError, match="line 2: x is there twice"):
        read_gap_answers(path)


def test_a_bias_without_any_right_man_has_no_value() -> None:
    examples = read_gap(data_folder("gap") / "gap-validation.tsv")
    model = Random(examples)
    for one in examples:
        names = [n for n, true in zip(one.names, one.is_true, strict=True) if true]
        is_said = one.gender == "female"
        model.known[one.words] = ((one.pronoun, *(names if is_said else ())),)
    found = Gap(part="validation", resamples=0).run(model, None, Setting())
    bias = next(one for one in found.measurements if one.metric == "gap-bias")
    assert bias.value is None
    assert "nothing to divide by" in bias.why_undefined
