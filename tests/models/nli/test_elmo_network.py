"""The network on ELMo's layers, against a second implementation that takes one word at a time."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.elmo.by_hand import layers as layers_by_hand
from tests.models.elmo.made_elmo import random_arrays
from tests.models.nli.elmos import GENTLE, drawn, projecting, small_elmo
from tests.pair_by_pair import OnLayers, softmax
from tests.random_nli import random_tensors
from unslant.core.errors import UnslantError
from unslant.models.nli.elmo_trained import ElmoNli
from unslant.models.nli.settings import ElmoShape, ElmoTraining
from unslant.predictors.protocols import Context, PairGrid

torch = pytest.importorskip("torch", reason="the network is made of torch's layers")
pytest.importorskip("h5py", reason="h5py is not installed")

SHAPE = ElmoShape(dim=12, layers=3, hidden=8, attention=7, classification=10)
PREMISES = ["The nurse saw her .", "A man", "She left", "Two boys ran home ."]
HYPOTHESES = ["Someone saw", "A man", "she left", "People sleep in the old house ."]


@pytest.fixture(scope="module")
def inference(tmp_path_factory: pytest.TempPathFactory) -> Any:
    elmo = small_elmo(tmp_path_factory.mktemp("elmo") / "small")
    return ElmoNli(SHAPE, random_tensors(SHAPE, 3), {}, elmo.folder.elmo_sha256()).on(elmo)


def network() -> Any:
    from unslant.models.nli.network import ElmoNliNetwork

    net = ElmoNliNetwork(SHAPE)
    net.load_state_dict({n: torch.from_numpy(v) for n, v in random_tensors(SHAPE, 3).items()})
    return net


def test_answers_are_those_of_the_equations_from_characters_to_logits(inference: Any) -> None:
    """ELMo and attention by loops in NumPy, which share nothing with what is tested."""
    plain, arrays = OnLayers(SHAPE, random_tensors(SHAPE, 3)), random_arrays(GENTLE)
    expected = []
    for texts in zip(PREMISES, HYPOTHESES, strict=True):
        sides = [np.stack(layers_by_hand(text, GENTLE, arrays), axis=1) for text in texts]
        expected.append(softmax(plain.logits(*sides).tolist()))
    found = inference.predict(PREMISES, HYPOTHESES)
    assert np.std(expected, axis=0).min() > 0.01, "answers that are all alike would test little"
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


def test_a_grid_gives_what_its_pairs_give(inference: Any) -> None:
    grid = PairGrid(
        ("The nurse", "An old man", "Nobody", "The mail carrier"),
        ("The man", "She"),
        (Context("", "ate an apple ."), Context("We saw that", "left ."), Context("", "slept .")),
    )
    pairs = list(grid.pairs())
    by_pair = inference.predict([a for a, _ in pairs], [b for _, b in pairs])
    found = inference.predict_grid(grid)
    np.testing.assert_allclose(found, by_pair.reshape(*grid.shape, 3), rtol=0, atol=1e-5)


def test_a_grid_reads_each_sentence_once(inference: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from unslant.models.nli import elmo_asking
    from unslant.models.nli.sentence_states import output_layers as really

    read: list[str] = []

    def counted(model: Any, texts: Any) -> Any:
        read.extend(texts)
        return really(model, texts)

    monkeypatch.setattr(elmo_asking, "output_layers", counted)
    fillers = ("The nurse", "An old man", "Nobody"), ("The man", "She", "A tall lady")
    inference.predict_grid(PairGrid(*fillers, (Context("", "ate ."), Context("", "left home ."))))
    assert len(read) == len(set(read)) == 12


def test_case_is_read(inference: Any) -> None:
    one, other = inference.predict(["She left", "she left"], ["A man", "A man"])
    assert np.abs(one - other).max() > 1e-4


def test_a_loss_reaches_every_weight_also_those_of_the_mixes() -> None:
    from unslant.models.nli.network import Padded

    net = network()
    places = torch.tensor([[0, 1, 2], [3, 4, 0]])
    is_word = torch.tensor([[True] * 3, [True, True, False]])
    sides = Padded(places, is_word), Padded(places.flip(0), is_word.flip(0))
    logits = net(torch.from_numpy(drawn(1, 5, 3, 12)), *sides)
    torch.nn.functional.cross_entropy(logits, torch.tensor([0, 2])).backward()
    for name, parameter in net.named_parameters():
        assert bool(parameter.grad.abs().sum() > 0), name


def test_weights_have_the_names_and_shapes_that_the_shape_says() -> None:
    found = {name: tuple(value.shape) for name, value in network().state_dict().items()}
    assert found == SHAPE.tensors()


def test_a_mix_begins_as_the_mean_and_learns_which_layer_counts() -> None:
    from unslant.models.nli.network import ScalarMix

    rows, mix = torch.from_numpy(drawn(2, 200, 3, 4)), ScalarMix(3)
    torch.testing.assert_close(mix(rows), rows.mean(dim=1))
    optimiser = torch.optim.Adam(mix.parameters(), lr=0.05)
    for _ in range(300):
        loss = (mix(rows) - 2 * rows[:, 1]).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert float(torch.softmax(mix.scores.detach(), 0)[1]) > 0.95
    assert float(mix.gamma.detach()) == pytest.approx(2, abs=0.1)


def test_the_sizes_of_the_paper_are_the_defaults() -> None:
    shape = ElmoTraining().shape(dim=1_024, layers=3)
    assert (shape.hidden, shape.wide, shape.attention, shape.classification) == (
        200, 1_224, 1_224, 400,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"hidden": 7}, "an even number of at least 2, not 7"),
        ({"attention": -1}, "attention must be at least 0, not -1"),
        ({"classification": 0}, "classification must be at least 1, not 0"),
        ({"epochs": 0}, "epochs must be at least 1, not 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(setting: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnslantError, match=reason):
        ElmoTraining(**setting)


def test_an_eraser_at_all_acts_on_each_layer_that_is_read(tmp_path: Path) -> None:
    from unslant.models.nli.sentence_states import output_layers

    elmo = small_elmo(tmp_path / "small")
    [(_, plain)] = output_layers(elmo, ["she is here"])
    [(_, at_all)] = output_layers(projecting(elmo, "all"), ["she is here"])
    basis = projecting(elmo, "all").intervention.steps[0].transforms[0].affine
    assert basis is not None
    expected = plain.numpy() @ basis[0] + basis[1]
    np.testing.assert_allclose(at_all, expected, rtol=0, atol=1e-5)
    assert float((at_all - plain).abs().max()) > 0.01
