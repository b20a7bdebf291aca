"""What a result measures, and whether two results are comparable.

A number measured on 18 words and one measured on 16 of them answer two different questions. Two
measurements are comparable only if the same metric with the same parameters used the same words.
"""

from collections.abc import Mapping
from typing import Any

_OF_THE_METRIC = ("expression", "subject", "case")


def what_was_measured(measurement: Mapping[str, Any]) -> str:
    """What identifies a measurement in a record, such as ``weat on gender/math-arts``.

    Titles do not: a user's tests may share one.
    """
    asked = measurement["parameters"]
    subject = asked.get("subject")
    return f"{asked['expression']} on {subject}" if subject else str(asked["expression"])


def why_not_comparable(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Why two records are not comparable; None if they are."""
    if one["metric"] != other["metric"]:
        return f"{one['metric']} and {other['metric']} are different measures"
    for key in _OF_THE_METRIC:
        if one["parameters"].get(key) != other["parameters"].get(key):
            return f"measured with different {key}"
    mine, theirs = ({use["set"]: use["used"] for use in record["words"]} for record in (one, other))
    for name in sorted(mine.keys() | theirs.keys()):
        used, also = set(mine.get(name, ())), set(theirs.get(name, ()))
        if used != also:
            return f"measured on different words in “{name}” ({len(used)} and {len(also)})"
    return None
