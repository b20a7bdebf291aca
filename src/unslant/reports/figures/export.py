"""Figures as files: vector and pixel pictures for papers and slides, made without a network."""

import json
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.files import write_bytes
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import THEMES, config

FORMS = ("svg", "png", "pdf", "html", "json")

_PIXELS_A_POINT = 2.0


def drawn(figure: Figure, form: str, theme: str = "light", *, in_page: bool = False) -> bytes:
    """The bytes of a file of the figure; inside a page, its title and its words stand beside it."""
    import vl_convert

    if theme not in THEMES:
        raise OutputError(f'There is no theme "{theme}". Themes: {", ".join(THEMES)}.')
    spec = figure.spec()
    if in_page:
        # What marks tell to screen readers is most of a picture's size, and nobody hears it in one.
        spec["config"] = {"aria": False}
    else:
        spec["title"] = {"text": figure.title}
    given: dict[str, Any] = {"config": config(theme), "allowed_base_urls": []}
    match form:
        case "svg":
            return str(vl_convert.vegalite_to_svg(spec, **given)).encode()
        case "png":
            return bytes(vl_convert.vegalite_to_png(spec, scale=_PIXELS_A_POINT, **given))
        case "pdf":
            return bytes(vl_convert.vegalite_to_pdf(spec, **given))
        case "html":
            # A page has both themes in it and a button between them.
            from unslant.reports.html.shell import figure_page

            return figure_page(figure).encode()
        case "json":
            return json.dumps(spec | {"config": config(theme)}, indent=1).encode()
        case _:
            raise OutputError(
                f'A figure cannot be written as "{form}". Known forms: {", ".join(FORMS)}.'
            )


def save_figure(figure: Figure, path: str | Path, theme: str = "light") -> Path:
    """Write a figure; the ending of the name says in which form."""
    path = Path(path)
    write_bytes(path, drawn(figure, path.suffix.removeprefix(".").lower(), theme))
    return path
