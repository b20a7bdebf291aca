"""The gender–occupation set, 1,936,512 sentence pairs, against plain evaluation in batches.

Both have the same weights. The plain one is torch with 512 pairs to a batch, its words looked up
and padded beforehand; a sample spread over the set is timed and scaled up. On a busy machine the
threads of torch wait for each other and the ratio flatters us, so the processor time of both on
one core is there too.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster, memory

ROWS = 1968
PAIRS_OF_A_CONTEXT = 164 * 6
TIMES_FASTER = 10.0
LARGEST_DIFFERENCE = 1e-5
_LARGEST_MEMORY = 2 << 30
_SAMPLED, _BATCH = 20_480, 512


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """``rows`` is the number of contexts; the answers to the sample are compared as well."""
    sampled = min(_SAMPLED, PAIRS_OF_A_CONTEXT * rows)
    say(f"nli: {PAIRS_OF_A_CONTEXT * rows:,} pairs, of which torch is asked {sampled:,}")
    first, second = scratch / "ours.npy", scratch / "plain.npy"
    ours, plain = measure(
        Contender(unslant_grid, rows, sampled, first),
        Contender(torch_batches, rows, sampled, second),
        runs=3,
    )
    apart = float(np.abs(np.load(first) - np.load(second)).max())
    if not apart <= LARGEST_DIFFERENCE:
        raise AssertionError(f"the answers differ by {apart:.1e}, more than they may")
    one, one_plain = measure(
        Contender(unslant_grid, rows, sampled, first, True),
        Contender(torch_batches, rows, sampled, second, True),
    )
    pairs = PAIRS_OF_A_CONTEXT * rows
    scaled = [seconds * pairs / sampled for seconds in plain.seconds]
    scaled_one = one_plain.answer * pairs / sampled
    say(f"  {pairs / min(ours.seconds):,.0f} and {pairs / min(scaled):,.0f} pairs a second")
    against = f"torch, batches of {_BATCH}, {sampled:,} pairs scaled"
    name = f"NLI probe, {pairs:,} pairs"
    alone = f"{name}, processor time on one core"
    return [
        faster(f"{name} (answers within {apart:.0e})", ours.seconds, against, scaled, TIMES_FASTER),
        faster(alone, [one.answer], against, [scaled_one], TIMES_FASTER),
        memory(f"{name}, resident memory", ours.peak_rss, "2 GiB", _LARGEST_MEMORY, 1.0),
    ]


def unslant_grid(
    rows: int, sampled: int, path: str, on_one_core: bool = False
) -> Callable[[], float]:
    """The whole grid, from sentences to probabilities; those of the sample are written down."""
    if on_one_core:
        _stay_on_one_core()
    import unslant as us
    from unslant.models.nli.attention import DecomposableAttention
    from unslant.models.nli.batches import Embedding

    grid = _grid(rows)
    model = DecomposableAttention(_tensors(), Embedding(us.load()))

    def action() -> float:
        begin = time.process_time()
        np.save(path, model.predict_grid(grid).reshape(-1, 3)[_sample(grid, sampled)])
        return time.process_time() - begin

    return action


def torch_batches(
    rows: int, sampled: int, path: str, on_one_core: bool = False
) -> Callable[[], float]:
    """A sample of the pairs, each word of each sentence through every layer."""
    if on_one_core:
        _stay_on_one_core()
    import torch

    import unslant as us
    from unslant.models.nli.batches import Embedding

    grid = _grid(rows)
    p, h, c = np.unravel_index(_sample(grid, sampled), grid.shape)
    pairs = [grid.pair(*place) for place in zip(p.tolist(), h.tolist(), c.tolist(), strict=True)]
    place_of: dict[str, int] = {}
    batches = [
        [
            _padded([pair[side] for pair in pairs[start : start + _BATCH]], place_of, torch)
            for side in (0, 1)
        ]
        for start in range(0, len(pairs), _BATCH)
    ]
    vectors = torch.from_numpy(Embedding(us.load()).rows(list(place_of)))
    layers = {name: torch.from_numpy(np.array(value)) for name, value in _tensors().items()}

    def linear(name: str, x: Any) -> Any:
        weight, bias = layers[f"{name}.weight"], layers.get(f"{name}.bias")
        return torch.nn.functional.linear(x, weight, bias)

    def two(name: str, x: Any) -> Any:
        return torch.relu(linear(f"{name}.1", torch.relu(linear(f"{name}.0", x))))

    def compared(x: Any, other: Any, scores: Any, is_word: Any, other_is_word: Any) -> Any:
        seen = scores.masked_fill(~other_is_word[:, None, :], -torch.inf)
        aligned = torch.softmax(seen, dim=2) @ other
        found = two("compare", torch.cat([x, aligned], dim=2))
        return (found * is_word[..., None]).sum(1)

    def answers(premises: Any, hypotheses: Any) -> Any:
        (a_places, a_words), (b_places, b_words) = premises, hypotheses
        a, b = linear("project", vectors[a_places]), linear("project", vectors[b_places])
        scores = two("attend", a) @ two("attend", b).transpose(1, 2)
        first = compared(a, b, scores, a_words, b_words)
        second = compared(b, a, scores.transpose(1, 2), b_words, a_words)
        hidden = torch.relu(linear("aggregate.0", torch.cat([first, second], dim=1)))
        return torch.softmax(linear("aggregate.1", hidden), dim=1)

    def action() -> float:
        begin = time.process_time()
        with torch.inference_mode():
            np.save(path, torch.cat([answers(*batch) for batch in batches]).numpy())
        return time.process_time() - begin

    if on_one_core:
        torch.set_num_threads(1)

    with torch.inference_mode():
        answers(*batches[0])  # torch sets itself up in the first batch
    return action


def _stay_on_one_core() -> None:
    """Threads that wait for each other in a loop would count as work where the machine is busy."""
    if hasattr(os, "sched_setaffinity"):  # Linux
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _padded(sentences: list[str], place_of: dict[str, int], torch: Any) -> tuple[Any, Any]:
    from unslant.datasets.nli.text import tokenise

    rows = [[place_of.setdefault(w, len(place_of)) for w in tokenise(s)] for s in sentences]
    most = max(map(len, rows))
    places = torch.tensor([row + [0] * (most - len(row)) for row in rows])
    return places, torch.tensor([[place < len(row) for place in range(most)] for row in rows])


def _grid(rows: int) -> Any:
    from dataclasses import replace

    from unslant.probes.nli.sets import pair_set

    grid = pair_set("gender-occupation").grid
    return replace(grid, contexts=grid.contexts[:: max(1, len(grid.contexts) // rows)][:rows])


def _sample(grid: Any, sampled: int) -> Any:
    return np.linspace(0, len(grid) - 1, sampled).astype(np.int64)


def _tensors() -> dict[str, Any]:
    """The weights of the model in the package."""
    from unslant.models.nli.trained import builtin_nli

    return dict(builtin_nli().tensors)
