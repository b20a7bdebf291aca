"""A measurement as shown in notebooks: a small table with all text escaped."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from unslant.core.visible import visible

if TYPE_CHECKING:
    from unslant.core.measurement import Measurement

_MOST_WORDS = 12


def measurement_html(measurement: "Measurement") -> str:
    """A table of the value, its uncertainty, and the words that were used or missing."""
    rows = "".join(
        f'<tr><th scope="row">{_safe(name)}</th><td>{_safe(value)}</td></tr>'
        for name, value in _rows(measurement)
    )
    title = _safe(measurement.title or measurement.metric or "measurement")
    return f"<table><caption>{title}</caption><tbody>{rows}</tbody></table>"


def _rows(measurement: "Measurement") -> Iterator[tuple[str, str]]:
    yield "measure", measurement.metric
    if measurement.value is None:
        yield "value", f"NA: {measurement.why_undefined}"
    else:
        yield "value", f"{measurement.value:.4g}"
    if measurement.interval:
        found = measurement.interval
        ends = f"{found.low:.4g} to {found.high:.4g}"
        yield f"{100 * found.level:.0f} % interval", f"{ends} ({found.how})"
    if measurement.p:
        bound = "≤ " if measurement.p.is_floor else ""
        yield "p", f"{bound}{measurement.p.value:.2g} ({measurement.p.how})"
    yield "better", measurement.better
    for use in measurement.words:
        yield f"{use.set} ({len(use.used)})", _listed(use.used)
        if use.missing:
            yield f"{use.set}, missing ({len(use.missing)})", ", ".join(use.missing)
    for warning in measurement.warnings:
        yield "warning", warning


def _listed(words: tuple[str, ...]) -> str:
    more = len(words) - _MOST_WORDS
    return ", ".join(words[:_MOST_WORDS]) + (f" and {more} more" if more > 0 else "")


def _safe(text: str) -> str:
    return escape(visible(text), quote=True)
