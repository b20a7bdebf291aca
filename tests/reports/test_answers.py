"""The three sentences, worked out by hand."""

import json
from typing import Any

import pytest

from unslant.core.errors import UnslantError
from unslant.reports.answers import answer
from unslant.reports.answers.compared import clearly, comparable

KINDS = ("audited", "compared", "probed", "studied")
QUALITY = ("similarity", "analogy")


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_is_answered_in_three_sentences(
    kind: str, request: pytest.FixtureRequest
) -> None:
    sentences = answer(request.getfixturevalue(kind))
    assert len(sentences) == 3
    for sentence in sentences:
        assert sentence[0].isupper() or not sentence[0].isalpha() or sentence.startswith("glove")
        assert sentence.endswith(".")
        assert "None" not in sentence
        assert "nan" not in sentence.lower().split()


def test_an_audit_says_what_its_numbers_say(audited: dict[str, Any]) -> None:
    tests = [item for item in audited["measurements"] if item["metric"] == "weat"]
    strongest = max(tests, key=lambda item: abs(item["value"]))
    clear = sum(item["p"]["value"] <= 0.05 for item in tests)
    holm = audited["corrections"]["weat"]["holm"]
    after = sum(value <= 0.05 for value in holm.values())
    first, second, third = answer(audited)
    assert f"{len(tests)} association tests" in first
    assert f"{len(audited['measurements']) - len(tests)} other measurements" in first
    assert strongest["title"] in second
    assert f"{strongest['value']:.2f}" in second
    assert f"{clear} of {len(tests)} tests" in third
    assert f"({after} after Holm" in third
    assert f"{strongest['interval']['low']:.2f} to {strongest['interval']['high']:.2f}" in third
    lean = next(item for item in audited["measurements"] if item["metric"] == "direct-bias")
    assert f"mean lean is {lean['interval']['low']:.3f} to {lean['interval']['high']:.3f}" in third


def test_a_name_of_a_file_keeps_its_first_letter(audited: dict[str, Any]) -> None:
    named = audited | {"vectors": audited["vectors"] | {"name": "word.vec"}}
    assert answer(named)[0].startswith("word.vec (")


def test_one_test_is_not_called_the_strongest_of_many(audited: dict[str, Any]) -> None:
    one = next(item for item in audited["measurements"] if item["metric"] == "weat")
    _, second, third = answer(audited | {"measurements": [one]})
    assert "strongest" not in second + third
    assert "Holm" not in third
    assert f"The p of the test is {one['p']['value']:.4f}" in third
    _, _, third = answer(audited | {"measurements": [one | {"interval": None}]})
    assert "the effect has no interval" in third


def test_what_has_no_value_or_was_left_out_is_said_at_once(audited: dict[str, Any]) -> None:
    assert "no value" not in answer(audited | {"left_out": []})[0]
    assert "could not be measured" not in answer(audited | {"left_out": []})[0]
    [first, *rest] = audited["measurements"]
    gone = [first | {"value": None, "interval": None, "p": None}, *rest]
    lacking = audited | {"measurements": gone, "left_out": [{"what": "mac", "why": "no words"}]}
    assert "1 of these has no value" in answer(lacking)[0]
    assert "what could not be measured is named under “Every word”" in answer(lacking)[0]


def test_an_audit_without_tests_or_leans_still_has_an_answer(audited: dict[str, Any]) -> None:
    for left in (["same"], ["direct-bias"], []):
        some = [item for item in audited["measurements"] if item["metric"] in left]
        sentences = answer(audited | {"measurements": some})
        assert len(sentences) == 3
    assert "Neither" in sentences[1]


def item(value: float, low: float, high: float, better: str = "closer to 0") -> dict[str, Any]:
    return {"value": value, "better": better, "interval": {"low": low, "high": high, "level": 0.95}}


def test_clear_differences_are_those_whose_intervals_do_not_overlap() -> None:
    before = item(1.0, 0.8, 1.2)
    cases = [
        ("better", item(0.1, 0.0, 0.2), before),
        ("worse", item(-1.6, -1.9, -1.3), before),
        ("neither", item(0.5, 0.1, 0.9), before),
        ("open", item(0.1, 0.0, 0.2) | {"interval": None}, before),
        ("worse", item(0.1, 0.0, 0.2, "larger"), item(1, 0.8, 1.2, "larger")),
    ]
    for verdict, now, then in cases:
        assert clearly([(now, then)]) == {verdict: 1}
    assert clearly([(now, then) for _, now, then in cases])["worse"] == 2


@pytest.mark.parametrize(
    ("better", "before", "now", "verdict"),
    [
        ("closer to 0", (0.4, 0.6), (-0.6, -0.4), "neither"),  # the other sign, and as strong
        ("closer to 0", (0.4, 0.6), (-0.7, -0.5), "neither"),
        ("closer to 0", (0.4, 0.6), (-0.3, -0.1), "better"),
        ("closer to 0", (-0.3, 0.1), (0.4, 0.6), "worse"),
        ("closer to 0.5", (0.8, 0.9), (0.1, 0.2), "neither"),
        ("closer to 0.5", (0.8, 0.9), (0.4, 0.45), "better"),
        ("closer to 0.5", (0.4, 0.7), (0.05, 0.15), "worse"),
        ("smaller", (0.4, 0.6), (-0.6, -0.4), "better"),
        ("larger", (0.4, 0.6), (-0.6, -0.4), "worse"),
        ("", (0.4, 0.6), (-0.6, -0.4), "open"),
    ],
)
def test_better_is_by_the_distance_from_the_goal_on_either_side(
    better: str, before: tuple[float, float], now: tuple[float, float], verdict: str
) -> None:
    first, second = (item(sum(ends) / 2, *ends, better) for ends in (now, before))
    assert clearly([(first, second)]) == {verdict: 1}


def test_only_measurements_on_the_same_words_compare(compared: dict[str, Any]) -> None:
    whole = len(comparable(compared))
    copy: dict[str, Any] = json.loads(json.dumps(compared))
    copy["before"][0]["words"][0]["used"].pop()
    copy["measurements"][1]["value"] = None
    assert len(comparable(copy)) == whole - 2
    assert "2 more used other words or have no value" in answer(copy)[0]


def test_a_comparison_names_what_it_was_and_what_it_is(compared: dict[str, Any]) -> None:
    _, changed, remains = answer(compared)
    clusters = [
        next(part["value"] for part in compared[side] if part["metric"] == "clustering")
        for side in ("measurements", "before")
    ]
    assert f"accuracy {clusters[0]:.2f} (before {clusters[1]:.2f}, fair is 0.5)" in remains
    lean = [
        next(part["value"] for part in compared[side] if part["metric"] == "direct-bias")
        for side in ("before", "measurements")
    ]
    assert f"went from {lean[0]:.3f} to {lean[1]:.3f}" in changed
    bias = [pair for pair in comparable(compared) if pair[0]["metric"] not in QUALITY]
    told = clearly(bias)
    assert f"of {len(bias)} measurements of bias {told['better']} are clearly better" in changed
    assert f"{told['neither']} measurements of bias without a clear difference" in remains
    assert told["open"] > 0
    assert f"and {told['open']} without an interval to tell by" in remains


def test_a_probe_names_the_words_it_goes_worst_and_best_with(probed: dict[str, Any]) -> None:
    words = sorted(probed["words"]["hypothesis"], key=lambda word: word["right"])
    _, found, sure = answer(probed)
    assert f"least probable for “{words[0]['words'][0]}”" in found
    assert f"most for “{words[-1]['words'][0]}”" in found
    assert "2 removals of random directions" in sure


def test_a_study_names_its_front_and_its_closest_measures(studied: dict[str, Any]) -> None:
    first, second, _ = answer(studied)
    assert studied["status"]["says"].rstrip(".") in first
    for row in studied["front"]["order"]:
        assert (f"“{row['name']}”" in second) == (row["front"] == 1)
    bare = studied | {"front": None, "correlations": None}
    assert len(answer(bare)) == 3


def test_a_study_says_what_does_not_compare_and_when_rows_are_few(studied: dict[str, Any]) -> None:
    copy: dict[str, Any] = json.loads(json.dumps(studied))
    assert "≠" not in answer(copy)[1]
    copy["front"]["order"][0]["other_words"] = [True, False]
    assert "those marked ≠ used other words" in answer(copy)[1]
    pairs = copy["correlations"]["pairs"]
    for pair in pairs:
        pair |= {"value": 0.5, "n": 12, "corrected": 0.2}
    assert "so few rows allow no more than a guess" in answer(copy)[2]
    for pair in pairs:
        pair |= {"n": 40, "corrected": 0.01}
    assert "guess" not in answer(copy)[2]
    count = sum(pair["kind"] == "spearman" for pair in pairs)
    assert f"Of {count} pairs of measures {count} have an adjusted p" in answer(copy)[2]


def test_a_change_whose_interval_holds_0_may_be_none(probed: dict[str, Any]) -> None:
    copy: dict[str, Any] = json.loads(json.dumps(probed))
    for low, high, said in ((-9.0, -2.0, "which leaves 0 out"), (-9.0, 2.0, "may be no change")):
        copy["changes"][0]["interval"] = {"low": low, "high": high, "level": 0.95}
        assert said in answer(copy)[2]


def test_a_record_of_an_unknown_kind_has_no_answer() -> None:
    with pytest.raises(UnslantError, match="no report"):
        answer({"kind": "a poem"})
