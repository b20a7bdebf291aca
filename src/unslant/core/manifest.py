"""The manifest: where every component is, and what lists show of it.

``python -m scripts.manifest`` writes it. Lists, help and completion read it instead of importing
the modules that it names.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

PATH = "data/manifest.json"


@cache
def manifest() -> Mapping[str, Mapping[str, Any]]:
    """One section for each kind of component: a row for each name."""
    content: dict[str, dict[str, Any]] = json.loads((files("unslant.core") / PATH).read_bytes())
    return content
