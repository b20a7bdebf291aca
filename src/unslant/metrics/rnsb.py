"""Relative negative sentiment bias: is unpleasantness spread evenly over identity words?"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from unslant.concepts import Concept, WordPolicy, WordSets, resolve
from unslant.concepts.wordlists import wordlist
from unslant.core.errors import UndefinedMeasureError, quoted
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.vectors import Space

POSITIVE = "hu-liu-2004/positive-words"
NEGATIVE = "hu-liu-2004/negative-words"
_HELD_OUT = 0.2
_IDENTITY = "identity words"


@metric(
    "rnsb",
    cites="sweeney-2019",
    takes="concept",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(low=0, text="0 to ln K for K identity words"),
        misleads="Its maximum grows with the number of identity words, so compare only the "
        "normalised value across lists. The classifier learns the sentiment of reviews and is "
        "applied to words unlike its training data. It depends on the length of the vectors.",
    ),
)
class Rnsb:
    """Divergence of the identity words' shares of negative sentiment from equal shares.

        nᵢ = P(negative | identity word i),  Pᵢ = nᵢ / Σⱼ nⱼ
        RNSB = KL(P ‖ uniform) = Σᵢ Pᵢ ln(K Pᵢ) for K identity words

    A logistic regression learns negative against positive words (Hu and Liu 2004); nᵢ is its
    probability that identity word i is negative. The value is averaged over ``repeats`` training
    runs, each on a different four fifths of the lexicon and tested on the rest. ``identities``
    names one list of the concept or a bundled list; by default the words (or otherwise the names)
    of all groups are used.
    """

    identities: str = ""
    repeats: Annotated[int, at_least(1)] = 10
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: Concept, setting: Setting) -> Measurement:
        """The mean divergence, with each word's probability of being negative."""
        asked = {_IDENTITY: _identity_words(subject, self.identities)}
        sets = resolve(space, asked, setting.policy)
        count = sets.size(_IDENTITY)
        if count < 2:
            raise UndefinedMeasureError(
                f"rnsb compares identity words with each other, but {space.name} has only "
                f"{quoted(sets.words(_IDENTITY))}. Choose a concept or list with more."
            )
        # No vocabulary has every word of the lexicon, so missing words are always dropped.
        lexicon = resolve(
            space,
            {name: wordlist(name).all_words for name in (POSITIVE, NEGATIVE)},
            WordPolicy(missing="drop", case=setting.policy.case),
        )
        runs = [self._train(lexicon, sets, number) for number in range(self.repeats)]
        negative = np.array([probabilities for probabilities, _ in runs])
        values = divergence_from_equal(negative)
        return Measurement(
            title=f"Negative sentiment of {self.identities or subject.name} words",
            value=float(values.mean()),
            details={
                "sd-over-repeats": float(values.std(ddof=1)) if self.repeats > 1 else None,
                "normalised-by-ln-K": float(values.mean() / np.log(count)),
                "K": count,
                "held-out-accuracy": float(np.mean([accuracy for _, accuracy in runs])),
                **_counts(lexicon),
            },
            words=sets.uses,
            points=tuple(
                {"word": word, "negative": float(mean)}
                for word, mean in zip(sets.words(_IDENTITY), negative.mean(axis=0), strict=True)
            ),
            warnings=_warnings(lexicon, sets),
        )

    def _train(self, lexicon: WordSets, sets: WordSets, number: int) -> tuple[Array, float]:
        """P(negative) of every identity word from one training run, and its held-out accuracy."""
        from sklearn.linear_model import LogisticRegression

        rng = generator(self.seed, "rnsb", str(number))
        parts = [_split(lexicon.matrix(name), rng) for name in (POSITIVE, NEGATIVE)]
        train, test = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
        is_negative, should = (
            np.repeat([0, 1], [len(part[side]) for part in parts]) for side in (0, 1)
        )
        model = LogisticRegression(solver="liblinear", max_iter=10_000).fit(train, is_negative)
        probabilities = model.predict_proba(sets.matrix(_IDENTITY))[:, 1]
        # Very long vectors may underflow to 0, and shares of nothing are undefined.
        return np.maximum(probabilities, np.finfo(float).tiny), float(model.score(test, should))


def divergence_from_equal(negative: Array) -> Array:
    """KL of each row, scaled to sum to 1, from equal shares; a share of 0 contributes nothing."""
    shares = negative / negative.sum(axis=-1, keepdims=True)
    safe = np.where(shares > 0, shares, 1.0)
    return np.asarray((shares * np.log(safe * shares.shape[-1])).sum(axis=-1))


def _identity_words(concept: Concept, identities: str) -> Sequence[str]:
    if "/" in identities:
        return wordlist(identities).all_words
    if identities:
        return concept.list(identities).all_words
    if not concept.members:
        raise UndefinedMeasureError(
            f'The concept "{concept.name}" has no words or names for its groups. Name a list with '
            f"rnsb(identities=…)."
        )
    return [word for group in concept.members.values() for word in group.all_words]


def _split(rows: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rows to learn from and rows to test on, at random."""
    order = rng.permutation(len(rows))
    held_out = max(1, round(_HELD_OUT * len(rows)))
    if held_out >= len(rows):
        raise UndefinedMeasureError(
            "The vectors contain fewer than two words of one side of the sentiment lexicon, so no "
            "classifier can be trained. Load more words."
        )
    return rows[order[held_out:]], rows[order[:held_out]]


def _counts(lexicon: WordSets) -> dict[str, int]:
    """How much of the lexicon was used; listing 6,789 words would swamp the record."""
    return {
        f"{name.partition('/')[2]}-{what}": len(words)
        for name, use in zip((POSITIVE, NEGATIVE), lexicon.uses, strict=True)
        for what, words in (("used", use.used), ("missing", use.missing))
    }


def _warnings(lexicon: WordSets, sets: WordSets) -> tuple[str, ...]:
    trained = {*lexicon.items[POSITIVE], *lexicon.items[NEGATIVE]}
    both = zip(sets.words(_IDENTITY), sets.items[_IDENTITY], strict=True)
    words = [word for word, form in both if form in trained]
    if not words:
        return ()
    return (f"The sentiment lexicon itself contains {quoted(words)}; their values are learnt.",)
