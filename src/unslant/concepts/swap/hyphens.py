"""Words with hyphens: which of their parts are swapped."""

from collections.abc import Sequence

from unslant.concepts.swap.cues import word_set

_PREFIXES = word_set("""
    baby co elder ex foster four god grand great half little mid non now old post pre soon-to-be
    step teen teenage then three twin two would-be young
""")
COMPOUND = "part of a word with a hyphen"


def is_sure_part(parts: Sequence[str], place: int, known: Sequence[bool]) -> bool | None:
    """Whether a group word that is one part of a word is surely swapped; None if it is kept.

    >>> is_sure_part(["ex", "wife"], 1, [False, True])
    True
    >>> is_sure_part(["fisher", "man"], 1, [False, True])
    False
    >>> is_sure_part(["man", "made"], 0, [True, False]) is None
    True
    """
    if all(known) or (place == 0 and list(parts[1:2]) == ["in"] and parts[-1] in ("law", "laws")):
        return True
    if place < len(parts) - 1:
        return None
    return all(part in _PREFIXES for part in parts[:-1])
