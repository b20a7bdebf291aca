"""Which group each of some words is closer to, as an exhibit."""

from collections.abc import Sequence

from unslant.core.exhibits import Point, Points

ID = "association"
MEAN = "mean of the list"

_CAPTION = (
    "Each bar is the mean cosine of a word with the words of the first group, minus that with the "
    "others. Lines are confidence intervals over the words of the groups; if one includes 0, the "
    "word may lean either way. The diamond is the mean of the list. Other words for the same "
    "groups can give other numbers."
)


def contrast_title(group: str, against: Sequence[str]) -> str:
    """The contrast in words, such as ``female against male``."""
    return f"{group} against {' and '.join(against)}"


def contrast(group: str, against: Sequence[str], words: Sequence[Point], mean: Point) -> Points:
    """The words and their mean along one axis, from the other groups to this one."""
    return Points(
        id=ID,
        title="Which group each word is closer to",
        part=contrast_title(group, against),
        x="association",
        ends=(f"closer to {group}", f"closer to {' and '.join(against)}"),
        points=(*words, mean),
        caption=_CAPTION,
    )
