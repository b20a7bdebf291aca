"""The scores of the NLI probe: meaning, range and when each misleads."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

from unslant.core.errors import UnknownNameError
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.score import LARGER, SMALLER, Range, Score
from unslant.probes.nli.answers import THRESHOLDS, AnswerMeasure, Answers
from unslant.probes.nli.marked import marked
from unslant.probes.nli.measured import measured
from unslant.probes.nli.neutrality import fairness_or_why, neutrality, retention
from unslant.probes.nli.pairset import FAMILIES, PairSet

_KNEW = "What the model never knew cannot be lost: read it beside the value before debiasing."


def _share(short: str, cites: str, says: str, misleads: str) -> Score:
    return Score(
        better=LARGER, range=Range(0, 1), short=short, cites=cites, says=says, misleads=misleads
    )


def _length(short: str, cites: str, says: str, misleads: str) -> Score:
    reach = Range(0, sqrt(2), "0 to √2")
    return Score(
        better=SMALLER, range=reach, short=short, cites=cites, says=says, misleads=misleads
    )


def _retention(verb: str, misleads: str, says: str) -> dict[str, Score]:
    shorts = {"net": f"net {verb}", "fraction": f"fraction {verb}", "threshold": f"T:{{}} {verb}"}
    return {
        f"retention-{verb}-{what}": replace(
            _share(short, "dev-2021", says, misleads), tells="quality", tolerated=0.02
        )
        for what, short in shorts.items()
    }


SCORES: Mapping[str, Score] = {
    "nli-net-neutral": _share(
        "NN",
        "dev-2020",
        "How probable does the model find neutral, on average?",
        "A model that calls every pair neutral scores 1 and understands nothing: look "
        "at the random control, and at what is retained.",
    ),
    "nli-fraction-neutral": _share(
        "FN",
        "dev-2020",
        "For how many pairs is neutral the most probable answer?",
        "A pair that is neutral by a hair counts as much as one that is certainly so, "
        "and a model that calls every pair neutral scores 1.",
    ),
    "nli-threshold": _share(
        "T:{}",
        "dev-2020",
        "For how many pairs is neutral more probable than a threshold?",
        "A model that is unsure of everything scores 0 whether it is biased or not.",
    ),
    "nli-fairness": _share(
        "η",
        "dawkins-2023",
        "Are the answers neutral, and alike for all groups?",
        "The product hides which of its factors is low, and a word counts as treated "
        "alike or not by its most frequent label only, however close the others come.",
    ),
    "marked-error": _length(
        "E",
        "dawkins-2021",
        "How far are the answers from certain neutral?",
        "Much of it may be a model that is unsure or often wrong, alike for all "
        "groups; only the distance between the groups tells them apart.",
    ),
    "marked-distance": _length(
        "d",
        "dawkins-2021",
        "How far apart are the mean answers for the groups?",
        "A model that is wrong for all groups alike scores 0. A length cannot be "
        "negative, so close to 0 its interval lies too high, and few words allow no small p.",
    ),
    **_retention("entail", _KNEW, "Does a word still entail another of its own group?"),
    **_retention(
        "contradict",
        f"{_KNEW} A model that contradicts everything scores 1.",
        "Does a word still contradict one of another group?",
    ),
}
"""By the beginning of a measurement's name, which may go on with a kind of words or a threshold."""


# Which measures belong to which set.


def measures_for(
    pairs: PairSet, *, thresholds: Sequence[float] = THRESHOLDS, family: str = ""
) -> tuple[AnswerMeasure, ...]:
    """The measures of a set's family, in the order they are shown in.

    ``family`` selects another family: neutrality makes sense for marked sets too.
    """
    family = family or pairs.family
    if family == "neutrality":
        has_groups = len(pairs.hypothesis_groups) > 1
        return (*neutrality(pairs, thresholds), *([fairness_or_why(pairs)] if has_groups else []))
    if family == "marked":
        return marked(pairs)
    if family == "retention":
        return retention(pairs, thresholds)
    raise UnknownNameError("family of measures", family, FAMILIES)


def measures_of(
    answers: Answers,
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    seed: int = 0,
    resamples: int = 1_000,
    family: str = "",
    progress: Progress | None = None,
) -> list[Measurement]:
    """The records of all measures that belong to the set that was answered."""
    return measured(
        measures_for(answers.set, thresholds=thresholds, family=family),
        answers,
        seed=seed,
        resamples=resamples,
        progress=progress,
    )
