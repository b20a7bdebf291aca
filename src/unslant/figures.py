"""Figures for papers, slides and notebooks.

>>> import unslant as us
>>> study = us.study                                # or an audit, a probe, a saved record
>>> callable(us.figures.figures_of), callable(us.figures.save)
(True, True)
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.reports.figures.export import save_figure
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.of_record import figures_of as _figures_of

__all__ = ["Figure", "figure", "figures_of", "save"]


def figures_of(source: Any) -> dict[str, Figure]:
    """Every figure of an audit, a study, a record, or the path of a saved one, by name."""
    return {item.name: item for item in _figures_of(_record(source))}


def figure(
    source: Any,
    name: str,
    *,
    width: int | None = None,
    title: str | None = None,
    caption: str | None = None,
) -> Figure:
    """One figure by name, with another width (of its plot, in points), title or caption."""
    found = figures_of(source)
    if name not in found:
        raise UnknownNameError("figure in this record", name, found)
    return changed(found[name], width=width, title=title, caption=caption)


def changed(
    drawn: Figure,
    *,
    width: int | None = None,
    title: str | None = None,
    caption: str | None = None,
) -> Figure:
    """The same figure with another width, title or caption; an empty title leaves it out."""
    if width is not None:
        if not isinstance(width, int) or not 100 <= width <= 4_000:
            raise UnslantError(f"The width of a figure is from 100 to 4,000 points, not {width!r}.")
        drawn = replace(drawn, chart=_Scaled(drawn, width))
    return replace(
        drawn,
        title=drawn.title if title is None else title,
        caption=drawn.caption if caption is None else caption,
    )


def save(drawn: Figure, path: str | Path, theme: str = "light") -> Path:
    """Write a figure as .svg, .png, .pdf, .html or .json (Vega-Lite)."""
    return save_figure(drawn, path, theme)


def _record(source: Any) -> Record:
    if isinstance(source, Record):
        return source
    if isinstance(record := getattr(source, "record", None), Record):
        return record
    if isinstance(source, str | Path):
        if Path(source).is_dir():
            from unslant.studies.study_record import study_record

            return study_record(source)
        return read_record(Path(source))
    raise UnslantError(
        f"Expected an audit, a study, a record or its path, not {type(source).__name__}."
    )


class _Scaled:
    """A chart whose plots are as wide as asked for together, as far as their widths are fixed."""

    def __init__(self, drawn: Figure, width: int) -> None:
        self._plain = drawn.spec()
        widest = _widest(self._plain)
        if not widest:
            raise UnslantError(f'The width of the figure "{drawn.name}" cannot be changed.')
        _scale(self._plain, width / widest)

    def to_dict(self, **_: Any) -> dict[str, Any]:
        """The chart in Vega-Lite."""
        return self._plain


def _widest(part: Any) -> float:
    """How wide the plots of a chart are side by side."""
    if not isinstance(part, dict):
        return 0.0
    if "hconcat" in part:
        return sum(map(_widest, part["hconcat"]))
    for key in ("vconcat", "concat", "layer"):
        if key in part and "width" not in part:
            return max(map(_widest, part[key]), default=0.0)
    width = part.get("width")
    return float(width) if isinstance(width, int | float) else 0.0


def _scale(part: Any, by: float) -> None:
    if not isinstance(part, dict):
        return
    if isinstance(part.get("width"), int | float):
        part["width"] = round(part["width"] * by)
    for key in ("hconcat", "vconcat", "concat", "layer"):
        for inner in part.get(key, ()):
            _scale(inner, by)
