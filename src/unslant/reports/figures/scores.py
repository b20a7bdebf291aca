"""The scores of a probe, before and after debiasing, beside what random directions do."""

from collections.abc import Iterator, Sequence

from unslant.core.record import Control, Meaning, Record, Result
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.score_bars import AFTER, ALONE, BEFORE, RANDOM, Row, score_bars
from unslant.reports.figures.values import intervals_text, rounded
from unslant.reports.words import interval, number, p_value


def scores(record: Record) -> Iterator[Figure]:
    """Bars of all scores of a probe with their intervals, one figure for each better side."""
    families: dict[str, list[Result]] = {}
    for result in record.results:
        meaning = record.glossary.get(result.now.metric)
        if meaning is not None and meaning.role == "probe":
            families.setdefault(result.now.better or meaning.better, []).append(result)
    for better, family in families.items():
        yield Figure(
            name="measures",
            title=f"{record.subject.title}: scores",
            caption=_caption(record, family),
            description=_told(record, family, better),
            chart=score_bars(
                [row for n, result in enumerate(family) for row in _bars(record, n, result)],
                [
                    _band(record, n, result, result.control)
                    for n, result in enumerate(family)
                    if result.control and result.control.values
                ],
                better,
            ),
        )


def _name(record: Record, result: Result) -> str:
    """The title of a score and what the papers' tables call it."""
    meaning: Meaning | None = record.glossary.get(result.now.metric)
    short = meaning.short if meaning else ""
    return f"{result.now.title} ({short})" if short else result.now.title


def _bars(record: Record, place: int, result: Result) -> Iterator[Row]:
    sides = [(ALONE if result.before is None else AFTER, result.now)]
    if result.before is not None:
        sides.insert(0, (BEFORE, result.before))
    for when, found in sides:
        span = found.interval
        yield {
            "place": place,
            "measure": _name(record, result),
            "when": when,
            "x": rounded(found.value or 0.0),
            "zero": 0,
            "low": rounded(span.low) if span else None,
            "high": rounded(span.high) if span else None,
            "text": number(found.value),
            "title": found.title,
            "span": interval(span) or "–",
            "p": p_value(found.p) if found.p else "–",
            "better": found.better,
            "note": found.why_undefined or "–",
        }


def _band(record: Record, place: int, result: Result, control: Control) -> Row:
    return {
        "place": place,
        "measure": _name(record, result),
        "when": RANDOM,
        "low": rounded(min(control.values)),
        "high": rounded(max(control.values)),
        "draws": [rounded(value) for value in control.values],
        "values": ", ".join(map(number, control.values)),
        "p": p_value(control.p) if control.p else "–",
    }


def _caption(record: Record, family: Sequence[Result]) -> str:
    said = [intervals_text(result.now.interval for result in family)]
    controls = [result.control for result in family if result.control and result.control.values]
    if controls:
        k, draws = controls[0].directions, max(len(control.values) for control in controls)
        removed = "one random direction" if k == 1 else f"{k} random directions"
        said.append(
            f"Green lines show {draws} controls that remove {removed} instead, and the band is "
            f"their range. If a bar ends within the band, the method does no more than a random "
            f"direction would."
        )
    if record.treatment and not record.treatment.is_retrained and family[0].before:
        said.append("One model read all of these vectors; it was trained before debiasing.")
    # A caveat of one score among several would read as that of all.
    caveats = {record.glossary[result.now.metric].misleads for result in family}
    said += caveats if len(caveats) == 1 else []
    return " ".join(text for text in said if text) or "Each bar is one score."


def _told(record: Record, family: Sequence[Result], better: str) -> str:
    said = []
    for result in family:
        text = f"{_name(record, result)}: {number(result.now.value)}"
        if result.before is not None:
            text += f", before {number(result.before.value)}"
        if result.control and result.control.values:
            low, high = min(result.control.values), max(result.control.values)
            text += f", random {number(low)} to {number(high)}"
        said.append(text)
    return f"{'; '.join(said)}. For each score, {better} is better."
