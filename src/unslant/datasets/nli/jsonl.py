"""SNLI and MultiNLI as published: one JSON object per line."""

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
        raise BadLine("JSON but not an object, expected one with " + ", ".join(_KEYS))
    for key in _KEYS:
        if key not in item:
            raise BadLine(f'no "{key}", expected an object with {", ".join(_KEYS)}')
        if not isinstance(item[key], str):
            raise BadLine(f'"{key}" is not a string, expected text')
        # JSON can contain an unpaired surrogate, which no UTF-8 file can.
        if "\\u" in text and any("\ud800" <= c <= "\udfff" for c in item[key]):
            raise BadLine(f'"{key}" contains half a surrogate pair, expected complete characters')
    return pair_of(*(item[key] for key in _KEYS))
