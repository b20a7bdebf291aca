"""What each measure of answers asks, how far it goes and when it misleads."""

from collections.abc import Mapping
from typing import Any

from unslant.core.references import reference

_SHARE = "0 to 1"
_LENGTH = "0 to √2"

_KNOWN: Mapping[str, Mapping[str, str]] = {
    "nli-net-neutral": {
        "summary": "How probable does the model find neutral, on average?",
        "cites": "dev-2020",
        "better": "larger",
        "range": _SHARE,
        "misleads": "A model that calls every pair neutral scores 1 and understands nothing: look "
        "at the random control, and at what is retained.",
    },
    "nli-fraction-neutral": {
        "summary": "For how many pairs is neutral the most probable answer?",
        "cites": "dev-2020",
        "better": "larger",
        "range": _SHARE,
        "misleads": "A pair that is neutral by a hair counts as much as one that is certainly so, "
        "and a model that calls every pair neutral scores 1.",
    },
    "nli-threshold": {
        "summary": "For how many pairs is neutral more probable than a threshold?",
        "cites": "dev-2020",
        "better": "larger",
        "range": _SHARE,
        "misleads": "A model that is unsure of everything scores 0 whether it is biased or not.",
    },
    "nli-fairness": {
        "summary": "Are the answers neutral, and alike for all groups?",
        "cites": "dawkins-2023",
        "better": "larger",
        "range": _SHARE,
        "misleads": "The product hides which of its factors is low, and a word counts as treated "
        "alike or not by its most frequent label only, however close the others come.",
    },
    "marked-error": {
        "summary": "How far are the answers from certain neutral?",
        "cites": "dawkins-2021",
        "better": "smaller",
        "range": _LENGTH,
        "misleads": "Much of it may be a model that is unsure or often wrong, alike for all "
        "groups; only the distance between the groups tells them apart.",
    },
    "marked-distance": {
        "summary": "How far apart are the mean answers for the groups?",
        "cites": "dawkins-2021",
        "better": "smaller",
        "range": _LENGTH,
        "misleads": "A model that is wrong for all groups alike scores 0. A length cannot be "
        "negative, so close to 0 its interval lies too high, and few words allow no small p.",
    },
    "retention-entail": {
        "summary": "Does a word still entail another of its own group?",
        "cites": "dev-2021",
        "better": "larger",
        "range": _SHARE,
        "misleads": "What the model never knew cannot be lost: read it beside the value before "
        "debiasing.",
    },
    "retention-contradict": {
        "summary": "Does a word still contradict one of another group?",
        "cites": "dev-2021",
        "better": "larger",
        "range": _SHARE,
        "misleads": "What the model never knew cannot be lost: read it beside the value before "
        "debiasing. A model that contradicts everything scores 1.",
    },
}


def measure_facts(name: str) -> dict[str, Any]:
    """What is known of a measure by its name, of all words or of one kind of them.

    >>> measure_facts("marked-error-pronouns")["range"]
    '0 to √2'
    """
    known = next(
        (facts for stem, facts in _KNOWN.items() if f"{name}-".startswith(f"{stem}-")),
        {"summary": "", "cites": "", "better": "", "range": "", "misleads": ""},
    )
    return {**known, "reference": reference(known["cites"]), "takes": "probe"}
