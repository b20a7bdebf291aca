"""The one value that every metric and probe returns.

A measurement contains everything needed to judge and reproduce it: the number, which direction is
better, its uncertainty, the words that were used and those that were not, the parameters, the
hashes of the inputs, the seed and the version. It converts to JSON and back without loss.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core import wording
from unslant.core.extras import frame
from unslant.core.plain import IN_MEMORY, from_plain, to_plain
from unslant.core.visible import visible


@dataclass(frozen=True, kw_only=True)
class WordUse:
    """How one word set was used.

    ``used`` words went into the number, in the spelling of ``spelt`` if that differs;
    ``missing`` words are not in the vectors; ``set_aside`` words are, but repeat another word or
    would have made the sets unequal.
    """

    set: str
    used: tuple[str, ...]
    spelt: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "WordUse":
        """The word use stored in a record."""
        return from_plain(cls, plain)

    @property
    def share_missing(self) -> float:
        """The share of the requested words that are missing from the vectors."""
        listed = len(self.used) + len(self.missing) + len(self.set_aside)
        return len(self.missing) / listed if listed else 0.0


@dataclass(frozen=True, kw_only=True)
class PValue:
    """A p-value and how it was computed; never 0, because the data are one of the outcomes.

    ``how`` is ``exact`` (over all outcomes, certainly within ``error``) or ``monte carlo``.
    """

    value: float
    how: str
    alternative: str
    outcomes: int
    error: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.value <= 1:
            raise ValueError(f"A p-value must be in (0, 1], not {self.value}.")

    @property
    def is_floor(self) -> bool:
        """Whether no outcome was as extreme as the data, so that the true value may be smaller."""
        return self.how == "monte carlo" and self.value <= 1 / self.outcomes


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A range for the value, with its confidence level and how it was computed."""

    low: float
    high: float
    level: float
    how: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Draws:
    """The values on resamples, kept in memory so that a change is measured on the same ones.

    ``without`` are the values without each word, by group; bootstraps that need no jackknife have
    none. Two measurements are paired if their ``key`` is the same.
    """

    key: str
    values: NDArray[np.float64]
    without: tuple[NDArray[np.float64], ...] = ()
    how: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Measurement:
    """One number with everything needed to justify it.

    ``points`` are the data of its figure; ``influence`` is the value without each of the most
    influential words. ``draws`` are not written down.
    """

    value: float | None
    metric: str = ""
    better: str = ""
    title: str = ""
    why_undefined: str = ""
    p: PValue | None = None
    interval: Interval | None = None
    details: Mapping[str, float | int | str | None] = field(default_factory=dict)
    words: tuple[WordUse, ...] = ()
    points: tuple[Mapping[str, float | str], ...] = ()
    influence: tuple[Mapping[str, float | str], ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seed: int | None = None
    version: str = ""
    draws: Draws | None = field(default=None, compare=False, repr=False, metadata=IN_MEMORY)

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"The value is {self.value}; an undefined value needs a reason.")
        if self.value is None and not self.why_undefined:
            raise ValueError("The measurement has neither a value nor a reason for its absence.")

    @classmethod
    def undefined(
        cls, why: str, *, title: str = "", words: tuple[WordUse, ...] = ()
    ) -> "Measurement":
        """A measurement without a value, with the reason."""
        return cls(value=None, why_undefined=why, title=title, words=words)

    @property
    def effective_words(self) -> tuple[tuple[str, ...], ...]:
        """The words used for the number; two results are comparable only if these agree."""
        return tuple(use.used for use in self.words)

    def __repr__(self) -> str:
        """One line: what, how much, how surely; the words and points can be thousands."""
        value = "undefined" if self.value is None else f"{self.value:.4g}"
        interval = self.interval
        ends = f" ({interval.low:.4g} to {interval.high:.4g})" if interval else ""
        p = f", p {self.p.value:.2g}" if self.p else ""
        what = visible(f"{self.metric or 'measurement'} of {self.title or 'no title'}")
        return f"<Measurement {what}: {value}{ends}{p}>"

    def _repr_html_(self) -> str:
        return _html(self)

    def to_dict(self) -> dict[str, Any]:
        """The measurement as plain JSON values."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Measurement":
        """The measurement written by :meth:`to_dict`."""
        return from_plain(cls, plain)

    def to_frame(self) -> Any:
        """The points as a pandas DataFrame, a row for each."""
        return frame(self.points, f"{self.metric or 'This measurement'} has no points")


_MOST_WORDS = 12


def _html(measurement: Measurement) -> str:
    """Notebook view: the value, its uncertainty and the words, with all text escaped."""
    rows = "".join(
        f'<tr><th scope="row">{_safe(name)}</th><td>{_safe(value)}</td></tr>'
        for name, value in _rows(measurement)
    )
    title = _safe(measurement.title or measurement.metric or "measurement")
    return f"<table><caption>{title}</caption><tbody>{rows}</tbody></table>"


def _rows(measurement: Measurement) -> Iterator[tuple[str, str]]:
    yield "measure", measurement.metric
    if measurement.value is None:
        yield "value", f"NA: {measurement.why_undefined}"
    else:
        yield "value", wording.number(measurement.value, 4)
    if measurement.interval:
        interval = measurement.interval
        yield wording.level(interval.level), f"{wording.interval(interval, 4)} ({interval.how})"
    if measurement.p:
        yield "p", f"{wording.p_value(measurement.p)} ({measurement.p.how})"
    yield "better", measurement.better
    for use in measurement.words:
        yield f"{use.set} ({len(use.used)})", wording.some(use.used, _MOST_WORDS)
        if use.missing:
            yield f"{use.set}, missing ({len(use.missing)})", ", ".join(use.missing)
    for warning in measurement.warnings:
        yield "warning", warning


def _safe(text: str) -> str:
    return escape(visible(text), quote=True)
