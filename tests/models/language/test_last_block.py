"""The last layer at chosen pieces equals that of the whole network there."""

# ruff: noqa: E402
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.language.erasers import random_affine, random_projection
from tests.models.language.folders import DECODERS, KINDS, SENTENCES
from unslant.core.places import Place, parse_place
from unslant.models.language.architectures import ARCHITECTURES
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.last_block import last_hidden_at
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.models.language.passes import states

ModelOf = Callable[..., TransformerModel]
LAST = Place("layer", -1)


def _with(model: TransformerModel, *places: str) -> TransformerModel:
    steps = [
        AtPlace(parse_place(place), random_affine(model.site(parse_place(place)).width, seed=n))
        for n, place in enumerate(places)
    ]
    return model.intervened(Intervention(tuple(steps)))


def _both(model: TransformerModel, texts: list[str], positions: Any) -> tuple[Any, Any]:
    pieces = model.tokens.of(texts)
    whole = states(model, pieces, [LAST])[LAST]
    ids = torch.tensor([item.ids for item in pieces])
    return whole, last_hidden_at(model, ids, positions)


def _inside(kind: str, tokens: str) -> tuple[str, ...]:
    end = "last" if kind in DECODERS else tokens
    return (
        "layer:-2", "layer:-1.query:3", "layer:-1.key", "layer:-1.value:1[last]",
        f"layer:-1.query[{end}]", f"layer:-1.attention[{end}]", "layer:-1.attention:2",
        "layer:-1", f"layer:-1[{end}]",
    )  # fmt: skip


@pytest.mark.parametrize("tokens", ["cls", "last"])
@pytest.mark.parametrize("kind", KINDS)
def test_chosen_pieces_are_those_of_the_whole_network(
    model_of: ModelOf, kind: str, tokens: str
) -> None:
    for head in (True, False):  # without a head, BERT has a pooler
        plain = model_of(kind, head)
        for model in (plain, _with(plain, *_inside(kind, tokens))):
            for positions in ([0], [2], [3, 0, -1]):
                whole, chosen = _both(model, list(SENTENCES[:2]), positions)
                assert chosen.shape == (2, len(positions), plain.layout.width)
                assert (chosen - whole[:, positions]).abs().max() < 1e-5


@pytest.mark.parametrize("kind", ["bert", "electra", "deberta-v2", "gpt2", "llama"])
def test_each_text_has_pieces_of_its_own(model_of: ModelOf, kind: str) -> None:
    model = _with(model_of(kind), *_inside(kind, "cls"))
    whole, chosen = _both(model, list(SENTENCES[:2]), torch.tensor([[1, 3], [4, 2]]))
    expected = torch.stack([whole[0, [1, 3]], whole[1, [4, 2]]])
    assert (chosen - expected).abs().max() < 1e-5


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind in ARCHITECTURES])
def test_a_head_gives_its_numbers_for_the_chosen_pieces_only(model_of: ModelOf, kind: str) -> None:
    model = _with(model_of(kind), *_inside(kind, "cls"))
    network = model.head("causal" if kind in DECODERS else "masked")
    ids = torch.tensor([item.ids for item in model.tokens.of(list(SENTENCES[:2]))])
    with torch.inference_mode():
        with model.intervening(network):
            whole = network(input_ids=ids).logits
        with model.intervening(network, positions=[2, 1]):
            chosen = network(input_ids=ids).logits
        with model.intervening(network):
            assert torch.equal(network(input_ids=ids).logits, whole)
    assert chosen.shape[1] == 2
    assert (chosen - whole[:, [2, 1]]).abs().max() < 1e-5


def test_the_pooler_still_reads_the_first_piece(model_of: ModelOf) -> None:
    model = model_of("bert", False)
    ids = torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids])
    with torch.inference_mode():
        whole = model.network(input_ids=ids).pooler_output
        with model.intervening(positions=[3]):
            result = model.network(input_ids=ids)
    assert result.last_hidden_state.shape[1] == 1
    assert (result.pooler_output - whole).abs().max() < 1e-5


def test_kinds_of_token_count_in_the_last_block(model_of: ModelOf) -> None:
    """Without them the two parts of the text would be the same, and the test above say nothing."""
    model = model_of("bert")
    ids = torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids])
    given = model.network(input_ids=ids, token_type_ids=torch.ones_like(ids)).last_hidden_state
    chosen = last_hidden_at(model, ids, [1, 2], torch.ones_like(ids))
    assert (chosen - given[:, [1, 2]]).abs().max() < 1e-5
    assert (chosen - last_hidden_at(model, ids, [1, 2])).abs().max() > 1e-3


def test_only_chosen_pieces_pass_through_the_feed_forward_part(model_of: ModelOf) -> None:
    model = model_of("bert")
    seen: list[int] = []
    part = model.network.encoder.layer[-1].intermediate
    handle = part.register_forward_hook(lambda _, given, __: seen.append(given[0].shape[1]))
    try:
        _both(model, [SENTENCES[0]], [2])
    finally:
        handle.remove()
    assert seen == [len(model.tokens.of([SENTENCES[0]])[0]), 1]


def test_a_mask_of_padding_is_respected(model_of: ModelOf) -> None:
    model = model_of("roberta")
    ids = torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids])
    padded = torch.cat([ids, ids[:, :2]], dim=1)
    mask = torch.tensor([[1] * ids.shape[1] + [0, 0]])
    with torch.inference_mode(), model.intervening(positions=[0, 2]):
        found = model.network(input_ids=padded, attention_mask=mask).last_hidden_state
    assert (found - last_hidden_at(model, ids, [0, 2])).abs().max() < 1e-5


@pytest.mark.parametrize("name", ["minilm", "gte-small", "smollm2"])
def test_real_models_agree_at_chosen_pieces(real_folder: Callable[[str], Path], name: str) -> None:
    model = load_transformer(real_folder(name))
    width = model.layout.width
    inside = AtPlace(parse_place("layer:-1"), random_projection(width))
    heads = AtPlace(parse_place("layer:-1.query:3"), random_projection(width // model.layout.heads))
    for variant in (model, model.intervened(Intervention((heads, inside)))):
        whole, chosen = _both(variant, ["The nurse said that she was late."], [0, 4, -1])
        scale = max(1.0, float(whole.abs().max()))
        assert (chosen - whole[:, [0, 4, -1]]).abs().max() < 1e-5 * scale
