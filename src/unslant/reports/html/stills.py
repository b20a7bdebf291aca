"""Figures as pictures inside a page: seen without scripts, in print, and in notebooks."""

import base64
import re
from collections import Counter

from unslant.reports.figures.export import drawn
from unslant.reports.figures.figure import Figure

# "<" begins an element and nothing else: in texts and attributes it is written "&lt;".
_MARK = re.compile(r'<path transform="translate\((-?[\d.]+),(-?[\d.]+)\)" ([^<>]*)/>')
_OFTEN = 4


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
