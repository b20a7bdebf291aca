"""What a probe's record says: enough to make it again, and what was left out."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.measurement import WordUse
from unslant.methods import debiased, fit
from unslant.models.nli.trained import builtin_nli
from unslant.probes.nli import PairSet, ask, measures_of, pair_set
from unslant.studies.probe_facts import directions_removed
from unslant.studies.probing import probe_nli
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


def made_again(record: dict[str, Any], glove: WordVectors, folder: Path) -> PairSet:
    """The set that a record describes, from nothing but the record."""
    facts = record["set"]
    name = facts["name"].split(".sample")[0]
    if "template" in facts:
        name = str(folder / "again.toml")
        Path(name).write_text(facts["template"]["text"])
    return pair_set(name, **facts["options"])


@pytest.mark.parametrize("is_mine", [False, True])
def test_every_number_can_be_made_again_from_the_record_alone(
    is_mine: bool, glove: WordVectors, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    name = str(tmp_path / "mine.toml") if is_mine else "gender-occupation"
    pairs = pair_set(name, determiner="a", pairing="all-things", contexts=4, seed=5)
    policy = WordPolicy(missing="drop", case="any")
    done = probe_nli(
        glove,
        pairs,
        method=TWO,
        concept=concept("gender"),
        policy=policy,
        compare=True,
        controls=2,
        seed=5,
        resamples=20,
    )
    record = json.loads(json.dumps(done.older))
    assert done.record.subject.definition == record["set"].get("template")
    assert ("template" in record["set"]) == is_mine
    if is_mine:
        assert record["set"]["template"] == {
            "text": MINE,
            "sha256": hashlib.sha256(MINE.encode()).hexdigest(),
        }
        assert record["set"]["references"][1] == "A note of mine"
    again = made_again(record, glove, tmp_path)
    assert again.content_hash == record["set"]["content_sha256"]
    debiasing = record["debiasing"]
    by = concept(debiasing["concept"]["name"])
    assert by.content_hash == debiasing["concept"]["content_sha256"]
    assert debiasing["policy"] == {"missing": "drop", "case": "any"}
    values = []
    for model in record["models"]:
        space = glove
        if model["expression"]:
            space = debiased(
                glove, fit(model["expression"], glove, by, WordPolicy(**debiasing["policy"]))
            )
        assert space.content_hash == model["vectors_sha256"]
        answers = ask(again, builtin_nli().on(space))
        found = measures_of(answers, seed=record["seed"], resamples=record["resamples"])
        values.append([item.value for item in found])
    assert values[0] == [item["value"] for item in record["measurements"]]
    assert values[1] == [item["value"] for item in record["before"]]
    for place, item in enumerate(record["controls"]):
        assert [point["value"] for point in item["points"]] == [v[place] for v in values[2:]]
    assert record["models"][0]["training"]["settings"]["seed"] == 0
    assert record["models"][0]["training"]["pairs"]["train"]["bad lines"] == 0
    assert "epochs" not in record["models"][0]["training"]


def test_controls_remove_as_many_directions_as_the_method(glove: WordVectors) -> None:
    pairs, gender = pair_set("marked-attribute", contexts=2), concept("gender")
    record = probe_nli(
        glove, pairs, method=TWO, concept=gender, compare=True, controls=1, resamples=0
    ).older
    assert record["debiasing"]["stages"][0]["details"]["dimensions removed"] == 2
    assert record["control_directions"] == 2
    assert record["models"][-1]["expression"] == "random(seed=0, k=2)"
    assert directions_removed(fit("misp", glove, gender)) == 1
    assert directions_removed(fit("linear | random(k=3)", glove, gender)) == 4


def without(glove: WordVectors, *words: str) -> WordVectors:
    """The vectors without some words."""
    return glove.only([word for word in glove.words if word not in words])


def test_words_without_a_vector_are_left_out_and_listed(glove: WordVectors) -> None:
    pairs = pair_set("gender-occupation", contexts=3)
    lost = ("accountant", "lady", "gentleman")
    some = without(glove, *lost)
    record = probe_nli(some, pairs, resamples=0).older
    gone = record["set"]["missing"]
    assert "accountant" in gone["premises"]
    assert set(gone["hypotheses"]) == {"lady", "gentleman"}
    for item in record["measurements"]:
        premises, hypotheses = (WordUse.from_dict(use) for use in item["words"])
        assert premises.missing == tuple(gone["premises"])
        assert len(premises.used) + len(premises.missing) == 164
        assert hypotheses.used == ("man", "woman", "guy", "girl")
        assert hypotheses.missing == tuple(gone["hypotheses"])
    left = [place for place, word in enumerate(pairs.premise_words) if word not in gone["premises"]]
    chosen = [place for place, word in enumerate(pairs.hypothesis_words) if word not in lost]
    by_hand = ask(pairs, builtin_nli().on(some)).probabilities[np.ix_(left, chosen)]
    assert record["measurements"][0]["value"] == pytest.approx(by_hand[..., 1].mean(), abs=1e-6)
    with pytest.raises(MissingWordsError, match=r"Words are missing from .*accountant.*lady"):
        probe_nli(some, pairs, policy=WordPolicy(missing="fail"))
    with pytest.raises(UnslantError, match="no sets to balance"):
        probe_nli(some, pairs, policy=WordPolicy(missing="balance"))
    with pytest.raises(UnslantError, match=r'"Lady" is not in .*left out of the hypotheses'):
        probe_nli(some, pairs, only=[("nurse", "Lady")])


def test_a_measure_of_a_group_that_lost_all_words_is_undefined(glove: WordVectors) -> None:
    some = without(glove, "she", "woman", "girl", "lady")
    record = probe_nli(some, pair_set("marked-attribute", contexts=2), resamples=5).older
    found = {item["metric"]: item for item in record["measurements"]}
    assert list(found) == [
        f"marked-{what}{kind}"
        for kind in ("", "-nouns", "-pronouns")
        for what in ("error", "distance")
    ]
    assert found["marked-distance-nouns"]["value"] is None
    assert "she" in found["marked-distance-nouns"]["why_undefined"]
    assert found["marked-error"]["value"] is None
    assert found["marked-error-nouns"]["value"] is not None
    eta = probe_nli(some, pair_set("gender-occupation", contexts=2), resamples=0).older
    assert eta["measurements"][-1]["metric"] == "nli-fairness"
    assert "at least two" in eta["measurements"][-1]["why_undefined"]
    sirt = probe_nli(some, pair_set("sirt", contexts=2), resamples=0).older
    assert [item["value"] is None for item in sirt["measurements"]] == [False] * 4 + [True] * 4


def test_a_set_of_which_no_word_is_left_is_refused(glove: WordVectors) -> None:
    some = without(glove, "person")
    with pytest.raises(UnslantError, match=r'none of the premises of "marked-attribute"'):
        probe_nli(some, "marked-attribute")


def test_warnings_stand_first_for_hashed_sentences_and_for_other_vectors(
    glove: WordVectors,
) -> None:
    pairs = pair_set("marked-attribute", contexts=12, seed=1)
    plain = probe_nli(glove, pairs, resamples=0).older
    assert plain["warnings"] == []
    assert plain["hashed_words"] == ["a"]
    kept = {"person", *pairs.hypothesis_words, "."}
    some = WordVectors.of({word: glove[word].tolist() for word in sorted(kept)}, name="other")
    warnings = probe_nli(some, pairs, resamples=0).older["warnings"]
    assert "words that the sentences share" in warnings[0]
    assert "By their hashes, other was not made from glove.6B.100d" in warnings[1]


def test_retention_shows_what_is_furthest_from_its_right_answer(glove: WordVectors) -> None:
    pairs = pair_set("sirt", contexts=6)
    record = probe_nli(glove, pairs, resamples=0, examples=3).older
    answers = ask(pairs, builtin_nli().on(glove)).probabilities
    male = set(pairs.premise_groups["male"])
    best: dict[tuple[int, int], float] = {}
    for p, h, c in np.ndindex(*pairs.grid.shape):
        if p != h:
            right = answers[p, h, c, 0 if (p in male) == (h in male) else 2]
            best[p, h] = min(best.get((p, h), 1.0), float(right))
    lowest = sorted(best, key=lambda two: best[two])[:3]
    words = pairs.premise_words
    assert [
        (item["premise_word"], item["hypothesis_word"]) for item in record["examples"]["furthest"]
    ] == [(words[p], words[h]) for p, h in lowest]
    for item in record["examples"]["furthest"]:
        assert item[item["right"]] < 0.9
    for item in record["words"]["premise"]:
        place = words.index(item["words"][0])
        mine = [
            answers[place, h, c, 0 if (place in male) == (h in male) else 2]
            for h in range(6)
            for c in range(6)
            if h != place
        ]
        assert item["right"] == pytest.approx(np.mean(mine), abs=1e-6)
