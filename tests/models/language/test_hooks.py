"""Interventions act at their place, in their context and in their thread, and nowhere else."""

# ruff: noqa: E402
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.language.erasers import (
    random_affine,
    random_projection,
    with_eraser,
    zero_rank,
)
from tests.models.language.folders import KINDS, SENTENCES
from tests.tallies import Tally
from unslant.core.errors import UnslantError
from unslant.core.places import Place, parse_place
from unslant.erasers import EachVector, LowRank
from unslant.models.language.hooks import Hooks
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.models.language.passes import states

ModelOf = Callable[..., TransformerModel]


def _basis(model: TransformerModel) -> Any:
    step = model.intervention.steps[0].eraser.steps[0]
    assert isinstance(step, EachVector)
    assert isinstance(step.transform, LowRank)
    return step.transform.read


def _everywhere(model: TransformerModel) -> dict[Place, Any]:
    return states(model, model.tokens.of([SENTENCES[3]]), model.layout.places())


def _hooks_in(model: TransformerModel) -> int:
    return sum(
        len(module._forward_hooks) + len(module._forward_pre_hooks)
        for module in model.network.modules()
    )


def _bit_equal(first: dict[Place, Any], second: dict[Place, Any]) -> bool:
    return all(torch.equal(first[place], second[place]) for place in first)


@pytest.mark.parametrize("kind", KINDS)
def test_an_eraser_of_rank_zero_changes_no_bit(model_of: ModelOf, kind: str) -> None:
    model = model_of(kind, False)
    before = _everywhere(model)
    for place in model.layout.places():
        changed = with_eraser(model, zero_rank(model.site(place).width), str(place))
        assert _bit_equal(_everywhere(changed), before)
        assert changed.content_hash != model.content_hash


@pytest.mark.parametrize("kind", KINDS)
def test_a_projection_leaves_no_component_in_any_token(model_of: ModelOf, kind: str) -> None:
    model = model_of(kind, False)
    before = _everywhere(model)
    heads = [Place("layer", 2, part, 1) for part in ("query", "key", "value", "attention")]
    for number, place in enumerate([*model.layout.places(), *heads]):
        changed = with_eraser(
            model, random_projection(model.site(place).width, seed=number), str(place)
        )
        for text in SENTENCES:
            state = states(changed, model.tokens.of([text]), [place])[place]
            along = state.double().numpy() @ _basis(changed).T
            assert np.abs(along).max() < 1e-5
        after = _everywhere(changed)
        for other in before:
            is_earlier = model.site(other).depth < model.site(place).depth
            if is_earlier and model.site(other).module != model.site(place).module:
                assert torch.equal(after[other], before[other])
        assert not _bit_equal(after, before)
    assert _bit_equal(_everywhere(model), before)


@pytest.mark.parametrize("name", ["minilm", "gte-small", "smollm2"])
def test_a_projection_leaves_no_component_in_real_models(
    real_folder: Callable[[str], Path], name: str
) -> None:
    model = load_transformer(real_folder(name))
    texts = ("The nurse said that she was late.", "He is an engineer.")
    for place in (
        "wordpieces",
        "embeddings",
        "layer:2",
        "layer:-1.query:1",
        "layer:-2.value",
        "layer:-1",
    ):
        parsed = parse_place(place)
        changed = with_eraser(model, random_projection(model.site(parsed).width), place)
        for text in texts:
            state = states(changed, model.tokens.of([text]), [parsed])[parsed].double().numpy()
            largest = max(1.0, float(np.abs(state).max()))
            assert np.abs(state @ _basis(changed).T).max() < 1e-5 * largest
    before = model.encode(texts)
    with_eraser(model, random_projection(model.layout.width), "layer:-1").encode(texts)
    assert np.array_equal(model.encode(texts), before)
    assert _hooks_in(model) == 0


@pytest.mark.parametrize("tokens", ["cls", "last", "all"])
@pytest.mark.parametrize("kind", ["bert", "deberta-v2"])
def test_an_eraser_for_some_tokens_leaves_the_others(
    model_of: ModelOf, kind: str, tokens: str
) -> None:
    model = model_of(kind)
    chosen = {"cls": [0], "last": [-1], "all": list(range(12))}[tokens]
    for part in ("layer:2", "layer:2.query"):
        place, plain = parse_place(f"{part}[{tokens}]"), parse_place(part)
        changed = with_eraser(model, random_affine(16), str(place))
        pieces = model.tokens.of([SENTENCES[3]])
        before = states(model, pieces, [plain])[plain][0]
        after = states(changed, pieces, [plain])[plain][0]
        moved = (after != before).any(dim=1).nonzero().flatten().tolist()
        assert moved == sorted(n % len(before) for n in chosen)


@pytest.mark.parametrize("kind", ["bert", "albert-2-groups", "gpt2", "llama"])
def test_an_exception_at_any_place_leaves_no_hook(
    model_of: ModelOf, kind: str, tally: Tally
) -> None:
    model = model_of(kind, False)
    before = _everywhere(model)

    def fail(_: Any) -> Any:
        raise ZeroDivisionError

    for place in model.layout.places():
        changed = with_eraser(model, random_affine(model.site(place).width), str(place))
        with pytest.raises(ZeroDivisionError), changed.intervening():
            assert _hooks_in(model) > 0
            with Hooks(model.network, [(model.site(place), fail)]):
                model.run(torch.tensor([model.tokens.of(["she"])[0].ids]))
        assert _hooks_in(model) == 0
        assert _bit_equal(_everywhere(model), before)
    tally(len(model.layout.places()))


def test_a_context_that_cannot_be_entered_leaves_no_hook(model_of: ModelOf) -> None:
    from dataclasses import replace

    model = model_of("bert")
    good = model.site(Place("layer", 1))
    with (
        pytest.raises(AttributeError),
        Hooks(model.network, [(good, lambda x: x), (replace(good, module="no.such"), lambda x: x)]),
    ):
        pass
    assert _hooks_in(model) == 0


def test_nested_contexts_remove_only_their_own(model_of: ModelOf, tally: Tally) -> None:
    model = model_of("bert", False)
    place, ids = Place("layer", 2), torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids])
    erasers = [random_affine(16, seed=n) for n in range(3)]
    contexts = [with_eraser(model, eraser, str(place)) for eraser in erasers]

    def now() -> Any:
        with torch.inference_mode():
            return model.run(ids)[0]

    plain = now()
    expected = []
    for depth in range(1, 4):
        steps = tuple(AtPlace(place, eraser) for eraser in erasers[:depth])
        with model.intervened(Intervention(steps)).intervening():
            expected.append(now())
    with ExitStack() as outer:
        outer.enter_context(contexts[0].intervening())
        assert torch.equal(now(), expected[0])
        with ExitStack() as middle:
            middle.enter_context(contexts[1].intervening())
            with contexts[2].intervening():
                assert torch.equal(now(), expected[2])
            assert torch.equal(now(), expected[1])
        assert torch.equal(now(), expected[0])
    assert torch.equal(now(), plain)
    assert not torch.equal(expected[0], expected[2])
    tally(3)


@pytest.mark.parametrize("kind", ["bert", "albert-2-groups"])
def test_threads_do_not_see_the_interventions_of_others(
    model_of: ModelOf, kind: str, tally: Tally
) -> None:
    model = model_of(kind, False)
    models = [with_eraser(model, random_affine(16, seed=n), f"layer:{n % 3 + 1}") for n in range(8)]
    alone = [changed.vectors(SENTENCES, ["layer:-1"])[Place("layer", -1)] for changed in models]
    together: dict[int, list[Any]] = {n: [] for n in range(8)}
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for _ in range(30):
            rows = models[number].vectors(SENTENCES, ["layer:-1"])
            together[number].append(rows[Place("layer", -1)])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, rows in together.items():
        assert len(rows) == 30
        assert all(np.array_equal(row, alone[number]) for row in rows)
    assert _hooks_in(model) == 0
    tally(8 * 30)


def test_weights_are_never_changed(model_of: ModelOf) -> None:
    model = model_of("bert", False)
    before = {name: value.clone() for name, value in model.network.state_dict().items()}
    for place in model.layout.places():
        _everywhere(with_eraser(model, random_affine(model.site(place).width), str(place)))
    for name, value in model.network.state_dict().items():
        assert torch.equal(value, before[name])


def test_nothing_acts_on_the_word_asked_about() -> None:
    with pytest.raises(UnslantError, match="known only to a measure"):
        AtPlace(parse_place("layer:2[word]"), random_projection(16))
