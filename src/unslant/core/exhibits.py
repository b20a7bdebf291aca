"""Tables and figures of a record: six kinds, each drawn the same way by every view.

An exhibit may state its main finding in one sentence, which the top of a report repeats.
"""

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
