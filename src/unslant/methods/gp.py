"""GP: an autoencoder that keeps gendered words distinct and neutralises the rest."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import ExpressionError, UndefinedMeasureError
from unslant.core.example import Example
from unslant.core.extras import torch_for, torch_threads
from unslant.core.files import Progress
from unslant.core.parameters import SHARE, above, at_least
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.erasers import EachVector, Network
from unslant.methods.lazy_torch import batches, copied, descend, dropout, free, restore, tensor
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.specific_words import words_for_gp
from unslant.vectors import WordVectors

# An autoencoder of one layer with two classifiers of its codes, and the losses of GP.


class Coder:
    """Encoder, decoder and two classifiers, for rows.

    Encoder and decoder start as the identity, up to tanh.
    """

    def __init__(self, torch: Any, dim: int, rng: np.random.Generator) -> None:
        same, none = np.eye(dim), np.zeros(dim)
        self.torch = torch
        self.coding = [free(torch, values) for values in (same, none, same, none)]
        self.telling = [
            free(torch, rng.normal(size=(dim, 2)) / np.sqrt(dim)),
            free(torch, np.zeros(2)),
        ]

    def encoded(self, rows: Any) -> Any:
        """The codes of rows."""
        return self.torch.tanh(rows @ self.coding[0] + self.coding[1])

    def decoded(self, codes: Any) -> Any:
        """The rows that the codes decode to."""
        return self.torch.tanh(codes @ self.coding[2] + self.coding[3])

    def told(self, codes: Any) -> Any:
        """The outputs of the two classifiers, one column each."""
        return self.torch.sigmoid(codes @ self.telling[0] + self.telling[1])


def misdecoded(coder: Coder, codes: Any, rows: Any) -> Any:
    """The mean squared distance between rows and their decoded codes."""
    return ((coder.decoded(codes) - rows) ** 2).sum(dim=1).mean()


def mistold(coder: Coder, codes: list[Any]) -> Any:
    """Squared errors of both classifiers, summed over four kinds of words.

    The first kind is the first classifier's own, the second kind the second's.
    """
    total = 0.0
    for place, code in enumerate(codes):
        answer = coder.torch.tensor([float(place == 0), float(place == 1)])
        total = total + ((coder.told(code) - answer) ** 2).sum(dim=1).mean()
    return total


def direction_of(coder: Coder, pairs: Any, neutral: Any) -> Any:
    """The mean difference of encoded pairs, scaled by its length and that of neutral words."""
    codes = coder.encoded(pairs)
    difference = (codes[:, 1] - codes[:, 0]).mean(dim=0)
    length = (coder.encoded(neutral) ** 2).sum(dim=1).mean().sqrt()
    return difference / (difference.norm() * length).clamp_min(1e-12)


def leaning(coder: Coder, pairs: Any, neutral: Any) -> float:
    """The mean |v·h| of neutral words, with v and the mean length of h scaled to 1."""
    direction = direction_of(coder, pairs, neutral)
    return float((coder.encoded(neutral) @ direction).abs().mean())


def accuracies(coder: Coder, pairs: Any, others: list[Any]) -> tuple[float, float]:
    """The share that each classifier gets right, with its own group and the rest halves of it."""
    sure = coder.told(coder.encoded(pairs)) > 0.5
    rest = coder.torch.cat([coder.told(coder.encoded(rows)) > 0.5 for rows in others])
    shares = []
    for place in (0, 1):
        own = float(sure[:, place, place].double().mean())
        wrong = coder.torch.cat([sure[:, 1 - place, place], rest[:, place]])
        shares.append((own + 1 - float(wrong.double().mean())) / 2)
    return shares[0], shares[1]


FEW_PAIRS = 10
"""With fewer pairs than this the direction between the groups depends on single words."""
FEWEST_WORDS = 20
_WHEN = ("before", "after")
LARGEST = 0.9
"""The largest component inside the autoencoder, well within the range of tanh."""
SMALLEST = 1e-6
"""What the largest component of a usual word must be at least, in single precision."""
PATIENCE = 5
"""Epochs without a better result after which the autoencoder is done."""
QUADRUPLES = 32
"""The number of word quadruples per step in the last stage."""


@debiaser(
    "gp",
    cites="kaneko-2019",
    example=Example(call="gp(epochs=2, classifier_epochs=5, joint_epochs=2)", quick=True),
    guarantees={"needs-no-words"},
    acts_on=words_only("is trained to keep the words of two groups apart"),
    misleads="It removes one mean direction of codes, so what other directions say about the "
    "attribute stays, and the words of the groups are meant to keep it. The result "
    "depends on the lists of stereotyped and neutral words and on the seed.",
)
class GroupPreserving:
    """Encode vectors so that only words of the two groups reveal the group, and all are decodable.

        h = tanh(W w + b)
        loss = ‖tanh(W' h + b') − w‖² + preserve · Σ (σ(u·h + c) − is in the group)²
             + remove · (v·h)²

    h is the new vector, tanh(W' h + b') decodes it, and two classifiers σ(u·h + c) recognise the
    words of either group. The loss is that of a word of the first group, one of the second, a
    stereotyped and a neutral one; (v·h)² is only of the latter two, and v is the mean difference of
    the encoded ``pairs``, recomputed at each epoch. The autoencoder is trained first, on the first
    ``vocabulary`` words, then the classifiers, then all together; the best state on held-out words
    is kept. ``stereotypes`` and ``neutral`` name lists of the concept.

    tanh cannot decode components beyond 1, so vectors are scaled down by their largest component
    and up again at the end. The losses are relative: to the mean square of the vectors, and for
    v·h to the lengths of v and of h, so the weights mean the same in every space. The published
    ones are absolute, 1e-4 each; weights of 1e-4 leave v·h almost unchanged. The layers start as
    the identity, which decodes well immediately and keeps codes comparable with the vectors
    (published: 315 epochs from small random weights); from there the published ``dropout`` of
    0.05 in the first stage only makes decoding worse, so all stages use 0.01. Adam trains all
    stages. We use the paper's squared errors, not the cross-entropies in its code.
    """

    pairs: str = "gendered"
    stereotypes: str = ""
    neutral: str = ""
    vocabulary: Annotated[int, at_least(100)] = 50_000
    preserve: Annotated[float, at_least(0)] = 0.03
    remove: Annotated[float, at_least(0)] = 1.0
    epochs: Annotated[int, at_least(1)] = 40
    classifier_epochs: Annotated[int, at_least(1)] = 100
    joint_epochs: Annotated[int, at_least(1)] = 30
    batch: Annotated[int, at_least(1)] = 512
    learning_rate: Annotated[float, above(0)] = 1e-3
    dropout: Annotated[float, SHARE] = 0.01
    seed: Annotated[int, at_least(0)] = 0

    def fit(self, vectors: WordVectors, concept: Concept, setting: FitSetting) -> Fitted:
        """Train autoencoder and classifiers, then both together."""
        if len(concept.groups) != 2:
            raise ExpressionError(
                f'gp keeps two groups apart, but "{concept.name}" has {len(concept.groups)}. Use '
                f"a method for many groups, such as hard or leace."
            )
        words = words_for_gp(
            vectors, concept, setting.policy, self.pairs, self.stereotypes, self.neutral
        )
        torch = torch_for("gp")
        first_words = vectors.matrix[: self.vocabulary]
        frequent = first_words[first_words.any(axis=1)].astype(np.float64)
        if len(frequent) < FEWEST_WORDS:
            raise UndefinedMeasureError(
                f"gp needs at least {FEWEST_WORDS} words with a vector to train on, but "
                f"{vectors.name} has {len(frequent)}. Use vectors with more words."
            )
        scale = LARGEST / float(np.abs(frequent).max())
        middle = float(np.median(np.abs(frequent).max(axis=1)))
        if middle * scale < SMALLEST:
            raise UndefinedMeasureError(
                f"gp scales vectors by their largest number, and one of {vectors.name} is "
                f"{LARGEST / scale / middle:.0e} times as large as usual, beside which the others "
                f"vanish. Remove the word that has it."
            )
        kinds = [part * scale for part in (words.pairs, words.stereotyped, words.neutral)]
        (matrix, offset), details = _trained(torch, self, kinds, frequent * scale, setting.progress)
        count = len(words.pairs)
        warnings = []
        if count < FEW_PAIRS:
            warnings.append(f"only {count} pairs were found, so the result depends on single words")
        before, after = (details[f"mean-|v·h|-of-neutral-words-{when}"] for when in _WHEN)
        if float(after or 0) >= float(before or 0):
            warnings.append(
                "neutral words lean as much as before; increase remove or decrease preserve"
            )
        return Fitted(
            steps=(EachVector(Network((matrix,), (offset,), scale, 1 / scale)),),
            words=words.uses,
            details={"pairs": count, "scale": scale, **details},
            warnings=tuple(warnings),
        )


class _Stages:
    """The three stages, on training words and held-out words."""

    def __init__(
        self, torch: Any, how: GroupPreserving, kinds: Sequence[Array], ordinary: Array
    ) -> None:
        self.torch, self.how, self.rng = torch, how, generator(how.seed, "gp")
        self.coder = Coder(torch, ordinary.shape[1], self.rng)
        self.ordinary = self._parted(ordinary, len(ordinary) // 10, 5000)
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
        coder, how, train = self.coder, self.how, self.ordinary[0]
        noisy = dropout(self.torch, self.rng, how.dropout)
        adam = self.torch.optim.Adam(coder.coding, lr=how.learning_rate)
        best, kept, stale, epoch = self.error(), copied(coder.coding), 0, 0
        while epoch < how.epochs and stale < PATIENCE:
            if progress is not None:
                progress("Training the autoencoder", epoch, how.epochs)
            for chosen in batches(self.rng, len(train), how.batch):
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
        adam = self.torch.optim.Adam(self.coder.telling, lr=10 * self.how.learning_rate)
        for _ in range(self.how.classifier_epochs):
            descend(adam, mistold(self.coder, [pairs[:, 0], pairs[:, 1], *others]))

    def join(self, progress: Progress | None) -> int:
        """Train all parts and keep the epoch with the smallest loss on held-out words."""
        every = self.coder.coding + self.coder.telling
        noisy = dropout(self.torch, self.rng, self.how.dropout)
        adam = self.torch.optim.Adam(every, lr=self.how.learning_rate / 5)
        pairs, *others = (held for _, held in self.kinds)
        held_out = [pairs[:, 0], pairs[:, 1], *others]
        best, kept, best_epoch = np.inf, copied(every), 0
        for epoch in range(self.how.joint_epochs + 1):
            with self.torch.no_grad():
                direction = direction_of(self.coder, self.kinds[0][0], self.kinds[2][0])
                loss = float(self._loss(held_out, held_out, direction))
            if loss < best:
                best, kept, best_epoch = loss, copied(every), epoch
            if epoch == self.how.joint_epochs:
                break
            if progress is not None:
                progress("Training all parts together", epoch, self.how.joint_epochs)
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
        return decoding / self.power + self.how.preserve * telling + self.how.remove * shown

    def _quadruples(self) -> Iterator[list[Any]]:
        """Words of all four kinds; shorter lists repeat until the longest is finished."""
        trains = [train for train, _ in self.kinds]
        longest = max(map(len, trains))
        orders = [np.resize(self.rng.permutation(len(train)), longest) for train in trains]
        for start in range(0, longest, QUADRUPLES):
            chosen = [order[start : start + QUADRUPLES] for order in orders]
            pairs, *others = (rows[some] for rows, some in zip(trains, chosen, strict=True))
            yield [pairs[:, 0], pairs[:, 1], *others]


def _trained(
    torch: Any,
    how: GroupPreserving,
    kinds: Sequence[Array],
    ordinary: Array,
    progress: Progress | None,
) -> tuple[tuple[Array, Array], dict[str, float | int | str | None]]:
    """Matrix and offset of the encoder, and the results of all parts."""
    with torch_threads(torch):
        training = _Stages(torch, how, kinds, ordinary)
        coder = training.coder
        pairs, _, neutral = (tensor(torch, kind) for kind in kinds)
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
