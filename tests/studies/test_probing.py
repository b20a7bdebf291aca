"""The NLI probe from vectors to record, on the built-in vectors and model."""

import json
from pathlib import Path

import numpy as np
import pytest

from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.core.measurement import Measurement
from unslant.methods import debias
from unslant.models.nli.trained import builtin_nli
from unslant.probes.nli import PairSet, ask, measures_for, measures_of, pair_set, resampling
from unslant.studies.probing import probe_nli
from unslant.vectors import WordVectors

SMALL = {"contexts": 12, "seed": 1}


def test_a_probe_gives_what_its_parts_give(glove: WordVectors) -> None:
    pairs = pair_set("gender-occupation", **SMALL)  # type: ignore[arg-type]
    record = probe_nli(glove, pairs, resamples=50).older
    by_hand = measures_of(ask(pairs, builtin_nli().on(glove)), resamples=50)
    assert [item["value"] for item in record["measurements"]] == [item.value for item in by_hand]
    assert [item["interval"]["low"] for item in record["measurements"]] == [
        item.interval.low if item.interval else None for item in by_hand
    ]
    assert record["set"]["pairs"] == 164 * 6 * 12
    assert record["hashed_words"] == ["a"]
    assert record["models"][0]["dev_accuracy"] >= 0.78
    assert len(record["words"]["premise"]) == 164


def test_a_number_can_be_made_again_from_its_record(glove: WordVectors, tmp_path: Path) -> None:
    pairs = pair_set("marked-attribute", **SMALL)  # type: ignore[arg-type]
    path = probe_nli(glove, pairs, method="hard", concept=concept("gender")).save(
        tmp_path / "probe.json"
    )
    plain = json.loads(path.read_text())["results"][0]["now"]
    found = Measurement.from_dict(plain)
    assert found.seed is not None
    assert found.inputs["model_sha256"] == builtin_nli().sha256
    fair = debias("hard", glove, concept("gender"))
    assert found.inputs["vectors_sha256"] == fair.content_hash
    assert found.inputs["set_sha256"] == pairs.content_hash
    again = measures_of(
        ask(pairs, builtin_nli().on(fair)),
        seed=found.seed,
        resamples=found.parameters["resamples"],
    )[0]
    assert (again.value, again.interval) == (found.value, found.interval)


def test_comparing_puts_before_change_and_controls_beside_each_measure(glove: WordVectors) -> None:
    pairs = pair_set("marked-attribute", **SMALL)  # type: ignore[arg-type]
    record = probe_nli(
        glove,
        pairs,
        method="inlp",
        concept=concept("gender"),
        compare=True,
        controls=3,
        resamples=40,
    ).older
    count = len(measures_for(pairs))
    plain = probe_nli(glove, pairs, resamples=40).older
    assert [item["value"] for item in record["before"]] == [
        item["value"] for item in plain["measurements"]
    ]
    for after, before, change, control in zip(
        *(record[part] for part in ("measurements", "before", "changes", "controls")), strict=True
    ):
        expected = 100 * (after["value"] - before["value"]) / before["value"]
        assert change["value"] == pytest.approx(expected)
        assert control["details"]["controls"] == 3
        assert control["details"]["mean of the controls"] == pytest.approx(
            np.mean([point["value"] for point in control["points"]])
        )
    assert count == len(record["measurements"])
    assert len(record["models"]) == 5
    assert record["debiasing"]["expression"] == "inlp"


def test_the_mean_answer_of_two_words_is_that_of_their_sentences(glove: WordVectors) -> None:
    pairs = pair_set("nationality", **SMALL)  # type: ignore[arg-type]
    [found] = probe_nli(glove, pairs, only=[("rude", "iraqi")], resamples=0).older["slices"]
    sentences = [
        context.sentence(filler)
        for filler in ("The rude", "The Iraqi")
        for context in pairs.grid.contexts
    ]
    assert all(" person " in sentence for sentence in sentences)
    answers = builtin_nli().on(glove).predict(sentences[:12], sentences[12:])
    assert found["entailment"] == pytest.approx(answers[:, 0].mean(), abs=1e-5)


def test_what_makes_no_sense_is_refused_in_one_sentence(glove: WordVectors) -> None:
    narrow = WordVectors.of({"person": [1.0, 0.0], "man": [0.0, 1.0]}, name="narrow")
    with pytest.raises(UnslantError, match="nothing to compare with"):
        probe_nli(glove, compare=True)
    with pytest.raises(UnslantError, match="needs a concept"):
        probe_nli(glove, method="hard")
    with pytest.raises(UnslantError, match=r"reads vectors of 100 dimensions and narrow has 2;"):
        probe_nli(narrow, "marked-attribute")
    with pytest.raises(UnslantError, match=r"at least 0\. Got -1 instead"):
        probe_nli(glove, "marked-attribute", seed=-1)
    with pytest.raises(UnslantError, match="Did you mean"):
        probe_nli(glove, "gender-ocupation")


def test_comparing_resamples_each_space_once(
    glove: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    draws_for = vars(resampling)["draws_for"]

    def counted(pairs: PairSet, seed: int, resamples: int) -> object:
        counts.append(resamples)
        return draws_for(pairs, seed, resamples)

    monkeypatch.setattr(resampling, "draws_for", counted)
    pairs = pair_set("marked-attribute", contexts=4, seed=1)
    how = {"method": "linear", "concept": "gender", "compare": True, "controls": 2}
    probe_nli(glove, pairs, resamples=20, **how)  # type: ignore[arg-type]
    assert sorted(counts) == [0, 0, 20, 20], "the space before, the one after, and two controls"
