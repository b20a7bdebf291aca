"""The publications that components cite."""

import tomllib
from functools import cache
from importlib.resources import files


def reference(key: str) -> str:
    """The publication of a key; the key of another package is returned unchanged.

    >>> reference("dev-phillips-2019")
    'Dev and Phillips (2019). Attenuating Bias in Word Vectors. AISTATS.'
    """
    return references().get(key, key)


@cache
def references() -> dict[str, str]:
    """All publications by their keys."""
    text = (files("unslant.core") / "data" / "references.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
