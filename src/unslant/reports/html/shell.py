"""Shared parts of all pages: escaping, the security policy, the style, the charts' script."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from unslant.core import wording
from unslant.core.files import Progress
from unslant.core.visible import visible
from unslant.reports.figures.export import still
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import THEMES, config
from unslant.reports.html.vega import vega_script

_TEMPLATES = files("unslant.reports") / "templates"
_START = "unslantCharts.start();"


@dataclass(frozen=True)
class _Ours:
    """A script or style sheet of ours, which goes into the page as it is."""

    text: str

    def __post_init__(self) -> None:
        if any(ending in self.text for ending in ("</script", "</style", "<!--", "<script")):
            raise ValueError("This text would end the element that holds it.")

    def __html__(self) -> str:
        return self.text

    @property
    def hash(self) -> str:
        """Its hash in the security policy."""
        digest = hashlib.sha256(self.text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode()}'"


@dataclass(frozen=True)
class PageFigure:
    """A figure as a page has it: alive where scripts run, a picture where not and on paper."""

    figure: Figure
    still: str
    spec: dict[str, Any]


def shown(figures: Sequence[Figure], progress: Progress | None = None) -> list[PageFigure]:
    """The figures with their pictures."""
    made = []
    for number, figure in enumerate(figures):
        made.append(PageFigure(figure, still(figure), figure.spec()))
        if progress:
            progress("Drawing figures", number + 1, len(figures) + 1)  # then their script
    return made


def template_text(name: str) -> str:
    """One of our templates, style sheets or scripts."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Templates escape everything that they print; an unknown name is an error."""
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown_whole,
        trim_blocks=True,
        loader=FunctionLoader(template_text),
    )
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    made.filters["visible"] = visible
    made.filters["called"] = wording.called
    made.filters["number"] = wording.number
    return made


def _shown_whole(value: Any) -> Any:
    """Strip characters that hide or reverse text from everything a template prints."""
    is_plain = isinstance(value, str) and not hasattr(value, "__html__")
    return visible(value) if is_plain else value


def rendered(
    name: str, figures: Sequence[Figure] = (), progress: Progress | None = None, **values: Any
) -> str:
    """A page from a template that extends ``base.html``; without figures it has no script."""
    style = _Ours(template_text("page.css"))
    pictures = shown(figures, progress)
    scripts = []
    if figures:
        scripts = [_Ours(text) for text in (vega_script(), template_text("charts.js"), _START)]
    return (
        environment()
        .get_template(name)
        .render(
            figures=pictures,
            themes={theme: config(theme) for theme in THEMES},
            style=style,
            scripts=scripts,
            policy=_policy(style, scripts),
            wording=wording,
            **values,
        )
    )


def figure_page(figure: Figure) -> str:
    """A page with one live figure, which opens anywhere and needs no network."""
    return rendered("figure.html", [figure])


def _policy(style: _Ours, scripts: Sequence[_Ours]) -> str:
    """Nothing but the style and the scripts of this very page, and pictures inside it."""
    hashes = " ".join(script.hash for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src {style.hash}; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )
