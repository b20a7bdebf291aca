"""The small texts that every report shares: numbers, p-values, words left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from unslant.core.comparison import what_was_measured, why_not_comparable
from unslant.core.expression import parse_call
from unslant.core.visible import visible as visible

Record = Mapping[str, Any]


def number(value: float | None, digits: int = 3) -> str:
    """A value as reports print it; an undefined one is NA.

    >>> number(-0.1234), number(-1e-9), number(None)
    ('−0.123', '0.000', 'NA')
    """
    if value is None:
        return "NA"
    # Adding 0 makes a plain 0 of the −0 that rounding leaves.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def interval(measurement: Record, digits: int = 2) -> str:
    """The interval of a measurement, such as ``1.45 to 1.84``."""
    found = measurement["interval"]
    return f"{number(found['low'], digits)} to {number(found['high'], digits)}" if found else ""


def level(measurement: Record) -> str:
    """The confidence of a measurement's interval, such as ``95 %``."""
    return f"{100 * measurement['interval']['level']:.0f} %"


def p_value(p: Record | None) -> str:
    """A p-value, as a bound where no sampled split beat the data."""
    if p is None:
        return "NA"
    is_floor = p["how"] == "monte carlo" and p["value"] <= 1 / p["outcomes"]
    return f"≤ {probability(p['value'])}" if is_floor else probability(p["value"])


def probability(value: float) -> str:
    """A probability with as many digits as it needs."""
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def how_p(p: Record | None) -> str:
    """How a p-value was found, in a few words."""
    if p is None:
        return ""
    splits = f"{p['outcomes']:,}" if p["outcomes"] < 10**7 else f"{p['outcomes']:.1e}"
    kind = "all" if p["how"] == "exact" else "sampled"
    error = f", error at most {p['error']:.0e}" if p["error"] else ""
    return f"{kind} {splits} splits{error}"


def words_used(uses: list[Record]) -> str:
    """How many of the words asked for went into a number, such as ``30/32``."""
    used = sum(len(use["used"]) for use in uses)
    missing = sum(len(use["missing"]) + len(use["set_aside"]) for use in uses)
    return f"{used}/{used + missing}" if uses else ""


def extremes(measurement: Record, count: int) -> tuple[list[Any], list[Any]]:
    """The points furthest to the positive and to the negative side, furthest first."""
    ordered = sorted(measurement["points"], key=lambda point: point["projection"])
    negative = [point for point in ordered[:count] if point["projection"] < 0]
    positive = [point for point in ordered[::-1][:count] if point["projection"] > 0]
    return positive, negative


def of_metric(record: Record, name: str) -> list[Record]:
    """The measurements of one metric."""
    return [item for item in record["measurements"] if item["metric"] == name]


def leans(record: Record) -> list[Record]:
    """Direct bias of each list of words, along the direction of before where that was measured."""
    found = of_metric(record, "direct-bias")
    along_before = {item["parameters"].get("neutral") for item in found if not _is_refitted(item)}
    return [
        item
        for item in found
        if not _is_refitted(item) or item["parameters"].get("neutral") not in along_before
    ]


def leans_refitted(record: Record) -> list[Record]:
    """Direct bias along directions that were estimated anew, beside that along the old ones."""
    headline = leans(record)
    return [item for item in of_metric(record, "direct-bias") if item not in headline]


def _is_refitted(item: Record) -> bool:
    return item["parameters"].get("of", "own") in ("refitted", "own")  # own: in older records


def on_concept(record: Record) -> list[Record]:
    """The measurements of the concept as a whole, but for direct bias, which has its own place."""
    return [
        item
        for item in record["measurements"]
        if record["metrics"][item["metric"]]["takes"] == "concept"
        and item["metric"] != "direct-bias"
    ]


def metrics_on_tests(record: Record) -> list[str]:
    """The names of the metrics that were measured on association tests."""
    return [name for name, facts in record["metrics"].items() if facts["takes"] == "test"]


def of_quality(record: Record) -> list[Record]:
    """The quality benchmarks."""
    metrics = record["metrics"]
    return [
        item for item in record["measurements"] if metrics[item["metric"]]["takes"] == "vectors"
    ]


def missing_words(record: Record) -> list[str]:
    """Every word of the concept's lists that the vectors lack."""
    about_concept = (
        item
        for item in record["measurements"]
        if record["metrics"][item["metric"]]["takes"] != "vectors"
    )
    return sorted(
        {word for item in about_concept for use in item["words"] for word in use["missing"]}
    )


def baseline_of(record: Record, item: Record) -> Record | None:
    """The same measurement of the baseline, whether or not the two compare."""
    for other in record.get("before", ()):
        if other["parameters"]["expression"] == item["parameters"]["expression"] and (
            other["parameters"].get("subject") == item["parameters"].get("subject")
        ):
            found: Record = other
            return found
    return None


def before(record: Record, item: Record, digits: int = 2) -> str:
    """The value of the baseline, marked ≠ where it was measured on other words."""
    other = baseline_of(record, item)
    if other is None:
        return "–"
    mark = " ≠" if why_not_comparable(item, other) else ""
    return f"{number(other['value'], digits)}{mark}"


def short(item: Record) -> str:
    """What was measured, as briefly as can be: ``weat career-family``, ``analogy google``.

    >>> short({"metric": "weat", "parameters": {"expression": "weat(ddof=0)", "subject": "a/b"}})
    'weat 0 b'
    """
    given = parse_call(item["parameters"]["expression"])
    _, _, test = item["parameters"].get("subject", "").partition("/")
    parts = [item["metric"], *map(str, given.args), *(str(v) for _, v in given.kwargs), test]
    return " ".join(part for part in parts if part)


def corrected(record: Record, item: Record, method: str) -> float | None:
    """The p-value of a measurement after correction for the number of tests of its metric."""
    family = record["corrections"].get(item["metric"], {}).get(method, {})
    found: float | None = family.get(what_was_measured(item), family.get(item["title"]))
    return found  # older records have them by title


def counted(count: int, thing: str, things: str | None = None) -> str:
    """A number of things, such as ``1 word`` or ``1,200 words``; its plural may be given."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def sentence(parts: Sequence[str]) -> str:
    """Clauses as one sentence, with a large first letter and a full stop."""
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def movement(record: Record) -> list[str]:
    """How many words changed and how far, in plain words."""
    moved = record["debiasing"]["movement"]
    sentences = [
        f"{moved['share_changed']:.1%} of {moved['words']:,} vectors changed and "
        f"{moved['share_turned']:.1%} turned by more than a tenth of a degree; on average they "
        f"turned by {moved['mean_degrees']:.1f}°, at most by {moved['most_degrees']:.1f}°."
    ]
    if moved["moved_most"]:
        farthest = ", ".join(visible(item["word"]) for item in moved["moved_most"])
        sentences.append(f"Farthest: {farthest}.")
    return sentences


def lacking(stage: Record, most: int) -> str:
    """The words that a method asked for and the vectors lack, the first ``most`` by name."""
    return _first(sorted({word for use in stage["words"] for word in use["missing"]}), most)


def left_alone(stage: Record, most: int) -> str:
    """The words that a method spared on purpose, the first ``most`` by name."""
    named = "words left alone"
    return _first(
        [word for use in stage["words"] if use["set"] == named for word in use["used"]], most
    )


def _first(words: Sequence[str], most: int) -> str:
    rest = f" and {len(words) - most:,} more" if len(words) > most else ""
    return visible(", ".join(words[:most])) + rest


def detail(value: float | int | str | None) -> str:
    """A fact about a fit, such as an accuracy or the name of a subspace."""
    return number(value, 4) if isinstance(value, float) or value is None else visible(str(value))
