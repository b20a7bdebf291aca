"""A tree of interventions walked, against every setting evaluated by itself.

The 74 settings of Dawkins (2023), and 1,000 drawn from a larger tree, are applied to a model that
scores pairs of sentences as a next-sentence head does: the pooled [CLS] through a linear layer.
The score's weights and the directions are random, because no time depends on them; fitting them is
left out for both sides. Erasers differ from branch to branch, as fitted ones do. The plain side
evaluates each setting alone, with the same hooks, in batches of equal length and without padding;
a sample of its settings is timed and scaled up. Needs UNSLANT_MODELS with minilm and gte-small,
which gets a random pooler because it has none.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster, slower

ROWS = 192
_SENTENCES_OF_AN_ITEM = 6
"""Three candidates, and as many of the twin."""
AT_LEAST = {"minilm": 30.0, "gte-small": 25.0}
_RANDOM = 1_000
_RANDOM_EVALUATIONS = 20.0
LARGEST_DIFFERENCE = 1e-5
_SAMPLED = 8
_TOKENS_IN_A_BATCH = 4_096

_WORDS = (
    "the a my our old new nurse engineer teacher sister brother woman man worked lived wanted "
    "could always never home office kitchen garden money music and but with because was is "
    "happy strong kind quiet she he they said told helped loved wrote built fixed cooked"
)

Setting = tuple[tuple[str, int, int, int], ...]
"""Places with the number of directions, the exponent of their weights and a seed."""


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """``rows`` is the number of items, each with six pairs of sentences."""
    results = []
    for name, times in AT_LEAST.items():
        folder = Path(os.environ.get("UNSLANT_MODELS", "")) / name
        if not folder.is_dir():
            say(f"walk: {name} is left out, because UNSLANT_MODELS does not have it")
            continue
        folder = _with_pooler(folder, scratch / name)
        heads = int(json.loads((folder / "config.json").read_text())["num_attention_heads"])
        tree, drawn = thesis_settings(heads), random_settings(heads, _RANDOM)
        sample = [tree[n] for n in np.linspace(0, len(tree) - 1, _SAMPLED).astype(int)]
        files = {"tree": tree, "drawn": drawn, "sample": sample}
        for key, value in files.items():
            (scratch / f"{key}.json").write_text(json.dumps(value))
        ours, random, plain = measure(
            Contender(one_walk, folder, scratch / "tree.json", rows, scratch / "ours.npy"),
            Contender(one_walk, folder, scratch / "drawn.json", rows, scratch / "random.npy"),
            Contender(one_by_one, folder, scratch / "sample.json", rows, scratch / "plain.npy"),
        )
        mine, theirs = np.load(scratch / "ours.npy"), np.load(scratch / "plain.npy")
        apart = np.abs(mine[[tree.index(setting) for setting in sample]] - theirs).max()
        if not apart <= LARGEST_DIFFERENCE:
            raise AssertionError(f"the scores on {name} differ by {apart:.1e}, more than they may")
        each = [seconds / len(sample) for seconds in plain.seconds]
        against = f"one by one, {len(sample)} scaled (difference {apart:.0e})"
        results += [
            faster(
                f"walk, {len(tree)} settings of {name}, {rows * _SENTENCES_OF_AN_ITEM:,} pairs",
                ours.seconds,
                against,
                [seconds * len(tree) for seconds in each],
                times,
            ),
            slower(
                f"walk, {len(drawn):,} random settings of {name}",
                random.seconds,
                "one evaluation",
                each,
                _RANDOM_EVALUATIONS,
            ),
        ]
    return results


def thesis_settings(heads: int) -> list[Setting]:
    """The 74 settings; erasers at a place differ with what acts before it."""
    both = [(k, n) for k in (1, 2) for n in (0, 1)]
    attention = tuple(
        (f"layer:-2.{part}:{head}", 1, 0, 100 * number + head)
        for number, part in enumerate(("query", "key", "value"))
        for head in range(heads)
    )
    found: list[Setting] = [(("pooled", 1, n, 1),) for n in (0, 1)]
    for number, last in enumerate(both):
        found += [(("layer:-1[cls]", *last, 2), ("pooled", 1, n, 10 + number)) for n in (0, 1)]
    for before, start in ((), 1_000), (attention, 2_000):
        for number, layer in enumerate(both):
            for inner, last in enumerate(both):
                branch = start + 100 * number
                found += [
                    (
                        *before,
                        ("layer:-2", *layer, start),
                        ("layer:-1[cls]", *last, branch),
                        ("pooled", 1, n, branch + inner + 1),
                    )
                    for n in (0, 1)
                ]
    return found


def random_settings(heads: int, count: int) -> list[Setting]:
    """Draws from a larger tree: dimensions, weights and one of the heads or none, depth first."""
    made = np.random.default_rng(0)
    dims, powers = (1, 2, 3, 4), (0, 1, 2)
    found: set[Setting] = set()
    while len(found) < count:
        head = int(made.integers(-1, heads))
        parts: list[tuple[str, int, int, int]] = []
        if head >= 0:
            parts.append((f"layer:-2.value:{head}", 1, 0, head))
        branch = 1_000 * (head + 2)
        for place in ("layer:-2", "layer:-1[cls]", "pooled"):
            k, power = int(made.choice(dims)), int(made.choice(powers))
            parts.append((place, k, power, branch))
            branch = 31 * branch + 7 * k + power
        found.add(tuple(parts))
    return sorted(found)


def _with_pooler(folder: Path, target: Path) -> Path:
    """The model itself, or a copy with a pooler of random numbers."""
    from safetensors.numpy import load_file, save_file

    arrays = load_file(folder / "model.safetensors")
    table = next(name for name in arrays if name.endswith("embeddings.word_embeddings.weight"))
    prefix = table.removesuffix("embeddings.word_embeddings.weight")
    if f"{prefix}pooler.dense.weight" in arrays:
        return folder
    width = arrays[table].shape[1]
    made = np.random.default_rng(0)
    arrays[f"{prefix}pooler.dense.weight"] = made.normal(
        size=(width, width), scale=width**-0.5
    ).astype(np.float32)
    arrays[f"{prefix}pooler.dense.bias"] = np.zeros(width, dtype=np.float32)
    if not target.exists():
        shutil.copytree(folder, target)
        save_file(arrays, target / "model.safetensors", metadata={"format": "pt"})
    return target


def one_walk(folder: str, settings: str, rows: int, target: str) -> Callable[[], None]:
    """Every setting with what the others left for it."""
    from unslant.core.places import parse_place
    from unslant.models.language.model import load_transformer
    from unslant.models.language.resuming import resuming

    model = load_transformer(folder)
    chosen = json.loads(Path(settings).read_text())
    places = {parse_place(step[0]) for setting in chosen for step in setting}
    models = _intervened(model, chosen)
    batches, weights = _batches(model, rows), _weights(model)
    _scores(model, batches[:1], weights, positions=[0])  # torch sets itself up

    def action() -> None:
        with resuming(model, places):
            found = [_scores(each, batches, weights, positions=[0]) for each in models]
        np.save(target, np.array(found))

    return action


def one_by_one(folder: str, settings: str, rows: int, target: str) -> Callable[[], None]:
    """Every setting alone, with the whole network."""
    from unslant.models.language.model import load_transformer

    model = load_transformer(folder)
    models = _intervened(model, json.loads(Path(settings).read_text()))
    batches, weights = _batches(model, rows), _weights(model)
    _scores(model, batches[:1], weights)

    def action() -> None:
        np.save(target, np.array([_scores(each, batches, weights) for each in models]))

    return action


def _scores(model: Any, batches: Any, weights: Any, positions: Any = None) -> Any:
    """The score of every pair of sentences, in the order of the batches."""
    import torch

    found = []
    with torch.inference_mode():
        for ids, kinds in batches:
            with model.intervening(positions=positions):
                pooled = model.network(input_ids=ids, token_type_ids=kinds).pooler_output
            found.append(pooled @ weights)
    return torch.cat(found).numpy()


def _weights(model: Any) -> Any:
    import torch

    drawn = np.random.default_rng(1).normal(size=model.layout.width)
    return torch.tensor(drawn / model.layout.width**0.5, dtype=torch.float32)


def _batches(model: Any, rows: int) -> list[tuple[Any, Any]]:
    """Pairs of sentences as pieces, those of one length together."""
    import torch

    ids = [model.tokens.of([first, second]) for first, second in _pairs(rows)]
    lengths: dict[int, list[tuple[list[int], list[int]]]] = {}
    for first, second in ids:
        joined = [*first.ids, *second.ids[1:]]
        kinds = [0] * len(first.ids) + [1] * (len(second.ids) - 1)
        lengths.setdefault(len(joined), []).append((joined, kinds))
    found = []
    for length, pairs in sorted(lengths.items()):
        size = _TOKENS_IN_A_BATCH // length
        for start in range(0, len(pairs), size):
            part = pairs[start : start + size]
            found.append(tuple(torch.tensor([pair[n] for pair in part]) for n in (0, 1)))
    return found


def _pairs(rows: int) -> Iterator[tuple[str, str]]:
    """Made-up sentences with lengths as those of StereoSet: 5 to 11 words, then 5 to 13."""
    made = np.random.default_rng(2)
    words = _WORDS.split()

    def sentence(count: int) -> str:
        return " ".join(made.choice(words, count)) + "."

    for _ in range(rows):
        for _ in range(_SENTENCES_OF_AN_ITEM):
            yield sentence(int(made.integers(5, 12))), sentence(int(made.integers(5, 14)))


def _intervened(model: Any, settings: Sequence[Setting]) -> list[Any]:
    """The model with each setting; the same step is one object in all of them."""
    from unslant.core.expression import parse_chain
    from unslant.core.places import parse_place
    from unslant.erasers import EachVector, Eraser, Stage, projection
    from unslant.models.language.interventions import AtPlace, Intervention

    [method] = parse_chain("linear")
    made: dict[tuple[Any, ...], AtPlace] = {}

    def at_place(place: str, k: int, power: int, seed: int) -> AtPlace:
        width = model.site(parse_place(place)).width
        drawn = np.random.default_rng([seed, width]).normal(size=(width, 4))
        basis = np.linalg.qr(drawn)[0].T[:k]
        weights = np.array([0.6, 0.2, 0.1, 0.05])[:k] ** power
        stage = Stage(method=method, name="linear", steps=(EachVector(projection(basis, weights)),))
        return AtPlace(parse_place(place), Eraser((stage,)))

    found = []
    for setting in settings:
        for step in setting:
            if tuple(step) not in made:
                made[tuple(step)] = at_place(*step)
        found.append(model.intervened(Intervention(tuple(made[tuple(s)] for s in setting))))
    return found
