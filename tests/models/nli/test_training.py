"""Training: it learns, it repeats itself to the bit, and a kill changes nothing."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.made_pairs import made_vectors, splits
from unslant.core.errors import DamagedFileError, UnslantError
from unslant.datasets.nli import Corpus, Splits
from unslant.models.nli.retrain import train_to, trained_for
from unslant.models.nli.settings import NliTraining
from unslant.models.nli.trained import TrainedNli, load_nli
from unslant.vectors import WordVectors

torch = pytest.importorskip("torch", reason="training needs torch")

HOW = NliTraining(hidden=16, epochs=6, patience=6, batch=32, learning_rate=5e-3, dropout=0.1)
ENCODERS = {
    "projection": HOW,
    "bilstm": replace(HOW, encoder="bilstm"),
    "intra": replace(HOW, intra=True),
}
PAIRS = splits()
VECTORS = made_vectors()


def train(
    vectors: WordVectors = VECTORS, pairs: Splits = PAIRS, how: NliTraining = HOW, **more: Any
) -> TrainedNli:
    from unslant.models.nli.training import train as really_train

    return really_train(vectors, pairs, how, **more)


def same_bits(one: TrainedNli, other: TrainedNli) -> bool:
    return one.tensors.keys() == other.tensors.keys() and all(
        value.tobytes() == other.tensors[name].tobytes() for name, value in one.tensors.items()
    )


def accuracy(model: TrainedNli, vectors: WordVectors, corpus: Corpus) -> float:
    """Asked as a user would, from sentences."""
    pairs = [corpus.tokens(row) for row in range(len(corpus))]
    premises, hypotheses = ([" ".join(pair[side]) for pair in pairs] for side in (0, 1))
    answers = model.on(vectors).predict(premises, hypotheses)
    return float((answers.argmax(axis=1) == corpus.labels).mean())


class Stopped(Exception):  # noqa: N818 - it stands for any
    """What stands for whatever may go wrong."""


def stop_after(batches: int) -> Callable[[str, int, int], None]:
    seen = 0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal seen
        seen += 1
        if seen == batches:
            raise Stopped

    return progress


@pytest.fixture(scope="module")
def unbroken() -> TrainedNli:
    return train()


@pytest.mark.parametrize("encoder", ENCODERS)
def test_it_learns_whether_words_agree(encoder: str) -> None:
    how = replace(ENCODERS[encoder], hidden=48, epochs=12, patience=4, dropout=0.0)
    pairs = splits(1_200)
    model = train(pairs=pairs, how=how)
    assert model.record["dev_accuracy"] > 0.95
    assert accuracy(model, VECTORS, pairs.dev) == pytest.approx(model.record["dev_accuracy"])


def test_pairs_that_nothing_can_be_learnt_from_stay_at_chance() -> None:
    rng = np.random.default_rng(0)
    pairs = splits(600, 600)
    seen, unseen = (
        replace(part, labels=rng.permutation(part.labels)) for part in (pairs.train, pairs.dev)
    )
    model = train(pairs=Splits(seen, unseen, None))
    assert model.record["epochs"][-1]["dev_accuracy"] < 0.45


def test_the_same_seed_gives_the_same_bits_and_another_seed_others(unbroken: TrainedNli) -> None:
    torch.manual_seed(12345)
    assert same_bits(train(), unbroken)
    assert not same_bits(train(how=replace(HOW, seed=1)), unbroken)


@pytest.mark.parametrize("encoder", ["bilstm", "intra"])
def test_models_that_read_context_repeat_themselves_too(encoder: str) -> None:
    how = replace(ENCODERS[encoder], epochs=2)
    assert same_bits(train(how=how), train(how=how))


@pytest.mark.parametrize("fails", [False, True])
def test_the_callers_threads_and_random_numbers_stay_as_they_were(fails: bool) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        torch.manual_seed(7)
        state, numpy_state = torch.random.get_rng_state(), repr(np.random.get_state())  # noqa: NPY002
        if fails:
            with pytest.raises(Stopped):
                train(progress=stop_after(3))
        else:
            train(how=replace(HOW, epochs=1))
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.random.get_rng_state(), state)
        assert repr(np.random.get_state()) == numpy_state  # noqa: NPY002
    finally:
        torch.set_num_threads(before)


def test_early_stopping_keeps_the_best_epoch(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    noise = PAIRS.dev.labels.copy()
    noise[:90] = rng.integers(3, size=90)
    pairs = Splits(PAIRS.train, replace(PAIRS.dev, labels=noise), None)
    how = replace(HOW, epochs=30, patience=2, learning_rate=2e-2)
    model = train(pairs=pairs, how=how)
    scores = [epoch["dev_accuracy"] for epoch in model.record["epochs"]]
    best = scores.index(max(scores)) + 1
    assert len(scores) == best + 2 < 30
    assert scores[-1] < max(scores)
    assert model.record["best_epoch"] == best
    assert accuracy(model, VECTORS, pairs.dev) == pytest.approx(max(scores))
    checkpoint = tmp_path / "training"
    batches = -(-len(pairs.train) // how.batch)
    with pytest.raises(Stopped):
        train(pairs=pairs, how=how, checkpoint=checkpoint, progress=stop_after(best * batches + 1))
    then = load_file(checkpoint)
    for name, value in model.tensors.items():
        assert np.array_equal(then[f"now/{name}"], value), name
    with pytest.raises(Stopped):  # one epoch further, which is not the best
        train(pairs=pairs, how=how, checkpoint=checkpoint, progress=stop_after(batches + 1))
    assert same_bits(train(pairs=pairs, how=how, checkpoint=checkpoint), model)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_an_interrupted_training_ends_in_the_same_bits(
    encoder: str, tmp_path: Path, unbroken: TrainedNli
) -> None:
    how, checkpoint = ENCODERS[encoder], tmp_path / "training"
    for batches in (5, 19, 20, 39, 1, 30):  # an epoch has 19: begun, just over, in the midst
        with pytest.raises(Stopped):
            train(how=how, checkpoint=checkpoint, progress=stop_after(batches))
    torch.manual_seed(99)
    found = train(how=how, checkpoint=checkpoint)
    assert same_bits(found, unbroken if encoder == "projection" else train(how=how))
    assert len(found.record["epochs"]) == how.epochs


def test_a_training_that_is_over_is_not_begun_again(tmp_path: Path, unbroken: TrainedNli) -> None:
    train(checkpoint=tmp_path / "training")
    again = train(checkpoint=tmp_path / "training", progress=stop_after(1))
    assert same_bits(again, unbroken)


SLOWLY = """
import sys, time
from pathlib import Path
from tests.models.nli.test_training import train

def progress(what, done, total):
    print(what, done, flush=True)
    time.sleep(0.005)

train(checkpoint=Path(sys.argv[1]), progress=progress).save(sys.argv[2])
"""


def test_a_killed_process_run_again_ends_in_the_same_bits(
    tmp_path: Path, unbroken: TrainedNli
) -> None:
    checkpoint, output = tmp_path / "training", tmp_path / "model.safetensors"
    command = [sys.executable, "-c", SLOWLY, str(checkpoint), str(output)]
    chance = random.Random(5)
    for _ in range(3):
        moment = chance.randrange(3, 36)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(moment):
                assert process.stdout.readline().startswith("Epoch")
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert process.returncode == -signal.SIGKILL
        assert not output.exists()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert same_bits(load_nli(output), unbroken)


@pytest.mark.parametrize("other", ["vectors", "train", "dev", "how"])
def test_the_checkpoint_of_another_training_is_refused(other: str, tmp_path: Path) -> None:
    how = replace(HOW, epochs=1)
    train(how=how, checkpoint=tmp_path / "training")
    before = (tmp_path / "training").read_bytes()
    changed: dict[str, Any] = {
        "vectors": {"vectors": made_vectors(seed=5)},
        "train": {"pairs": PAIRS._replace(train=splits(seed=8).train)},
        "dev": {"pairs": PAIRS._replace(dev=splits(seed=8).dev)},
        "how": {"how": replace(how, dropout=0.2)},
    }
    with pytest.raises(UnslantError, match="belongs to a training with other inputs, data or"):
        train(**{"how": how, **changed[other]}, checkpoint=tmp_path / "training")
    assert (tmp_path / "training").read_bytes() == before


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    how, path = replace(HOW, epochs=1), tmp_path / "training"
    train(how=how, checkpoint=path)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[-1000] ^= 4
    for damaged in (whole[:9], whole[:1000], whole[:-1], whole + b"x", bytes(flipped)):
        path.write_bytes(damaged)
        with pytest.raises(
            DamagedFileError, match=r"is not a complete checkpoint .* begin anew\.$"
        ):
            train(how=how, checkpoint=path)


def test_a_file_in_the_way_of_the_checkpoint_is_left_alone(tmp_path: Path) -> None:
    path = train(how=replace(HOW, epochs=1)).save(tmp_path / "model.safetensors")
    for content in (path.read_bytes(), b"my notes on this training\n", b""):
        path.write_bytes(content)
        with pytest.raises(UnslantError, match="is in the way: it is not a checkpoint"):
            train(checkpoint=path)
        assert path.read_bytes() == content


def test_a_training_to_a_file_keeps_its_epochs_until_the_model_is_safe(
    tmp_path: Path, unbroken: TrainedNli
) -> None:
    path, kept = tmp_path / "model.safetensors", tmp_path / "model.checkpoint"
    with pytest.raises(Stopped):
        train_to(path, VECTORS, PAIRS, HOW, progress=stop_after(30))
    assert kept.exists()
    assert not path.exists()
    found = train_to(path, VECTORS, PAIRS, HOW, note="made up")
    assert same_bits(found, unbroken)
    assert (found.name, found.record["note"]) == ("model", "made up")
    assert found.sha256 == load_nli(path).sha256
    assert {each.name for each in tmp_path.iterdir()} == {"model.safetensors", "model.json"}


def test_a_model_that_is_kept_is_not_trained_again(tmp_path: Path) -> None:
    how = replace(HOW, epochs=1)
    first = trained_for(VECTORS, PAIRS, how, tmp_path / "kept")
    again = trained_for(VECTORS, PAIRS, how, tmp_path / "kept", progress=stop_after(1))
    assert again.sha256 == first.sha256
    with pytest.raises(Stopped):
        trained_for(VECTORS, PAIRS, replace(how, seed=1), tmp_path / "kept", stop_after(1))
    assert len(list((tmp_path / "kept").glob("*.safetensors"))) == 1


def test_the_record_says_what_went_in(unbroken: TrainedNli) -> None:
    record = unbroken.record
    assert record["vectors"]["content_sha256"] == VECTORS.content_hash
    assert record["words"] == {"in_pairs": 12, "hashed": 1}
    assert record["pairs"]["train"]["count"] == len(PAIRS.train)
    assert record["settings"]["learning_rate"] == HOW.learning_rate
    assert record["test_accuracy"] is None
    assert record["versions"]["torch"] == torch.__version__


def test_the_test_set_is_asked_once_in_the_end() -> None:
    with_test = PAIRS._replace(test=PAIRS.dev)
    model = train(pairs=with_test, how=replace(HOW, epochs=2))
    assert model.record["test_accuracy"] == model.record["dev_accuracy"]
    assert same_bits(model, train(how=replace(HOW, epochs=2)))


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"epochs": 0}, "epochs must be at least 1, not 0"),
        ({"batch": -1}, "batch must be at least 1, not -1"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"learning_rate": 0.0}, "learning rate must be above 0"),
        ({"seed": -1}, r"The seed must be an integer of at least 0\. Got -1 instead\.$"),
        ({"threads": 0}, "threads must be at least 1, not 0"),
        ({"threads": 10**6}, r"threads must be at most \d+, the processors of .*, not 1000000\.$"),
        ({"hidden": 7}, r"The hidden size must be an even number of at least 2, not 7\.$"),
        ({"hidden": 0}, "an even number of at least 2, not 0"),
        ({"encoder": "gru"}, 'No encoder is called "gru"'),
    ],
)
def test_settings_that_cannot_be_are_refused(setting: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnslantError, match=reason):
        NliTraining(**setting)


def test_as_many_threads_as_there_are_processors_are_taken() -> None:
    assert NliTraining(threads=os.cpu_count() or 1).threads >= 1
