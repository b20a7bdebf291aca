"""Figures as files for papers and slides and as pictures inside a page, made without a network."""

import base64
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.files import write_bytes
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import THEMES, config

# "<" begins an element and nothing else: in texts and attributes it is written "&lt;".
_MARK = re.compile(r'<path transform="translate\((-?[\d.]+),(-?[\d.]+)\)" ([^<>]*)/>')
_OFTEN = 4
FORMS = ("svg", "png", "pdf", "html", "json")

_PIXELS_A_POINT = 2.0


def drawn(figure: Figure, form: str, theme: str = "light", *, in_page: bool = False) -> bytes:
    """The figure as the bytes of a file; a page shows its title and text next to it."""
    import vl_convert

    if theme not in THEMES:
        raise OutputError(f'There is no theme "{theme}". Themes: {", ".join(THEMES)}.')
    spec = figure.spec()
    if in_page:
        # Accessible labels of marks are most of a picture's size, and useless in an image.
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


def still(figure: Figure) -> str:
    """The address of a picture that is its own content; scripts in such a picture never run."""
    picture = briefer(drawn(figure, "svg", in_page=True).decode())
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"


def briefer(svg: str) -> str:
    """The same picture with marks that look alike drawn once and placed many times.

    A cloud of 3,000 points takes a quarter of the space.
    """
    looks = Counter(found[3] for found in _MARK.finditer(svg))
    names = {look: f"m{n}" for n, look in enumerate(looks) if looks[look] >= _OFTEN}

    def placed(found: re.Match[str]) -> str:
        name = names.get(found[3])
        if name is None:
            return found[0]
        x, y = (f"{float(found[side]):.2f}" for side in (1, 2))
        return f'<use href="#{name}" x="{x}" y="{y}"/>'

    marks = "".join(f'<path id="{name}" {look}/>' for look, name in names.items())
    start, end, rest = svg.partition(">")
    return f"{start}{end}<defs>{marks}</defs>{_MARK.sub(placed, rest)}" if names else svg
