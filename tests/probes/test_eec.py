"""The Equity Evaluation Corpus: what it promises, a second computation, and real vectors."""

import csv
import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import unslant as us
from experiments.null_worlds import (
    World,
    claims,
    names_in_templates,
    one_loud_name,
    random_words,
)
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Table
from unslant.core.measurement import Measurement
from unslant.core.types import Array
from unslant.measures.setting import Findings, Setting
from unslant.models.sentiment_scorers import LexiconReader
from unslant.probes.eec.corpus import FilledTemplate, corpus
from unslant.probes.eec.differences import Contrast, exchange_test
from unslant.probes.eec.probe import Eec
from unslant.vectors import WordVectors

RELEASED = Path(os.environ.get("UNSLANT_DATA", "none")) / "eec" / "Equity-Evaluation-Corpus.csv"
needs_release = pytest.mark.skipif(not RELEASED.exists(), reason="UNSLANT_DATA lacks the EEC")
EMOTIONS = ("anger", "sadness", "fear", "joy")


def released() -> list[dict[str, str]]:
    with RELEASED.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@needs_release
def test_the_sentences_are_those_of_the_release() -> None:
    made = {
        (
            item.text(one),
            one.gender,
            one.race,
            "" if item.emotion == "none" else item.emotion,
            item.word,
            one.text if "{subject}" in item.sentence else one.object,
        )
        for item in corpus().items
        for one in corpus().people
    }
    keys = ("Sentence", "Gender", "Race", "Emotion", "Emotion word", "Person")
    rows = released()
    assert made == {tuple(row[key] for key in keys) for row in rows}
    assert len(made) == len(rows) == len(corpus()) == 8_640
    by_template: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        by_template[row["Template"]].add(row["Sentence"])
    mine: dict[str, set[str]] = defaultdict(set)
    for item in corpus().items:
        mine[item.template] |= {item.text(one) for one in corpus().people}
    assert sorted(map(sorted, by_template.values())) == sorted(map(sorted, mine.values()))


class Scorer:
    """A score for the words of a text, plus what is added for some of them."""

    def __init__(self, **added: float) -> None:
        self.added = added

    def score(self, texts: Sequence[str]) -> list[float]:
        return [self._one(text.lower().strip(".").split()) for text in texts]

    def _one(self, words: list[str]) -> float:
        base = 0.01 * (len(words) % 5) - (0.5 if "angry" in words else 0.0)
        return base + sum(value for word, value in self.added.items() if word in words)


def people_words(**wanted: str) -> list[str]:
    """A word that only these people have: the name, or the last word of the phrase."""
    chosen = [
        one
        for one in corpus().people
        if all(getattr(one, key) == value for key, value in wanted.items())
    ]
    return [part.split()[-1].lower() for one in chosen for part in {one.text, one.object}]


def found(scorer: Scorer, **how: int) -> dict[str, Measurement]:
    findings = Eec(**{"resamples": 50, **how}).run(scorer, None, Setting())
    assert isinstance(findings, Findings)
    return {item.metric: item for item in findings.measurements}


def test_a_scorer_that_ignores_people_gives_exactly_0() -> None:
    measured = found(Scorer())
    assert len(measured) == 2 * (2 + 5 + 11)
    for item in measured.values():
        assert item.value == 0
        assert item.p is None or item.p.value == 1
        assert item.interval is None or (item.interval.low, item.interval.high) == (0, 0)
        assert "p" not in " ".join(item.details).split("-"), "no p-value counts sentences"


@pytest.mark.parametrize(
    ("group", "contrast", "sign", "other"),
    [
        ({"gender": "female"}, "gender", 1, "race"),
        ({"gender": "male"}, "gender", -1, "race"),
        ({"race": "African-American"}, "race", 1, "gender"),
        ({"race": "European"}, "race", -1, "gender"),
    ],
)
def test_what_is_added_for_one_group_is_the_difference_everywhere(
    group: dict[str, str], contrast: str, sign: int, other: str
) -> None:
    measured = found(Scorer(**dict.fromkeys(people_words(**group), 0.125)))
    for name, item in measured.items():
        if name == f"eec-{contrast}-absolute":
            assert item.value == pytest.approx(0.125, abs=1e-12)
        elif name.startswith(f"eec-{contrast}"):
            assert item.value == pytest.approx(sign * 0.125, abs=1e-12), name
        else:
            assert item.value == pytest.approx(0, abs=1e-12), name
    p = measured[f"eec-{contrast}"].p
    assert p is not None
    assert p.value == pytest.approx(1 / 10_001)
    assert measured[f"eec-{other}"].p is not None


def test_every_item_gives_eleven_differences_by_gender_and_two_by_race() -> None:
    measured = found(Scorer())
    assert measured["eec-gender"].details["pairs"] == 144 * 11
    assert measured["eec-race"].details["pairs"] == 144 * 2
    assert [measured[f"eec-gender-emotion-{e}"].details["items"] for e in EMOTIONS] == [35] * 4
    assert measured["eec-gender-template-saw"].details["items"] == 1


def small_contrast(seed: int = 0) -> Contrast:
    """Two templates with three emotion words each, two pairs of phrases, 3 + 2 names in cells."""
    items = tuple(
        FilledTemplate(template, "{subject}", "joy", word) for template in "AB" for word in "xyz"
    )
    scores = np.random.default_rng(seed).normal(0, 0.3, (6, 12))
    names = (((4, 5), (6,)), ((7, 8), (9, 10, 11)))
    return Contrast("gender", ("f", "m"), items, scores, ((0, 1), (2, 3)), (names,))


def mean_difference(scores: Array, people: Sequence[Sequence[int]]) -> float:
    """The mean of the differences of two pairs and of the means of two sides of names."""
    (a, b), (c, d), women, men = people
    each = [
        row[a] - row[b] + row[c] - row[d] + np.mean(row[list(women)]) - np.mean(row[list(men)])
        for row in scores
    ]
    return float(np.mean(each)) / 3


def test_p_is_the_share_of_exchanges_of_people_that_are_as_extreme() -> None:
    for seed in range(3):
        contrast = small_contrast(seed)
        found = []
        for flips in product((False, True), repeat=2):
            pairs = [
                pair[::-1] if flip else pair
                for pair, flip in zip(contrast.pairs, flips, strict=True)
            ]
            for first in combinations((4, 5, 7, 8), 2):
                for second in combinations((6, 9, 10, 11), 1):
                    women = {*first, *second}
                    people = [*pairs, sorted(women), sorted({*range(4, 12)} - women)]
                    found.append(abs(mean_difference(contrast.scores, people)))
        observed = abs(mean_difference(contrast.scores, [(0, 1), (2, 3), (4, 5, 6), range(7, 12)]))
        exact = float(np.mean(np.array(found) >= observed - 1e-12))
        p = exchange_test(contrast, np.random.default_rng(seed))
        assert p.value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000))


def test_people_templates_and_words_are_left_out_one_at_a_time() -> None:
    contrast = small_contrast()
    scores, pairs = contrast.scores, [(0, 1), (2, 3)]
    drawn = contrast.resampled(np.positive, np.random.default_rng(0), 50)
    assert drawn is not None
    templates, words, phrases, *cells = drawn.without
    women, men = (4, 5, 6), (7, 8, 9, 10, 11)
    every = [*pairs, women, men]
    assert templates == pytest.approx(
        [mean_difference(scores[rows], every) for rows in ([3, 4, 5], [0, 1, 2])]
    )
    assert words == pytest.approx(
        [mean_difference(np.delete(scores, [n, n + 3], axis=0), every) for n in range(3)]
    )
    # The other pair counts for both, as a resample has as many pairs as there are.
    assert phrases == pytest.approx(
        [mean_difference(scores, [pairs[1 - n], pairs[1 - n], women, men]) for n in range(2)]
    )
    assert [len(cell) for cell in cells] == [2, 2, 3], "a cell of one name is taken as given"
    assert cells[2] == pytest.approx(
        [
            mean_difference(scores, [*pairs, women, [one for one in men if one != n]])
            for n in (9, 10, 11)
        ]
    )


@pytest.mark.parametrize("world", [random_words, one_loud_name, names_in_templates])
def test_scorers_that_only_have_moods_about_single_words_are_not_called_biased(
    world: World,
) -> None:
    assert max(claims("eec", world, 0.0, 30).values()) <= 5, "29 of 30 if only sentences are drawn"


def test_a_scorer_with_moods_that_also_prefers_a_group_is_called_biased() -> None:
    assert min(claims("eec", random_words, 0.4, 10).values()) >= 9


@needs_release
def test_vader_on_the_release_computed_anew() -> None:
    vader = pytest.importorskip("vaderSentiment.vaderSentiment")
    analyser = vader.SentimentIntensityAnalyzer()
    scores: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    about: dict[str, dict[str, str]] = {}
    emotions = {}
    object_form = {"him": "he", "her": "she"}
    for row in released():
        item, person = (row["Template"], row["Emotion word"]), row["Person"]
        person = object_form.get(person, person)
        scores[item][person] = analyser.polarity_scores(row["Sentence"])["compound"]
        about[person], emotions[item] = row, row["Emotion"]
    phrases = ["he she", "this man/this woman", "this boy/this girl", "my brother/my sister"]
    phrases += ["my son/my daughter", "my husband/my wife", "my boyfriend/my girlfriend"]
    phrases += ["my father/my mother", "my uncle/my aunt", "my dad/my mom"]
    couples = [pair.replace("he she", "he/she").split("/") for pair in phrases]

    def names(item: tuple[str, str], **wanted: str) -> float:
        return float(
            np.mean(
                [
                    value
                    for person, value in scores[item].items()
                    if about[person]["Race"]
                    and all(about[person][key] == text for key, text in wanted.items())
                ]
            )
        )

    women, men, black, white = [], [], [], []
    by_emotion: dict[str, list[float]] = defaultdict(list)
    for item, found in scores.items():
        women += [found[she] for _, she in couples] + [names(item, Gender="female")]
        men += [found[he] for he, _ in couples] + [names(item, Gender="male")]
        by_emotion[emotions[item]] += [a - b for a, b in zip(women[-11:], men[-11:], strict=True)]
        for gender in ("female", "male"):
            black.append(names(item, Gender=gender, Race="African-American"))
            white.append(names(item, Gender=gender, Race="European"))
    record = us.probe("eec(resamples=200)").record
    mine = {result.now.metric: result.now for result in record.results}
    for contrast, first, second in (("gender", women, men), ("race", black, white)):
        whole = mine[f"eec-{contrast}"]
        assert whole.value == pytest.approx(np.mean(first) - np.mean(second), abs=1e-12)
        sizes = np.abs(np.subtract(first, second))
        assert mine[f"eec-{contrast}-absolute"].value == pytest.approx(sizes.mean(), abs=1e-12)
    for emotion in EMOTIONS:
        value = mine[f"eec-gender-emotion-{emotion}"].value
        assert value == pytest.approx(np.mean(by_emotion[emotion]), abs=1e-12)
    # Of all these people, only "Tia" is an entry of VADER's lexicon.
    assert mine["eec-race"].value == pytest.approx(0.02297, abs=5e-6)
    assert mine["eec-race"].interval is not None
    assert mine["eec-race"].interval.low == 0, "without her there is no difference"
    [people] = [item for item in record.exhibits if isinstance(item, Table)]
    assert people.rows[0][0] == "Tia"
    assert "“Tia” differ most" in people.says


def test_a_debiased_space_is_compared_with_its_own_classifier(glove: WordVectors) -> None:
    record = us.probe("eec(resamples=200)", glove, method="hard", compare=True, controls=2).record
    gender = record.results[0]
    assert gender.before is not None
    assert gender.change is not None
    assert gender.control is not None
    scorer = LexiconReader().on(glove)
    pairs = [(f"My {a} feels sad.", f"My {b} feels sad.") for a, b in (("aunt", "uncle"),)]
    for first, second in pairs:
        one, other = scorer.score([first, second])
        words = [scorer.score([text])[0] for text in ("aunt", "uncle")]
        assert one - other == pytest.approx((words[0] - words[1]) / 4)
    assert scorer.score(["wonderful happy"])[0] > 0.5 > -0.5 > scorer.score(["horrible evil"])[0]
    assert record.predictor is not None
    assert float(record.predictor.facts["held-out-accuracy"] or 0) > 0.85  # type: ignore[arg-type]
    assert abs(gender.now.value or 0) < abs(gender.before.value or 0)
    assert gender.change.verdict == "unclear", "another ten pairs of phrases might not agree"
    assert abs(gender.control.mean - (gender.before.value or 0)) < 0.01, "random ones change little"
    assert record.treatment is not None
    assert record.treatment.concept == "gender"
    assert all(result.corrected for result in record.results if result.now.p)


def test_people_and_emotions_that_vectors_lack_are_left_out_in_pairs(glove: WordVectors) -> None:
    gone = ("tia", "aunt", "vexing", "him")
    some = glove.only([word for word in glove.words if word not in gone])
    record = us.probe("eec(resamples=0)", some).record
    missing = record.subject.facts
    assert set(missing["missing-people"]) == {"Tia", "my aunt", "my uncle", "he", "she"}  # type: ignore[arg-type]
    assert missing["missing-emotion-words"] == ("vexing",)
    gender = record.results[0].now
    assert gender.details["pairs"] == (144 - 3) * 9
    assert gender.words[0].missing == ("Tia", "she", "my aunt")
    with pytest.raises(UnslantError, match="Tia"):
        us.probe("eec", some, policy=us.WordPolicy(missing="fail"))
    only = WordVectors.of({"she": [1.0, 0.0], "he": [0.0, 1.0]}, name="tiny")
    with pytest.raises(UnslantError, match="lacks the words of the Equity Evaluation Corpus"):
        us.probe("eec", only)


class Wrong:
    """A scorer that gives what it was told to."""

    def __init__(self, answers: object) -> None:
        self.answers = answers

    def score(self, texts: Sequence[str]) -> object:
        return self.answers


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (np.zeros((512, 2)), "expected one number for each"),
        (np.full(512, 5.0), 'gave 5 for "Alonzo feels angry."; expected a number from −1 to 1'),
        (np.full(512, np.nan), "gave nan"),
    ],
)
def test_what_is_no_score_is_refused(answers: object, says: str) -> None:
    with pytest.raises(UnslantError, match=says):
        us.probe("eec", Wrong(answers))


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from unslant.models import sentiment_scorers

    sentiment_scorers._analyser.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "vaderSentiment", None)
    with pytest.raises(UnslantError, match=r'pip install "unslant\[sentiment\]"'):
        us.probe("eec")
