"""The name-swap probe: known recalls come out, gaps are calibrated, nothing is asked twice."""

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import kstest

from tests.probes.name_swap.made import (
    CORPUS,
    GENDER,
    RACE,
    TABLE,
    Made,
    by_name,
    noisy,
    run,
    sentence,
)
from unslant.core.exhibits import Examples, Points, Shares, Table
from unslant.datasets.conll2003 import Span, TaggedSentence
from unslant.measures.setting import Setting
from unslant.probes.name_swap.probe import NameSwap
from unslant.probes.name_swap.tagging import EXACT, NOTHING, PARTLY, NameSwapSet, outcome_of
from unslant.probes.person_mentions import source_of


def test_known_recalls_and_gaps_come_out_exactly() -> None:
    def kind(name: str, text: str) -> str:
        if GENDER.get(name) == "female":
            return "PER" if "Mr" in text else "LOC"  # half of the mentions
        return "PER"

    found = by_name(run(Made(kind)))
    assert found["recall-female"].value == 0.5
    assert found["recall-male"].value == 1.0
    assert found["gap-female-male"].value == -0.5
    assert found["gap-african-american-european"].value == 0
    assert found["largest-gender-x-race"].value == 0.5
    assert found["own"].value == 0.5  # Kim is found, Lee Wu only in part
    for item in found.values():
        assert item.interval is not None
        assert item.interval.low <= item.value <= item.interval.high  # type: ignore[operator]
    p = found["gap-female-male"].p
    assert p is not None
    # Of the ways to give ten of 20 names of each race a gender, two separate them as far.
    assert p.how == "exact"
    assert p.value == pytest.approx(2 / 184_756**2)
    same = found["gap-african-american-european"].p
    assert same is not None
    assert same.value == 1
    spread = found["largest-gender-x-race"].p
    assert spread is not None
    assert spread.value == 1 / 20_001
    assert found["gap-female-male"].details["any-overlap"] == -0.5


def test_a_tagger_blind_to_names_has_no_gap() -> None:
    found = by_name(run(Made(lambda _, text: "PER" if "Mr" in text else "")))
    gaps = [item for name, item in found.items() if name.startswith(("gap", "largest"))]
    assert len(gaps) == 9
    for item in gaps:
        assert item.value == 0
        assert item.p is not None
        assert item.p.value == 1
        assert item.interval is not None
        assert (item.interval.low, item.interval.high) == (0, 0)


def test_the_words_of_the_name_must_be_exact_unless_told() -> None:
    class Wide(Made):
        def _tags(self, words: list[str]) -> list[str]:
            tags = super()._tags(words)
            for place, tag in enumerate(tags):
                if tag != "O" and RACE.get(words[place]) == "European" and place:
                    tags[place - 1 : place + 1] = ["B-PER", "I-PER"]
            return tags

    exact, overlap = (
        by_name(run(Wide(lambda *_: "PER"), match=match)) for match in ("exact", "overlap")
    )
    assert exact["gap-african-american-european"].value == 1
    assert exact["gap-african-american-european"].details["any-overlap"] == 0
    assert overlap["gap-african-american-european"].value == 0
    assert overlap["gap-african-american-european"].details["exact-words"] == 1


def test_outcomes_are_told_apart() -> None:
    name, persons = Span(2, 3, "PER"), frozenset({"PER", "PERSON"})
    assert outcome_of(name, [Span(2, 3, "PERSON")], persons) == EXACT
    assert outcome_of(name, [Span(3, 3, "PER"), Span(2, 2, "LOC")], persons) == PARTLY
    assert outcome_of(name, [Span(1, 4, "PER")], persons) == PARTLY
    assert outcome_of(name, [Span(2, 3, "LOC")], persons) == "LOC"
    assert outcome_of(name, [Span(0, 2, "LOC"), Span(3, 3, "ORG")], persons) == "LOC"
    assert outcome_of(name, [Span(0, 2, "LOC"), Span(3, 9, "ORG")], frozenset()) == "LOC"
    assert outcome_of(name, [Span(0, 1, "PER"), Span(4, 4, "LOC")], persons) == NOTHING


def slow(tagger: Made, corpus: Sequence[TaggedSentence]) -> dict[str, float]:
    """Recall of each name, one sentence at a time, without the reader's or the probe's code."""
    hits = dict.fromkeys(TABLE.names, 0)
    mentions = 0
    for item in corpus:
        words, place = list(item.words), 0
        while place < len(words):
            end = place
            while end < len(words) and item.tags[end].endswith("PER"):
                end += 1
            if end > place:
                mentions += 1
                for name in TABLE.names:
                    swapped = [*words[:place], name, *words[end:]]
                    [tags] = tagger.tag([swapped])
                    after = tags[place + 1] if place + 1 < len(swapped) else "O"
                    hits[name] += tags[place].endswith("-PER") and after != "I-PER"
                place = end
            place += 1
    return {name: count / mentions for name, count in hits.items()}


def test_a_second_implementation_gives_the_same_recalls() -> None:
    found = run(Made(noisy(1)))
    expected = slow(Made(noisy(1)), CORPUS)
    shown = {
        point.label: point.x
        for item in found.exhibits
        if isinstance(item, Points)
        for point in item.points
    }
    mean = sum(expected.values()) / 40
    assert shown == pytest.approx({name: value - mean for name, value in expected.items()})
    for name, item in by_name(found).items():
        for by in ("gender", "race", "gender × race"):
            for group, names in TABLE.groups(by).items():
                if name == f"recall-{group.lower().replace(' × ', '-x-')}":
                    value = sum(expected[one] for one in names) / len(names)
                    assert item.value == pytest.approx(value)


def test_p_values_are_uniform_if_the_group_does_not_matter() -> None:
    one_pair, largest = list[float](), list[float]()
    for seed in range(60):
        found = by_name(run(Made(noisy(seed)), resamples=0, permutations=300))
        for name, kept in (("gap-female-male", one_pair), ("largest-gender-x-race", largest)):
            p = found[name].p
            assert p is not None
            kept.append(p.value)
    assert kstest(one_pair, "uniform").pvalue > 0.01
    assert kstest(largest, "uniform").pvalue > 0.01


def test_intervals_cover_the_recall_over_all_names_and_sentences() -> None:
    """Names with a chance to be found, of a population in which women are found .2 more often."""
    covered = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        chance = {
            name: float(np.clip(0.5 + 0.2 * (g == "female") + 0.1 * rng.standard_normal(), 0, 1))
            for name, g in GENDER.items()
        }
        made = Made(lambda name, _, r=rng, c=chance: "PER" if r.random() < c.get(name, 1) else "")  # type: ignore[misc]
        interval = by_name(run(made))["gap-female-male"].interval
        assert interval is not None
        covered += interval.low <= 0.2 <= interval.high
    assert covered >= 34  # 38 of 40 are expected; crossed resampling errs on the wide side


def test_exhibits_show_what_lost_names_became() -> None:
    def kind(name: str, text: str) -> str:
        if GENDER.get(name) == "female" and RACE.get(name) == "European":
            return "LOC" if "Mr" in text else ""
        return "PER"

    found = run(Made(kind))
    shares = next(item for item in found.exhibits if isinstance(item, Shares))
    assert shares.labels == (EXACT, PARTLY, "LOC", NOTHING)
    rows = {row.label: row.shares for row in shares.rows}
    assert rows["female × European"] == (0, 0, 0.5, 0.5)
    assert rows["male × European"] == (1, 0, 0, 0)
    cases = next(item for item in found.exhibits if isinstance(item, Examples)).cases
    assert len(cases) == 5
    assert all(case.numbers == (1.0, 0.0) for case in cases)
    assert any("LOC" in case.texts[2] for case in cases)
    table = next(item for item in found.exhibits if isinstance(item, Table))
    assert [row[1] for row in table.rows][-1] == "the corpus' own names"
    panels = [item for item in found.exhibits if isinstance(item, Points)]
    assert [len(panel.points) for panel in panels] == [10] * 4


def test_each_sentence_is_tagged_once_also_if_the_corpus_repeats_it() -> None:
    made, twice = Made(lambda *_: "PER"), Made(lambda *_: "PER")
    once, double = run(made), run(twice, corpus=CORPUS * 2)
    assert len(made.asked) == len(set(made.asked)) == 40 * 41
    assert set(twice.asked) == set(made.asked)
    assert len(twice.asked) == len(made.asked)
    assert by_name(once)["gap-female-male"].details["sentences-tagged"] == 40 * 41
    assert by_name(double)["gap-female-male"].details["mentions"] == 80


def test_memory_does_not_hold_the_sentences_with_names() -> None:
    words = " ".join(f"word{number}" for number in range(400))
    corpus = tuple(sentence(f"Kim {n} {words}", "I-PER" + " O" * 401) for n in range(60))

    class Quiet:
        def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
            return [["B-PER"] + ["O"] * (len(words) - 1) for words in sentences]

    asked = NameSwapSet(source=source_of(corpus), names=TABLE)
    tracemalloc.start()
    NameSwap(resamples=50).run(Quiet(), asked, Setting())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All 2,460 sentences of 402 words, held as two tuples, are 16 MB.
    assert most < 4e6


def test_a_sample_is_drawn_by_its_seed_and_stated() -> None:
    def asked(seed: int) -> list[str]:
        made = Made(lambda *_: "PER")
        probe = NameSwap(sentences=7, seed=seed, resamples=0)
        swaps = NameSwapSet(source=source_of(CORPUS), names=TABLE, limit=7, seed=seed)
        found = probe.run(made, swaps, Setting())
        assert ("33 sentences that were not drawn", "a sample was asked for") in [
            (item.what, item.why) for item in found.left_out
        ]
        assert swaps.subject().facts["sample"] == f"7 of 40 sentences, seed {seed}"
        return sorted({" ".join(words) for words in made.asked})

    assert asked(0) == asked(0) != asked(1)
    assert len(asked(0)) == 7 * 41
