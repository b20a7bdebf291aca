"""SemBias: which of four word pairs is most similar to he and she."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, wordlist
from unslant.concepts.vocabulary import own_words
from unslant.concepts.wordsets import whole_rows
from unslant.core.errors import DegenerateSubspaceError, UndefinedMeasureError
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import LARGER, Range, Score
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.uncertainty import Spread, over_pairs
from unslant.numerics.bootstrap import Indices
from unslant.subspaces.between_groups import PairDifference
from unslant.vectors import Space

LIST = "zhao-2018/sembias"
KINDS = ("definition", "none", "none", "stereotype")
_HELD_OUT = 40
_NEITHER = -1
UNDECIDED = 1e-6
"""If the two largest cosines are closer than this, rounding would choose between them."""


@metric(
    "sembias",
    cites="zhao-2018",
    takes="concept",
    needs=SPACE,
    score=Score(
        better=LARGER,
        range=Range(0, 1),
        misleads="The 440 questions are 22 definition pairs crossed with 20 stereotype pairs, so"
        " they are far fewer than 440 independent observations. It covers English and binary "
        "gender, and one of the pairs labelled unrelated, dog:bitch, is gendered.",
    ),
)
class SemBias:
    """Share of questions where the pair gendered by definition is most similar to he − she.

        chosen pair = argmax cos(he − she, a − b) over the four pairs a:b of a question
        value = share of questions whose chosen pair is the one that is gendered by definition

    ``first`` and ``second`` are the two words, he and she. The details have the shares of
    stereotype and unrelated pairs, also for the last 40 questions, whose definition pairs GN-GloVe
    did not train on. If the two largest cosines are equal up to rounding, as after debiasing that
    left no difference along the axis, the question is undecided and counts for no kind of pair.
    ``unit_length`` scales vectors to length 1 first. The interval resamples definition pairs and
    stereotype pairs.
    """

    first: str = "he"
    second: str = "she"
    unit_length: bool = False
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: Concept, setting: Setting) -> Measurement:
        """The share of definition pairs, with the choice in every question."""
        if not {self.first, self.second} <= own_words(subject):
            raise UndefinedMeasureError(
                f'SemBias is about gender, but "{subject.name}" does not contain '
                f'"{self.first}" and "{self.second}". Measure the concept "gender".'
            )
        title = f"Pairs most like {self.first} and {self.second}"
        questions = wordlist(LIST)
        pairs = np.array([[str(c).split(":") for c in row] for row in questions.rows])
        table = pairs.reshape(len(pairs), -1).tolist()
        whole, forms, use = whole_rows(space, "sembias", table, setting.policy)
        if not len(whole):
            why = f"none of the {len(pairs)} questions has all its words in {space.name}"
            return Measurement.undefined(why, title=title, words=(use,))
        pair = PairDifference(self.first, self.second)
        try:
            direction = pair.fit(space, subject, setting.policy)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title, words=(use,))
        both = space.lookup([self.first, self.second], setting.policy.case).forms
        [axis] = self._differences(space, [both])
        differences = self._differences(space, forms).reshape(len(whole), 4, -1)
        lengths = np.linalg.norm(differences, axis=2)
        is_defined = lengths.all(axis=1)
        asked = whole[is_defined]
        if not len(asked):
            why = "in every question some pair consists of two equal vectors"
            return Measurement.undefined(why, title=title, words=(use,))
        scores = differences[is_defined] @ (axis / np.linalg.norm(axis)) / lengths[is_defined]
        choices = scores.argmax(axis=1)
        ordered = np.sort(scores, axis=1)
        is_undecided = ordered[:, -1] - ordered[:, -2] < UNDECIDED
        choices[is_undecided] = _NEITHER
        is_held_out = asked >= len(pairs) - _HELD_OUT
        interval, draws = self._interval(pairs[asked], choices == 0)
        return Measurement(
            title=title,
            value=float((choices == 0).mean()),
            interval=interval,
            draws=draws,
            details={
                "stereotype": float((choices == 3).mean()),
                **_unchosen(choices),
                **_held_out(choices[is_held_out]),
                "questions": len(asked),
                "questions-with-a-missing-word": len(pairs) - len(whole),
                "questions-that-rounding-would-decide": int(is_undecided.sum()),
                "questions-with-a-pair-of-equal-vectors": int((~is_defined).sum()),
            },
            words=(use, *direction.words),
            points=tuple(
                {
                    "definition": ":".join(pairs[row, 0]),
                    "stereotype": ":".join(pairs[row, 3]),
                    "chosen": KINDS[choice] if choice != _NEITHER else "undecided",
                    "definition-cosine": float(score[0]),
                    "stereotype-cosine": float(score[3]),
                    "best-unrelated-cosine": float(score[1:3].max()),
                }
                for row, choice, score in zip(asked.tolist(), choices.tolist(), scores, strict=True)
            ),
            warnings=direction.warnings,
        )

    def _differences(self, space: Space, table: Sequence[Sequence[str]]) -> Array:
        """a − b for rows of word indices that form pairs."""
        rows = space.rows([word for row in table for word in row]).astype(np.float64)
        both = rows.reshape(len(rows) // 2, 2, -1)
        if self.unit_length:
            both /= np.maximum(np.linalg.norm(both, axis=-1, keepdims=True), 1e-300)
        return np.asarray(both[..., 0, :] - both[..., 1, :])

    def _interval(self, pairs: NDArray[np.str_], is_definition: NDArray[np.bool_]) -> Spread:
        """The BCa interval over definition pairs and stereotype pairs, which questions cross."""
        names = [[":".join(pair) for pair in pairs[:, place]] for place in (0, 3)]
        (left, i), (right, j) = (np.unique(side, return_inverse=True) for side in names)
        right_choices, asked = np.zeros((2, len(left), len(right)))
        np.add.at(right_choices, (i, j), is_definition)
        np.add.at(asked, (i, j), 1)

        def share(samples: tuple[Indices, ...]) -> Array:
            crossed = samples[0][:, :, None], samples[1][:, None, :]
            total = asked[crossed].sum(axis=(1, 2))
            chosen = right_choices[crossed].sum(axis=(1, 2))
            return np.where(total > 0, chosen / np.maximum(total, 1), np.nan)

        over = "definition pairs and stereotype pairs"
        return over_pairs(share, asked.shape, seed=self.seed, purpose=("sembias",), over=over)[:2]


def _held_out(choices: NDArray[np.int64]) -> dict[str, float | int]:
    """The shares over the last questions."""
    if not len(choices):
        return {"held-out-questions": 0}
    return {
        "held-out-questions": len(choices),
        "held-out-definition": float((choices == 0).mean()),
        "held-out-stereotype": float((choices == 3).mean()),
        **{f"held-out-{name}": share for name, share in _unchosen(choices).items()},
    }


def _unchosen(choices: NDArray[np.int64]) -> dict[str, float]:
    """The shares of questions whose unrelated pair was chosen, and of undecided questions."""
    return {
        "none": float(np.isin(choices, (1, 2)).mean()),
        "undecided": float((choices == _NEITHER).mean()),
    }
