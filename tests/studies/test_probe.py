"""The NLI probe from vectors to record: enough to make it again, and what was left out."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unslant as us
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.exhibits import Examples, Shares, Table
from unslant.core.record import Record
from unslant.erasers.eraser import directions_touched
from unslant.methods.pipeline import debias, fit
from unslant.methods.streaming import debiased
from unslant.models.nli.trained import builtin_nli
from unslant.probes.nli import measured
from unslant.probes.nli.answers import ask
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.scores import measures_of
from unslant.probes.nli.sets import pair_set
from unslant.vectors import WordVectors

TWO = 'linear(subspace="pair-pca(definitional, k=2)")'
"""A method that is fast and removes two directions."""
MINE = """
name = "mine"
concept = "gender"
cites = ["dev-2020", "A note of mine"]
sentence = "{determiner} {subject} {verb} {article} {object} ."
activities = "fitting"
premise = ["nurse", "doctor"]

[hypothesis]
groups = { male = ["man", "gentleman"], female = ["woman"] }
"""


def probed(expression: str, *given: Any, **how: Any) -> Record:
    return us.probe(expression, *given, **how).record


def exhibit(record: Record, name: str, when: str = "now") -> Any:
    [found] = [item for item in record.exhibits if item.id == name and item.when == when]
    return found


def test_a_probe_gives_what_its_parts_give(glove: WordVectors) -> None:
    record = probed("nli(contexts=12, seed=1, resamples=50)", glove)
    pairs = pair_set("gender-occupation", contexts=12, seed=1)
    by_hand = measures_of(ask(pairs, builtin_nli().on(glove)), seed=1, resamples=50)
    for result, item in zip(record.results, by_hand, strict=True):
        assert (result.now.value, result.now.interval) == (item.value, item.interval)
        assert result.now.better == "larger"
        assert result.now.inputs["set_sha256"] == pairs.content_hash
        assert result.now.inputs["model_sha256"] == builtin_nli().sha256
        assert result.now.seed == 1
    assert record.subject.facts["pairs"] == 164 * 6 * 12
    assert [item.what for item in record.left_out] == ["a"], "which the vectors lack"
    assert record.predictor is not None
    assert float(record.predictor.facts["dev-accuracy"] or 0) >= 0.78  # type: ignore[arg-type]
    assert len(exhibit(record, "words-premise").rows) == 164
    assert record.glossary["nli-threshold-0.5"].short == "T:0.5"


def made_again(record: Record, folder: Path) -> PairSet:
    """The set that a record describes, from nothing but the record."""
    facts: Any = record.subject.definition
    name = record.subject.name.split(".sample")[0]
    if "template" in facts:
        name = str(folder / "again.toml")
        Path(name).write_text(facts["template"]["text"])
    return pair_set(name, **facts["options"])


@pytest.mark.parametrize("is_mine", [False, True])
def test_every_number_can_be_made_again_from_the_record_alone(
    is_mine: bool, glove: WordVectors, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    name = tmp_path / "mine.toml" if is_mine else "gender-occupation"
    record = probed(
        f"nli(set={name}, determiner=a, pairing=all-things, contexts=4, resamples=20)",
        glove,
        method=TWO,
        policy=WordPolicy(missing="drop", case="any"),
        compare=True,
        controls=2,
        seed=5,
    )
    if is_mine:
        definition: Any = record.subject.definition
        sha256 = hashlib.sha256(MINE.encode()).hexdigest()
        assert definition["template"] == {"text": MINE, "sha256": sha256}
        assert record.subject.references[1] == "A note of mine"
    again = made_again(record, tmp_path)
    assert again.content_hash == record.subject.sha256
    treatment, control = record.treatment, record.results[0].control
    assert treatment is not None
    assert control is not None
    policy = WordPolicy(missing=record.settings["missing"], case=record.settings["case"])  # type: ignore[arg-type]
    by, seed, k = concept(treatment.concept), int(record.settings["seed"] or 0), control.directions  # type: ignore[arg-type]
    values = []
    for method in (
        treatment.expression,
        "",
        f"random(seed={seed}, k={k})",
        f"random({seed + 1}, {k})",
    ):
        space = debiased(glove, fit(method, glove, by, policy)) if method else glove
        found = measures_of(ask(again, builtin_nli().on(space)), seed=seed, resamples=20)
        values.append([item.value for item in found])
        if method == treatment.expression:
            assert record.resource is not None
            assert space.content_hash == record.resource.sha256
    assert values[0] == [result.now.value for result in record.results]
    assert values[1] == [result.before and result.before.value for result in record.results]
    for place, result in enumerate(record.results):
        assert result.control is not None
        assert list(result.control.values) == [row[place] for row in values[2:]]
    assert record.predictor is not None
    assert record.predictor.facts["training-settings-seed"] == 0
    assert record.predictor.facts["training-pairs-train-bad-lines"] == 0
    assert not any("epochs-1" in key for key in record.predictor.facts)


def test_comparing_puts_before_change_and_controls_beside_each_measure(glove: WordVectors) -> None:
    expression = "nli(set=marked-attribute, contexts=12, seed=1, resamples=40)"
    record = probed(expression, glove, method="inlp", compare=True, controls=3)
    plain = probed(expression, glove)
    for result, alone in zip(record.results, plain.results, strict=True):
        now, before = result.now, result.before
        assert before == alone.now
        assert before is not None
        assert before.value is not None
        assert now.value is not None
        assert result.change is not None
        assert result.change.percent == pytest.approx(
            100 * (now.value - before.value) / before.value
        )
        assert result.change.verdict in ("better", "worse", "unclear")
        assert result.control is not None
        assert len(result.control.values) == 3
        assert result.control.mean == pytest.approx(np.mean(result.control.values))
        assert (result.corrected is None) == (now.p is None)
    for name in ("answers", "answers-words"):
        old, new = (exhibit(record, name, when) for when in ("before", "now"))
        assert isinstance(new, Shares)
        assert [row.label for row in old.rows] == [row.label for row in new.rows]
    assert exhibit(record, "answers", "before") == us_before(exhibit(plain, "answers"))


def us_before(item: Shares) -> Shares:
    return Shares(**{**vars(item), "when": "before"})


def test_controls_remove_as_many_directions_as_the_method(glove: WordVectors) -> None:
    gender = concept("gender")
    record = probed(
        "nli(set=marked-attribute, contexts=2, resamples=0)",
        glove,
        method=TWO,
        compare=True,
        controls=1,
    )
    assert record.results[0].control is not None
    assert record.results[0].control.directions == 2
    assert record.controls is not None
    assert (record.controls.draws, record.controls.directions) == (1, 2)
    assert directions_touched(fit("misp", glove, gender)) == 4
    assert directions_touched(fit("linear | random(k=3)", glove, gender)) == 4


def test_the_mean_answer_of_two_words_is_that_of_their_sentences(glove: WordVectors) -> None:
    pairs = pair_set("nationality", contexts=12, seed=1)
    expression = 'nli(set=nationality, contexts=12, seed=1, resamples=0, slice="rude,iraqi")'
    found = exhibit(probed(expression, glove), "slices")
    assert isinstance(found, Table)
    sentences = [
        context.sentence(filler)
        for filler in ("The rude", "The Iraqi")
        for context in pairs.grid.contexts
    ]
    assert all(" person " in sentence for sentence in sentences)
    answers = builtin_nli().on(glove).predict(sentences[:12], sentences[12:])
    [row] = found.rows
    assert row[0] == "rude → iraqi"
    assert row[1] == pytest.approx(answers[:, 0].mean(), abs=1e-5)


def without(glove: WordVectors, *words: str) -> WordVectors:
    """The vectors without some words."""
    return glove.only([word for word in glove.words if word not in words])


def test_words_without_a_vector_are_left_out_and_listed(glove: WordVectors) -> None:
    pairs = pair_set("gender-occupation", contexts=3)
    lost = ("accountant", "lady", "gentleman")
    some = without(glove, *lost)
    expression = "nli(contexts=3, resamples=0)"
    record = probed(expression, some)
    facts: Any = record.subject.facts
    assert "accountant" in facts["missing-premises"]
    assert set(facts["missing-hypotheses"]) == {"lady", "gentleman"}
    for result in record.results:
        premises, hypotheses = result.now.words
        assert premises.missing == facts["missing-premises"]
        assert len(premises.used) + len(premises.missing) == 164
        assert hypotheses.used == ("man", "woman", "guy", "girl")
        assert hypotheses.missing == facts["missing-hypotheses"]
    gone = facts["missing-premises"]
    left = [place for place, word in enumerate(pairs.premise_words) if word not in gone]
    chosen = [place for place, word in enumerate(pairs.hypothesis_words) if word not in lost]
    by_hand = ask(pairs, builtin_nli().on(some)).probabilities[np.ix_(left, chosen)]
    assert record.results[0].now.value == pytest.approx(by_hand[..., 1].mean(), abs=1e-6)
    with pytest.raises(MissingWordsError, match=r"accountant.*lady"):
        probed(expression, some, policy=WordPolicy(missing="fail"))
    with pytest.raises(UnslantError, match="no sets to balance"):
        probed(expression, some, policy=WordPolicy(missing="balance"))
    with pytest.raises(UnslantError, match=r'"Lady" is not in .*left out of the hypotheses'):
        probed('nli(contexts=3, slice="nurse,Lady")', some)


def test_a_measure_of_a_group_that_lost_all_words_is_undefined(glove: WordVectors) -> None:
    some = without(glove, "she", "woman", "girl", "lady")
    record = probed("nli(set=marked-attribute, contexts=2, resamples=5)", some)
    found = {result.now.metric: result.now for result in record.results}
    assert list(found) == [
        f"marked-{what}{kind}"
        for kind in ("", "-nouns", "-pronouns")
        for what in ("error", "distance")
    ]
    assert found["marked-distance-nouns"].value is None
    assert "she" in found["marked-distance-nouns"].why_undefined
    assert found["marked-error"].value is None
    assert found["marked-error-nouns"].value is not None
    eta = probed("nli(contexts=2, resamples=0)", some).results[-1].now
    assert eta.metric == "nli-fairness"
    assert "at least two" in eta.why_undefined
    sirt = probed("nli(set=sirt, contexts=2, resamples=0)", some)
    assert [result.now.value is None for result in sirt.results] == [False] * 4 + [True] * 4


def test_warnings_stand_first_for_hashed_sentences_and_for_other_vectors(
    glove: WordVectors,
) -> None:
    pairs = pair_set("marked-attribute", contexts=12, seed=1)
    assert probed("nli(resamples=0)", glove, questions=pairs).warnings == ()
    kept = {"person", *pairs.hypothesis_words, "."}
    some = WordVectors.of({word: glove[word].tolist() for word in sorted(kept)}, name="other")
    warnings = probed("nli(resamples=0)", some, questions=pairs).warnings
    assert "words that the sentences share" in warnings[0]
    assert "By their hashes, other was not made from glove.6B.100d" in warnings[1]


def test_retention_shows_what_is_furthest_from_its_right_answer(glove: WordVectors) -> None:
    pairs = pair_set("sirt", contexts=6)
    record = probed("nli(set=sirt, contexts=6, resamples=0, examples=3)", glove)
    answers = ask(pairs, builtin_nli().on(glove)).probabilities
    male = set(pairs.premise_groups["male"])
    best: dict[tuple[int, int], tuple[float, int]] = {}
    for p, h, c in np.ndindex(*pairs.grid.shape):
        if p != h:
            right = float(answers[p, h, c, 0 if (p in male) == (h in male) else 2])
            best[p, h] = min(best.get((p, h), (1.0, c)), (right, c))
    lowest = sorted(best, key=lambda two: best[two])[:3]
    shown = exhibit(record, "examples-furthest")
    assert isinstance(shown, Examples)
    assert [case.texts for case in shown.cases] == [
        pairs.grid.pair(p, h, best[p, h][1]) for p, h in lowest
    ]
    for case in shown.cases:
        assert case.numbers[shown.numbers.index(case.right)] < 0.9
    words = pairs.premise_words
    for row in exhibit(record, "words-premise").rows:
        place = words.index(row[0])
        mine = [
            answers[place, h, c, 0 if (place in male) == (h in male) else 2]
            for h in range(6)
            for c in range(6)
            if h != place
        ]
        assert row[4] == pytest.approx(np.mean(mine), abs=1e-6)


def test_what_makes_no_sense_is_refused_in_one_sentence(glove: WordVectors, tmp_path: Path) -> None:
    narrow = WordVectors.of({"person": [1.0, 0.0], "man": [0.0, 1.0]}, name="narrow")
    (tmp_path / "mine.toml").write_text(MINE.replace('concept = "gender"\n', ""))
    marked = "nli(set=marked-attribute)"
    for expression, given, how, says in (
        ("nli", (glove,), {"compare": True}, "nothing to compare with"),
        (f"nli(set={tmp_path / 'mine.toml'})", (glove,), {"method": "hard"}, "which concept"),
        (marked, (narrow,), {}, r"reads vectors of 100 dimensions and narrow has 2;"),
        (marked, (glove,), {"seed": -1}, "The seed must be an integer of at least 0"),
        (marked, (glove,), {"controls": -1}, "at least 0, not -1"),
        ("nli(set=gender-ocupation)", (glove,), {}, "Did you mean"),
        ("nli(thresholds=much)", (glove,), {}, "numbers separated by spaces"),
        ("weat", (glove,), {}, "weat is a metric"),
        (marked, (without(glove, "person"),), {}, r'none of the premises of "marked-attribute"'),
        (marked, (), {}, "Name the vectors"),
        (marked, (glove,), {"model": builtin_nli(), "scores": "a.csv"}, "not both"),
        ("eec", (), {"model": "a.safetensors"}, "reads no model from a file"),
        ("eec", (glove,), {"retraining": "snli"}, "trains no model"),
    ):
        with pytest.raises(UnslantError, match=says):
            probed(expression, *given, **how)


def test_comparing_resamples_each_space_once(
    glove: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    draws_for = vars(measured)["draws_for"]

    def counted(pairs: PairSet, seed: int, resamples: int) -> object:
        counts.append(resamples)
        return draws_for(pairs, seed, resamples)

    monkeypatch.setattr(measured, "draws_for", counted)
    expression = "nli(set=marked-attribute, contexts=4, seed=1, resamples=20)"
    probed(expression, glove, method="linear", compare=True, controls=2)
    assert sorted(counts) == [0, 0, 20, 20], "the space before, the one after, and two controls"


def test_a_model_of_ones_own_may_read_the_vectors(glove: WordVectors) -> None:
    fair = debias("hard", glove, concept("gender"))
    expression = "nli(set=marked-attribute, contexts=2, resamples=0)"
    one = probed(expression, glove, model=builtin_nli(), method="hard").results
    other = probed(expression, builtin_nli().on(fair)).results
    assert [item.now.value for item in one] == [item.now.value for item in other]
