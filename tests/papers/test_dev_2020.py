"""Dev et al.: tables from trainings, as many as there are."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from experiments.dev_tables import HEAD, by_space, lines_of
from experiments.nli import Row
from experiments.papers import dev_2020, dev_2020_examples, dev_2020_verdicts
from experiments.papers.tables import as_csv, published, rows_of
from unslant.probes.nli.sets import pair_set


def _row(lines: str, name: str) -> list[str]:
    [found] = [line for line in lines.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in found.strip("|").split("|")][1:]


def _figures(level: float, sets: tuple[str, ...]) -> dict[str, object]:
    """What the probe would have written for a model that is this neutral everywhere."""
    ends = {"low": level - 0.1, "high": level + 0.1, "level": 0.95, "how": "over words"}
    measures = {n: {"value": level, "interval": ends} for n in dev_2020.MEASURES.values()}
    retrained = {name: {**measures, "examples": []} for name in sets}
    return {"training": {"dev_accuracy": 0.8 + level / 100}, "retrained": retrained}


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three trainings: he − she adds .2 to all measures, random directions nothing."""
    lines: list[Sequence[object]] = []
    for seed, chance in enumerate((0.00, 0.01, 0.02)):
        for method, shift in (("", 0.0), ("linear", 0.2), (f"random(seed={seed})", 0.005)):
            row = Row(method, seed=seed)
            lines += lines_of(row, _figures(0.3 + shift + chance, row.sets))
    row = Row("linear", "religion")
    lines += lines_of(row, _figures(0.9, row.sets))
    path = tmp_path / "dev-tables.csv"
    path.write_text(as_csv(HEAD, lines), encoding="utf-8")
    monkeypatch.setattr(dev_2020, "RESULT", path)


@pytest.mark.usefixtures("trained")
def test_means_spreads_and_numbers_of_trainings_come_from_the_table() -> None:
    made = dev_2020.tables()
    assert _row(made["table-1"], "ours, 840B") == [".310 ± .010 (3)"] * 4
    assert _row(made["table-8"], "he − she") == [".510 ± .010 (3)"] * 4
    assert _row(made["table-8"], "random") == [".315 ± .010 (3)"] * 4
    assert _row(made["table-10"], "ours, dev")[0] == ".8031 ± .0001 (3)"


@pytest.mark.usefixtures("trained")
def test_a_method_is_told_from_random_directions_and_these_are_not_from_the_original() -> None:
    made = dev_2020.tables()["table-8"]
    assert _row(made, "he − she against random: told apart?") == ["yes"] * 4
    assert _row(made, "random against original: told apart?") == ["no"] * 4
    # by hand: .2 ± t(4 degrees) · √(2 · .0001 / 3) = .2 ± 2.776 · .00816
    assert _row(made, "he − she against original")[0] == "+.200 [+.177, +.223]"


@pytest.mark.usefixtures("trained")
def test_one_training_has_no_interval_and_none_says_so() -> None:
    made = dev_2020.tables()["table-9"]
    assert _row(made, "religion: told apart?") == ["one training"] * 4
    assert _row(made, "nationality, projected") == ["–"] * 4
    said = dev_2020_verdicts.tables()["verdicts"]
    assert _row(said, "9: nationality removed")[-1] == "not trained yet"
    assert "one training, no interval" in _row(said, "9: religion removed")[-1]
    against = _row(said, "8: he − she removed")[-1]
    assert "against random directions: NN, FN, T:0.5, T:0.7 rise" in against
    assert "random against the original: all not told from chance" in against
    lacking = dev_2020.promises()[1]
    assert (lacking.holds, lacking.found) == (None, "not trained yet: nationality linear")


@pytest.mark.usefixtures("trained")
def test_a_published_training_is_compared_with_one_more_of_ours() -> None:
    # .31 ± t(2 degrees) · .01 · √(4/3) = .31 ± 4.303 · .01155: [.260, .360]; NN .387 is above
    said = _row(dev_2020_verdicts.tables()["verdicts"], "1: gender, original")[-1]
    assert "NN lower [.260, .360]" in said
    assert "T:0.5 agrees" in said
    assert "T:0.7 higher" in said


@pytest.mark.usefixtures("trained")
def test_results_that_stand_are_found_by_what_they_are_of_and_written_again_as_they_were() -> None:
    standing = by_space(rows_of(dev_2020.RESULT))
    assert len(standing) == 10
    assert standing["religion", "linear", "0"][0][3:6] == ("snli", "dev-accuracy", "0.809")
    lines = [line for of_one in standing.values() for line in of_one]
    assert as_csv(HEAD, lines) == dev_2020.RESULT.read_text(encoding="utf-8")


def test_without_any_training_every_table_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev_2020, "RESULT", tmp_path / "none.csv")
    assert _row(dev_2020.tables()["table-1"], "ours, 840B") == ["–"] * 4
    said = dev_2020_verdicts.tables()["verdicts"]
    assert said.count("not trained yet") == 7


def test_percentages_that_rounding_cannot_explain_are_found() -> None:
    theirs = published("dev-2020")
    wrong = [
        (table, row, measure)
        for table, row, measure, said, low, high in dev_2020.printed_changes(theirs)
        if not low <= said <= high
    ]
    assert ("8", "projected", "T:0.5") in wrong  # .324 to .474 is 46 %, printed 41.9
    assert ("8", "projected", "FN") not in wrong  # .394 to .519 is 31.7 %
    changed = {**theirs, ("8", "projected, %", "FN"): 33.0}
    [fits] = [
        low <= said <= high
        for table, row, measure, said, low, high in dev_2020.printed_changes(changed)
        if (table, row, measure) == ("8", "projected", "FN")
    ]
    assert not fits


@pytest.mark.parametrize(("name", "size"), [("nationality", 2_134_080), ("religion", 1_133_730)])
def test_the_template_sets_have_the_printed_sizes(name: str, size: int) -> None:
    assert len(pair_set(name)) == dev_2020.SIZES[name] == size


def test_examples_are_averaged_over_trainings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "dev-examples.csv"
    head = ("concept", "method", "seed", "table", "words", "e", "n", "c")
    lines = [
        ("gender", "original", 0, "text", "driver, man", 0.5, 0.3, 0.2),
        ("gender", "original", 1, "text", "driver, man", 0.7, 0.1, 0.2),
        ("gender", "original", 0, "2", "mechanic can afford pig lady", 0.1, 0.2, 0.7),
        ("gender", "original", 0, "2, ours", "nurse ate apple woman", 0.9, 0.06, 0.04),
    ]
    path.write_text(as_csv(head, lines), encoding="utf-8")
    monkeypatch.setattr(dev_2020_examples, "RESULT", path)
    made = dev_2020_examples.tables()
    assert _row(made["driver"], "driver → man, ours")[0] == ".600 ± .141 (2)"
    assert _row(made["driver"], "driver → woman, ours") == ["–"] * 3
    assert _row(made["table-2"], "mechanic can afford pig lady") == [
        ".00", ".98", ".100 (1)", ".700 (1)",
    ]  # fmt: skip
    assert "nurse ate apple woman | .90 | .06 | .04" in made["extremes"]
