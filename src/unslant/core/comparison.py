"""The identity of a measurement, and whether two are comparable.

A number measured on 18 words and one measured on 16 of them answer two different questions. Two
measurements are comparable only if the same measure with the same parameters used the same words.
"""

from unslant.core.measurement import Measurement

_OF_THE_MEASURE = ("expression", "subject", "case")


def what_was_measured(measurement: Measurement) -> str:
    """The identity of a measurement in a record, such as ``weat on gender/math-arts``.

    Titles do not: a user's tests may share one.
    """
    parameters = measurement.parameters
    expression = parameters.get("expression", measurement.metric)
    return (
        f"{expression} on {parameters['subject']}" if parameters.get("subject") else str(expression)
    )


def why_not_comparable(one: Measurement, other: Measurement) -> str:
    """Why two measurements are not comparable; empty if they are."""
    if one.metric != other.metric:
        return f"{one.metric} and {other.metric} are different measures"
    for key in _OF_THE_MEASURE:
        if one.parameters.get(key) != other.parameters.get(key):
            return f"measured with different {key}"
    mine, theirs = ({use.set: use.used for use in item.words} for item in (one, other))
    for name in sorted(mine.keys() | theirs.keys()):
        used, also = set(mine.get(name, ())), set(theirs.get(name, ()))
        if used != also:
            return f"measured on different words in “{name}” ({len(used)} and {len(also)})"
    return ""
