"""The gender–occupation set by models that read context, against plain evaluation in batches.

A BiLSTM and intra-sentence attention, with random weights: their time does not depend on them.
Both contenders are torch with the same weights. The plain one takes 512 pairs to a batch, its words
looked up and padded beforehand, and spreads the batches over as many threads; samples of the set
are timed and scaled up, because the whole takes minutes.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster, memory

ROWS = 1968
TIMES_FASTER = 3.0
LARGEST_DIFFERENCE = 1e-5
_LARGEST_MEMORY = 1 << 30
_CONTEXTS, _SAMPLED, _BATCH = 246, 8_192, 512
MODELS: dict[str, dict[str, Any]] = {
    "BiLSTM": {"encoder": "bilstm"},
    "intra-attention": {"intra": True},
}


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """``rows`` is the number of contexts that the times are scaled to."""
    contexts = min(_CONTEXTS, rows)
    pairs, ours_asked = 164 * 6 * rows, 164 * 6 * contexts
    say(f"nli_context: {pairs:,} pairs, of which {ours_asked:,} and {_SAMPLED:,} are asked")
    results = []
    for name, choices in MODELS.items():
        ours, plain = measure(
            Contender(unslant_context_grid, choices, contexts, _SAMPLED, scratch / "ours.npy"),
            Contender(torch_context_batches, choices, contexts, _SAMPLED, scratch / "plain.npy"),
            runs=2,
        )
        apart = float(np.abs(np.load(scratch / "ours.npy") - np.load(scratch / "plain.npy")).max())
        if not apart <= LARGEST_DIFFERENCE:
            raise AssertionError(f"the answers of {name} differ by {apart:.1e}, more than they may")
        scaled = [seconds * pairs / ours_asked for seconds in ours.seconds]
        others = [seconds * pairs / _SAMPLED for seconds in plain.seconds]
        say(f"  {pairs / min(scaled):,.0f} and {pairs / min(others):,.0f} pairs a second")
        title = f"NLI probe by {name}, {pairs:,} pairs, {ours_asked:,} scaled"
        against = f"torch, batches of {_BATCH}, {_SAMPLED:,} scaled (difference {apart:.0e})"
        results += [
            faster(title, scaled, against, others, TIMES_FASTER),
            memory(
                f"NLI probe by {name}, resident memory",
                ours.peak_rss,
                "1 GiB",
                _LARGEST_MEMORY,
                1.0,
            ),
        ]
    return results


def unslant_context_grid(
    choices: dict[str, Any], contexts: int, sampled: int, target: str
) -> Callable[[], None]:
    """The grid, from sentences to probabilities; those of the sample go to a file."""
    from dataclasses import replace

    import unslant as us
    from unslant.models.nli.batches import Embedding
    from unslant.models.nli.contextual import ContextualAttention

    grid, (shape, tensors) = _grid(contexts), _model(choices)
    model = ContextualAttention(shape, tensors, Embedding(us.load()))
    model.predict_grid(replace(grid, contexts=grid.contexts[:2]))  # torch sets itself up

    def action() -> None:
        np.save(target, model.predict_grid(grid).reshape(-1, 3)[_sample(grid, sampled)])

    return action


def torch_context_batches(
    choices: dict[str, Any], contexts: int, sampled: int, target: str
) -> Callable[[], None]:
    """A sample of the pairs, both sentences of each read anew."""
    import torch

    import unslant as us
    from unslant.datasets.nli.text import tokenise
    from unslant.models.nli.batches import Embedding
    from unslant.models.nli.network import NliNetwork, Padded
    from unslant.numerics.chunks import ordered_parallel

    grid, (shape, tensors) = _grid(contexts), _model(choices)
    place_of: dict[str, int] = {}

    def padded(sentences: list[str]) -> Padded:
        rows = [[place_of.setdefault(w, len(place_of)) for w in tokenise(s)] for s in sentences]
        most = max(map(len, rows))
        places = torch.tensor([row + [0] * (most - len(row)) for row in rows])
        words = torch.tensor([[place < len(row) for place in range(most)] for row in rows])
        return Padded(places, words)

    p, h, c = np.unravel_index(_sample(grid, sampled), grid.shape)
    pairs = [grid.pair(*place) for place in zip(p.tolist(), h.tolist(), c.tolist(), strict=True)]
    batches = [
        [padded([pair[side] for pair in pairs[start : start + _BATCH]]) for side in (0, 1)]
        for start in range(0, len(pairs), _BATCH)
    ]
    network = NliNetwork(shape)
    network.load_state_dict({name: torch.from_numpy(value) for name, value in tensors.items()})
    network.eval()
    vectors = torch.from_numpy(Embedding(us.load()).rows(list(place_of)))

    def answers(batch: list[Padded]) -> Any:
        with torch.inference_mode():
            return torch.softmax(network(vectors, *batch), dim=1).numpy()

    # As ours: threads of torch's own wait for each other, which would flatter us on a busy machine.
    torch.set_num_threads(1)
    answers(batches[0])  # torch sets itself up in the first batch
    return lambda: np.save(target, np.concatenate([*ordered_parallel(answers, batches)]))


def _grid(contexts: int) -> Any:
    from dataclasses import replace

    from unslant.probes.nli.sets import pair_set

    grid = pair_set("gender-occupation").grid
    every = max(1, len(grid.contexts) // contexts)
    return replace(grid, contexts=grid.contexts[::every][:contexts])


def _sample(grid: Any, sampled: int) -> list[int]:
    return np.linspace(0, len(grid) - 1, sampled).astype(int).tolist()  # type: ignore[no-any-return]


def _model(choices: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Weights that keep numbers about as large as they are."""
    from unslant.models.nli.settings import Shape

    shape, rng = Shape(dim=100, **choices), np.random.default_rng(0)
    scales = {name: np.sqrt(2 / size[-1]) for name, size in shape.tensors().items()}
    return shape, {
        name: rng.normal(scale=scales[name], size=size).astype(np.float32)
        for name, size in shape.tensors().items()
    }
