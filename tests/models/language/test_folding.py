"""What is folded equals what hooks do, wherever the table says that a place folds."""

# ruff: noqa: E402
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from tests.models.language.erasers import random_affine, random_projection, with_eraser
from tests.models.language.folders import DECODERS, KINDS, SENTENCES, save_sentence_model
from unslant.core.errors import UnslantError
from unslant.core.places import Place, parse_place
from unslant.erasers import EachVector, Eraser, UnitLength
from unslant.models.language.export import export
from unslant.models.language.folding import CannotFoldError, Product, folded
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.model import TransformerModel, load_transformer

ModelOf = Callable[..., TransformerModel]


def _logits(model: TransformerModel, network: Any) -> list[Any]:
    given = []
    with torch.inference_mode(), model.intervening(network):
        for pieces in model.tokens.of(SENTENCES):
            given.append(network(input_ids=torch.tensor([pieces.ids])).logits.numpy())
    return given


def _plain(folder: Path, kind: str) -> Any:
    auto = transformers.AutoModelForMaskedLM
    if kind in DECODERS:
        auto = transformers.AutoModelForCausalLM
    made, facts = auto.from_pretrained(folder, output_loading_info=True)
    assert not facts["missing_keys"]
    assert not facts["mismatched_keys"]
    assert made.dtype is torch.float32
    return made.eval()


def _folds(model: TransformerModel, *, in_every_layer: bool = True) -> list[Place]:
    heads = [Place("layer", 2, part, 1) for part in ("query", "key", "value", "attention")]
    places = [*model.layout.places(), *heads]
    return [
        place
        for place in places
        if not model.site(place).why_not_folded
        and (in_every_layer or place.component is None or place.index == 2)
    ]


def _why_not(model: TransformerModel) -> str:
    try:
        folded(model)
    except CannotFoldError as error:
        return str(error)
    return ""


def _assert_equal(model: TransformerModel, network: Any, folder: Path, kind: str) -> None:
    plain = _plain(folder, kind)
    for now, then in zip(_logits(model, network), _logits(model.original, plain), strict=True):
        assert np.abs(now - then).max() < 1e-5 * max(1, np.abs(now).max())


@pytest.mark.parametrize("kind", KINDS)
def test_a_folded_model_in_plain_transformers_equals_the_hooked_one(
    model_of: ModelOf, kind: str, tmp_path: Path
) -> None:
    """With an offset wherever there is or can be a bias, and without one elsewhere."""
    model = model_of(kind)
    network = model.head("causal" if kind in DECODERS else "masked")
    without_bias = set()
    for number, place in enumerate(_folds(model, in_every_layer=False)):
        width, folder = model.site(place).width, tmp_path / f"{number}"
        changed = with_eraser(model, random_affine(width, seed=number), str(place))
        reason = _why_not(changed)
        if reason:
            assert "offset, which needs a bias" in reason
            without_bias.add(place.component or place.part)
            changed = with_eraser(model, random_projection(width, seed=number), str(place))
        assert not export(changed, folder, loader="heads").needs_unslant
        _assert_equal(changed, network, folder, kind)
        pairs = zip(_logits(model, network), _logits(changed, network), strict=True)
        assert max(np.abs(a - b).max() for a, b in pairs) > 1e-2, place
    expected = {
        "mistral": {"query", "key", "value", "attention", "layer"},
        "qwen2": {"attention", "layer"},
    }
    assert without_bias == expected.get(kind, {"layer"} if kind in DECODERS else set())


@pytest.mark.parametrize("kind", KINDS)
def test_erasers_at_all_places_that_fold_fold_together(
    model_of: ModelOf, kind: str, tmp_path: Path
) -> None:
    model = model_of(kind)
    steps = tuple(
        AtPlace(place, random_projection(model.site(place).width, seed=number))
        for number, place in enumerate(_folds(model))
    )
    changed = model.intervened(Intervention(steps))
    assert not export(changed, tmp_path / "out", loader="heads").needs_unslant
    network = model.head("causal" if kind in DECODERS else "masked")
    _assert_equal(changed, network, tmp_path / "out", kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_that_does_not_fold_is_refused_with_its_reason(
    model_of: ModelOf, kind: str
) -> None:
    model = model_of(kind)
    refused = 0
    for place in model.layout.places():
        site = model.site(place)
        if site.why_not_folded:
            refused += 1
            with pytest.raises(CannotFoldError) as caught:
                folded(with_eraser(model, random_projection(site.width), str(place)))
            assert site.why_not_folded in str(caught.value)
            assert str(place) in str(caught.value)
    assert refused >= model.layout.layers - 1


def test_an_eraser_for_one_token_is_not_folded(model_of: ModelOf) -> None:
    model = model_of("bert")
    for place in ("layer:1.query[cls]", "embeddings[last]", "layer:-1[cls]"):
        with pytest.raises(CannotFoldError, match="one token"):
            folded(with_eraser(model, random_projection(16), place))


def test_what_is_not_affine_is_not_folded(model_of: ModelOf) -> None:
    base = random_projection(16).stages[0]
    stage = type(base)(
        method=base.method, name="unit", steps=(*base.steps, EachVector(UnitLength()))
    )
    with pytest.raises(CannotFoldError, match="not an affine map"):
        folded(with_eraser(model_of("bert"), Eraser((stage,)), "wordpieces"))


def test_without_a_head_the_last_layer_of_an_encoder_does_not_fold(model_of: ModelOf) -> None:
    with pytest.raises(CannotFoldError, match="no later weights to fold into"):
        folded(with_eraser(model_of("bert", False), random_projection(16), "layer:-1"))


def test_an_unknown_reader_of_the_last_layer_is_named(model_of: ModelOf, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    from tests.models.language.folders import save

    folder = save(tmp_path / "bert", "bert")
    arrays = load_file(folder / "model.safetensors")
    save_file({**arrays, "classifier.weight": torch.ones(2, 16)}, folder / "model.safetensors")
    with pytest.raises(CannotFoldError, match=r"classifier\.weight may read it too"):
        folded(with_eraser(load_transformer(folder), random_projection(16), "layer:-1"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_without_a_head_folds_too(model_of: ModelOf, kind: str, tmp_path: Path) -> None:
    """Hidden states of AutoModel, which reads files with and without a head."""
    model = model_of(kind, False)
    changed = with_eraser(model, random_affine(model.layout.piece_width), "wordpieces")
    assert not export(changed, tmp_path / "out").needs_unslant
    plain = transformers.AutoModel.from_pretrained(tmp_path / "out").eval()
    for pieces in model.tokens.of(SENTENCES):
        ids = torch.tensor([pieces.ids])
        with torch.inference_mode(), changed.intervening():
            hooked = model.network(input_ids=ids)[0]
        with torch.inference_mode():
            assert (plain(input_ids=ids)[0] - hooked).abs().max() < 1e-5


def test_the_algebra_of_products_by_hand() -> None:
    x, weight, bias = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 1.0], [0.0, 3.0]]), None
    product = Product(weight, torch.tensor([1.0, -1.0]))
    matrix, offset = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([10.0, 20.0])
    # y = x Wᵀ + c = (4, 5); y M + b = (10, 4) + (10, 20) = (20, 24)
    after = product.then((matrix, offset))
    assert (x @ after.weight.T + after.bias).tolist() == [[20.0, 24.0]]
    # x M + b = (4, 1) + (10, 20) = (14, 21); times Wᵀ plus c = (35, 63) + (1, −1)
    before = product.after((matrix, offset))
    assert (x @ before.weight.T + before.bias).tolist() == [[36.0, 62.0]]
    half = Product(weight, bias).then((np.array([[0.0]]), np.array([0.0])), (1, 2))
    assert (x @ half.weight.T).tolist() == [[3.0, 0.0]]
    turned = Product(weight.T.contiguous(), torch.tensor([1.0, -1.0]), True)
    assert torch.equal(turned.then((matrix, offset)).weight, after.weight.T)
    assert torch.equal(turned.after((matrix, offset)).weight, before.weight.T)


@pytest.mark.parametrize(
    ("pooling", "dense", "normalise"),
    [
        ("mean", (), True),
        ("mean", ("tanh",), True),
        ("mean", ("", "tanh"), False),
        ("cls", ("",), True),
        ("cls", (), False),
        ("lasttoken", ("tanh", ""), True),
    ],
)
def test_sentence_vectors_equal_ours_in_plain_sentence_transformers(
    tmp_path: Path, pooling: str, dense: tuple[str, ...], normalise: bool
) -> None:
    package = pytest.importorskip("sentence_transformers")
    folder = save_sentence_model(tmp_path / "in", pooling=pooling, dense=dense, normalise=normalise)
    model = load_transformer(folder)
    width = model.site(Place("sentence")).width
    assert width == 16 - 2 * len(dense)
    steps = (
        AtPlace(parse_place("layer:-1"), random_affine(16, seed=1)),
        AtPlace(parse_place("sentence"), random_affine(width, seed=2)),
        AtPlace(parse_place("wordpieces"), random_affine(16, seed=3)),
        AtPlace(parse_place("layer:2.value"), random_affine(16, seed=4)),
    )
    changed = model.intervened(Intervention(steps))
    assert not export(changed, tmp_path / "out").needs_unslant
    plain = package.SentenceTransformer(str(tmp_path / "out"), device="cpu")
    ours = changed.encode(SENTENCES)
    allowed = 1e-6 * max(1, np.abs(ours).max())
    assert np.abs(plain.encode(list(SENTENCES)) - ours).max() < allowed
    assert np.abs(model.encode(SENTENCES) - ours).max() > 1e-2
    assert np.abs(load_transformer(tmp_path / "out").encode(SENTENCES) - ours).max() < allowed


def test_the_last_layer_folds_only_through_poolings_that_keep_affine_maps(tmp_path: Path) -> None:
    for pooling, place, word in (
        ("max", "layer:-1", '"max"'),
        ("mean_sqrt_len_tokens", "layer:-1", "does not pass"),
        ("mean", "layer:-1[cls]", "one token"),
        ("lasttoken", "layer:-1[cls]", "one token"),
    ):
        path = tmp_path / f"{pooling}{place}"
        model = load_transformer(save_sentence_model(path, pooling=pooling))
        with pytest.raises(CannotFoldError, match=word):
            folded(with_eraser(model, random_projection(16), place))
    model = load_transformer(save_sentence_model(tmp_path / "cls", pooling="cls"))
    changed = with_eraser(model, random_projection(16), "layer:-1[cls]")
    assert not export(changed, tmp_path / "out").needs_unslant
    assert (
        np.abs(
            load_transformer(tmp_path / "out").encode(SENTENCES) - changed.encode(SENTENCES)
        ).max()
        < 1e-6
    )


def test_a_wrong_width_is_refused_before_anything_is_folded(model_of: ModelOf) -> None:
    with pytest.raises(UnslantError, match="has width 5, but wordpieces"):
        folded(with_eraser(model_of("bert"), random_projection(5), "wordpieces"))
