"""Probing: whether a classifier separates the groups of a concept on unseen words."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from unslant.concepts import Concept
from unslant.core.measurement import Draws, Interval, Measurement
from unslant.core.parameters import above, at_least
from unslant.core.score import SMALLER, Range, Score
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.classifiers import PROBES, Classifier
from unslant.metrics.held_out import (
    Groups,
    GroupTexts,
    group_texts,
    held_out_shares,
    online_bits,
    same_words_share,
    shuffled,
)
from unslant.metrics.uncertainty import LEVEL
from unslant.numerics.bootstrap import RESAMPLES, wilson_interval
from unslant.vectors import Space

_MOST_POINTS = 500


@metric(
    "probing",
    cites="hewitt-liang-2019",
    takes="concept",
    needs=SPACE,
    score=Score(
        better=SMALLER,
        range=Range(low=0, high=1, text="0 to 1; 1/groups is chance"),
        misleads="That a classifier finds the group says nothing about whether the model uses it. "
        "A linear classifier at chance does not exclude that a curved one succeeds. Below chance "
        "is not better than chance. Words that differ in more than the group, such as names and "
        "nouns, are separated by that too.",
    ),
)
@dataclass(frozen=True, kw_only=True)
class Probing:
    """Balanced accuracy of a classifier of the group, on words that it was not trained on.

        value = mean over groups g of (mean over words w of g of the share of w's sentences that
                the classifier, trained on other words, assigns to g)
        selectivity = value − value with random groups

    The words of each group (``of``) are put into every one of the ``contexts``; a space of words
    takes them as they are. Words are split into ``folds`` with all their sentences, so no word is
    in training and test; the share of a word's sentences that are right is one observation. Chance
    is 1 / groups. The interval (Wilson) is over words.

    The control task (Hewitt and Liang 2019) assigns each word a random group, ``controls`` times.
    Words held out make the control chance unless something leaks; how much the classifier can
    memorise is seen on known words in other contexts, which is given as well. MDL is the online
    code of Voita and Titov (2020), one label for each word.
    """

    classifier: Classifier = "logistic"
    of: Literal["words", "names", "all"] = "all"
    contexts: str = "bleached"
    folds: Annotated[int, at_least(2)] = 5
    controls: Annotated[int, at_least(0)] = 4
    c: Annotated[float, above(0)] = 1.0
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: Concept, setting: Setting) -> Measurement:
        """The accuracy with its interval, control task, selectivity and code length."""
        title = f"{subject.name.capitalize()} recovered by {PROBES[self.classifier]}"
        data = group_texts(space, subject, setting.policy, self.of, self.contexts)
        if data.smallest < 2 * self.folds:
            return Measurement.undefined(
                f"the smallest group has {data.smallest} words, and {self.folds} folds need at "
                f"least {2 * self.folds}",
                title=title,
                words=data.uses,
            )
        rng = generator(self.seed, "probing", subject.content_hash)
        shares = held_out_shares(data, data.labels, self.folds, self.classifier, self.c, rng)
        value = _balanced(shares, data.labels, data.groups)
        low, high = balanced_ends(value, [len(use.used) for use in data.uses], LEVEL)
        chance = 1 / len(data.groups)
        controls = self._controls(data)
        details: dict[str, float | int | str | None] = {
            "classifier": PROBES[self.classifier],
            "chance": chance,
            "words": len(data.words),
            "texts-of-each-word": data.contexts,
            "folds": self.folds,
        }
        if controls:
            control = float(np.mean(controls))
            details |= {
                "control-accuracy": control,
                "highest-control-accuracy": max(controls),
                "selectivity": value - control,
            }
        if not setting.values_only:
            details |= self._of_known_words(data) | self._code(data)
        return Measurement(
            title=title,
            value=value,
            interval=Interval(low=low, high=high, level=LEVEL, how="Wilson, over words"),
            draws=self._draws(shares, data),
            details=details,
            words=data.uses,
            points=tuple(
                {"word": data.words[place], "group": data.groups[data.labels[place]],
                 "share-right": float(shares[place])}
                for place in np.argsort(shares, kind="stable")[:_MOST_POINTS].tolist()
            ),
        )  # fmt: skip

    def _controls(self, data: GroupTexts) -> list[float]:
        """The accuracy on random labels of words, one number for each dealing."""
        accuracies = []
        for number in range(self.controls):
            rng = generator(self.seed, "probing control", str(number))
            labels = shuffled(data.labels, rng)
            shares = held_out_shares(data, labels, self.folds, self.classifier, self.c, rng)
            accuracies.append(_balanced(shares, labels, data.groups))
        return accuracies

    def _of_known_words(self, data: GroupTexts) -> dict[str, float]:
        """Accuracy, and that of the control, on trained words in contexts held out."""
        if data.contexts < 2:
            return {}
        rng = generator(self.seed, "probing known words")
        own = same_words_share(data, data.labels, self.classifier, self.c)
        dealt = same_words_share(data, shuffled(data.labels, rng), self.classifier, self.c)
        return {
            "accuracy-on-known-words": own,
            "control-accuracy-on-known-words": dealt,
            "selectivity-on-known-words": own - dealt,
        }

    def _code(self, data: GroupTexts) -> dict[str, float]:
        rng = generator(self.seed, "probing code")
        labels = shuffled(data.labels, rng)
        bits = online_bits(data, data.labels, self.c, generator(self.seed, "probing order"))
        control = online_bits(data, labels, self.c, generator(self.seed, "probing order"))
        uniform = len(data.words) * float(np.log2(len(data.groups)))
        return {
            "code-length-in-bits": bits,
            "compression": uniform / bits,
            "compression-of-random-labels": uniform / control,
        }

    def _draws(self, shares: Array, data: GroupTexts) -> Draws:
        """Accuracies on resamples of the words, to measure a change on the same words."""
        key = hashlib.sha256("\n".join(data.words).encode()).hexdigest()
        rng = generator(self.seed, "bootstrap", "probing", key)
        means = []
        for group in range(len(data.groups)):
            own = shares[data.labels == group]
            means.append(own[rng.integers(0, len(own), (RESAMPLES, len(own)))].mean(axis=1))
        how = "percentile bootstrap over words"
        values = np.mean(means, axis=0)
        return Draws(key=f"probing {self.seed} {key}", values=values, how=how)


def _balanced(shares: Array, labels: Groups, groups: tuple[str, ...]) -> float:
    return float(np.mean([shares[labels == group].mean() for group in range(len(groups))]))


def balanced_ends(value: float, sizes: Sequence[int], level: float) -> tuple[float, float]:
    """Wilson's interval of a mean of group means, by the number of words that is worth as much.

    With n_g words in each of K groups, the variance of such a mean is that of K² / Σ 1/n_g words.
    """
    worth = len(sizes) ** 2 / sum(1 / size for size in sizes)
    return wilson_interval(value * worth, worth, level)
