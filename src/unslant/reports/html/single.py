"""One figure as a page of its own."""

from unslant.reports.figures.figure import Figure
from unslant.reports.html.shell import rendered


def figure_page(figure: Figure) -> str:
    """A page with one live figure, which opens anywhere and asks nothing of a network."""
    return rendered("figure.html", [figure])
