"""GP: an autoencoder that keeps gendered words distinct and neutralises the rest."""

from typing import Annotated

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import ExpressionError, UndefinedMeasureError
from unslant.core.extras import torch_for
from unslant.core.parameters import SHARE, above, at_least
from unslant.core.seeds import generator
from unslant.erasers import EachVector, Network
from unslant.methods.method import FitSetting, Fitted, debiaser, words_only
from unslant.methods.training.gp import Lists, Plan, trained
from unslant.methods.words.for_gp import words_for_gp
from unslant.vectors import WordVectors

FEW_PAIRS = 10
"""With fewer pairs than this the direction between the groups depends on single words."""
FEWEST_WORDS = 20
_WHEN = ("before", "after")
LARGEST = 0.9
"""The largest component inside the autoencoder, well within the range of tanh."""


@debiaser(
    "gp",
    cites="kaneko-2019",
    guarantees={"needs-no-words"},
    acts_on=words_only("is trained to keep the words of two groups apart"),
)
class GroupPreserving:
    """Encode vectors so that only words of the two groups reveal the group, and all are decodable.

    h = tanh(W w + b) is the new vector, tanh(W' h + b') decodes it, and two classifiers
    σ(u·h + c) recognise the words of either group. The loss of a word of the first group, one of
    the second, a stereotyped and a neutral one is the squared error of decoding, plus
    ``preserve`` times the squared errors of the classifiers (1 for words of their group, 0 for
    others), plus ``remove`` times (v·h)² of the stereotyped and the neutral word, where v is the
    mean difference of the encoded ``pairs``, recomputed at each epoch. The autoencoder is trained
    first, on the first ``vocabulary`` words, then the classifiers, then all together; the best
    state on held-out words is kept. ``stereotypes`` and ``neutral`` name lists of the concept.

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
        parts = (words.pairs, words.stereotyped, words.neutral, frequent)
        (matrix, offset), details = trained(
            torch,
            Lists(*(part * scale for part in parts)),
            Plan(
                preserve=self.preserve,
                remove=self.remove,
                learning_rate=self.learning_rate,
                dropout=self.dropout,
                batch=self.batch,
                epochs=(self.epochs, self.classifier_epochs, self.joint_epochs),
            ),
            generator(self.seed, "gp"),
            setting.progress,
        )
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
