"""The probe on made-up models: worked examples, laws, and no score without a usable answer."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.probes.stereoset.made_items import Answers, inter, intra, odds, random_answer, swap
from unslant.core.errors import UnslantError
from unslant.core.measurement import Measurement
from unslant.datasets.stereoset import StereosetItem, StereosetSentence
from unslant.measures.change import change_of
from unslant.measures.registry import MEASURES
from unslant.measures.setting import Findings, Setting
from unslant.predictors.answers import Scores
from unslant.predictors.protocols import Plausibility
from unslant.probes.export import write_rows
from unslant.probes.stereoset.probe import StereoSet
from unslant.probes.stereoset.questions import (
    NoTwin,
    Pair,
    Repair,
    StereoSetQuestions,
    questions_from,
    text_hash,
    twin_of,
)

TARGETS = ("mother", "sister", "girl")
ITEMS = [inter(n, target=TARGETS[n % 3]) for n in range(30)]
ITEMS += [intra(n, target=TARGETS[n % 3]) for n in range(30)]
ASKED = questions_from(ITEMS, swap=swap)


def run(model: object, asked: StereoSetQuestions = ASKED, **options: object) -> Findings:
    probe = StereoSet(**{"resamples": 0, **options})  # type: ignore[arg-type]
    return probe.run(model, asked, Setting())  # type: ignore[arg-type]


def found(
    model: object, asked: StereoSetQuestions = ASKED, **options: object
) -> dict[str, Measurement]:
    return {item.metric: item for item in run(model, asked, **options).measurements}


def one_item(context: str, stereotype: str, anti: str) -> StereoSetQuestions:
    item = StereosetItem(
        id="one",
        task="inter",
        target="x",
        domain="gender",
        context=context,
        stereotype=StereosetSentence("s", stereotype),
        anti=StereosetSentence("a", anti),
        unrelated=StereosetSentence("u", "My toothbrush is red."),
    )
    return questions_from([item], swap=swap)


@pytest.mark.parametrize(
    ("texts", "given", "expected"),
    [
        (
            ("One half is male.", "They are considered aggressive.", "They cry a lot."),
            {
                ("One half is male.", "They are considered aggressive."): 0.9994,
                ("One half is male.", "They cry a lot."): 0.9836,
                ("One half is female.", "They are considered aggressive."): 0.9997,
                ("One half is female.", "They cry a lot."): 0.9894,
            },
            0.0055,
        ),
        (
            ("My mother was there.", "She likes to bake.", "She wanted to study."),
            {
                ("My mother was there.", "She likes to bake."): 0.9986,
                ("My mother was there.", "She wanted to study."): 0.0253,
                ("My father was there.", "He likes to bake."): 0.9930,
                ("My father was there.", "He wanted to study."): 0.9888,
            },
            0.9691,
        ),
    ],
)
def test_the_worked_examples_of_the_thesis(
    texts: tuple[str, str, str], given: dict[tuple[str, str], float], expected: float
) -> None:
    model = Answers(lambda context, candidate: odds(given.get((context, candidate), 0.01)))
    strength = found(model, one_item(*texts), tasks="inter")["stereoset-strength"].value
    assert strength == pytest.approx(expected, abs=1e-9)
    assert f"{strength:.2f}" in ("0.01", "0.97")  # printed: .006 and .969, from more digits
    assert set(given) <= set(model.asked)


def test_distance_is_of_the_same_unrelated_sentence_after_either_context() -> None:
    asked = one_item("A man rests.", "He boxed.", "He knitted.")
    unrelated = "My toothbrush is red."
    given = {("A man rests.", unrelated): 0.0151, ("A woman rests.", unrelated): 0.9985}
    model = Answers(lambda *pair: odds(given.get(pair, 0.5)))
    distance = found(model, asked, tasks="inter")["stereoset-distance"].value
    assert distance == pytest.approx(0.9834, abs=1e-9)


def test_planted_preferences_are_the_scores() -> None:
    def answer(context: str, candidate: str) -> float:
        number = int("".join(filter(str.isdigit, candidate)))
        if "Rain" in candidate or "tin" in candidate:
            return -1.0
        prefers = number % 10 < 7  # in seven of ten items
        is_stereotype = "cooked" in candidate or "kind" in candidate
        return float(is_stereotype == prefers)

    measured = found(Answers(answer))
    for task in ("intra", "inter"):
        by_term = [[n % 10 < 7 for n in range(30) if n % 3 == term] for term in range(3)]
        expected = 100 * np.mean([np.mean(some) for some in by_term])
        assert measured[f"stereoset-ss-{task}-gender"].value == pytest.approx(expected)
        assert measured[f"stereoset-lms-{task}"].value == 100
        icat = measured[f"stereoset-icat-{task}"].value
        assert icat == pytest.approx(100 * min(expected, 100 - expected) / 50)
    assert measured["stereoset-ss"].details["ties"] == 0


def test_a_model_that_ignores_gender_has_no_strength_and_no_distance() -> None:
    measured = found(Answers(lambda context, candidate: float(len(candidate) - 12)))
    for name in ("strength", "distance"):
        assert measured[f"stereoset-{name}"].value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("ties", ["half", "against"])
def test_constant_answers_have_no_score_and_never_the_ideal_one(ties: str) -> None:
    measured = found(Answers(lambda context, candidate: 0.25), ties=ties)
    assert all(item.value is None for item in measured.values())
    assert "no usable answer" in measured["stereoset-ss"].why_undefined
    with pytest.raises(UnslantError, match="Answers has no score: every sentence has the same"):
        us.probe("stereoset", Answers(lambda context, candidate: 0.25), questions=ASKED)


def test_answers_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(UnslantError, match=r"Answers\.plausibility gave nan"):
        run(Answers(lambda context, candidate: np.nan))

    class Few:
        def plausibility(self, contexts: object, candidates: object) -> list[float]:
            return [0.0]

    with pytest.raises(UnslantError, match="expected one number for each"):
        run(Few())


def test_a_part_without_items_has_no_score() -> None:
    measured = found(Answers(random_answer()), domain="all")
    race = measured["stereoset-ss-intra-race"]
    assert (race.value, race.why_undefined) == (None, "there are no such items")


def test_neither_the_order_nor_the_number_of_items_asked_together_changes_an_item() -> None:
    """With two gaps in one item, peers' batches give later items the scores of others."""
    broken = replace(intra(99), context="My sister is BLANK and BLANK.")
    first = found(Answers(random_answer()))
    mixed = [ITEMS[n] for n in np.random.default_rng(0).permutation(len(ITEMS))]
    second = found(Answers(random_answer()), questions_from([broken, *mixed], swap=swap))
    for name, item in first.items():
        assert second[name].value == (None if item.value is None else pytest.approx(item.value))


def test_what_cannot_be_asked_is_left_out_by_rule_with_its_reason() -> None:
    whole = intra(1)
    items = [
        whole,
        replace(intra(2), context="My sister is BLANK and BLANK."),
        replace(intra(3), context="My sister 3 BLANKed."),
        replace(intra(4), context="My sister 4.BLANK"),
        replace(intra(5), context="Your sister 5 is BLANK."),
        replace(intra(6), context="My SISTER 6 is BLANK."),  # only the case differs
        replace(intra(7), context="My sister 7 is here."),
    ]
    asked = questions_from(items)
    assert [item.id for item in asked.items] == ["intra-1", "intra-6"]
    assert dict(asked.missing) == {
        "two-gaps": ("intra-2",),
        "part-of-a-word": ("intra-3", "intra-4"),
        "no-filler": ("intra-5",),
        "no-gap": ("intra-7",),
    }
    model = Answers(random_answer())
    findings = run(model, asked, tasks="intra")
    assert ("My SISTER 6 is [MASK].", "kind6") in model.asked, "one text for all models"
    assert {item.what for item in findings.left_out} == {
        "1 intra-sentence item",
        "2 intra-sentence items",
    }


def test_items_without_a_certain_twin_are_left_out_and_named() -> None:
    items = [
        inter(1),
        inter(2, context="My teacher came in."),
        inter(3, context="My mother saw her."),
    ]
    asked = questions_from(items, swap=swap)
    assert [pair.item.id for pair in asked.pairs] == ["inter-1"]
    assert dict(asked.missing) == {"nothing-swapped": ("inter-2",), "ambiguous-swap": ("inter-3",)}
    assert asked.ambiguous == ("inter-3: her",)
    facts = asked.subject().facts
    assert facts["left-out-ambiguous-swap"] == ("inter-3",)
    [pair] = asked.pairs
    assert pair.twin.context == "My father came in. 1"
    assert pair.twin.stereotype.text == "He boxed 1.", "labels change places"
    assert pair.twin.unrelated == pair.item.unrelated


def test_a_twin_that_was_read_is_taken_only_as_it_was_read() -> None:
    item = inter(3, context="My mother saw her.")
    as_read = replace(
        item,
        context="My father saw her. 3",
        stereotype=StereosetSentence("", "He cooked 3."),
        anti=StereosetSentence("", "He boxed 3."),
    )
    right = text_hash(as_read)
    assert isinstance(twin_of(item, swap, confirmed=right), Pair)
    assert isinstance(twin_of(item, swap, confirmed="another"), NoTwin)
    assert isinstance(twin_of(item, swap, [Repair("context", "father", "dad")], right), NoTwin)


def test_the_top_share_is_a_parameter_and_the_most_biased_come_first() -> None:
    model = Answers(random_answer())
    every = found(model, top=1.0)["stereoset-strength"]
    tenth, half = (found(model, top=share)["stereoset-strength"] for share in (0.1, 0.5))
    assert every.value == pytest.approx(every.details["mean-of-all"])
    assert (tenth.value or 0) > (half.value or 0) > (every.value or 0)
    assert tenth.details["top-items"] == 3
    exhibit = next(item for item in run(model).exhibits if item.id == "strongest")
    numbers = [case.numbers for case in exhibit.cases]  # type: ignore[union-attr]
    assert [case[-1] for case in numbers] == sorted((case[-1] for case in numbers), reverse=True)
    for case in numbers:
        assert case[-1] == pytest.approx(case[0] - case[1] + case[2] - case[3])
    assert np.mean([case[-1] for case in numbers[:3]]) == pytest.approx(tenth.value)


def test_development_and_held_out_are_two_halves_that_stay_the_same() -> None:
    from unslant.probes.stereoset.questions import part_of

    parts = [part_of(inter(n)) for n in range(1_000)]
    assert 430 < parts.count("development") < 570
    assert parts[:100] == [part_of(inter(n)) for n in range(100)]


def test_before_and_after_are_paired_and_intervals_hold_their_values() -> None:
    now, before = (found(Answers(random_answer(seed)), resamples=200) for seed in (1, 2))
    for name, item in now.items():
        if item.value is None:
            continue
        assert item.draws is not None, name
        change = change_of(item, before[name])
        assert change.difference == pytest.approx((item.value) - (before[name].value or 0))
        if item.interval:
            assert item.interval.low <= item.value <= item.interval.high
        same = change_of(item, item)
        assert same.difference == 0
        assert same.interval is None or (same.interval.low, same.interval.high) == (0, 0)
    strength = now["stereoset-strength"]
    assert strength.interval is not None
    assert strength.interval.how == "BCa bootstrap over items"
    assert {"low-over-terms", "high-over-terms", "by-chance"} <= strength.details.keys()
    score = now["stereoset-ss-inter"]
    assert "low-over-items" in score.details
    assert "with 3 target terms the interval may be too narrow" in score.warnings
    other = questions_from(ITEMS[:-1], swap=swap)
    others = found(Answers(random_answer(2)), other, resamples=200)
    assert change_of(score, others["stereoset-ss-inter"]).interval is None, "other items"


def test_strength_without_bias_is_above_0_and_its_p_value_says_so() -> None:
    """The mean of the largest tenth is not 0 if signs are random; p must not call that bias."""
    items = [inter(n, target=TARGETS[n % 3]) for n in range(60)]
    asked = questions_from(items, swap=swap)
    p_values = []
    for seed in range(20):
        strength = found(Answers(random_answer(seed)), asked, resamples=100, tasks="inter")[
            "stereoset-strength"
        ]
        assert (strength.value or 0) > 0.1
        assert strength.p is not None
        p_values.append(strength.p.value)
    assert 0.2 < np.mean(p_values) < 0.8
    assert np.mean(np.array(p_values) < 0.05) < 0.2

    def biased(context: str, candidate: str) -> float:
        fits = ("cooked" in candidate) == ("mother" in context)
        return random_answer()(context, candidate) + 2.0 * fits

    planted = found(Answers(biased), asked, resamples=100, tasks="inter")["stereoset-strength"]
    assert planted.p is not None
    assert planted.p.is_floor
    assert (planted.value or 0) > float(planted.details["by-chance"] or 0)
    assert float(planted.details["strength-of-anti-stereotypes"] or 0) < 0


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_answers_made_elsewhere_come_back_as_the_same_scores(tmp_path: Path, ending: str) -> None:
    columns, count, rows = StereoSet().exported(ASKED)
    exported, answered = tmp_path / f"texts{ending}", tmp_path / f"answers{ending}"
    write_rows(columns, rows, count, exported)
    answer = random_answer()
    if ending == ".csv":
        read = csv.reader(exported.read_text().splitlines())
        lines: list[list[object]] = list(map(list, read))
        lines = [
            [*lines[0], "plausibility"],
            *([*row, answer(str(row[0]), str(row[1]))] for row in lines[1:]),
        ]
        with answered.open("w", newline="") as stream:
            csv.writer(stream).writerows(lines)
    else:
        objects = [json.loads(line) for line in exported.read_text().splitlines()]
        for each in objects:
            each["plausibility"] = answer(each["context"], each["candidate"])
        answered.write_text("\n".join(map(json.dumps, objects)))
    theirs, ours = found(Scores(answered, Plausibility)), found(Answers(answer))
    assert {name: item.value for name, item in theirs.items()} == pytest.approx(
        {name: item.value for name, item in ours.items()}
    )
    assert count == 3 * (30 + 30) + 3 * 30 + 30 * 4 * 2  # items, twins, controls


def test_a_kind_that_a_model_cannot_answer_is_refused_with_what_to_do() -> None:
    class OnlyGaps(Answers):
        def plausibility(self, contexts, candidates, scoring="words"):  # type: ignore[no-untyped-def]
            if "[MASK]" not in contexts[0]:
                raise UnslantError("It has no next-sentence head.")
            return super().plausibility(contexts, candidates, scoring)

    model = OnlyGaps(random_answer())
    with pytest.raises(UnslantError, match=r"no next-sentence head\. .*tasks=intra"):
        run(model)
    only = questions_from([item for item in ITEMS if item.task == "intra"], swap=swap)
    measured = found(model, only, tasks="intra")
    assert measured["stereoset-ss-intra"].value is not None
    assert "stereoset-strength" not in measured


def test_the_published_scoring_is_passed_to_the_model_and_twins_are_judged_by_odds() -> None:
    asked: list[tuple[str, bool]] = []

    class Notes(Answers):
        def plausibility(self, contexts, candidates, scoring="words"):  # type: ignore[no-untyped-def]
            asked.append((scoring, "[MASK]" in contexts[0]))
            return super().plausibility(contexts, candidates, scoring)

    run(Notes(random_answer()), scoring="published")
    assert set(asked) == {("published", True), ("published", False), ("words", False)}


def test_every_score_is_declared_and_within_its_range() -> None:
    declared = MEASURES.entry("stereoset").facts
    for seed in range(3):
        for name, item in found(Answers(random_answer(seed))).items():
            if item.value is not None:
                assert declared.score(name).range.holds(item.value)
