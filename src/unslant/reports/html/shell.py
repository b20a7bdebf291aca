"""Shared parts of all pages: escaping, the security policy, the style, the charts' script."""

import base64
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from unslant.core import wording
from unslant.core.errors import OutputError
from unslant.core.files import Progress, cache_folder, write_text
from unslant.core.visible import visible
from unslant.reports.figures.export import still
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import THEMES, config

# The script that draws charts in a browser: Vega, Vega-Lite and their embedding in one text.

_ENDS_A_SCRIPT = {"</script": "<\\/script", "<!--": "<\\!--", "<script": "\\x3cscript"}
"""What HTML would take for its own inside a script, and the same in JavaScript's strings."""

PINNED = {
    "1.9.0": "3425bd951a44d478d0505c6b5d1e8d57656b6e9a4da7bfe88a718ce61d76e572",
    "1.9.0.post1": "3425bd951a44d478d0505c6b5d1e8d57656b6e9a4da7bfe88a718ce61d76e572",
}
"""The SHA-256 of the script that each known version of vl-convert makes."""


@cache
def vega_script() -> str:
    """The script, which defines ``vegaEmbed``; made once for each version, as that takes seconds.

    What is in the cache is used only if it is the script pinned here, so whoever can write to the
    cache cannot change what a page runs. The script of a version that is not pinned is never kept.
    """
    installed = version("vl-convert-python")
    pinned = PINNED.get(installed)
    if pinned is None:
        return _made()
    path = cache_folder() / "reports" / f"vega-{installed}.js"
    return _kept(path, pinned) or _made_and_kept(path, pinned)


def _kept(path: Path, pinned: str) -> str | None:
    try:
        script = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return script if _sha256(script) == pinned else None


def _made_and_kept(path: Path, pinned: str) -> str:
    script = _made()
    # A folder that cannot be written to costs time in every process, but hinders none.
    with suppress(OSError, OutputError):
        if _sha256(script) == pinned:  # or it would never be used
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, script)
    return script


def _made() -> str:
    import vl_convert

    bundle: Any = vl_convert.javascript_bundle  # its types want a snippet that it does not need
    script = str(bundle())
    for ending, harmless in _ENDS_A_SCRIPT.items():
        script = script.replace(ending, harmless)
    return script


def _sha256(script: str) -> str:
    return hashlib.sha256(script.encode()).hexdigest()


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
