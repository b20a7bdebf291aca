"""An audit as one self-contained page: no script, no request, every word escaped."""

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from unslant.reports import words

_TEMPLATES = files("unslant.reports") / "templates"


def page(record: Mapping[str, Any]) -> str:
    """The HTML of an audit.

    The style sheet passes through the same escaping as everything else, so it must not contain
    characters that HTML escapes; a test sees to that.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["visible"] = words.visible
    environment.filters["number"] = words.number
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    template = environment.from_string((_TEMPLATES / "report.html").read_text(encoding="utf-8"))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return template.render(record=record, words=words, style=style, style_hash=f"sha256-{digest}")
