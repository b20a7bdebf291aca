"""Memory of ``unslant train heads`` over 200 rounds: what a late round holds against an early one.

Batches have many lengths, which once made the process grow by 60 MB a minute. Needs UNSLANT_MODELS
with minilm (``make .venv/.ready-lm``).
"""

import os
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, memory
from benchmarks.worker import memory_of

ROWS = 200
"""Rounds of training."""
EARLY = 20
"""The memory of this round is the reference; earlier ones still load and warm up."""
AT_MOST = 1.05
_PEOPLE = "man woman boy girl king queen nurse doctor writer farmer baker painter driver teacher"


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """The anonymous memory at the ends of rounds, medians of ten of them."""
    folder = Path(os.environ.get("UNSLANT_MODELS", "")) / "minilm"
    if not folder.is_dir():
        say("head_training: left out, because UNSLANT_MODELS has no minilm")
        return []
    text = scratch / "people.txt"
    text.write_text("\n".join(_sentences(240)), encoding="utf-8")
    [ours] = measure(Contender(training, folder, text, rows))
    held = ours.answer
    early, late = median(held[EARLY - 5 : EARLY + 5]), median(held[-10:])
    name = f"training heads, memory at round {rows}"
    return [memory(name, int(late), f"round {EARLY} of the same run", int(early), AT_MOST)]


def _sentences(count: int) -> list[str]:
    """Sentences of 8 to 53 pieces, as many lengths as running text has."""
    people = _PEOPLE.split()
    again = ["again " * (n * 7 % 46) for n in range(count)]
    return [
        f"The {people[n % 14]} saw the {people[n * 5 % 13]} {again[n]}today." for n in range(count)
    ]


def training(folder: str, text: str, rounds: int) -> Callable[[], list[int]]:
    """The memory that is held in each round, right after its last step."""
    from unslant.models.head_training.settings import HeadTraining
    from unslant.models.head_training.training import train_heads
    from unslant.models.language.model import load_transformer

    how = HeadTraining(rounds=rounds, patience=rounds, steps=3, batch=8)
    status, held = Path("/proc/self/status"), dict[str, int]()

    def sample(name: str, done: int, total: int) -> None:
        if done == total:
            held[name] = memory_of(status.read_text(), "RssAnon")

    def action() -> list[int]:
        train_heads(load_transformer(folder), Path(text), how, progress=sample)
        return [value for name, value in held.items() if name.startswith("Round")]

    return action
