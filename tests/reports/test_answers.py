"""The first box of a report, worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest

from unslant.core.measurement import Interval, Measurement, PValue, WordUse
from unslant.core.record import (
    Change,
    Control,
    Corrected,
    LeftOut,
    Meaning,
    Record,
    Resource,
    Result,
    Subject,
    Treatment,
    Verdict,
)
from unslant.core.score import EFFECT_SIZE
from unslant.core.study_record import StudyTable, TableCell, TableColumn, TableRow
from unslant.core.verdicts import judged
from unslant.reports.answers import answer
from unslant.reports.answers.study import _best

KINDS = ("audited", "compared", "probed", "studied")
SETS = ("male names", "female names", "career", "family")
GLOSSARY = {
    "weat": Meaning(
        summary="?",
        role="test",
        better="closer to 0",
        range="about −2 to 2",
        is_contrast=True,
        scale=EFFECT_SIZE,
    ),
    "rnd": Meaning(summary="?", role="test", better="closer to 0"),
    "bat": Meaning(summary="?", role="test", better="closer to 0.5"),
    "recoverability": Meaning(summary="?", role="concept", better="closer to 0.5"),
    "analogy": Meaning(summary="?", role="quality", better="larger"),
    "eta": Meaning(summary="?", role="probe", better="larger", short="η"),
}
VECTORS = Resource(name="word.vec", kind="vectors", facts={"words": 1200, "dim": 50})


def after_verdict(found: Record) -> tuple[str, ...]:
    """The lines after the verdict."""
    return answer(found)[1:]


def made(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    metric: str = "weat",
    p: float | None = None,
    missing: tuple[str, ...] = (),
) -> Measurement:
    return Measurement(
        value=value,
        why_undefined="" if value is not None else "no words",
        metric=metric,
        title="Career",
        better=GLOSSARY[metric].better,
        interval=None
        if low is None or high is None
        else Interval(low=low, high=high, level=0.95, how="bca"),
        p=None if p is None else PValue(value=p, how="exact", alternative="two-sided", outcomes=99),
        words=tuple(WordUse(set=name, used=("a",), missing=missing) for name in SETS),
    )


def record(*results: Result, **given: Any) -> Record:
    subject = Subject(kind="concept", name="gender", title="Gender")
    told: dict[str, Any] = {"about": "audit", "subject": subject, "resource": VECTORS} | given
    return Record(results=results, glossary=GLOSSARY, **told)


def changed(before: float, now: float, verdict: Verdict, metric: str = "weat") -> Result:
    return Result(
        now=made(now, metric=metric),
        before=made(before, metric=metric),
        change=Change(difference=now - before, verdict=verdict),
        control=Control(values=(before,) * 19, directions=1, mean=before),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_is_answered_in_three_lines(kind: str, request: pytest.FixtureRequest) -> None:
    lines = after_verdict(request.getfixturevalue(kind))
    assert len(lines) == 3
    for line in lines:
        assert line.endswith(".")
        assert "None" not in line
        assert "nan" not in line.lower().split()


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (
            made(1.72, 1.45, 1.84),
            "These vectors associate male names with career and female names with family strongly "
            "(1.72 on a scale of ±2; 95 % interval 1.45 to 1.84).",
        ),
        (made(0.6, 0.5, 0.7), "female names with family moderately (0.60"),
        (made(0.3, 0.2, 0.4), "family weakly (0.30"),
        (made(0.1, 0.05, 0.2), "Undecided: the tested association, "),
        (made(0.9, 0.6, 1.2), "family at least moderately (0.90"),
        (
            made(-1.2, -1.5, -0.8),
            "associate male names with family and female names with career strongly (−1.20",
        ),
        (made(0.9, -0.1, 1.5), "Undecided: the tested association, "),
        (made(0.9), "family (0.90 on a scale of ±2; no interval); it is not judged."),
        (made(0.9, p=0.4), "Undecided: the tested association, "),
        (made(0.9, 0.5, 1.2, metric="rnd"), "The association test is “Career” (0.90; 95 %"),
    ],
)
def test_the_first_line_says_how_strongly_what_is_associated(item: Measurement, said: str) -> None:
    assert said in after_verdict(record(Result(now=item)))[0]


def test_the_strongest_of_several_tests_is_told_and_how_many_are_significant() -> None:
    weak = Result(
        now=made(0.3, 0.1, 0.5, p=0.04), corrected=Corrected(holm=0.08, benjamini_hochberg=0.04)
    )
    strong = Result(
        now=made(-1.5, -1.8, -1.1, p=0.01), corrected=Corrected(holm=0.02, benjamini_hochberg=0.02)
    )
    first, second, third = after_verdict(record(weak, strong))
    assert "(−1.50 on a scale of ±2; 95 % interval −1.80 to −1.10), the strongest" in first
    assert "2 of 2 tests are significant (p ≤ .05); 1 after Holm’s correction" in second
    assert third.startswith("We measured word.vec (1,200 words, 50 dimensions) for “Gender” with 2")
    assert "The p-value of the test is 0.0400." in after_verdict(record(weak))[1]


def test_what_is_missing_or_has_no_value_is_told_in_the_account() -> None:
    whole = after_verdict(record(Result(now=made(0.5))))[2]
    assert "no value" not in whole
    assert "missing" not in whole
    gaps = record(
        Result(now=made(None)),
        Result(now=made(0.5, missing=("amy", "joan"))),
        left_out=(LeftOut(what="mac", why="no words"),),
    )
    told = after_verdict(gaps)[2]
    assert "1 of these has no value." in told
    assert "2 listed words are missing from the vectors" in told
    assert "“Left out” lists" in told


def test_an_audit_in_which_nothing_has_a_value_says_so() -> None:
    assert after_verdict(record(Result(now=made(None))))[0] == "Nothing could be measured."


def test_a_comparison_says_what_changed_what_remains_and_what_quality_did() -> None:
    found = record(
        changed(1.72, 0.4, "better"),
        changed(0.99, 0.84, "unclear", "recoverability"),
        changed(0.62, 0.55, "worse", "analogy"),
        baseline=replace(VECTORS, name="glove"),
        treatment=Treatment(expression="inlp"),
    )
    first, second, third = after_verdict(found)
    assert "(male names with career and female names with family) went from 1.72 to 0.40" in first
    assert "after inlp" in first
    assert answer(found)[0].startswith("inlp reduced the bias by 54 % on average; none of 19")
    assert "(better in 1 of 2 measures, worse in none)" in answer(found)[0]
    assert answer(found)[0].endswith("Quality is lost in 1 of 1 benchmark.")
    assert "still be recovered (50 % is chance): “Career” 84 % (99 % before)" in second
    assert "analogy from 0.620 to 0.550 (larger is better)" in second
    assert "inlp was applied to glove. We compared the result (word.vec) with the orig" in third


def test_what_falls_to_chance_is_not_called_recoverable() -> None:
    fallen = changed(0.99, 0.51, "better", "recoverability")
    second = after_verdict(record(fallen, baseline=VECTORS))[1]
    assert "No longer recovered (50 % is chance): “Career” 51 % (99 % before)" in second
    assert "still be recovered" not in second


def test_shares_of_an_association_test_are_not_called_recoverable() -> None:
    second = after_verdict(record(changed(0.32, 0.58, "unclear", "bat"), baseline=VECTORS))[1]
    assert "recovered" not in second


def test_only_measurements_on_the_same_words_compare() -> None:
    other = replace(changed(1.0, 0.5, "unknown"), not_comparable="other words", change=None)
    lines = after_verdict(record(other, changed(1.7, 0.2, "better"), baseline=VECTORS))
    assert "went from 1.70 to 0.20" in lines[0]
    assert "1 more measure used different words" in lines[2]
    assert "nothing can be compared" in after_verdict(record(other, baseline=VECTORS))[0]


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("better", "; a clear improvement)"),
        ("worse", "; change undecided)"),  # every control is worse
        ("unclear", "; change undecided)"),
        ("unknown", "(larger is better)"),
    ],
)
def test_a_probe_says_whether_its_first_score_changed(verdict: Verdict, said: str) -> None:
    result = replace(
        changed(0.5, 0.6, verdict, "eta"),
        control=Control(values=(0.52, *(0.58,) * 18), directions=1, mean=0.55),
    )
    lines = after_verdict(record(result, about="probe", baseline=VECTORS))
    assert "Career (η) went from 0.500 to 0.600 (larger is better" in lines[0]
    assert said in lines[0]
    assert "Removing 1 random direction instead gave 0.550 on average (19 draws)." in lines[1]


def test_a_probe_repeats_what_stands_out(probed: Record) -> None:
    [said] = [exhibit.says for exhibit in probed.exhibits if exhibit.says]
    assert said.startswith("The right answer is least likely for “")
    assert said in after_verdict(probed)[0]
    assert "2 draws" in after_verdict(probed)[1]
    assert "of its dev set" in after_verdict(probed)[1]


def test_a_study_names_its_front(studied: Record) -> None:
    best, correlated, account = after_verdict(studied)
    study = studied.study
    assert study is not None
    assert study.front is not None
    for row in study.front.order:
        assert (f"“{row.name}”" in best) == (row.front == 1)
    assert study.correlations is None or "Spearman" in correlated
    assert str(study.status) in account
    assert best.startswith("Best values: ")
    bare = replace(studied, study=replace(study, front=None, correlations=None))
    assert "no two measures" in after_verdict(bare)[0]
    assert "Too few rows" in after_verdict(bare)[1]
    without = replace(studied, study=replace(study, table=None))
    assert "Best values" not in " ".join(after_verdict(without))


def test_every_view_begins_with_the_verdict_that_the_record_has(audited: Record) -> None:
    found = judged(audited)
    assert found.conclusion is not None
    assert answer(audited)[0] == answer(found)[0] == found.conclusion.sentence
    assert "association tests of “" in found.conclusion.sentence


def test_a_best_row_is_sure_only_if_its_interval_is_apart_from_all_others() -> None:
    def line(*spans: tuple[float, float] | None) -> str:
        cells = [
            TableCell(state="done", value=sum(span) / 2 if span else 0.9, interval=span)
            for span in spans
        ]
        cells[0] = replace(cells[0], best=True)
        rows = [TableRow(key=("glove", f"m{n}"), cells=(cell,)) for n, cell in enumerate(cells)]
        column = TableColumn(label="E", measure="E", better="smaller")
        return _best(StudyTable(by=("resource", "method"), columns=(column,), rows=tuple(rows)))

    assert line((0.1, 0.2), (0.3, 0.4)) == (
        "Best values: E: “m0”. The best row is shown to be better than all others in 1 of 1 "
        "measure."
    )
    for others in [((0.2, 0.4),), ((0.3, 0.4), (0.15, 0.5)), ((0.3, 0.4), None)]:
        assert "in none of 1 measure; in the others, intervals overlap" in line((0.1, 0.2), *others)
