"""Training on an ELMo: it learns, it repeats itself, a kill changes nothing, erasers take part."""

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.nli.elmos import (
    HOW,
    PAIRS,
    projecting,
    same_bits,
    small_elmo,
    texts_of,
)
from unslant.core.errors import DamagedFileError, UnslantError
from unslant.datasets.nli import Splits, read_corpus
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.nli.elmo_trained import ElmoNli, load_elmo_nli
from unslant.models.nli.settings import ElmoTraining

torch = pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("h5py", reason="h5py is not installed")


def train(model: ElmoModel, how: ElmoTraining = HOW, **more: Any) -> ElmoNli:
    from unslant.models.nli.elmo_training import train_on_elmo

    return train_on_elmo(model, more.pop("pairs", PAIRS), how, **more)


def room(memory: int, file: int) -> Any:
    from unslant.models.nli.sentence_states import Room

    return Room(memory_bytes=memory, file_bytes=file)


@pytest.fixture(scope="module")
def elmo(tmp_path_factory: pytest.TempPathFactory) -> ElmoModel:
    return small_elmo(tmp_path_factory.mktemp("elmo") / "small")


@pytest.fixture(scope="module")
def trained(elmo: ElmoModel) -> ElmoNli:
    return train(elmo)


def accuracy(model: Any, pairs: Any) -> float:
    return float((model.predict(*texts_of(pairs)).argmax(axis=1) == pairs.labels).mean())


def test_it_learns_and_the_record_says_how_well(elmo: ElmoModel, trained: ElmoNli) -> None:
    said = trained.record["dev_accuracy"]
    assert said > 0.6
    assert accuracy(trained.on(elmo), PAIRS.dev) == pytest.approx(said)
    losses = [epoch["loss"] for epoch in trained.record["epochs"]]
    assert losses[-1] < losses[0]


def test_the_mixes_learn_and_are_recorded(trained: ElmoNli) -> None:
    for name in ("before", "beside"):
        mix = trained.record["mixes"][name]
        assert sum(mix["weights"]) == pytest.approx(1)
        assert np.ptp(mix["weights"]) > 1e-3
        assert mix["gamma"] != 1


def test_the_elmo_itself_stays_as_it_was(elmo: ElmoModel) -> None:
    before = {name: value.clone() for name, value in elmo.network.state_dict().items()}
    train(elmo, replace(HOW, epochs=1))
    assert all(torch.equal(before[n], value) for n, value in elmo.network.state_dict().items())


def test_the_same_training_gives_the_same_bits_and_another_seed_others(
    elmo: ElmoModel, trained: ElmoNli
) -> None:
    assert same_bits(train(elmo), trained)
    assert not same_bits(train(elmo, replace(HOW, seed=1)), trained)


def test_each_distinct_sentence_passes_through_the_elmo_once(
    elmo: ElmoModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unslant.models.nli import sentence_states
    from unslant.models.nli.sentence_states import output_layers as really

    read: list[str] = []

    def counted(model: Any, texts: Any) -> Any:
        read.extend(texts)
        return really(model, texts)

    monkeypatch.setattr(sentence_states, "output_layers", counted)
    facts = train(elmo, replace(HOW, epochs=3)).record["states"]
    texts = {text for part in PAIRS[:2] for side in texts_of(part) for text in side}
    assert sorted(read) == sorted(texts)
    assert facts["sentences"] == facts["kept_sentences"] == len(texts)
    assert facts["kept_bytes"] == facts["words"] * 3 * 12 * 4


@pytest.mark.parametrize("where", ["file", "nowhere"])
def test_states_that_were_kept_are_those_that_are_computed(elmo: ElmoModel, where: str) -> None:
    from unslant.models.nli.sentence_states import SentenceStates

    texts = sorted({text for side in texts_of(PAIRS.train) for text in side})
    kept = SentenceStates(elmo, texts)
    other = SentenceStates(elmo, texts, room(0, 0 if where == "nowhere" else 1 << 20))
    assert (kept.where, kept.kept) == ("memory", len(texts))
    assert other.kept == (len(texts) if where == "file" else 0)
    chosen = np.array([5, 0, 17, 5, len(texts) - 1])
    (rows, starts), (others, same_starts) = kept.of(chosen), other.of(chosen)
    assert (starts == same_starts).all()
    assert len(rows) == kept.lengths[chosen].sum()
    np.testing.assert_allclose(rows, others, rtol=0, atol=0 if where == "file" else 1e-5)
    assert np.abs(rows).max() > 0.1


def test_what_is_kept_stays_within_its_bound(elmo: ElmoModel) -> None:
    from unslant.models.nli.sentence_states import SentenceStates

    texts = [f"Dog {number} naps" for number in range(100)]
    word = 3 * 12 * 4
    for bound in (room(word * 30, 0), room(0, word * 30)):
        states = SentenceStates(elmo, texts, bound)
        assert states.kept == 10
        assert states.facts["kept_bytes"] == 30 * word
        whole = SentenceStates(elmo, texts).of(np.array([3, 50, 9, 99]))[0]
        np.testing.assert_allclose(states.of(np.array([3, 50, 9, 99]))[0], whole, rtol=0, atol=1e-5)


def test_training_in_bounded_room_learns_the_same(elmo: ElmoModel, trained: ElmoNli) -> None:
    assert same_bits(train(elmo, room=room(0, 1 << 30)), trained)


class Stopped(Exception):  # noqa: N818 - it stands for any
    """What stands for whatever may go wrong."""


def test_a_training_that_was_stopped_goes_on_and_ends_in_the_same_weights(
    elmo: ElmoModel, trained: ElmoNli, tmp_path: Path
) -> None:
    seen = 0

    def stop(what: str, done: int, total: int) -> None:
        nonlocal seen
        seen += what.startswith("Epoch")
        if seen == 100:
            raise Stopped

    kept = tmp_path / "kept.checkpoint"
    with pytest.raises(Stopped):
        train(elmo, checkpoint=kept, progress=stop)
    assert kept.exists()
    assert same_bits(train(elmo, checkpoint=kept), trained)
    with pytest.raises(UnslantError, match="other inputs, data or settings"):
        train(projecting(elmo, "chars"), checkpoint=kept)


_KILLED = """
import sys
from pathlib import Path
from tests.models.nli.elmos import HOW, PAIRS
from unslant.models.elmo import load_elmo
from unslant.models.nli.elmo_training import train_on_elmo

def progress(what, done, total):
    if what.startswith("Epoch"):
        print(what, done, flush=True)

train_on_elmo(load_elmo(sys.argv[1]), PAIRS, HOW, checkpoint=Path(sys.argv[2]), progress=progress)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_training_that_was_killed_goes_on_and_ends_in_the_same_weights(
    elmo: ElmoModel, trained: ElmoNli, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.checkpoint"
    command = [sys.executable, "-c", _KILLED, str(elmo.folder.path), str(kept)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("Epoch 3"):
                break
        run.kill()
    assert run.returncode == -signal.SIGKILL
    assert same_bits(train(elmo, checkpoint=kept), trained)


def test_erasers_in_training_change_the_weights_and_are_recorded(
    elmo: ElmoModel, trained: ElmoNli
) -> None:
    treated = projecting(elmo, "chars")
    other = train(treated)
    assert not same_bits(other, trained)
    assert trained.record["intervention"] == {}
    said = other.record["intervention"]
    assert said["expression"] == treated.intervention.expression
    assert said["sha256"] == treated.intervention.content_hash
    assert len(said["stages"]) == 1


def test_the_folder_applies_by_itself_what_it_was_trained_with(
    elmo: ElmoModel, tmp_path: Path
) -> None:
    from unslant.models.nli.elmo_asking import ElmoInference
    from unslant.models.nli.elmo_trained import write_elmo_nli
    from unslant.predictors.protocols import NliModel

    treated = projecting(elmo, "chars", "output:1")
    head = train(treated, replace(HOW, epochs=2))
    loaded = load_elmo(write_elmo_nli(elmo, head, tmp_path / "treated"))
    asked = loaded.predictor(NliModel)
    texts = texts_of(PAIRS.dev)
    found = asked.predict(*texts)
    assert (found == ElmoInference(treated, head).predict(*texts)).all()
    assert (found == head.on(elmo).predict(*texts)).all()
    assert np.abs(found - ElmoInference(elmo, head).predict(*texts)).max() > 1e-3
    assert loaded.intervention.expression == treated.intervention.expression
    assert asked.facts["training-intervention-sha256"] == treated.intervention.content_hash
    assert accuracy(asked, PAIRS.dev) == pytest.approx(head.record["dev_accuracy"])


def test_another_elmo_is_refused_by_its_hash(
    elmo: ElmoModel, trained: ElmoNli, tmp_path: Path
) -> None:
    from unslant.models.nli.elmo_trained import write_elmo_nli
    from unslant.predictors.protocols import NliModel

    other = small_elmo(tmp_path / "other", seed=4)
    with pytest.raises(UnslantError, match=r"trained on another ELMo than other: the SHA-256"):
        trained.on(other)
    folder = write_elmo_nli(elmo, trained, tmp_path / "whole")
    load_elmo(folder).predictor(NliModel)
    (folder / "weights.hdf5").write_bytes((tmp_path / "other" / "weights.hdf5").read_bytes())
    with pytest.raises(UnslantError, match="trained on another ELMo"):
        load_elmo(folder).predictor(NliModel)


def test_the_hash_of_a_folder_has_its_inference_model(
    elmo: ElmoModel, trained: ElmoNli, tmp_path: Path
) -> None:
    from unslant.models.nli.elmo_trained import write_elmo_nli

    loaded = load_elmo(write_elmo_nli(elmo, trained, tmp_path / "whole"))
    assert loaded.folder.elmo_sha256() == elmo.folder.elmo_sha256()
    assert loaded.content_hash != elmo.content_hash


def test_a_changed_bit_of_the_file_is_refused(trained: ElmoNli, tmp_path: Path) -> None:
    path = trained.save(tmp_path / "nli.safetensors")
    assert same_bits(load_elmo_nli(path), trained)
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for place in rng.integers(8, len(content), size=20).tolist():
        damaged = content.copy()
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises((DamagedFileError, UnslantError)):
            load_elmo_nli(path)


def test_an_elmo_without_an_inference_model_says_how_to_get_one(elmo: ElmoModel) -> None:
    from unslant.predictors.protocols import MaskedLM, NliModel

    with pytest.raises(UnslantError, match="unslant train nli small"):
        elmo.predictor(NliModel)
    with pytest.raises(UnslantError, match="no head for log_probabilities"):
        elmo.predictor(MaskedLM)


def test_a_released_elmo_learns_from_snli_more_than_chance(data: Path) -> None:
    """3,000 pairs; three standard errors above the share of the most frequent label."""
    folder = data / "elmo_tiny"
    if not folder.is_dir():
        pytest.skip("UNSLANT_DATA lacks elmo_tiny")
    pairs = _snli(data)
    how = ElmoTraining(
        hidden=32, attention=32, classification=32, epochs=4, learning_rate=3e-3, dropout=0.0
    )
    found = train(load_elmo(folder), how, pairs=pairs).record["dev_accuracy"]
    chance = np.bincount(pairs.dev.labels).max() / len(pairs.dev)
    assert found > chance + 3 * (chance * (1 - chance) / len(pairs.dev)) ** 0.5


def _snli(data: Path) -> Splits:
    whole = data / "nli" / "snli"
    if not whole.is_dir():
        pytest.skip("UNSLANT_DATA lacks nli/snli")
    subset = sorted(whole.glob("subset-*.tsv"))[0]
    pairs = read_corpus(train=subset, dev=whole / "s1.dev", keeps_case=True)
    rng = np.random.default_rng(0)
    return Splits(pairs.train.drawn(3_000, rng), pairs.dev.drawn(2_000, rng), None)
