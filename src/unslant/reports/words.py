"""The small texts that every report shares: numbers, p-values, words left out."""

from collections.abc import Mapping
from typing import Any

_VISIBLE = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_VISIBLE |= {code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F)}


def visible(text: str) -> str:
    """The text with control and direction-changing characters written out."""
    return text.translate(_VISIBLE)


def number(value: float | None, digits: int = 3) -> str:
    """A value as reports print it; an undefined one is NA."""
    return "NA" if value is None else f"{value:.{digits}f}".replace("-", "−")


def p_value(p: Mapping[str, Any] | None) -> str:
    """A p-value, as a bound where no sampled split beat the data."""
    if p is None:
        return "NA"
    value = p["value"]
    shown = f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"
    is_floor = p["how"] == "monte carlo" and value <= 1 / p["outcomes"]
    return f"≤ {shown}" if is_floor else shown


def how_p(p: Mapping[str, Any] | None) -> str:
    """How a p-value was found, in a few words."""
    if p is None:
        return ""
    kind = "all" if p["how"] == "exact" else "sampled"
    return f"{kind} {p['outcomes']:,} splits"


def words_used(measurement: Mapping[str, Any]) -> str:
    """How many of the words asked for went into a number, such as ``30/32``."""
    uses = measurement["words"]
    used = sum(len(use["used"]) for use in uses)
    missing = sum(len(use["missing"]) + len(use["set_aside"]) for use in uses)
    return f"{used}/{used + missing}"


def extremes(measurement: Mapping[str, Any], count: int) -> tuple[list[Any], list[Any]]:
    """The points furthest to the positive and to the negative side, furthest first."""
    ordered = sorted(measurement["points"], key=lambda point: point["projection"])
    negative = [point for point in ordered[:count] if point["projection"] < 0]
    positive = [point for point in ordered[::-1][:count] if point["projection"] > 0]
    return positive, negative


def answer(record: Mapping[str, Any]) -> list[str]:
    """What was measured, what stands out and how sure it is, in three plain sentences."""
    vectors, concept = record["vectors"], record["concept"]
    tests = [item for item in record["measurements"] if item["metric"] == "weat"]
    leans = [item for item in record["measurements"] if item["metric"] == "direct-bias"]
    sentences = [
        f"{vectors['name']} ({vectors['words']:,} words of {vectors['dim']} numbers) was measured "
        f"for “{concept['title']}” with {len(tests)} association "
        f"{'test' if len(tests) == 1 else 'tests'} and {len(leans)} lists of neutral words."
    ]
    defined = [item for item in tests if item["value"] is not None]
    if defined:
        strongest = max(defined, key=lambda item: abs(item["value"]))
        sentences.append(
            f"The strongest association is “{strongest['title']}” with an effect size of "
            f"{number(strongest['value'], 2)}, out of about ±2."
        )
        clear = sum(item["p"]["value"] <= 0.05 for item in defined)
        sentences.append(
            f"{clear} of {len(defined)} tests would be as strong by chance in at most 1 of 20 "
            f"random splits of their words; the p-values are not corrected for their number."
        )
    return sentences
