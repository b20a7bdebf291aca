"""A fresh adversary that learns from a frozen network's predictions, judged on held-out ones."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.core.extras import torch_threads
from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.core.wording import number, span
from unslant.models.adversaries.network import Balanced, Ids, Seen, adversary, answers, balanced
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.training.schedule import Schedule
from unslant.models.training.trainer import Batch, Classified, NetworkOutputs, TrainingTask, train
from unslant.numerics.bootstrap import clustered_share

# A fresh adversary's accuracy on a trained network's predictions, in words.


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The balanced accuracy of a fresh adversary on held-out examples, against chance.

    ``accuracy`` counts every group the same (by label for equality of odds), so ``chance`` is 1
    over the number of groups. ``plain_accuracy`` counts every example the same; ``majority_share``
    is the accuracy of guessing the most frequent group (of each label for equality of odds).
    """

    attribute: str
    groups: tuple[str, ...]
    fairness: str
    examples: int
    clusters: int
    trained_on: int
    left_out: int
    accuracy: float | None = None
    interval: tuple[float, float] | None = None
    plain_accuracy: float | None = None
    majority_share: float | None = None

    @property
    def chance(self) -> float:
        """The accuracy of a guess."""
        return 1 / len(self.groups)

    @property
    def is_above_chance(self) -> bool | None:
        """Whether the interval lies above chance; None if there is none."""
        return None if self.interval is None else self.interval[0] > self.chance

    @property
    def verdict(self) -> str:
        """One sentence about what the predictions reveal."""
        reads = "predictions and labels" if self.fairness == "odds" else "predictions"
        if self.accuracy is None:
            return (
                f"{self.attribute}: not judged, because too few examples have a group "
                f"({self.trained_on:,} to learn from, {self.examples:,} held out)."
            )
        if self.interval is None:
            return (
                f"{self.attribute}: not judged, because the {self.examples:,} held-out examples "
                f"come from too few names or sentences ({self.clusters})."
            )
        low, high = self.interval
        side = "not above chance"
        if low > self.chance:
            side = "above chance"
        elif high < self.chance:
            side = "below chance"
        numbers = f"{number(self.accuracy)} ({span(low, high)}), chance {number(self.chance)}"
        return f"{self.attribute} from {reads}: {side}, accuracy {numbers}."

    def to_dict(self) -> dict[str, Any]:
        """All numbers and the verdict as plain values."""
        found = asdict(self) | {"chance": self.chance, "verdict": self.verdict}
        return found | {"is_above_chance": self.is_above_chance}


# A fresh adversary that learns from a frozen network's predictions, judged on held-out ones.
#
# The adversary of the training has only met a moving predictor and may have lost track of it. One
# trained from scratch, on predictions that no longer change, shows what they still reveal.

MOST_EXAMPLES = 50_000
FEWEST_EXAMPLES = 20
_FEWEST_CLUSTERS = 5
_BATCH = 256
_ROUNDS, _PATIENCE, _RATE = 40, 5, 3e-3


def judged(
    task: Classified[Batch],
    network: nn.Module,
    how: AdversarySettings,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> dict[str, Judgement]:
    """Train fresh adversaries on a network's predictions and report what they recover.

    They learn from the training examples and are judged on the held-out ones of the task.
    """
    was_training = network.training
    network.train(mode=False)
    with torch_threads(torch, threads), torch.no_grad():
        every = (batch for _, batch in task.batches(1, seed))
        learnt = Seen.of(_with_group(task, network, every, how.attributes, MOST_EXAMPLES))
        held_out = task.held_out_batches()
        asked = Seen.of(_with_group(task, network, held_out, how.attributes))
    network.train(was_training)
    found = {}
    for place, name in enumerate(how.attributes):
        found[name] = _judgement(name, task.attributes[name], learnt, asked, how, seed, threads)
        if progress:
            progress("Judging predictions", place + 1, len(how.attributes))
    return found


def _with_group(
    task: Classified[Batch],
    network: nn.Module,
    batches: Iterator[Batch],
    names: tuple[str, ...],
    most: int | None = None,
) -> Iterator[NetworkOutputs]:
    """The network's outputs for examples with a group, from the first batches at least."""
    counts = dict.fromkeys(names, 0)
    for batch in batches:
        outputs = task.outputs(network, batch)
        known = {name: outputs.protected[name] >= 0 for name in names}
        rows = torch.stack(list(known.values())).any(0)
        for name in names:
            counts[name] += int(known[name].sum())
        yield NetworkOutputs(
            outputs.logits[rows],
            outputs.labels[rows],
            outputs.clusters[rows],
            {name: outputs.protected[name][rows] for name in names},
        )
        if most is not None and min(counts.values()) >= most:
            return


def _judgement(
    name: str,
    groups: tuple[str, ...],
    learnt: Seen,
    asked: Seen,
    how: AdversarySettings,
    seed: int,
    threads: int,
) -> Judgement:
    def even(seen: Seen) -> Balanced:
        return balanced(seen.labels, seen.protected[name], len(groups), how.fairness)

    to_learn, to_ask = even(learnt), even(asked)
    found = Judgement(
        attribute=name,
        groups=groups,
        fairness=how.fairness,
        examples=len(to_ask.rows),
        trained_on=len(to_learn.rows),
        left_out=to_ask.left_out,
        clusters=len(np.unique(asked.clusters[to_ask.rows])),
    )
    if min(found.trained_on, found.examples) < FEWEST_EXAMPLES:
        return found
    task = _Fresh(name, len(groups), learnt.part(to_learn.rows), to_learn.weights, how)
    schedule = Schedule(
        rounds=_ROUNDS,
        patience=_PATIENCE,
        learning_rate=_RATE,
        warm_up=10,
        seed=seed,
        threads=threads,
    )
    judge = train(task, schedule).network
    own = asked.part(to_ask.rows)
    truth = own.protected[name]
    with torch_threads(torch, threads), torch.no_grad():
        right = (answers(judge, own).argmax(1).numpy() == truth).astype(np.float64)
    share = clustered_share(right, to_ask.weights, to_ask.cells, own.clusters)
    by = own.labels if how.fairness == "odds" else np.zeros(len(truth), np.int64)
    table = np.zeros((int(by.max()) + 1, len(groups)))
    np.add.at(table, (by, truth), 1)
    return replace(
        found,
        accuracy=share.value,
        interval=share.interval,
        plain_accuracy=float(right.mean()),
        majority_share=float(table.max(axis=1).sum() / len(truth)),
    )


class _Fresh(TrainingTask[Ids]):
    """An adversary alone: examples by weight; a fifth of the clusters choose the best round."""

    objective = "minus_loss"

    def __init__(
        self, attribute: str, groups: int, seen: Seen, weights: Array, how: AdversarySettings
    ) -> None:
        self.name = f"judge of {attribute}"
        self.attribute, self.groups, self.how = attribute, groups, how
        self.seen, self.weights = seen, weights
        names, cluster = np.unique(seen.clusters, return_inverse=True)
        if len(names) < _FEWEST_CLUSTERS:
            cluster = np.arange(len(seen.labels))
        order = generator(0, self.name, "held out").permutation(int(cluster.max()) + 1)
        aside = np.isin(cluster, order[: max(1, len(order) // 5)])
        self.learnt, self.aside = np.flatnonzero(~aside), np.flatnonzero(aside)

    def build_network(self) -> nn.Module:
        found = adversary(self.seen.logits.shape[1], self.groups, self.how)
        found.fit_scale(self.seen.logits)
        return found

    @property
    def steps_in_round(self) -> int:
        return -(-len(self.learnt) // _BATCH)

    def batches(self, number: int, seed: int) -> Iterator[tuple[int, Ids]]:
        order = generator(seed, self.name, f"order {number}").permutation(self.learnt)
        for at in range(0, len(order), _BATCH):
            rows = order[at : at + _BATCH]
            yield len(rows), rows

    def loss(self, network: nn.Module, batch: Ids) -> Tensor:
        own = self.seen.part(batch)
        said = answers(network, own)
        each = cross_entropy(
            said, torch.from_numpy(own.protected[self.attribute]), reduction="none"
        )
        weights = torch.from_numpy(self.weights[batch]).float()
        return (each * weights).sum() / weights.sum()

    def evaluate_dev(self, network: nn.Module) -> dict[str, float]:
        return {"minus_loss": -float(self.loss(network, self.aside))}
