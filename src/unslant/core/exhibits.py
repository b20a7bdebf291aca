"""Tables and figures of a record: six kinds, each drawn the same way by every view.

An exhibit may state its main finding in one sentence, which the top of a report repeats.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from unslant.core.plain import IN_MEMORY
from unslant.core.wording import number

When = Literal["now", "before"]
Value = str | int | float | None


@dataclass(frozen=True, kw_only=True)
class Point:
    """One item of a cloud or of a row of bars, with the interval of its ``x`` if it has one."""

    label: str
    x: float
    y: float | None = None
    group: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Points:
    """Items along one axis, or in a plane if they have a ``y``.

    Along one axis the first group is drawn as bars, in the given order, and other groups as marks
    next to them. ``ends`` name what lies above 0 and below 0; in a plane, what ``y`` and ``x``
    measure closeness to. Exhibits with the same ``id`` are panels of one figure, on one scale:
    before and now, or one for each ``part``, which is the heading of its panel.
    """

    id: str
    title: str
    x: str
    points: tuple[Point, ...]
    y: str = ""
    ends: tuple[str, str] | None = None
    part: str = ""
    caption: str = ""
    says: str = ""
    when: When = "now"
    kind: Literal["points"] = "points"


@dataclass(frozen=True, kw_only=True)
class Share:
    """How much of one row each label has; the shares sum to 1."""

    label: str
    shares: tuple[float, ...]
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Rows of shares of the same labels, such as the answers for each group of words.

    The labels go from one end to the other, so the middle one of three is drawn as neutral.
    Exhibits with the same ``id`` are drawn side by side: before and now.
    """

    id: str
    title: str
    labels: tuple[str, ...]
    rows: tuple[Share, ...]
    caption: str = ""
    says: str = ""
    when: When = "now"
    kind: Literal["shares"] = "shares"


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Values along an order, such as the layers of a model: a line for each group of points.

    The label of a point is its place in the order, which is that of the points; its ``x`` is the
    value, with ``low`` and ``high`` around it; ``bands`` says what these are. ``level`` is a line
    to compare with, such as chance, and ``marked`` are labels that a view points out.
    """

    id: str
    title: str
    x: str
    y: str
    points: tuple[Point, ...]
    level: float | None = None
    level_says: str = ""
    bands: str = "95 % confidence intervals"
    marked: tuple[str, ...] = ()
    caption: str = ""
    says: str = ""
    when: When = "now"
    kind: Literal["curves"] = "curves"


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A value for each row and column, such as each head of each layer; None if there is none.

    Colour is none at ``level`` and full at the value furthest from it.
    """

    id: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    x: str = ""
    y: str = ""
    level: float = 0.0
    caption: str = ""
    says: str = ""
    when: When = "now"
    kind: Literal["grid"] = "grid"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A table column: text, or numbers with a fixed number of digits."""

    label: str
    digits: int | None = None

    @property
    def is_text(self) -> bool:
        """Whether it holds words, which stand to the left and may be broken over lines."""
        return self.digits is None

    def text(self, value: Value) -> str:
        """A cell as every view prints it; texts in a column of numbers stay as they are."""
        if isinstance(value, str):
            return value
        if value is None:
            return "–"
        if self.digits is None:
            return str(value)
        return f"{value:,}" if isinstance(value, int) else number(value, self.digits)


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of texts and numbers under named columns.

    ``is_detail`` asks views to fold it away; ``first`` is how many rows a short view shows. The
    first ``names`` columns name the rows, and ``best`` are the cells that stand out, by row and
    column; records do not keep these two.
    """

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str = ""
    says: str = ""
    is_detail: bool = False
    first: int = 8
    when: When = "now"
    names: int = field(default=1, compare=False, metadata=IN_MEMORY)
    best: frozenset[tuple[int, int]] = field(default=frozenset(), compare=False, metadata=IN_MEMORY)
    kind: Literal["table"] = "table"

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"expected rows of {len(self.columns)} cells, found {len(row)}.")

    def texts(self) -> list[list[str]]:
        """Every cell as it is printed."""
        return [
            [column.text(value) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One example: its texts, the numbers that a model gave, and what would be right."""

    texts: tuple[str, ...]
    numbers: tuple[float, ...]
    right: str = ""


@dataclass(frozen=True, kw_only=True)
class Examples:
    """Telling single cases, such as the sentences that a model got most wrong."""

    id: str
    title: str
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    cases: tuple[Case, ...]
    caption: str = ""
    says: str = ""
    when: When = "now"
    kind: Literal["examples"] = "examples"


Exhibit = Points | Shares | Curves | Grid | Table | Examples


# Which group each of some words is closer to, as an exhibit.

ASSOCIATION_ID = "association"
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
        id=ASSOCIATION_ID,
        title="Which group each word is closer to",
        part=contrast_title(group, against),
        x="association",
        ends=(f"closer to {group}", f"closer to {' and '.join(against)}"),
        points=(*words, mean),
        caption=_CAPTION,
    )


# How the variance of a concept's words falls off over the axes of a subspace, as an exhibit.

SPECTRUM_ID = "spectrum"
OWN, RANDOM = "words of the concept", "random words"

_MOST_PANELS = 6
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Spectrum:
    """The share of the variance that each axis of an estimate explains, and by chance."""

    estimator: str
    explained: Sequence[float]
    chance: Sequence[float] = ()


def spectrum(spectra: Iterable[Spectrum], concept: str, resource: str) -> tuple[Points, ...]:
    """A panel for each estimator that finds several axes, the direction in use first.

    >>> [panel] = spectrum([Spectrum("pair-pca(x)", (0.8, 0.2), (0.6, 0.4))], "gender", "glove")
    >>> [(point.label, point.group, point.x) for point in panel.points if point.label == "1"]
    [('1', 'words of the concept', 0.8), ('1', 'random words', 0.6)]
    """
    several = {one.estimator: one for one in spectra if len(one.explained) > 1}
    return tuple(
        Points(
            id=SPECTRUM_ID,
            title=f"How much of the difference each axis of {concept} explains",
            part=one.estimator,
            x="share of the variance",
            points=tuple(
                Point(label=str(axis), x=share, group=group)
                for group, shares in ((OWN, one.explained), (RANDOM, one.chance))
                for axis, share in enumerate(shares, 1)
                if share > _ROUNDING
            ),
            caption=_caption(resource),
        )
        for one in list(several.values())[:_MOST_PANELS]
    )


def _caption(resource: str) -> str:
    return (
        f"Measured in {resource}. Each bar is one axis of the subspace that an estimator finds: "
        f"the share of the variance of its words, or of their differences, along that axis. The "
        f"line is the average that the same estimator finds for as many random words. One high "
        f"bar far above the line means that a single direction explains most of the difference. "
        f"Bars that fall off like the line mean that the words determine no direction well. A few "
        f"words always give high shares, so compare with the line."
    )
