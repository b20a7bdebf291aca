"""Which group each of some words is closer to, as an exhibit."""

from collections.abc import Sequence

from unslant.core.exhibits import Point, Points

ID = "association"
MEAN = "mean of the list"


def contrast_title(group: str, against: Sequence[str]) -> str:
    """What is compared, such as ``female against male``."""
    return f"{group} against {' and '.join(against)}"


def contrast(group: str, against: Sequence[str], words: Sequence[Point], mean: Point) -> Points:
    """The words and their mean along one axis, from the other groups to this one."""
    return Points(
        id=ID,
        title="Which group each word is closer to",
        part=contrast_title(group, against),
        x="association",
        ends=(group, " and ".join(against)),
        points=(*words, mean),
    )
