"""Erasers at the places of an ELMo: what they remove, what they leave, and that they go again."""

import copy
from typing import Any

import numpy as np
import pytest

from tests.made_erasers import made_of
from unslant.core.errors import UnslantError
from unslant.core.places import parse_place
from unslant.erasers import Dense, EachVector, LowRank, projection
from unslant.models.elmo import ElmoModel
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.passes import batches

TEXTS = ["she is here", "a [[nurse]] said so .", "he", "the doctor and the nurse met her", "日本"]
PLACES = ["chars", "lstm:1", "lstm:2", "output:0", "output:1", "output:2", "all"]
OUTPUTS = PLACES[3:6]


def basis(width: int, k: int = 2) -> Any:
    return np.linalg.qr(np.random.default_rng(5).normal(size=(width, k)))[0].T


def acting(place: str, transform: Any) -> Intervention:
    return Intervention((AtPlace(parse_place(place), made_of(EachVector(transform))),))


def at_every_token(model: ElmoModel, places: list[str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {place: [] for place in places}
    for batch in batches(model, TEXTS, [parse_place(place) for place in places]):
        for place, state in batch.states.items():
            found[str(place)].append(state.numpy())
    return found


def equal(one: dict[str, list[Any]], other: dict[str, list[Any]], place: str) -> bool:
    pairs = zip(one[place], other[place], strict=True)
    return all(np.array_equal(first, second) for first, second in pairs)


@pytest.mark.parametrize("place", PLACES)
def test_an_eraser_of_rank_zero_changes_no_bit(place: str, elmo: ElmoModel) -> None:
    width = elmo.site(parse_place(place)).width
    nothing = LowRank(np.zeros((0, width)), np.zeros((0, width)))
    after = at_every_token(elmo.intervened(acting(place, nothing)), PLACES)
    before = at_every_token(elmo, PLACES)
    assert all(equal(before, after, there) for there in PLACES)


@pytest.mark.parametrize("place", [*PLACES, "lstm:-1"])
def test_a_projection_leaves_no_component_at_any_token(place: str, elmo: ElmoModel) -> None:
    removed = basis(elmo.site(parse_place(place)).width)
    before = at_every_token(elmo, [place])[place]
    after = at_every_token(elmo.intervened(acting(place, projection(removed))), [place])[place]
    assert max(np.abs(state @ removed.T).max() for state in before) > 0.01
    assert max(np.abs(state @ removed.T).max() for state in after) < 1e-5


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        ("chars", PLACES),
        ("lstm:1", ["lstm:1", "lstm:2", "output:1", "output:2", "all"]),
        ("lstm:2", ["lstm:2", "output:2", "all"]),
        ("output:0", ["output:0", "all"]),
        ("output:1", ["output:1", "all"]),
        ("output:-1", ["output:2", "all"]),
        ("all", ["all"]),
    ],
)
def test_what_comes_later_changes_and_nothing_earlier(
    place: str, changes: list[str], elmo: ElmoModel
) -> None:
    removed = basis(elmo.site(parse_place(place)).width)
    before = at_every_token(elmo, PLACES)
    after = at_every_token(elmo.intervened(acting(place, projection(removed))), PLACES)
    assert [there for there in PLACES if not equal(before, after, there)] == changes


def test_an_affine_eraser_at_all_is_the_same_as_one_at_every_layer(elmo: ElmoModel) -> None:
    draw = np.random.default_rng(1)
    matrix, offset = draw.normal(size=(12, 12)), draw.normal(size=12)
    chars, *lstm = elmo.vectors(TEXTS, ["chars", "lstm:1", "lstm:2"]).values()
    treated = [layer @ matrix + offset for layer in (np.hstack([chars, chars]), *lstm)]
    after = elmo.intervened(acting("all", Dense(matrix, offset))).encode(TEXTS)
    np.testing.assert_allclose(after, np.mean(treated, axis=0), rtol=0, atol=1e-5)


def test_outputs_are_the_layers_and_each_can_have_an_eraser_of_its_own(elmo: ElmoModel) -> None:
    """The mean is then that of the treated layers, and no layer sees what was done to another."""
    plain = elmo.vectors(TEXTS, ["chars", "lstm:1", "lstm:2", *OUTPUTS])
    chars, first, second, *outputs = plain.values()
    for layer, output in zip((np.hstack([chars, chars]), first, second), outputs, strict=True):
        np.testing.assert_allclose(layer, output, rtol=0, atol=1e-6)
    draw = np.random.default_rng(2)
    maps = [Dense(draw.normal(size=(12, 12)), draw.normal(size=12)) for _ in OUTPUTS]
    steps = [acting(place, by).steps[0] for place, by in zip(OUTPUTS, maps, strict=True)]
    after = elmo.intervened(Intervention(tuple(steps))).encode(TEXTS)
    treated = [
        layer @ by.matrix + np.asarray(by.offset) for layer, by in zip(outputs, maps, strict=True)
    ]
    np.testing.assert_allclose(after, np.mean(treated, axis=0), rtol=0, atol=1e-4)


def test_a_projection_of_the_characters_is_one_of_the_weights_before_the_lstms(
    elmo: ElmoModel,
) -> None:
    """By hand: treated tokens between untreated bounds, through the bare network."""
    import torch

    removed = basis(6)
    ids = torch.tensor([elmo.tokens.of(["she is here"])[0].ids])
    net = elmo.network
    with torch.inference_mode():
        tokens, edges = net.chars(ids)
        tokens = tokens - (tokens @ tokens.new_tensor(removed.T)) @ tokens.new_tensor(removed)
        state, ends = torch.cat([tokens] * 2, -1), torch.cat([edges] * 2, -1)
        for layer in net.lstm:
            state, ends, _ = layer(state, ends)
    model = elmo.intervened(acting("chars", projection(removed)))
    found = next(iter(batches(model, ["she is here"], [parse_place("lstm:2")])))
    np.testing.assert_allclose(found.states[parse_place("lstm:2")], state, rtol=0, atol=1e-6)


def test_tokens_can_be_chosen(elmo: ElmoModel) -> None:
    removed = basis(12)
    model = elmo.intervened(acting("lstm:2[last]", projection(removed)))
    for old, new in zip(
        at_every_token(elmo, ["lstm:2"])["lstm:2"],
        at_every_token(model, ["lstm:2"])["lstm:2"],
        strict=True,
    ):
        assert np.array_equal(old[:, :-1], new[:, :-1])
        assert np.abs(new[:, -1] @ removed.T).max() < 1e-5


def test_the_model_is_as_before_when_hooks_are_gone_also_after_an_exception(
    elmo: ElmoModel,
) -> None:
    before = at_every_token(elmo, PLACES)
    weights = copy.deepcopy(elmo.network.state_dict())
    model = elmo.intervened(acting("chars", projection(basis(6))))
    at_every_token(model, PLACES)
    assert all(equal(before, at_every_token(elmo, PLACES), place) for place in PLACES)
    with pytest.raises(ZeroDivisionError), model.intervening():
        assert not equal(before, at_every_token(elmo, PLACES), "lstm:2")
        raise ZeroDivisionError
    assert all(equal(before, at_every_token(elmo, PLACES), place) for place in PLACES)
    assert all((value == weights[name]).all() for name, value in elmo.network.state_dict().items())
    assert not any(module._forward_hooks for module in elmo.network.modules())


def test_interventions_have_a_lineage_and_a_hash(elmo: ElmoModel) -> None:
    model = elmo.intervened(acting("lstm:1", projection(basis(12))))
    assert model.name == "small-elmo.toy"
    assert model.original is elmo
    assert model.network is elmo.network
    assert model.content_hash != elmo.content_hash
    assert model.weights_sha256 == elmo.weights_sha256


def test_an_eraser_of_another_width_is_refused(elmo: ElmoModel) -> None:
    with pytest.raises(UnslantError, match="width 12, but chars in small-elmo has width 6"):
        elmo.intervened(acting("chars", projection(basis(12)))).encode(["she"])
