"""Fine-tuning MiniLM-L6 on pairs and on tagged words: the trainer against a plain loop.

Both see the same batches in the same order, start from the same weights and take the same steps
(AdamW, gradients clipped to length 1); their losses must agree. Needs UNSLANT_MODELS with minilm
(``make .venv/.ready-lm``).
"""

import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, slower

ROWS = 640
BATCH = 32
RATE = 1e-4
AT_MOST = 1.2
_WORDS = "man woman boy girl king queen nurse doctor writer farmer baker painter driver teacher"


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """One epoch over the pairs, where the model is there."""
    folder = Path(os.environ.get("UNSLANT_MODELS", "")) / "minilm"
    if not folder.is_dir():
        say("fine_tuning: left out, because UNSLANT_MODELS has no minilm")
        return []
    return [_compared(folder, rows, what) for what in _TASKS]


def _compared(folder: Path, rows: int, what: str) -> Result:
    ours, theirs = measure(
        Contender(unslant_trainer, folder, rows, what),
        Contender(plain_loop, folder, rows, what),
        runs=2,
    )
    if abs(ours.answer - theirs.answer) > 1e-3 * abs(theirs.answer):
        raise SystemExit(f"fine_tuning: our loss is {ours.answer}, theirs {theirs.answer}")
    name = f"fine-tuning on {rows} {what}"
    return slower(name, ours.seconds, "plain transformers loop", theirs.seconds, AT_MOST)


def _pairs(folder: str, rows: int) -> Any:
    """The pairs as examples of a task; dropout is off, so that both sides compute the same."""
    import numpy as np

    from unslant.datasets.nli.pairs import LABELS
    from unslant.models.classifiers.examples import LabelledExamples
    from unslant.models.classifiers.inference import InferenceTask
    from unslant.models.classifiers.settings import FineTuning
    from unslant.models.language.model import load_transformer

    model = load_transformer(folder)
    people = _WORDS.split()
    texts = [
        (f"the {a} saw the {b} and {'then ' * (n % 9)}left", f"the {b} was seen by {c}")
        for n, (a, b, c) in enumerate(product(people, people, people))
    ][:rows]
    found = model.tokens.pairs(*map(list, zip(*texts, strict=True)))
    labels = np.random.default_rng(0).integers(0, 3, len(found))
    train = LabelledExamples.of(
        [item.ids for item in found], [item.parts for item in found], labels
    )
    how = FineTuning(epochs=1, batch=BATCH, learning_rate=RATE, dropout=0.0)
    return InferenceTask(model, LABELS, how, train, train.taken(np.arange(BATCH)))


def _tagged(folder: str, rows: int) -> Any:
    """Sentences with a tag for each word."""
    import numpy as np

    from unslant.datasets.conll2003 import TaggedSentence
    from unslant.models.classifiers.settings import FineTuning
    from unslant.models.classifiers.tagged_examples import as_they_are, tagged_examples
    from unslant.models.classifiers.tagging import TaggingTask
    from unslant.models.language.model import load_transformer

    model, labels = load_transformer(folder), ("O", "B-PER", "I-PER")
    people = _WORDS.split()
    sentences = []
    for n, (a, b, c) in enumerate(product(people, people, people)):
        words = tuple(f"The {a} {b} {'very ' * (n % 9)} happily visited {c} .".split())
        tags = tuple("I-PER" if word in people else "O" for word in words)
        sentences.append(TaggedSentence(words, tags))
    given = as_they_are(sentences[:rows])
    train, _ = tagged_examples(model, given, labels, longest=99, keep_tags=True)
    how = FineTuning(epochs=1, batch=BATCH, learning_rate=RATE, dropout=0.0)
    return TaggingTask(model, labels, how, train, train.taken(np.arange(BATCH)))


_TASKS: dict[str, Callable[[str, int], Any]] = {"pairs": _pairs, "tagged sentences": _tagged}


def unslant_trainer(folder: str, rows: int, what: str) -> Callable[[], float]:
    """The loss of an epoch of the trainer."""
    from unslant.models.training.trainer import train

    task = _TASKS[what](folder, rows)
    schedule = task.how.schedule(task.steps_in_round)
    return lambda: float(train(task, schedule).rounds[0]["loss"])


def plain_loop(folder: str, rows: int, what: str) -> Callable[[], float]:
    """The same batches, schedule and weights in a loop as transformers' documentation has it."""
    import torch
    from torch.nn.utils import clip_grad_norm_

    from unslant.core.seeds import generator

    task = _TASKS[what](folder, rows)
    schedule = task.how.schedule(task.steps_in_round)
    torch.set_num_threads(1)

    def action() -> float:
        torch.manual_seed(int(generator(schedule.seed, task.name, "weights").integers(2**62)))
        network = task.build_network()
        network.train()
        optimiser = torch.optim.AdamW(
            network.parameters(), lr=RATE, weight_decay=schedule.weight_decay
        )
        total = 0.0
        for step, (count, batch) in enumerate(task.batches(1, schedule.seed)):
            optimiser.param_groups[0]["lr"] = schedule.rate(step, task.steps_in_round)
            found = network(
                input_ids=torch.from_numpy(batch.ids),
                token_type_ids=torch.from_numpy(batch.parts),
                attention_mask=torch.from_numpy(batch.is_piece.astype("int64")),
                labels=torch.from_numpy(batch.labels),
            )
            optimiser.zero_grad()
            found.loss.backward()
            clip_grad_norm_(network.parameters(), schedule.clip)
            optimiser.step()
            total += float(found.loss.detach()) * count
        network.train(mode=False)
        with torch.inference_mode():
            task.evaluate_dev(network)
        return total / rows

    return action
