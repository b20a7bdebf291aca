"""The recommended method, why, and what it costs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Purpose = Literal["shipping", "research", "audit"]
PURPOSES: tuple[Purpose, ...] = ("shipping", "research", "audit")


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share between 0 and 1, with its 95 % interval if there are resamples."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Considered:
    """One method as it was weighed.

    ``removed`` is the share of the bias that is gone, over all measures and by measure; ``kept``
    the share of the quality that is left. ``better`` and ``worse`` name the measures that changed
    clearly, ``better`` also beyond every random control. ``why_not`` says why it is not
    recommended.
    """

    method: str
    expression: str
    removed: Share
    kept: Share
    removed_by: Mapping[str, Share] = field(default_factory=dict)
    kept_by: Mapping[str, Share] = field(default_factory=dict)
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    is_on_front: bool = False
    is_control: bool = False
    why_not: str = ""


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """The recommendation: one method, or none, with the reason and the cost.

    ``tied`` methods do not differ measurably from it; ``runners_up`` are the next best.
    """

    purpose: Purpose
    rule: str
    method: str | None
    expression: str
    answer: str
    reason: str
    price: str
    tied: tuple[str, ...] = ()
    runners_up: tuple[str, ...] = ()
    considered: tuple[Considered, ...] = ()
    notes: tuple[str, ...] = ()
