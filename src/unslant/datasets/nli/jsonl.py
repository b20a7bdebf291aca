"""SNLI and MultiNLI as published: one JSON object a line."""

import json

from unslant.datasets.nli.labels import Pair, pair_of
from unslant.datasets.nli.lines import BadLine

_KEYS = ("sentence1", "sentence2", "gold_label")


def parse(text: str) -> Pair | None:
    """The pair on one line."""
    try:
        item = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadLine("not JSON, expected one object with " + ", ".join(_KEYS)) from error
    if not isinstance(item, dict):
        raise BadLine("JSON but no object, expected one with " + ", ".join(_KEYS))
    for key in _KEYS:
        if key not in item:
            raise BadLine(f'no "{key}", expected an object with {", ".join(_KEYS)}')
        if not isinstance(item[key], str):
            raise BadLine(f'"{key}" is not a string, expected text')
        # JSON can spell half a character, which no file can hold.
        if "\\u" in text and any("\ud800" <= c <= "\udfff" for c in item[key]):
            raise BadLine(f'"{key}" holds half a surrogate pair, expected whole characters')
    return pair_of(*(item[key] for key in _KEYS))
