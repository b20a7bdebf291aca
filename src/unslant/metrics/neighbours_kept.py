"""How many of a word's nearest neighbours it still has after debiasing."""

from typing import Annotated

import numpy as np

from unslant.concepts.vocabulary import plain_rows, unit_rows
from unslant.core.measurement import Measurement, WordUse
from unslant.core.parameters import at_least
from unslant.core.score import LARGER, Range, Score
from unslant.core.types import Array
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.neighbourhoods import neighbour_progress
from unslant.metrics.uncertainty import over_pairs
from unslant.numerics.bootstrap import Indices
from unslant.vectors import WordVectors

FEWEST = 3


@metric(
    "neighbours-kept",
    cites="wendlandt-2018",
    takes="vectors",
    needs=VOCABULARY,
    score=Score(
        better=LARGER,
        tells="quality",
        tolerated=0.05,
        range=Range(0, 1),
        misleads="It says that neighbours changed, not that they got worse: neighbours that a word "
        "had because of the bias are meant to go. Without a baseline it is 1 by definition.",
    ),
)
class NeighboursKept:
    """The mean share of a word's ``k`` nearest neighbours that it has before and after debiasing.

        value = mean over words w of |N(w) ∩ N'(w)| / k

    w are the first ``n`` plain words (letters only), N their ``k`` nearest neighbours by cosine in
    the baseline and N' those in the vectors, both among the first ``vocabulary`` words.
    """

    k: Annotated[int, at_least(1)] = 10
    n: Annotated[int, at_least(FEWEST)] = 1_000
    vocabulary: Annotated[int, at_least(FEWEST)] = 20_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: object, setting: Setting) -> Measurement:
        """The mean share with its interval over words, and the share of every word."""
        title = "Nearest neighbours kept"
        baseline = setting.vectors_before(vectors)
        rows = plain_rows(vectors.words, self.vocabulary)
        words = list(vectors.words.take(rows))
        before = rows if baseline is vectors else baseline.words.rows_of(words)
        is_there = before >= 0
        is_there[is_there] &= baseline.rows_at(before[is_there]).any(axis=1)
        is_there &= vectors.rows_at(rows).any(axis=1)
        rows, before = rows[is_there], before[is_there]
        words = [word for word, there in zip(words, is_there.tolist(), strict=True) if there]
        asked = words[: self.n]
        if len(words) <= self.k or len(asked) < FEWEST:
            why = f"only {len(words):,} words are in both, and {self.k} neighbours are compared"
            return Measurement.undefined(why, title=title)
        queries = np.arange(len(asked))
        lists = [
            np.concatenate(
                [
                    near
                    for _, near, _ in setting.neighbours(
                        unit_rows(space, at), queries, self.k, neighbour_progress(setting)
                    )
                ]
            )
            for space, at in ((baseline, before), (vectors, rows))
        ]
        shares = (lists[0][:, :, None] == lists[1][:, None, :]).any(axis=2).mean(axis=1)

        def mean(samples: tuple[Indices, ...]) -> Array:
            means: Array = shares[samples[0]].mean(axis=1)
            return means

        interval, draws, _ = over_pairs(
            mean, [len(shares)], seed=self.seed, purpose=("neighbours kept",), over="words"
        )
        return Measurement(
            title=title,
            value=float(shares.mean()),
            interval=interval,
            draws=draws,
            details={"neighbours": self.k, "words-that-can-be-neighbours": len(words)},
            words=(WordUse(set="most frequent words", used=tuple(asked)),),
            points=tuple(
                {"word": word, "share-kept": float(share)}
                for word, share in zip(asked, shares, strict=True)
            ),
        )
