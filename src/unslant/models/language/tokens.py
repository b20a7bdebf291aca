"""Texts as word pieces, with the pieces of marked words: ``This is [[she]].``"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.errors import DamagedFileError, UnslantError, refuse_one_text
from unslant.core.script import MARKS
from unslant.models.language.folder import ModelFolder
from unslant.models.language.tokenizer_process import read_backend

MARK = re.compile(r"\[\[(.+?)\]\]", re.DOTALL)
WORD = re.compile(rf"[\w{MARKS}]+(?:['’-][\w{MARKS}]+)*|[^\w\s]")
"""A word, with hyphens and apostrophes inside it, or one sign."""
_SHOWN = 60
_LONGEST = 1 << 20
_BRACKETS = len("[[]]")

Spelled = tuple[int, ...]
"""A piece that is a word in characters, in models that spell."""


@dataclass(frozen=True)
class Pieces:
    """One text in pieces, and which are the marked words'.

    A piece is its number in the vocabulary, or for a model that spells the numbers of its letters.
    ``word`` are the places of the pieces in the first mark. ``marked`` are those in all marks, each
    with the place where its word ends, and ``tokenizer_ends`` where each of their words ends by the
    tokenizer's own rules. ``added`` is how many pieces the tokenizer has put before and after the
    text.
    """

    ids: tuple[Any, ...]
    word: tuple[int, ...] = ()
    marked: tuple[tuple[int, int], ...] = ()
    added: tuple[int, int] = (0, 0)
    tokenizer_ends: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class PairPieces:
    """Two sentences in pieces: ``parts`` is 0 for a piece of the first and 1 for one of the second.

    The signs that the tokenizer puts between and around them belong to the one before.
    """

    ids: tuple[int, ...]
    parts: tuple[int, ...]


@dataclass(frozen=True)
class WordPieces:
    """Words in pieces: ``firsts`` is the place of the first piece of each word, -1 if it has none.

    A word has none if the tokenizer drops all of its characters.
    """

    ids: tuple[int, ...]
    firsts: tuple[int, ...]


def is_marked(text: str) -> bool:
    """Whether a word of the text is marked."""
    return MARK.search(text) is not None


def without_marks(text: str) -> str:
    """The text without marks, for people and for models that do not use them."""
    return MARK.sub(r"\1", text)


class Tokens:
    """The tokenizer of a model: texts in, pieces out, nothing padded and nothing cut off."""

    def __init__(self, backend: Any, *, name: str, most: int, pieces: int) -> None:
        backend.no_padding()
        backend.no_truncation()
        self._backend = backend
        self._name, self._most, self._pieces = name, most, pieces

    @property
    def vocabulary(self) -> dict[str, int]:
        """Every piece with its number."""
        return dict(self._backend.get_vocab(with_added_tokens=True))

    @property
    def most(self) -> int:
        """How many pieces a text may have."""
        return self._most

    def spans(self, texts: Sequence[str]) -> list[tuple[tuple[int, int] | None, ...]]:
        """The character span of each piece of each text; None for added pieces.

        Nothing is refused for its length, so that a corpus can be sifted first.
        """
        refuse_one_text(texts, self._name)
        return [
            tuple(
                None if is_added else span
                for span, is_added in zip(item.offsets, item.special_tokens_mask, strict=True)
            )
            for item in self._encoded(texts)
        ]

    def words(self, sentences: Sequence[Sequence[str]]) -> list[WordPieces]:
        """The pieces of sentences that are given as words, and the first piece of each word.

        They are read as text with a space between words. Nothing is refused for its length.
        """
        encoded = self._encoded([" ".join(words) for words in sentences]) if sentences else []
        found = []
        for words, item in zip(sentences, encoded, strict=True):
            self._check_known(item.ids)
            is_added = item.special_tokens_mask
            spans = zip(item.offsets, is_added, strict=True)
            starts = [None if added else span[0] for span, added in spans]
            found.append(WordPieces(tuple(item.ids), _first_pieces(words, starts, item.offsets)))
        return found

    def of(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of each text; a text without any, or with too many, is named."""
        refuse_one_text(texts, self._name)
        for text in texts:
            checked_text(text, self._name)
        encoded = self._encoded([without_marks(text) for text in texts])
        return [self._pieces_of(text, item) for text, item in zip(texts, encoded, strict=True)]

    def pairs(
        self, firsts: Sequence[str], seconds: Sequence[str], *, marked: bool = True
    ) -> list[PairPieces]:
        """The pieces of two sentences that are read together, as the tokenizer joins them.

        Unless ``marked`` is false, a tokenizer that does not say which is which is refused.
        """
        given = list(zip(firsts, seconds, strict=True))
        for pair in given:
            for text in pair:
                checked_text(text, self._name)
        encoded = self._encoded(given)
        return [self._pair(*pair, item, marked) for pair, item in zip(given, encoded, strict=True)]

    def pairs_within(
        self, firsts: Sequence[str], seconds: Sequence[str], longest: int
    ) -> list[PairPieces | None]:
        """The pieces of pairs, None for one of more than ``longest``, so that data can be sifted.

        How the second sentence is marked does not matter.
        """
        encoded = self._encoded(list(zip(firsts, seconds, strict=True)))
        for item in encoded:
            self._check_known(item.ids)
        return [
            PairPieces(tuple(item.ids), tuple(item.type_ids)) if len(item.ids) <= longest else None
            for item in encoded
        ]

    def _pair(self, first: str, second: str, encoded: Any, marked: bool) -> PairPieces:
        ids, parts = tuple(encoded.ids), tuple(encoded.type_ids)
        if len(ids) > self._most:
            raise self._too_long(f"{first} {second}", f"{len(ids):,} pieces")
        self._check_known(ids)
        if marked and set(parts) != {0, 1}:
            raise UnslantError(
                f"The tokenizer of {self._name} does not mark which pieces are of the second "
                f"sentence, so the model cannot be asked about next sentences."
            )
        return PairPieces(ids, parts)

    def unframed(self, texts: Sequence[str]) -> list[list[int]]:
        """The pieces of each text without those that are added to it, of any length or none."""
        refuse_one_text(texts, self._name)
        found = self._encoded(texts, add_special_tokens=False)
        for item in found:
            self._check_known(item.ids)
        return [list(item.ids) for item in found]

    def _encoded(
        self, given: Sequence[str] | Sequence[tuple[str, str]], add_special_tokens: bool = True
    ) -> list[Any]:
        """The tokenizer's encoding of texts, or of pairs of texts."""
        try:
            found = self._backend.encode_batch(list(given), add_special_tokens=add_special_tokens)
            return list(found)
        except TimeoutError as error:
            raise DamagedFileError(
                f"The tokenizer of {self._name} gave {error}. One of its patterns may need "
                f"forever; use another copy of the model."
            ) from error
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of compiled code is no Exception
            reason = " ".join(str(error).split())[:200]
            raise DamagedFileError(
                f"The tokenizer of {self._name} cannot read a text by its own rules ({reason})."
            ) from error

    def _pieces_of(self, text: str, encoded: Any) -> Pieces:
        ids = tuple(encoded.ids)
        if not ids or all(encoded.special_tokens_mask):
            raise UnslantError(
                f'"{shortened(text)}" has no word pieces in {self._name}. Leave it out.'
            )
        if len(ids) > self._most:
            raise self._too_long(text, f"{len(ids):,} pieces")
        self._check_known(ids)
        is_added = list(encoded.special_tokens_mask)
        front = is_added.index(0)
        back = is_added[::-1].index(0)
        marks = self._marks(text, encoded)
        if not marks:
            return Pieces(ids, added=(front, back))
        every = sorted({place for mark in marks for place in mark})
        ends = _word_ends(without_marks(text), encoded.offsets, len(ids) - back)
        own = _run_ends(list(encoded.word_ids)[: len(ids) - back])
        return Pieces(
            ids,
            marks[0],
            tuple((n, ends[n]) for n in every),
            (front, back),
            tuple(own[n] for n in every),
        )

    def _marks(self, text: str, encoded: Any) -> list[tuple[int, ...]]:
        """The places of the pieces in each mark, by their offsets in the text without marks."""
        found = []
        for number, match in enumerate(MARK.finditer(text)):
            start = match.start() - _BRACKETS * number
            end = start + len(match[1])
            found.append(
                tuple(
                    place
                    for place, (first, last) in enumerate(encoded.offsets)
                    if first < end and last > start and not encoded.special_tokens_mask[place]
                )
            )
            if not found[-1]:
                raise UnslantError(
                    f'"{match[1][:_SHOWN]}" has no word pieces in {self._name}. Leave it out.'
                )
        return found

    def _check_known(self, ids: Sequence[int]) -> None:
        if max(ids, default=0) >= self._pieces:
            raise DamagedFileError(
                f"The tokenizer of {self._name} gives piece {max(ids)}, but the model has only "
                f"{self._pieces}. They do not belong together."
            )

    def _too_long(self, text: str, length: str) -> UnslantError:
        return UnslantError(
            f'"{shortened(text)}" has {length}; {self._name} reads at most {self._most:,}. Shorten '
            f"or split it."
        )


def _first_pieces(
    words: Sequence[str], starts: Sequence[int | None], offsets: Sequence[tuple[int, int]]
) -> tuple[int, ...]:
    """The place of the first piece that ends within or after the beginning of each word."""
    firsts, place, begin = [], 0, 0
    for word in words:
        end = begin + len(word)
        while place < len(starts) and (starts[place] is None or offsets[place][1] <= begin):
            place += 1
        is_inside = place < len(starts) and offsets[place][0] < end
        firsts.append(place if is_inside else -1)
        begin = end + 1
    return tuple(firsts)


def _word_ends(text: str, offsets: Sequence[tuple[int, int]], stop: int) -> list[int]:
    """For each piece before ``stop``, the place after the last piece of its word."""
    starts = [match.start() for match in WORD.finditer(text)]
    words = []
    for first, _ in offsets[:stop]:
        while first < len(text) and text[first].isspace():  # spaces belong to the next word
            first += 1
        words.append(bisect_right(starts, first))
    return _run_ends(words)


def _run_ends(words: Sequence[int | None]) -> list[int]:
    """For each piece, the place after the last of those that follow it in the same word."""
    ends = [len(words)] * len(words)
    for place in range(len(words) - 2, -1, -1):
        is_same = words[place] == words[place + 1]
        ends[place] = ends[place + 1] if is_same else place + 1
    return ends


def checked_text(text: str, name: str) -> str:
    """The text, if the model can read it at all."""
    if not isinstance(text, str):
        raise UnslantError(f"Expected a text for {name}, not {type(text).__name__}.")
    if not without_marks(text).strip():
        raise UnslantError(f"An empty text has no vector in {name}. Leave it out.")
    if len(text) > _LONGEST:
        raise UnslantError(
            f'"{shortened(text)}" has more than a million characters, which is more than {name} '
            f"reads. Shorten or split it."
        )
    return text


def read_tokens(folder: ModelFolder, *, most: int, pieces: int, lower: bool = False) -> Tokens:
    """The tokenizer in a folder: tokenizer.json, or what transformers builds from other files."""
    backend = read_backend(folder, lower=lower)
    return Tokens(backend, name=folder.name, most=most, pieces=pieces)


def shortened(text: str) -> str:
    """A text for a message: without marks, and no longer than a line."""
    plain = without_marks(text)
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"
