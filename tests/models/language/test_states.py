"""States at places: equal to what transformers gives, and to products computed by hand."""

# ruff: noqa: E402
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.models.language.folders import KINDS, SENTENCES
from unslant.core.errors import UnslantError
from unslant.core.places import Place, parse_place
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.models.language.passes import batches, states

ModelOf = Callable[..., TransformerModel]


def _states(model: TransformerModel, text: str, *places: str) -> list[Any]:
    parsed = [parse_place(place) for place in places]
    found = states(model, model.tokens.of([text]), parsed)
    return [found[place] for place in parsed]


@pytest.mark.parametrize("kind", KINDS)
def test_layers_equal_the_hidden_states_of_transformers(
    model_of: ModelOf, folder_of: Callable[..., Path], kind: str
) -> None:
    """The last layer is what follows the final norm, which transformers gives too."""
    model = model_of(kind)
    plain = transformers.AutoModel.from_pretrained(folder_of(kind)).eval()
    places = ["embeddings", *(f"layer:{n}" for n in range(1, model.layout.layers + 1))]
    for sentence, pieces in zip(SENTENCES, model.tokens.of(SENTENCES), strict=True):
        ids = torch.tensor([pieces.ids])
        with torch.inference_mode():
            given = plain(input_ids=ids, output_hidden_states=True)
        ours = _states(model, sentence, *places, "layer:-1")
        assert torch.equal(ours[-1], ours[-2])
        assert len(given.hidden_states) == len(ours) - 1
        for state, expected in zip(ours, given.hidden_states, strict=False):
            assert (state - expected).abs().max() < 1e-6
        assert (ours[-1] - given.last_hidden_state).abs().max() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_query_key_and_value_are_products_of_what_attention_reads(
    model_of: ModelOf, kind: str
) -> None:
    """Each equals the module's weights times its input, and heads are its columns in order."""
    model = model_of(kind)
    row, network = model.layout.architecture, model.network
    block = row.block.format(n=0)
    read: dict[str, Any] = {}
    names = {part: f"{block}.{getattr(row, part)}" for part in ("query", "key", "value")}

    def remember(name: str) -> Callable[..., None]:
        def hook(_: Any, given: tuple[Any, ...]) -> None:
            read.setdefault(name, given[0])  # DeBERTa multiplies positions afterwards

        return hook

    with ExitStack() as stack, torch.inference_mode():
        for name in set(names.values()):
            handle = network.get_submodule(name).register_forward_pre_hook(remember(name))
            stack.callback(handle.remove)
        network(input_ids=torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids]))
    start = {"query": 0, "key": 16, "value": 32} if len(set(names.values())) == 1 else {}
    for part, name in names.items():
        module = network.get_submodule(name)
        weight = module.weight if type(module).__name__ == "Conv1D" else module.weight.T
        product = read[name] @ weight + (0 if module.bias is None else module.bias)
        width = model.site(Place("layer", 1, part)).width
        expected = product[..., start.get(part, 0) : start.get(part, 0) + width]
        heads = [Place("layer", 1, part, n) for n in range(width // model.layout.head_width)]
        ours = _states(model, SENTENCES[0], f"layer:1.{part}", *map(str, heads))
        assert (ours[0] - expected).abs().max() < 1e-5
        assert torch.equal(torch.cat(ours[1:], dim=-1), ours[0])


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama", "mpnet"])
def test_attention_is_the_weighted_mean_of_the_values(model_of: ModelOf, kind: str) -> None:
    """For the first token of a decoder, whose only weight is 1; for one token, of an encoder."""
    model = model_of(kind)
    is_decoder = model.layout.architecture.is_decoder
    pieces = model.tokens.of([SENTENCES[0]])[0]
    one = type(pieces)(pieces.ids[:1])
    places = [Place("layer", 2, "value"), Place("layer", 2, "attention")]
    found = states(model, [pieces if is_decoder else one], places)
    value, attention = (found[place][:, 0] for place in places)
    group = model.layout.heads // model.layout.key_heads
    parts = value.reshape(-1, model.layout.key_heads, 4)
    expected = parts.repeat_interleave(group, dim=1).reshape(1, 16)
    assert (attention - expected).abs().max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_all_places_read_together_equal_each_read_alone(model_of: ModelOf, kind: str) -> None:
    model = model_of(kind)
    places = [str(place) for place in model.layout.places()]
    together = _states(model, SENTENCES[3], *places)
    for place, state in zip(places, together, strict=True):
        assert torch.equal(_states(model, SENTENCES[3], place)[0], state)
        assert state.shape[-1] == model.site(parse_place(place)).width
        assert state.shape[:2] == (1, len(model.tokens.of([SENTENCES[3]])[0])) or state.ndim == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_vector_does_not_depend_on_what_else_is_asked(model_of: ModelOf, kind: str) -> None:
    model = model_of(kind)
    texts = [*SENTENCES, *SENTENCES[:2]]
    places = ["layer:-1[all]", "layer:1[last]", "layer:2.value[all]"]
    together = model.vectors(texts, places)
    reverse = model.vectors(texts[::-1], places)
    for place, rows in together.items():
        assert np.abs(rows[::-1] - reverse[place]).max() < 1e-5
        for text, row in zip(texts, rows, strict=True):
            assert np.abs(model.vectors([text], [place])[place][0] - row).max() < 1e-5


def test_padded_texts_in_transformers_give_the_same_means(
    model_of: ModelOf, folder_of: Callable[..., Path]
) -> None:
    model = model_of("bert")
    plain = transformers.AutoModel.from_pretrained(folder_of("bert")).eval()
    pieces = model.tokens.of(SENTENCES)
    longest = max(map(len, pieces))
    ids = torch.tensor([[*p.ids, *[0] * (longest - len(p))] for p in pieces])
    mask = torch.tensor([[1] * len(p) + [0] * (longest - len(p)) for p in pieces])
    with torch.inference_mode():
        states = plain(input_ids=ids, attention_mask=mask).last_hidden_state
    means = (states * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    ours = model.vectors(SENTENCES, ["layer:-1"])[Place("layer", -1)]
    assert np.abs(means.numpy() - ours).max() < 1e-5


def test_tokens_are_pooled_as_by_hand(model_of: ModelOf) -> None:
    model = model_of("bert")
    text = "she is an [[unworks]] engineer ."
    pieces = model.tokens.of([text])[0]
    assert pieces.word == (4, 5, 6)  # after [CLS], she, is, an: un, ##work, ##s
    state = next(batches(model, [text], [Place("layer", 2)])).states[Place("layer", 2)][0]
    expected = {
        "cls": state[0],
        "last": state[-1],
        "all": state.mean(dim=0),
        "word": state[4:7].mean(dim=0),
    }
    for tokens, row in expected.items():
        place = Place("layer", 2, tokens=tokens)
        assert np.abs(model.vectors([text], [place])[place][0] - row.numpy()).max() < 1e-6


def test_a_decoder_has_no_cls(model_of: ModelOf) -> None:
    with pytest.raises(UnslantError, match=r"no \[CLS\]; use \[last\] or \[all\]"):
        model_of("llama").at("layer:-1[cls]")


@pytest.mark.parametrize("kind", ["bert", "gpt2", "albert-2-groups"])
def test_places_are_listed_from_the_first_to_the_last(model_of: ModelOf, kind: str) -> None:
    layout = model_of(kind, False).layout
    listed = [str(place) for place in layout.places()]
    assert listed[:3] == ["wordpieces", "embeddings", "layer:1.query"]
    assert listed.count(f"layer:{layout.layers}") == 1
    assert len(listed) == 2 + 5 * layout.layers + layout.has_pooler
    depths = [layout.site(place).depth for place in layout.places()]
    assert depths == sorted(depths)


def test_places_are_checked_before_any_weight_is_read(
    folder_of: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unslant.models.language import model as module

    def no_reading(*_: object) -> None:
        raise AssertionError("weights were read")

    monkeypatch.setattr(module, "network", no_reading)
    model = load_transformer(folder_of("bert"))
    assert model.site(parse_place("layer:-2.query:3")).width == 4
    for place, reason in (
        ("layer:4", "layers are 1 to 3"),
        ("layer:0", "called embeddings"),
        ("layer:-4", "layers are 1 to 3"),
        ("layer:1.key:4", "4 heads"),
        ("pooled", "no pooler"),
        ("sentence", "no sentence-transformers folder"),
        ("lstm:1", "only an ELMo"),
    ):
        with pytest.raises(UnslantError, match=reason):
            model.at(place)
    with pytest.raises(AssertionError, match="weights were read"):
        model.vectors(["she"], ["layer:1"])


def test_a_missing_head_is_refused(model_of: ModelOf) -> None:
    with pytest.raises(UnslantError, match="no masked head: its weights lack cls"):
        model_of("bert", False).head("masked")
    with pytest.raises(UnslantError, match="no next-sentence head"):
        model_of("bert").head("next-sentence")
    with pytest.raises(UnslantError, match="no next-sentence head"):
        model_of("gpt2").head("next-sentence")
