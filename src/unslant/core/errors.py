"""Mistakes that a user can fix, each reported in one plain message.

Every message says what happened, where, what was expected and what to do. The command line
prints them without a traceback and exits with 2; anything else is a bug and keeps its traceback.
"""

import difflib
import itertools
import re
from collections.abc import Iterable, Sequence

from unslant.core.wording import some

_OPTION = re.compile(r"\[\[([^][|]*)\|([^][|]*--[^][|]*)\]\]")
"""Both forms of an option in a message: ``[[missing="drop"|--missing drop]]``."""

_LONGEST_NAME = 100
"""So many letters of a name that is not known are read and shown."""


class UnslantError(Exception):
    """Base of everything that is the input's fault, not the program's.

    ``str`` gives the wording for Python callers; ``typed`` the wording for the command line.
    A message that names an option has both forms, as in ``[[missing="drop"|--missing drop]]``.

    >>> error = UnslantError('Use [[missing="drop"|--missing drop]].')
    >>> str(error), error.typed
    ('Use missing="drop".', 'Use --missing drop.')
    """

    def __str__(self) -> str:
        return _OPTION.sub(r"\1", super().__str__())

    @property
    def typed(self) -> str:
        """The message with options as they are typed."""
        return _OPTION.sub(r"\2", super().__str__())


class UnslantWarning(UserWarning):
    """Something that a user may want to mend, and that does not change any result."""


class UnsafeFileError(UnslantError):
    """A file of a kind that can run code or cannot be checked before it is unpacked."""


class FileFormatError(UnslantError):
    """A file in none of the supported formats."""


class DamagedFileError(UnslantError):
    """A file of a known format whose content contradicts itself."""


def refuse_one_text(given: object, whose: str) -> None:
    """Refuse a text where a list of texts is expected: its letters would be taken for texts."""
    if isinstance(given, str):
        raise UnslantError(
            f'Expected a list of texts for {whose}, not a text. Write ["{given[:40]}"].'
        )


class OutputError(UnslantError):
    """Output that cannot be written to the requested place or in the requested format."""


class MissingWordsError(UnslantError):
    """Words that a measure needs and that are missing from the vectors."""

    def __init__(self, missing: dict[str, Sequence[str]], vectors: str) -> None:
        self.missing = {name: tuple(words) for name, words in missing.items()}
        sets = "; ".join(f"{name}: {quoted(words)}" for name, words in self.missing.items())
        super().__init__(
            f"Words are missing from {vectors} ({sets}). To measure without them, use "
            f'[[us.WordPolicy(missing="drop")|--missing drop]]; the record then lists them.'
        )


class DegenerateSubspaceError(UnslantError):
    """A bias direction that the given words do not determine."""


class UndefinedMeasureError(UnslantError):
    """A measure that has no value here, such as a cosine with a zero vector."""


class ConceptError(UnslantError):
    """A concept or word-list file that breaks the rules of its format."""


class ExpressionError(UnslantError):
    """A component expression such as ``pair-pca(k=2)`` that cannot be parsed."""


class UnknownNameError(UnslantError):
    """A name that is not registered, with the names that are."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        name, names = str(name), sorted(known)
        close = closest(name, names)
        hint = f'Did you mean "{close}"? ' if close else ""
        there = f"Available: {', '.join(shortened(names))}." if names else "None are available."
        shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
        super().__init__(f'No {kind} is called "{shown}". {hint}{there}')


def closest(name: str, known: Sequence[str]) -> str | None:
    """The closest known name, ignoring case and underscores for hyphens.

    Names that others have added a word to come before those that are merely spelt alike.

    >>> known = ["debiasnet", "double-hard", "hard", "pair-pca"]
    >>> [closest(name, known) for name in ("HARD", "hard-debias", "Pair_PCA", "pca", "hrad", "x")]
    ['hard', 'hard', 'pair-pca', 'pair-pca', 'hard', None]
    """
    plain = {_plain(other): other for other in reversed(known)}
    wanted = _plain(name[:_LONGEST_NAME])  # finding similar spellings takes quadratic time
    if wanted in plain:
        return plain[wanted]
    shorter = [other for other in plain if len(other) > 2 and wanted.startswith(f"{other}-")]
    if shorter:
        return plain[max(shorter, key=len)]
    longer = [other for other in plain if wanted in other.split("-")]
    alike = difflib.get_close_matches(wanted, longer or plain, n=1, cutoff=0.0 if longer else 0.6)
    return plain[alike[0]] if alike else None


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")


def shortened(names: Sequence[str], most: int = 12) -> list[str]:
    """Sorted names, with many that begin alike up to a hyphen as the first and the last of them.

    >>> shortened(["age", "x-a", "x-b", "x-c", "x-d", "y-a"], most=3)
    ['age', 'x-a … x-d (4 in all)', 'y-a']
    """
    parts: list[str] = []
    for start, family in itertools.groupby(names, key=lambda name: name.partition("-")[0]):
        alike = [name for name in family if "-" in name]
        if len(alike) > most:
            parts += [start] if start in names else []
            parts.append(f"{alike[0]} … {alike[-1]} ({len(alike)} in all)")
        else:
            parts += [name for name in names if name.partition("-")[0] == start]
    return parts


def quoted(words: Sequence[str], most: int = 10) -> str:
    """Up to ``most`` words in quotes, and how many more there are."""
    return some([f'"{word}"' for word in words], most)
