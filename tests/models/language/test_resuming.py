"""A model that resumes gives the same bits as one that computes everything."""

# ruff: noqa: E402
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.language.erasers import random_affine, random_projection
from tests.models.language.folders import DECODERS, KINDS, SENTENCES
from unslant.core.places import Place, parse_place
from unslant.models.language.hooks import Hooks, Replaced
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.last_block import last_hidden_at
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.models.language.passes import states, vectors
from unslant.models.language.resuming import KeptStates, StateKey, resuming

ModelOf = Callable[..., TransformerModel]
LAST = Place("layer", -1)


def _step(model: TransformerModel, place: str, seed: int = 0) -> AtPlace:
    parsed = parse_place(place)
    return AtPlace(parsed, random_affine(model.site(parsed).width, seed=seed))


def _settings(model: TransformerModel, kind: str) -> list[TransformerModel]:
    """A tree of settings: places of every depth, some of them with two erasers."""
    end = "last" if kind in DECODERS else "cls"
    chains: list[list[tuple[str, int]]] = [
        [],
        [(f"layer:-1[{end}]", 1)],
        [(f"layer:-1[{end}]", 2)],
        [("layer:-2", 3)],
        [("layer:-2", 3), (f"layer:-1[{end}]", 1)],
        [("layer:-1.query:1", 8), ("layer:-2", 3)],
        [("layer:-2.value:1", 4), ("layer:-2", 3), ("layer:-1", 5)],
        [("layer:1", 6), ("layer:-2", 3)],
        [("embeddings", 7)],
        [("wordpieces", 8), ("layer:-1", 5)],
    ]
    return [
        model.intervened(Intervention(tuple(_step(model, *part) for part in chain)))
        for chain in chains
    ]


def _answers(model: TransformerModel) -> list[Any]:
    """What is read in several ways: at every place, at one, at chosen pieces, by a head."""
    pieces = model.tokens.of([SENTENCES[0], SENTENCES[1]])
    ids = torch.tensor([item.ids for item in pieces])
    everywhere = [place for place in model.layout.places() if place.part != "sentence"]
    found = [*states(model, pieces, everywhere).values()]
    found += [*states(model, pieces, [LAST]).values()]
    found.append(last_hidden_at(model, ids, [0]))
    found.append(last_hidden_at(model, ids, [2, -1]))
    with torch.inference_mode():
        network = model.head("causal" if model.layout.architecture.is_decoder else "masked")
        with model.intervening(network):
            found.append(network(input_ids=ids).logits)
    return found


def _equal(first: Sequence[Any], second: Sequence[Any]) -> bool:
    return all(torch.equal(mine, theirs) for mine, theirs in zip(first, second, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_to_read_a_model_gives_the_same_bits(model_of: ModelOf, kind: str) -> None:
    model = model_of(kind)
    settings = _settings(model, kind)
    alone = [_answers(setting) for setting in settings]
    assert not _equal(alone[0], alone[3])
    with resuming(model) as kept:
        for _ in range(2):
            assert all(
                _equal(_answers(setting), expected)
                for setting, expected in zip(settings, alone, strict=True)
            )
        is_shared = model.layout.architecture.shared
        assert (kept.hits > 50) != is_shared
    with resuming(model, ["layer:-2", "layer:-1[cls]" if kind not in DECODERS else "layer:-1"]):
        for setting, expected in zip(settings, alone, strict=True):
            assert _equal(_answers(setting), expected)
    assert _equal(_answers(settings[3]), alone[3])


def test_blocks_that_are_known_are_not_computed(model_of: ModelOf) -> None:
    model = model_of("bert")
    ids = torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids])
    computed: list[int] = []
    handles = [
        block.attention.register_forward_hook(lambda *_, n=n: computed.append(n))
        for n, block in enumerate(model.network.encoder.layer, 1)
    ]

    def blocks(*places: str) -> list[int]:
        computed.clear()
        steps = tuple(_step(model, place) for place in places)
        last_hidden_at(model.intervened(Intervention(steps)), ids, [0])
        return list(computed)

    try:
        with resuming(model):
            assert blocks() == [1, 2]  # the last is computed part by part
            assert blocks("layer:-1[cls]") == []
            assert blocks("layer:2") == []
            assert blocks("layer:2", "layer:-1[cls]") == []
            assert blocks("layer:2.query:1", "layer:2") == [2]
            assert blocks("layer:2.query:1", "layer:2", "layer:3") == []
            assert blocks("embeddings") == [1, 2]
        assert blocks() == [1, 2]
    finally:
        for handle in handles:
            handle.remove()


def test_the_same_map_resumes_whatever_it_was_fitted_on(model_of: ModelOf) -> None:
    model = model_of("bert")
    first, same = _step(model, "layer:2", 1), _step(model, "layer:2", 1)
    other, elsewhere = _step(model, "layer:2", 2), _step(model, "layer:1", 1)
    assert first.content_key == same.content_key
    assert len({first.content_key, other.content_key, elsewhere.content_key}) == 3


def test_kinds_of_token_and_masks_tell_passes_apart(model_of: ModelOf) -> None:
    model = model_of("bert")
    ids = torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids])
    kinds, mask = torch.ones_like(ids), torch.tensor([[1] * (ids.shape[1] - 1) + [0]])
    asked: list[dict[str, Any]] = [{}, {"token_type_ids": kinds}, {"attention_mask": mask}]

    def now() -> list[Any]:
        with torch.inference_mode(), model.intervening():
            return [model.network(input_ids=ids, **more)[0] for more in asked]

    alone = now()
    with resuming(model):
        assert _equal(now(), alone)
        assert _equal(now(), alone)
    assert len({float(item.sum()) for item in alone}) == 3


def test_gradients_and_hidden_states_are_always_computed(folder_of: Callable[..., Path]) -> None:
    model = load_transformer(folder_of("bert"))  # its own: transformers leaves hooks in it
    ids = torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids])
    with resuming(model) as kept, model.intervening():
        for _ in range(2):
            assert model.network(input_ids=ids)[0].sum() == pytest.approx(
                float(model.network(input_ids=ids)[0].sum())
            )
            with torch.inference_mode():
                found = model.network(input_ids=ids, output_hidden_states=True)
            assert len(found.hidden_states) == 4
        assert len(kept) == 0


def test_memory_is_bounded_and_results_stay_right(model_of: ModelOf) -> None:
    model = model_of("bert")
    settings = _settings(model, "bert")
    alone = [vectors(setting, SENTENCES, [LAST])[LAST] for setting in settings]
    for most in (0, 1_000, 5_000, 20_000):
        with resuming(model, most_bytes=most) as kept:
            for _ in range(2):
                for setting, expected in zip(settings, alone, strict=True):
                    assert np.array_equal(vectors(setting, SENTENCES, [LAST])[LAST], expected)
                    assert kept.bytes <= most
                    held = sum(entry.size for entry in kept._entries.values())
                    assert held == kept.bytes
            assert (kept.hits > 0) == (most > 0)


def test_what_belongs_to_another_branch_goes_first() -> None:
    kept = KeptStates(most_bytes=40)
    value = torch.zeros(4)

    def key(text: bytes, *steps: str) -> StateKey:
        return StateKey(text, 2, steps)

    kept.put(key(b"a", "old"), value, {2: ("old",)})
    kept.put(key(b"a"), value, {2: ()})
    kept.get(key(b"a", "old"))  # used last, and yet of no use any more
    kept.put(key(b"b"), value, {2: ()})
    assert kept.get(key(b"a", "old")) is None
    assert kept.get(key(b"a")) is not None
    kept.put(key(b"c"), value, {2: ()})  # no room: those that come round again are spared
    assert kept.get(key(b"c")) is None
    for _ in range(100):
        kept.get(key(b"b"))
    kept.put(key(b"c"), value, {2: ()})  # nobody has asked for a in a long time
    assert kept.get(key(b"a")) is None
    assert kept.get(key(b"b")) is not None
    assert kept.get(key(b"c")) is not None


@pytest.mark.parametrize("kind", ["bert", "gpt2", "deberta-v2-convolution"])
def test_an_exception_leaves_the_network_as_it_was(model_of: ModelOf, kind: str) -> None:
    model = model_of(kind)
    settings = _settings(model, kind)
    alone = [_answers(setting) for setting in settings]

    def fail(_: Any) -> Any:
        raise ZeroDivisionError

    for depth in (1, 2, 3):
        with resuming(model):
            _answers(settings[3])
            with (
                pytest.raises(ZeroDivisionError),
                torch.inference_mode(),
                settings[4].intervening(),
                Hooks(model.network, [(model.site(Place("layer", depth)), fail)]),
            ):
                model.run(torch.tensor([model.tokens.of([SENTENCES[0]])[0].ids]))
            assert _equal(_answers(settings[4]), alone[4])
        assert all("forward" not in vars(module) for module in model.network.modules())
        assert model.kept is None
    for setting, expected in zip(settings, alone, strict=True):
        assert _equal(_answers(setting), expected)


def test_an_inner_context_shares_what_the_outer_one_keeps(model_of: ModelOf) -> None:
    model = model_of("bert")
    with resuming(model) as outer:
        with resuming(_settings(model, "bert")[3]) as inner:
            assert inner is outer
        assert model.kept is outer
    assert model.kept is None


def test_threads_share_states_and_nothing_else(model_of: ModelOf) -> None:
    model = model_of("bert")
    settings = _settings(model, "bert")[:8]
    alone = [vectors(setting, SENTENCES, [LAST])[LAST] for setting in settings]
    found: dict[int, list[Any]] = {n: [] for n in range(len(settings))}

    def work(number: int) -> None:
        for _ in range(20):
            found[number].append(vectors(settings[number], SENTENCES, [LAST])[LAST])

    with resuming(model):
        threads = [threading.Thread(target=work, args=(n,)) for n in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number, rows in found.items():
        assert len(rows) == 20
        assert all(np.array_equal(row, alone[number]) for row in rows)
    assert all("forward" not in vars(module) for module in model.network.modules())


def test_replacements_nest_and_leave_in_any_order() -> None:
    module = torch.nn.Identity()
    first = Replaced(module, lambda own, x: own(x) + 1)
    second = Replaced(module, lambda own, x: own(x) * 10)
    with first:
        assert module(2) == 3
        with second:
            assert module(2) == 30
            seen: list[int] = []
            thread = threading.Thread(target=lambda: seen.append(module(2)))
            thread.start()
            thread.join()
            assert seen == [2]
        assert module(2) == 3
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert module(2) == 20
    second.__exit__(None, None, None)
    assert module(2) == 2
    assert "forward" not in vars(module)


@pytest.mark.parametrize("name", ["minilm", "gte-small", "smollm2"])
def test_real_models_resume_to_the_same_bits(real_folder: Callable[[str], Path], name: str) -> None:
    model = load_transformer(real_folder(name))
    texts = ["The nurse said that she was late.", "He is an engineer."]
    width, head = model.layout.width, model.layout.head_width
    steps = (
        AtPlace(parse_place("layer:-2.value:1"), random_projection(head)),
        AtPlace(parse_place("layer:-2"), random_projection(width, seed=1)),
        AtPlace(parse_place("layer:-1"), random_projection(width, seed=2)),
    )
    chosen = [steps[:0], steps[2:], steps[1:], steps, steps[1:2]]
    settings = [model.intervened(Intervention(part)) for part in chosen]
    alone = [vectors(setting, texts, [LAST])[LAST] for setting in settings]
    with resuming(model) as kept:
        for setting, expected in zip(settings, alone, strict=True):
            assert np.array_equal(vectors(setting, texts, [LAST])[LAST], expected)
    assert kept.hits == 4 * 2
