"""The sizes of an ELMo, from its options.json: bounded JSON, every value checked."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unslant.core.errors import DamagedFileError
from unslant.core.text_files import decoded, json_from
from unslant.models.language.folder import OPTIONS
from unslant.models.language.opened import FolderFiles

# How ELMo spells a word: its bytes in UTF-8 between two signs, filled up to a fixed length.
#
# The numbers are those of the released weights (Peters et al. 2018): bytes are 0 to 255, then
# come the beginning and end of a sentence, the beginning and end of a word, and filling. All are
# raised by 1, because row 0 of the table means "no character".

SIGNS = 262
_SENTENCE_BEGINS, _SENTENCE_ENDS, _WORD_BEGINS, _WORD_ENDS, _FILLING = 256, 257, 258, 259, 260

Spelling = tuple[int, ...]


def spelled(word: str, length: int = 50) -> Spelling:
    """The numbers of a word's characters; what does not fit is cut off, as in the original.

    >>> spelled("hi", 6)
    (259, 105, 106, 260, 261, 261)
    """
    return _between(word.encode("utf-8", "ignore")[: length - 2], length)


def sentence_bounds(length: int = 50) -> tuple[Spelling, Spelling]:
    """The tokens for the beginning and the end of a sentence."""
    return _between((_SENTENCE_BEGINS,), length), _between((_SENTENCE_ENDS,), length)


def _between(characters: bytes | Spelling, length: int) -> Spelling:
    signs = (_WORD_BEGINS, *characters, _WORD_ENDS)
    filled = (*signs, *(_FILLING,) * (length - len(signs)))
    return tuple(sign + 1 for sign in filled)


_LARGEST_FILE = 1 << 20
_WIDEST = 1 << 16
_DEEPEST = 64


@dataclass(frozen=True, kw_only=True)
class ElmoOptions:
    """Sizes and clipping limits, renamed from the released files."""

    layers: int
    cells: int
    """The width of an LSTM's memory, before the projection."""
    width: int
    """The width of a token after the projection, in one direction."""
    cell_clip: float | None
    projection_clip: float | None
    skips: bool
    """Whether each LSTM layer after the first adds its input to its output."""
    character_width: int
    word_length: int
    filters: tuple[tuple[int, int], ...]
    """How many characters each convolution sees, and how many numbers it returns."""
    highways: int
    activation: Literal["relu", "tanh"]

    @property
    def convolved(self) -> int:
        """The total output width of the convolutions."""
        return sum(count for _, count in self.filters)


def read_options(files: FolderFiles) -> ElmoOptions:
    """The options in a folder; mistakes get a one-sentence error."""
    path = files.path / OPTIONS
    try:
        read = json_from(decoded(files.read(OPTIONS, _LARGEST_FILE)))
    except ValueError as error:
        raise DamagedFileError(f"{path} cannot be read: {error}.") from error
    lstm, cnn = _table(read, "lstm", path), _table(read, "char_cnn", path)
    if cnn.get("n_characters") != SIGNS:
        raise DamagedFileError(
            f'{path}: "n_characters" must be {SIGNS}, as in released models. Got '
            f"{cnn.get('n_characters')!r:.40} instead."
        )
    length = _size(cnn, "max_characters_per_token", path, 3, 1_000)
    activation = cnn.get("activation")
    if activation != "relu" and activation != "tanh":
        raise DamagedFileError(
            f'{path}: "activation" must be "relu" or "tanh". Got {activation!r:.40} instead.'
        )
    return ElmoOptions(
        layers=_size(lstm, "n_layers", path, 1, _DEEPEST),
        cells=_size(lstm, "dim", path, 1, _WIDEST),
        width=_size(lstm, "projection_dim", path, 1, _WIDEST),
        cell_clip=_clip(lstm, "cell_clip", path),
        projection_clip=_clip(lstm, "proj_clip", path),
        skips=_flag(lstm, "use_skip_connections", path),
        character_width=_size(_table(cnn, "embedding", path), "dim", path, 1, _WIDEST),
        word_length=length,
        filters=_filters(cnn, path, length),
        highways=_size(cnn, "n_highway", path, 0, _DEEPEST),
        activation=activation,
    )


def _table(given: object, key: str, path: Path) -> Mapping[str, Any]:
    inside = given.get(key) if isinstance(given, dict) else None
    if not isinstance(inside, dict):
        raise DamagedFileError(
            f'{path} has no object "{key}", so it is not the options of an ELMo.'
        )
    return inside


def _is_integer(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _size(table: Mapping[str, Any], key: str, path: Path, least: int, most: int) -> int:
    value: Any = table.get(key)
    if not _is_integer(value, least, most):
        raise DamagedFileError(
            f'{path}: "{key}" must be an integer from {least} to {most:,}. Got {value!r:.40} '
            f"instead."
        )
    return int(value)


def _clip(table: Mapping[str, Any], key: str, path: Path) -> float | None:
    value = table.get(key)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < math.inf:
        raise DamagedFileError(
            f'{path}: "{key}" must be a number above 0, or null. Got {value!r:.40} instead.'
        )
    return float(value)


def _flag(table: Mapping[str, Any], key: str, path: Path) -> bool:
    value = table.get(key)
    if not isinstance(value, bool):
        raise DamagedFileError(f'{path}: "{key}" must be true or false. Got {value!r:.40} instead.')
    return value


def _filters(table: Mapping[str, Any], path: Path, length: int) -> tuple[tuple[int, int], ...]:
    given = table.get("filters")
    pairs: list[Any] = given if isinstance(given, list) and len(given) <= _DEEPEST else []
    for pair in pairs or [given]:
        is_pair = isinstance(pair, list) and len(pair) == 2
        if not (is_pair and _is_integer(pair[0], 1, length) and _is_integer(pair[1], 1, _WIDEST)):
            raise DamagedFileError(
                f'{path}: "filters" must be a list of 1 to {_DEEPEST} pairs [characters, numbers], '
                f"with at most {length} characters. Got {pair!r:.40} instead."
            )
    return tuple((width, count) for width, count in pairs)
