"""Trained models in files: what comes back is what was written, or a reason."""

from pathlib import Path

import numpy as np
import pytest

from tests.made_coreference import SHAPE, TWO_PEOPLE, made_vectors
from tests.spaces import space
from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantError
from unslant.models.coreference.trained import TrainedCoref, load_coref


def made(**changes: object) -> TrainedCoref:
    rng = np.random.default_rng(0)
    tensors = {
        name: rng.normal(size=shape).astype(np.float32) for name, shape in SHAPE.tensors().items()
    }
    given = {"singletons": True, "record": {"note": "naïve", "held_out_conll_f1": 0.5}, **changes}
    return TrainedCoref("small", SHAPE, tensors, **given)  # type: ignore[arg-type]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return made().save(tmp_path / "small.safetensors")


@pytest.mark.parametrize("singletons", [True, False])
def test_a_model_comes_back_to_the_bit(tmp_path: Path, singletons: bool) -> None:
    model = made(singletons=singletons)
    found = load_coref(model.save(tmp_path / "small.safetensors"))
    assert (found.shape, found.record, found.singletons) == (SHAPE, model.record, singletons)
    assert found.tensors.keys() == model.tensors.keys()
    for name, value in found.tensors.items():
        assert np.array_equal(value, model.tensors[name]), name
    assert len(found.sha256) == 64
    assert found.facts["held-out-conll-f1"] == 0.5


def test_the_weights_decide_the_answers(saved: Path) -> None:
    pytest.importorskip("torch", reason="the network needs torch")
    words = [TWO_PEOPLE.words]
    first = load_coref(saved).on(made_vectors()).resolve(words)
    assert first == made().on(made_vectors()).resolve(words)
    other = made()
    other.tensors["mentions.score.bias"][:] = -1e4
    other.tensors["antecedents.score.bias"][:] = -1e4
    assert other.on(made_vectors()).resolve(words) == [[]] != first


def test_a_changed_bit_is_refused(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[-7] ^= 1
    saved.write_bytes(content)
    with pytest.raises(DamagedFileError, match="train it again"):
        load_coref(saved)


def test_other_files_are_refused_by_what_they_are_not(tmp_path: Path) -> None:
    (tmp_path / "text.safetensors").write_text("no weights")
    with pytest.raises(FileFormatError, match="is not a trained coreference model"):
        load_coref(tmp_path / "text.safetensors")
    with pytest.raises(OutputError, match="safetensors"):
        made().save(tmp_path / "m.bin")


def test_weights_of_another_size_are_refused(tmp_path: Path) -> None:
    model = made()
    wrong = {**model.tensors, "case.weight": np.zeros((2, 2), np.float32)}
    path = TrainedCoref("m", SHAPE, wrong, {}, True).save(tmp_path / "m.safetensors")
    with pytest.raises(DamagedFileError, match=r"case\.weight"):
        load_coref(path)


def test_vectors_of_another_dimension_are_refused(saved: Path) -> None:
    with pytest.raises(UnslantError, match="reads vectors of 6 dimensions and narrow has 2"):
        load_coref(saved).on(space(["a", "b"], np.ones((2, 2)), "narrow"))
