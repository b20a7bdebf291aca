"""Extremes, slices and tables of words: by loops over all pairs."""

import numpy as np
import pytest

from tests.probes.small_sets import random_answers, small_set
from unslant.core.errors import UndefinedMeasureError, UnknownNameError, UnslantError
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.tables import averages, extremes, mean_answer


def polarity() -> Answers:
    words = ("rude", "kind", "terrible", "terrible")
    pairs = small_set(words, ("iraqi", "swiss", "rude"), 5, same_word=False)
    return random_answers(pairs, 3)


def every(answers: Answers) -> list[tuple[str, str, str, str, float, float, float]]:
    pairs, found = answers.set, []
    for i, j, k in np.ndindex(*pairs.grid.shape):
        premise, hypothesis = pairs.premise_words[i], pairs.hypothesis_words[j]
        if premise != hypothesis:
            verb, thing = pairs.context_words[k]
            found.append((premise, hypothesis, verb, thing, *answers.probabilities[i, j, k]))
    return [(*row[:4], *map(float, row[4:])) for row in found]


@pytest.mark.parametrize(("label", "column"), [("entailment", 4), ("contradiction", 6)])
def test_extremes_are_the_head_of_the_sorted_list(label: str, column: int) -> None:
    answers = polarity()
    expected = sorted(every(answers), key=lambda row: -float(row[column]))[:7]
    found = extremes(answers, label, 7)
    assert [
        (x.premise_word, x.hypothesis_word, *x.context, x.entailment, x.neutral, x.contradiction)
        for x in found
    ] == expected
    assert found[0].premise.startswith(f"The {found[0].premise_word} ")
    assert found[0].to_dict()["context"] == list(found[0].context)


def test_one_for_each_pair_takes_the_strongest_context_of_it() -> None:
    answers = random_answers(small_set(4, 3, 6), 4)
    found = extremes(answers, "entailment", 100, one_for_each_pair=True)
    best = answers.probabilities[..., 0].max(axis=2)
    assert len({(x.premise_word, x.hypothesis_word) for x in found}) == len(found) == 12
    assert [x.entailment for x in found] == sorted(best.ravel().tolist(), reverse=True)


def test_of_equal_pairs_the_first_is_taken_and_fewer_than_k_are_all() -> None:
    pairs = small_set(2, 2, 2)
    answers = Answers(pairs, np.full((2, 2, 2, 3), 1 / 3, dtype=np.float32))
    places = [(x.premise_word, x.hypothesis_word, x.context[1]) for x in extremes(answers, k=3)]
    assert places == [("p0", "h0", "o0"), ("p0", "h0", "o1"), ("p0", "h1", "o0")]
    assert len(extremes(answers, k=50)) == 8


def test_wrong_labels_and_counts_are_refused() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "entailment"'):
        extremes(polarity(), "entailed")
    with pytest.raises(UnslantError, match="at least 1"):
        extremes(polarity(), k=0)


def test_a_slice_is_the_mean_over_its_pairs() -> None:
    answers = polarity()
    chosen = [r for r in every(answers) if r[0] in ("rude", "terrible") and r[2] == "v1"]
    found = mean_answer(answers, premises=["rude", "Terrible"], contexts={"verb": ["v1"]})
    means = np.mean([row[4:] for row in chosen], axis=0)
    assert (found.entailment, found.neutral, found.contradiction) == pytest.approx(tuple(means))
    assert found.pairs == len(chosen)
    assert found.fraction_neutral == pytest.approx(np.mean([r[5] == max(r[4:]) for r in chosen]))


def test_a_slice_of_everything_is_the_whole_mean() -> None:
    answers = polarity()
    found = mean_answer(answers)
    assert found.pairs == len(answers.set)
    assert found.neutral == pytest.approx(np.mean([row[5] for row in every(answers)]))


def test_unknown_words_come_with_a_guess_and_empty_slices_are_refused() -> None:
    answers = polarity()
    with pytest.raises(UnknownNameError, match='Did you mean "iraqi"'):
        mean_answer(answers, hypotheses=["iraki"])
    with pytest.raises(UnknownNameError, match="verb"):
        mean_answer(answers, contexts={"verbs": ["v1"]})
    with pytest.raises(UnknownNameError, match='No verb of small is called "v9"'):
        mean_answer(answers, contexts={"verb": ["v9"]})
    with pytest.raises(UndefinedMeasureError, match="rude, rude"):
        mean_answer(answers, premises=["rude"], hypotheses=["rude"])
    with pytest.raises(UndefinedMeasureError, match=r"No sentence of .* together: v0, o1"):
        mean_answer(answers, contexts={"verb": ["v0"], "object": ["o1"]})


@pytest.mark.parametrize(
    ("by", "columns"),
    [("premise", [0]), ("hypothesis", [1]), ("pair", [0, 1]), ("verb", [2]), ("object", [3])],
)
def test_tables_have_one_row_for_each_word_with_its_mean(by: str, columns: list[int]) -> None:
    answers = polarity()
    rows: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for row in every(answers):
        e, n, c = row[4:]
        key = tuple(str(row[column]) for column in columns)
        rows.setdefault(key, []).append((e, n, c, float(n == max(e, n, c))))
    found = {average.words: average for average in averages(answers, by)}
    assert list(found) == list(rows)
    for key, numbers in rows.items():
        one = found[key]
        assert one.pairs == len(numbers)
        assert (
            one.entailment,
            one.neutral,
            one.contradiction,
            one.fraction_neutral,
        ) == pytest.approx(tuple(np.mean(numbers, axis=0)), rel=1e-9)


def test_a_table_by_something_else_is_refused() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "verb"'):
        averages(polarity(), "verbs")


def test_a_pair_of_words_is_shown_once_though_a_list_repeats_a_word() -> None:
    pairs = small_set(("evil", "good", "evil"), ("x", "y"), 3)
    answers = random_answers(pairs, 4)
    found = extremes(answers, "entailment", 10, one_for_each_pair=True)
    shown = [(item.premise_word, item.hypothesis_word) for item in found]
    assert sorted(shown) == [("evil", "x"), ("evil", "y"), ("good", "x"), ("good", "y")]
    for item in found:
        rows = [n for n, word in enumerate(pairs.premise_words) if word == item.premise_word]
        column = pairs.hypothesis_words.index(item.hypothesis_word)
        assert item.entailment == answers.probabilities[rows, column, :, 0].max()
    assert [item.entailment for item in found] == sorted(
        (item.entailment for item in found), reverse=True
    )


def test_no_words_mean_all_words() -> None:
    answers = polarity()
    assert mean_answer(answers, premises=[]).pairs == mean_answer(answers).pairs
