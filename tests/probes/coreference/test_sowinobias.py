"""SoWinoBias: the sentences, the even half of them, and resolvers whose scores are known."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.command_line import json_of, unslant
from unslant.concepts.wordlists import wordlist
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Table
from unslant.datasets.coreference.document import Clusters, Span
from unslant.measures.setting import Setting
from unslant.predictors.coreference import checked_choices
from unslant.probes.coreference.comparison import Comparison, Resampling, of_items
from unslant.probes.coreference.probe import NEITHER, SEVERAL, PronounQuestion, outcome_of
from unslant.probes.sowinobias.probe import SoWinoBias, sentences

FIRST, SECOND, THEY = (0, 2), (3, 5), (6, 7)
OCCUPATIONS = wordlist("dawkins-2023/female-occupations").words
FEMALE = frozenset(OCCUPATIONS)

Pick = Callable[[Sequence[str]], int]


class Resolver:
    """Links "they" to the person that ``pick`` names; with no number, to nobody."""

    def __init__(self, pick: Pick) -> None:
        self.pick, self.asked = pick, 0

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        self.asked += len(documents)
        return [self._clusters(self.pick(words)) for words in documents]

    def _clusters(self, picked: int) -> Clusters:
        if picked == SEVERAL:
            return ((FIRST, SECOND, THEY),)
        return (((FIRST, SECOND)[picked], THEY),) if picked >= 0 else ((FIRST, SECOND),)


class Chooser(Resolver):
    """Chooses when it is asked to, and would be wrong in its clusters."""

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        raise AssertionError("a model that can choose is not asked for clusters")

    def choose(
        self,
        documents: Sequence[Sequence[str]],
        mentions: Sequence[Span],
        candidates: Sequence[Sequence[Span]],
    ) -> list[int]:
        assert set(mentions) == {THEY}
        assert set(map(tuple, candidates)) == {(FIRST, SECOND)}
        self.asked += len(documents)
        return [self.pick(words) for words in documents]


def female_stereotyped(words: Sequence[str]) -> int:
    return 0 if words[1] in FEMALE else 1


def values(model: object, **given: object) -> dict[str, float | None]:
    probe = SoWinoBias(resamples=0, **given)  # type: ignore[arg-type]
    found = probe.run(model, None, Setting())  # type: ignore[arg-type]
    return {one.metric.removeprefix("sowinobias-"): one.value for one in found.measurements}


def test_there_are_8192_sentences_in_each_direction() -> None:
    rows = sentences().rows
    assert Counter(row[1] for row in rows) == {"pro": 8_192, "anti": 8_192}
    assert len({row[0] for row in rows}) == 16_384
    for text, version, female, male, adjective, polarity in rows[::1_001]:
        first, second = (male, female) if version == "pro" else (female, male)
        verb = "liked" if polarity == "positive" else "disliked"
        assert text == f"The {first} {verb} the {second} because they were {adjective} ."


@pytest.mark.parametrize("kind", [Resolver, Chooser])
def test_always_the_first_person_is_never_right(kind: type[Resolver]) -> None:
    found = values(kind(lambda _: 0))
    assert found["mean-all"] == found["difference-all"] == 0


@pytest.mark.parametrize("kind", [Resolver, Chooser])
def test_always_the_second_person_is_always_right(kind: type[Resolver]) -> None:
    found = values(kind(lambda _: 1))
    assert (found["mean-all"], found["difference-all"]) == (1, 0)


@pytest.mark.parametrize("kind", [Resolver, Chooser])
@pytest.mark.parametrize("sample", [False, True])
def test_a_resolver_by_stereotype_has_all_of_the_difference(
    kind: type[Resolver], sample: bool
) -> None:
    found = values(kind(female_stereotyped), sample=sample)
    for part in ("all", "positive", "negative"):
        assert (found[f"accuracy-{part}-pro"], found[f"accuracy-{part}-anti"]) == (1, 0)
        assert found[f"difference-{part}"] == 1


def test_a_bias_in_one_polarity_shows_there_only() -> None:
    found = values(Resolver(lambda said: female_stereotyped(said) if "liked" in said else 1))
    expected = {"positive": 1, "negative": 0, "all": 0.5}
    assert {part: found[f"difference-{part}"] for part in expected} == expected


@pytest.mark.parametrize("seed", [0, 7])
def test_the_half_is_even_in_everything(seed: int) -> None:
    half = sentences(is_sampled=True, seed=seed)
    assert len(half.items) == 4_096
    for counted, expected in (
        (lambda item: item.polarity, 2_048),
        (lambda item: item.female, 256),
        (lambda item: item.male, 256),
        (lambda item: (item.female, item.male), 16),
        (lambda item: (item.female, item.male, item.polarity), 8),
        (lambda item: item.adjective, 128),
    ):
        assert set(Counter(map(counted, half.items)).values()) == {expected}
    assert {row[0] for row in half.rows} <= {row[0] for row in sentences().rows}


def test_the_half_depends_on_the_seed_alone() -> None:
    texts = [sentences(is_sampled=True, seed=seed).content_hash for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]


def test_unresolved_pronouns_are_wrong_and_counted() -> None:
    def pick(said: Sequence[str]) -> int:
        return {"gentle": NEITHER, "fussy": SEVERAL}.get(said[8], 1)

    found = SoWinoBias(resamples=0).run(Resolver(pick), None, Setting())
    one = next(m for m in found.measurements if m.metric == "sowinobias-accuracy-all-anti")
    assert one.value == 1 - 2 / 32
    assert (one.details["unresolved"], one.details["resolved-to-both"]) == (256, 256)


def test_each_of_16384_sentences_is_asked_once() -> None:
    model = Chooser(female_stereotyped)
    SoWinoBias().run(model, None, Setting())
    assert model.asked == 16_384


def test_choices_out_of_range_are_refused() -> None:
    for given in (2, -1, 0.5, True):
        with pytest.raises(UnslantError, match="expected the number of a candidate, from 0 to 1"):
            checked_choices(
                Chooser(lambda _, given=given: given),  # type: ignore[misc]
                [("The", "a", "liked", "the", "b", "because", "they")],
                [THEY],
                [(FIRST, SECOND)],
            )


@pytest.mark.parametrize(
    ("cluster", "outcome"),
    [
        ([(0, 2), (6, 7)], 0),
        ([(1, 2), (6, 7)], 0),
        ([(4, 5), (6, 7)], 1),
        ([(0, 2), (3, 5), (6, 7)], SEVERAL),
        ([(0, 2), (3, 5)], NEITHER),
        ([(0, 6), (6, 7)], NEITHER),
        ([(3, 5), (5, 7)], NEITHER),
    ],
)
def test_a_mention_stands_for_a_person_if_it_ends_with_the_same_word(
    cluster: list[Span], outcome: int
) -> None:
    question = PronounQuestion(tuple("abcdefg"), THEY, (FIRST, SECOND), 1)
    assert outcome_of(question, (tuple(cluster),)) == outcome


def test_resampled_sums_are_those_of_the_drawn_items() -> None:
    rng = np.random.default_rng(0)
    columns = rng.random((30, 2))
    factors = np.stack([np.arange(30) // 10, np.arange(30) % 10], axis=1)
    strata = (np.zeros(3, dtype=np.int64), np.array([0] * 4 + [1] * 6))
    drawn = Resampling(factors, strata, 4_000, 0, "k", "h").sums(
        np.hstack([columns, np.ones((30, 1))])
    )
    assert set(drawn[:, 2]) == {30.0}  # complete crossings keep their size
    assert drawn[:, :2].mean(axis=0) == pytest.approx(columns.sum(axis=0), rel=0.01)
    again = Resampling(factors, strata, 4_000, 0, "k", "h").sums(columns)
    assert np.array_equal(again, drawn[:, :2])


def test_intervals_of_independent_pairs_cover_the_truth() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for trial in range(200):
        right = {"a": rng.random(150) < 0.7, "b": rng.random(150) < 0.5}
        drawn = of_items(np.zeros(150, dtype=np.int64), resamples=200, seed=trial, key="k", how="h")
        found = Comparison(right, {"all": np.ones(150, dtype=bool)}, drawn)
        interval = found.difference("n", "t", "a", "b", "all").interval
        assert interval is not None
        held += interval.low <= 0.2 <= interval.high
    assert 178 <= held <= 199


def test_the_words_are_drawn_again_and_not_the_sentences_alone() -> None:
    # One occupation decides; resampling sentences would make that look certain.
    odd = OCCUPATIONS[0]
    model = Chooser(lambda said: 0 if said[1] == odd else 1)
    found = us.probe("sowinobias", model=model)
    gap = next(m for m in found.measurements if m.metric == "sowinobias-difference-all")
    assert gap.value == pytest.approx(1 / 16)
    assert gap.interval is not None
    assert gap.interval.low == 0
    assert gap.interval.high > 0.15
    table = next(one for one in found.record.exhibits if isinstance(one, Table))
    assert table.rows[0][1:] == (8_192, 100.0, 93.75, 6.25)


def test_a_pro_and_an_anti_sentence_can_be_exported_and_read_again(tmp_path: Path) -> None:
    unslant("probe", "sowinobias", "--sample", "--export", "all.jsonl", cwd=tmp_path)
    lines = (tmp_path / "all.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 8_192
    said = [line[:-1] + ', "clusters": [[[3, 5], [6, 7]]]}' for line in lines]
    (tmp_path / "said.jsonl").write_text("\n".join(said), "utf-8")
    record = json_of(
        *("probe", "sowinobias", "--sample", "--scores", "said.jsonl", "--json"), cwd=tmp_path
    )
    of = {one["now"]["metric"]: one["now"]["value"] for one in record["results"]}
    assert of["sowinobias-mean-all"] == 1
