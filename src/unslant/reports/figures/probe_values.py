"""What the figures of a probe share: what its measures are called in them."""

from unslant.reports.probe_words import short_name
from unslant.reports.words import Record

_NEUTRAL = {
    "nli-net-neutral": "mean probability of neutral",
    "nli-fraction-neutral": "neutral is most probable",
    "nli-fairness": "neutral, and alike for all groups",
    "marked-error": "distance from certain neutral",
    "marked-distance": "distance between the groups",
}
_RIGHT = {"entail": "entails its own group", "contradict": "contradicts another group"}


def plain_name(metric: str) -> str:
    """What a measure asks, in the few words that an axis has room for.

    >>> plain_name("nli-threshold-0.7"), plain_name("marked-error-nouns")
    ('neutral above 0.7 (T:0.7)', 'distance from certain neutral, nouns (E)')
    >>> plain_name("retention-entail-fraction")
    'entails its own group: most probable'
    """
    if metric.startswith("nli-threshold-"):
        return f"neutral above {metric.removeprefix('nli-threshold-')} ({short_name(metric)})"
    for verb, said in _RIGHT.items():
        if metric.startswith(f"retention-{verb}-"):
            what = metric.removeprefix(f"retention-{verb}-").replace("threshold-", "above ")
            how = {"net": "mean probability", "fraction": "most probable"}.get(what, what)
            return f"{said}: {how}"
    for stem, said in _NEUTRAL.items():
        if f"{metric}-".startswith(f"{stem}-"):
            kind = metric.removeprefix(stem).removeprefix("-")
            return (
                f"{said}, {kind} ({short_name(stem)})" if kind else f"{said} ({short_name(stem)})"
            )
    return metric


def is_compared(record: Record) -> bool:
    """Whether the record has the answers before debiasing too."""
    return bool(record["before"])
