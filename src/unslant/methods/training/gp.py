"""The training of GP: the autoencoder, then the classifiers, then both together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.files import Progress
from unslant.methods.training.autoencoder import (
    Coder,
    accuracies,
    direction_of,
    leaning,
    misdecoded,
    mistold,
)
from unslant.methods.training.lazy_torch import (
    batches,
    copied,
    descend,
    dropout,
    one_thread,
    restore,
    tensor,
)

Array = NDArray[np.float64]
PATIENCE = 5
"""Epochs without a better result after which the autoencoder is done."""
QUADRUPLES = 32
"""The number of word quadruples per step in the last stage."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Vectors of pairs (n × 2 × d), of stereotyped, of neutral and of ordinary words."""

    pairs: Array
    stereotyped: Array
    neutral: Array
    ordinary: Array


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The weights of the losses and the length of each stage."""

    preserve: float
    remove: float
    learning_rate: float
    dropout: float
    batch: int
    epochs: tuple[int, int, int]


class Training:
    """The three stages, on training words and held-out words."""

    def __init__(self, torch: Any, lists: Lists, plan: Plan, rng: np.random.Generator) -> None:
        self.torch, self.plan, self.rng = torch, plan, rng
        self.coder = Coder(torch, lists.ordinary.shape[1], rng)
        self.ordinary = self._parted(lists.ordinary, len(lists.ordinary) // 10, 5000)
        kinds = (lists.pairs, lists.stereotyped, lists.neutral)
        self.kinds = [self._parted(kind, len(kind) // 5, 20) for kind in kinds]
        self.power = float((self.ordinary[1] ** 2).sum(dim=1).mean())

    def _parted(self, rows: Array, some: int, most: int) -> tuple[Any, Any]:
        """Training rows and held-out rows; too few rows are used as both."""
        held = min(some, most)
        order = self.rng.permutation(len(rows))
        if not held:
            return tensor(self.torch, rows), tensor(self.torch, rows)
        return tensor(self.torch, rows[order[held:]]), tensor(self.torch, rows[order[:held]])

    def error(self) -> float:
        """The squared error of decoding held-out words, relative to their mean square."""
        with self.torch.no_grad():
            rows = self.ordinary[1]
            return float(misdecoded(self.coder, self.coder.encoded(rows), rows)) / self.power

    def code(self, progress: Progress | None) -> int:
        """Train the autoencoder; the number of epochs that it took."""
        coder, plan, train = self.coder, self.plan, self.ordinary[0]
        noisy = dropout(self.torch, self.rng, plan.dropout)
        adam = self.torch.optim.Adam(coder.coding, lr=plan.learning_rate)
        best, kept, stale, epoch = self.error(), copied(coder.coding), 0, 0
        while epoch < plan.epochs[0] and stale < PATIENCE:
            if progress is not None:
                progress("Training the autoencoder", epoch, plan.epochs[0])
            for chosen in batches(self.rng, len(train), plan.batch):
                rows = train[chosen]
                descend(adam, misdecoded(coder, coder.encoded(noisy(rows)), rows) / self.power)
            epoch, error = epoch + 1, self.error()
            stale = stale + 1
            if error < best:
                best, kept, stale = error, copied(coder.coding), 0
        restore(self.torch, coder.coding, kept)
        return epoch

    def tell(self) -> None:
        """Train the classifiers on the codes of all words at once."""
        with self.torch.no_grad():
            pairs, *others = (self.coder.encoded(train) for train, _ in self.kinds)
        adam = self.torch.optim.Adam(self.coder.telling, lr=10 * self.plan.learning_rate)
        for _ in range(self.plan.epochs[1]):
            descend(adam, mistold(self.coder, [pairs[:, 0], pairs[:, 1], *others]))

    def join(self, progress: Progress | None) -> int:
        """Train all parts and keep the epoch with the smallest loss on held-out words."""
        every = self.coder.coding + self.coder.telling
        noisy = dropout(self.torch, self.rng, self.plan.dropout)
        adam = self.torch.optim.Adam(every, lr=self.plan.learning_rate / 5)
        pairs, *others = (held for _, held in self.kinds)
        held_out = [pairs[:, 0], pairs[:, 1], *others]
        best, kept, best_epoch = np.inf, copied(every), 0
        for epoch in range(self.plan.epochs[2] + 1):
            with self.torch.no_grad():
                direction = direction_of(self.coder, self.kinds[0][0], self.kinds[2][0])
                loss = float(self._loss(held_out, held_out, direction))
            if loss < best:
                best, kept, best_epoch = loss, copied(every), epoch
            if epoch == self.plan.epochs[2]:
                break
            if progress is not None:
                progress("Training all parts together", epoch, self.plan.epochs[2])
            for words in self._quadruples():
                descend(adam, self._loss(words, [noisy(rows) for rows in words], direction))
        restore(self.torch, every, kept)
        return best_epoch

    def _loss(self, words: list[Any], seen: list[Any], direction: Any) -> Any:
        codes = [self.coder.encoded(rows) for rows in seen]
        both = zip(codes, words, strict=True)
        decoding = sum(misdecoded(self.coder, code, rows) for code, rows in both)
        shown = sum(((code @ direction) ** 2).mean() for code in codes[2:])
        telling = mistold(self.coder, codes)
        return decoding / self.power + self.plan.preserve * telling + self.plan.remove * shown

    def _quadruples(self) -> Iterator[list[Any]]:
        """Words of all four kinds; shorter lists repeat until the longest is finished."""
        trains = [train for train, _ in self.kinds]
        longest = max(map(len, trains))
        orders = [np.resize(self.rng.permutation(len(train)), longest) for train in trains]
        for start in range(0, longest, QUADRUPLES):
            chosen = [order[start : start + QUADRUPLES] for order in orders]
            pairs, *others = (rows[some] for rows, some in zip(trains, chosen, strict=True))
            yield [pairs[:, 0], pairs[:, 1], *others]


def trained(
    torch: Any,
    lists: Lists,
    plan: Plan,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> tuple[tuple[Array, Array], dict[str, float | int | str | None]]:
    """Matrix and offset of the encoder, and the results of all parts."""
    with one_thread(torch):
        training = Training(torch, lists, plan, rng)
        coder = training.coder
        pairs, neutral = tensor(torch, lists.pairs), tensor(torch, lists.neutral)
        with torch.no_grad():
            before = leaning(coder, pairs, neutral)
        epochs = training.code(progress)
        alone = training.error()
        training.tell()
        together = training.join(progress)
        with torch.no_grad():
            held_pairs, *others = (held for _, held in training.kinds)
            first, second = accuracies(coder, held_pairs, others)
            after = leaning(coder, pairs, neutral)
        matrix, offset = (value.detach().double().numpy() for value in coder.coding[:2])
        return (matrix, offset), {
            "relative-error-of-decoding,-autoencoder-alone": alone,
            "relative-error-of-decoding": training.error(),
            "accuracy-on-the-first-group": first,
            "accuracy-on-the-second-group": second,
            "mean-|v·h|-of-neutral-words-before": before,
            "mean-|v·h|-of-neutral-words-after": after,
            "epochs-of-the-autoencoder": epochs,
            "best-epoch-of-all-together": together,
        }
