"""Training: it learns, it repeats itself to the bit, and a kill changes nothing."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.made_coreference import A_NURSE, TWO_PEOPLE, made_vectors
from unslant.core.errors import UnslantError
from unslant.measures.coreference_scores import CorefScores
from unslant.models.coreference.data import CorefData, drawn, read_data
from unslant.models.coreference.retrain import CorefRetraining, train_to
from unslant.models.coreference.settings import CorefTraining
from unslant.models.coreference.trained import TrainedCoref

torch = pytest.importorskip("torch", reason="training needs torch")

HOW = CorefTraining(
    rounds=4,
    patience=4,
    learning_rate=1e-2,
    dropout=0.2,
    word_dropout=0.2,
    projected=8,
    hidden=12,
    scorer=12,
    product=6,
    widest=3,
    kept=1.0,
    antecedents=20,
    training_antecedents=20,
)
DATA = CorefData((TWO_PEOPLE, A_NURSE), (TWO_PEOPLE, A_NURSE), split="the same, to overfit")


def train(how: CorefTraining = HOW, data: CorefData = DATA, **more: Any) -> TrainedCoref:
    from unslant.models.coreference.training import train as really_train

    return really_train(made_vectors(), data, how, **more)


def same_bits(one: TrainedCoref, other: TrainedCoref) -> bool:
    return one.tensors.keys() == other.tensors.keys() and all(
        value.tobytes() == other.tensors[name].tobytes() for name, value in one.tensors.items()
    )


class Stopped(Exception):  # noqa: N818 - it stands for any
    """What stands for whatever may go wrong."""


def stop_after(steps: int) -> Callable[[str, int, int], None]:
    seen = 0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal seen
        seen += 1
        if seen == steps:
            raise Stopped

    return progress


def test_two_documents_are_learnt_by_heart(tmp_path: Path) -> None:
    how = replace(HOW, rounds=150, patience=150, dropout=0.0, word_dropout=0.0)
    made = train_to(tmp_path / "m.safetensors", made_vectors(), DATA, how)
    assert made.record["held_out_conll_f1"] == 1.0
    assert made.record["scores"]["held_out"]["true_mentions"]["conll_f1"] == 1.0
    # Asked as a user would, from bare words, in which it finds the sentences itself.
    found = made.on(made_vectors()).resolve([each.words for each in DATA.train])
    scores = CorefScores()
    for document, clusters in zip(DATA.train, found, strict=True):
        scores.add(document.clusters, clusters)
    assert scores.conll == 1.0


def test_a_corpus_without_singletons_teaches_none() -> None:
    pairs_only = tuple(
        replace(each, clusters=tuple(own for own in each.clusters if len(own) > 1))
        for each in DATA.train
    )
    how = replace(HOW, rounds=150, patience=150, dropout=0.0, word_dropout=0.0)
    made = train(how, CorefData(pairs_only, pairs_only))
    assert not made.singletons
    assert made.record["scores"]["held_out"]["predicted_mentions"]["conll_f1"] == 1.0
    found = made.on(made_vectors()).resolve([each.words for each in pairs_only])
    assert all(len(cluster) > 1 for clusters in found for cluster in clusters)


def test_the_same_seed_gives_the_same_bits_and_another_does_not() -> None:
    assert same_bits(train(), train())
    assert not same_bits(train(), train(replace(HOW, seed=1)))


@pytest.mark.parametrize("steps", [3, 5, 7])
def test_a_training_that_was_stopped_ends_in_the_same_bits(tmp_path: Path, steps: int) -> None:
    kept = tmp_path / "kept"
    with pytest.raises(Stopped):
        train(checkpoint=kept, progress=stop_after(steps))
    assert same_bits(train(checkpoint=kept), train())


def test_a_checkpoint_of_other_documents_is_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with pytest.raises(Stopped):
        train(checkpoint=kept, progress=stop_after(3))
    with pytest.raises(UnslantError, match="other inputs"):
        train(data=replace(DATA, train=(TWO_PEOPLE,)), checkpoint=kept)


def test_a_model_for_the_same_vectors_is_trained_once(tmp_path: Path) -> None:
    how = replace(HOW, rounds=1)
    trainer = CorefRetraining(data=DATA, how=how, folder=tmp_path)
    first = trainer.model(made_vectors())
    (file,) = tmp_path.glob("*.safetensors")
    written = file.stat().st_mtime_ns
    assert same_bits(trainer.model(made_vectors()), first)
    assert file.stat().st_mtime_ns == written
    trainer.model(made_vectors(seed=1))
    assert len(list(tmp_path.glob("*.safetensors"))) == 2


def test_one_document_in_nine_is_held_out_and_never_trained_on() -> None:
    many = [replace(TWO_PEOPLE, name=str(number)) for number in range(18)]
    data = drawn(many)
    assert len(data.held_out) == 2
    assert {each.name for each in data.held_out}.isdisjoint(each.name for each in data.train)
    assert drawn(many) == data != drawn(many, split=1)
    with pytest.raises(UnslantError, match="no clusters"):
        CorefData((replace(TWO_PEOPLE, clusters=()),), (A_NURSE,))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rounds": 0}, "rounds"),
        ({"dropout": 1.0}, "dropout"),
        ({"hidden": 7}, "even"),
        ({"kept": 0.0}, "kept"),
        ({"widest": 0}, "widest"),
        ({"learning_rate": 2.0}, "rate"),
    ],
)
def test_impossible_settings_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UnslantError, match=said):
        replace(HOW, **wrong)


def test_two_rounds_on_real_documents_are_better_than_none() -> None:
    folder = Path(os.environ.get("UNSLANT_DATA", "")) / "coref" / "litbank"
    if not folder.is_dir():
        pytest.skip("UNSLANT_DATA has no coref/litbank")
    from unslant.models.coreference.network import CorefNetwork
    from unslant.models.coreference.training import CorefTask
    from unslant.vectors import load

    everything = read_data(folder)
    assert (len(everything.train), len(everything.held_out)) == (80, 10)
    data = replace(everything, train=everything.train[:6], held_out=everything.held_out[:2])
    how = CorefTraining(
        rounds=2,
        patience=2,
        segment=150,
        learning_rate=3e-3,
        hidden=60,
        scorer=60,
        projected=40,
        antecedents=30,
    )
    task = CorefTask(load(), data, how)
    torch.manual_seed(0)
    fresh = CorefNetwork(task.shape).train(mode=False)
    with torch.inference_mode():
        before = task.evaluate_dev(fresh)["held_out_conll_f1"]
    from unslant.models.coreference.training import train as really_train

    made = really_train(load(), data, how)
    losses = [each["loss"] for each in made.record["rounds"]]
    assert losses[1] < 0.6 * losses[0]
    assert made.record["held_out_conll_f1"] > before + 0.05
    assert made.singletons


def test_augmented_documents_are_trained_on_twice_with_their_clusters() -> None:
    from unslant.concepts.swap import swap_of

    data = DATA.doubled(swap_of("gender"))
    assert data.held_out == DATA.held_out
    assert [each.name for each in data.train] == [
        "two-people",
        "two-people_swapped",
        "a-nurse",
        "a-nurse_swapped",
    ]
    assert data.train[1].words[6:9] == ("He", "saw", "her")
    assert data.train[1].clusters == TWO_PEOPLE.clusters
    assert "2 training documents also with the words of gender swapped" in data.split
    with pytest.raises(UnslantError, match="no words that can be swapped"):
        CorefData((replace(A_NURSE, sentences=(("x",) * 13,)),), (A_NURSE,)).doubled(
            swap_of("gender")
        )
