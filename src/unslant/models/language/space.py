"""Places as spaces: of texts, of words in contexts, and the table of word pieces."""

import hashlib
import math
import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from unslant.concepts.contexts import Contexts, GivenContexts, TypeContexts, any_contexts_from
from unslant.core.errors import UnslantError, UnslantWarning, refuse_one_text
from unslant.core.files import Progress, cache_folder, own_folder
from unslant.core.places import Place
from unslant.core.types import Matrix
from unslant.models.language.passes import vectors
from unslant.models.language.tokens import is_marked
from unslant.vectors import Found, SentenceSpace, Vocabulary, WordVectors

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel


# Vectors of texts kept on disk, by model, place and text; each is verified when it is read.

Item = TypeVar("Item")
MOST_MEGABYTES = 4096
"""How large the file may become; see ``UNSLANT_TEXTS_MB``."""
_AT_ONCE = 500
_KEPT_SHARE = 0.9
"""So much of the bound is left when it is reached, so that not every batch has to remove some."""
_SEAL_BYTES = 8
_TABLE = (
    # Both count only before the first table: several vectors fit into a page, and removed ones
    # free their disk space at once.
    "PRAGMA page_size = 16384",
    "PRAGMA auto_vacuum = FULL",
    "CREATE TABLE IF NOT EXISTS texts (key BLOB PRIMARY KEY, value BLOB, used INTEGER)",
    "CREATE INDEX IF NOT EXISTS by_use ON texts (used)",
)


class VectorCache:
    """One SQLite file of bounded size, from which the least recently used vectors go first.

    A vector whose seal does not fit its key is computed again. A file that cannot be read or
    written costs a warning and never a measurement: the vectors are computed without it.
    """

    def __init__(self, path: Path | None = None, most_bytes: int | None = None) -> None:
        self.path = path or cache_folder() / "texts" / "vectors.sqlite"
        self.most_bytes = _most_bytes() if most_bytes is None else most_bytes
        self._is_usable = True
        self._try(lambda: own_folder(self.path.parent))

    def get(self, space: str, texts: Sequence[str], dim: int) -> dict[str, Matrix]:
        """The known vectors of texts in a space."""
        keys = {_key(space, text): text for text in texts}
        found: dict[str, Matrix] = {}

        def read() -> None:
            with self._opened() as connection:
                for part in _parts(list(keys)):
                    marks = ",".join("?" * len(part))
                    query = f"SELECT key, value FROM texts WHERE key IN ({marks})"  # noqa: S608
                    for key, value in connection.execute(query, part):
                        if not isinstance(value, bytes):
                            continue
                        body, seal = value[:-_SEAL_BYTES], value[-_SEAL_BYTES:]
                        # The seal includes the key, so an intact vector under another text's key is
                        # refused too.
                        if len(body) == 4 * dim and seal == _seal(key, body):
                            found[keys[key]] = np.frombuffer(body, dtype="<f4")
                now = time.time_ns()
                used = [(now, key) for key, text in keys.items() if text in found]
                with connection:
                    connection.executemany("UPDATE texts SET used = ? WHERE key = ?", used)

        self._try(read)
        return found

    def put(self, space: str, texts: Sequence[str], rows: Matrix) -> None:
        """Keep the vectors of texts, in place of those that were used least recently."""

        def write() -> None:
            now = time.time_ns()
            entries = []
            for text, row in zip(texts, rows, strict=True):
                key, body = _key(space, text), np.asarray(row, dtype="<f4").tobytes()
                entries.append((key, body + _seal(key, body), now))
            with self._opened() as connection:
                for part in _parts(entries):
                    with connection:
                        connection.executemany(
                            "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", part
                        )
                        self._shrink(connection)

        self._try(write)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Remove the least recently used vectors until the file is small enough."""
        while (taken := _bytes_taken(connection)) > self.most_bytes:
            [count] = connection.execute("SELECT COUNT(*) FROM texts").fetchone()
            if not count:
                return
            excess = taken - _KEPT_SHARE * self.most_bytes
            connection.execute(
                "DELETE FROM texts WHERE key IN (SELECT key FROM texts ORDER BY used LIMIT ?)",
                (math.ceil(excess / (taken / count)),),
            )

    def _opened(self) -> "closing[sqlite3.Connection]":
        connection = sqlite3.connect(self.path, timeout=60)
        try:
            for statement in _TABLE:
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return closing(connection)

    def _try(self, use: Callable[[], None]) -> None:
        """Use the file, unless it cannot be used, now and from now on."""
        if not self._is_usable:
            return
        try:
            use()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:  # the last by damaged names
            self._is_usable = False
            reason = getattr(error, "strerror", None) or error
            warnings.warn(
                f"The cache {self.path} cannot be used ({reason}), so texts are encoded without "
                f"it. Remove the file, make room, or set UNSLANT_CACHE to another folder.",
                UnslantWarning,
                stacklevel=3,
            )


def _bytes_taken(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    # Freed pages are still in the file until the transaction ends; counting them would remove too
    # many vectors.
    return (pages - free) * size


def _most_bytes() -> int:
    chosen = os.environ.get("UNSLANT_TEXTS_MB", str(MOST_MEGABYTES))
    if not chosen.isdecimal() or not int(chosen):
        raise UnslantError(
            f"UNSLANT_TEXTS_MB is the largest size of the cache of texts in MB, such as "
            f'{MOST_MEGABYTES}, not "{chosen[:40]}".'
        )
    return int(chosen) << 20


def _parts(items: list[Item]) -> list[list[Item]]:
    return [items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE)]


def _key(space: str, text: str) -> bytes:
    return hashlib.sha256(f"{space}\n{text}".encode(errors="surrogatepass")).digest()


def _seal(key: bytes, body: bytes) -> bytes:
    return hashlib.sha256(key + body).digest()[:_SEAL_BYTES]


__all__ = ["GivenContexts", "PlaceSpace", "WordsInContext", "piece_vectors", "space_at"]


class PlaceSpace(SentenceSpace):
    """Texts with their vectors at one place of a model; each distinct text is encoded once."""

    reads_marks = True
    """A word marked as in ``This is [[she]].`` is known to places with [word]."""

    def __init__(
        self,
        model: "LanguageModel",
        place: Place,
        *,
        cache: VectorCache | None = None,
        progress: Progress | None = None,
        fitting: bool = False,
    ) -> None:
        self.model, self.place, self.fitting = model, place, fitting
        self.cache, self.progress = cache, progress
        super().__init__(
            partial(_encoded, self),
            name=f"{model.name}@{place}",
            content_hash=_hash(model.content_hash, f"{place}{' before its norm' * fitting}"),
            dim=model.site(place).width,
            batch=1 << 20,  # a pass makes its own batches, of equal length
        )

    def unasked(self) -> "PlaceSpace":
        """The same space: its hash is that of the model and does not depend on the queries."""
        return self


def _encoded(space: PlaceSpace, texts: list[str]) -> Matrix:
    model, place = space.model, space.place
    normalise = not space.fitting
    if space.cache is None:
        return vectors(model, texts, [place], space.progress, normalise=normalise)[place]
    known = space.cache.get(space.content_hash, texts, space.dim)
    new = [text for text in texts if text not in known]
    if new:
        rows = vectors(model, new, [place], space.progress, normalise=normalise)[place]
        space.cache.put(space.content_hash, new, rows)
        known |= dict(zip(new, rows, strict=True))
    return np.stack([known[text] for text in texts])


class WordsInContext:
    """Words with the mean of their vectors over contexts, such as ``This is {}.``

    A text with a marked word of its own, as in ``She is a [[nurse]].``, is encoded as it is.
    """

    def __init__(self, space: PlaceSpace, contexts: Contexts) -> None:
        self.space, self.contexts = space, contexts
        self.name = f"{space.name} in {contexts.name} contexts"
        self.dim = space.dim
        self.content_hash = _hash(space.content_hash, contexts.content_hash)
        self._known: dict[str, Matrix] = {}

    @property
    def model(self) -> "LanguageModel":
        """The model that the vectors are read from."""
        return self.space.model

    @property
    def place(self) -> Place:
        """The place that they are read at."""
        return self.space.place

    @property
    def texts(self) -> PlaceSpace:
        """The space of whole texts at the same place."""
        return self.space

    def lookup(self, items: Sequence[str], case: str = "lower") -> Found:
        """Every word that has pieces is found, as it is written."""
        refuse_one_text(items, self.name)
        has = {item: bool(item.strip()) for item in items}
        return Found(
            words=tuple(item for item in items if has[item]),
            forms=tuple(item for item in items if has[item]),
            missing=tuple(item for item in items if not has[item]),
        )

    def rows(self, items: Sequence[str]) -> Matrix:
        """The vectors of words, one a row."""
        refuse_one_text(items, self.name)
        new = [item for item in dict.fromkeys(items) if item not in self._known]
        if new:
            texts = [[item] if is_marked(item) else self.contexts.of(item) for item in new]
            rows = self.space.rows([text for part in texts for text in part])
            ends = np.cumsum([len(part) for part in texts])
            parts = np.split(rows, ends[:-1])
            self._known.update(
                {item: part.mean(axis=0) for item, part in zip(new, parts, strict=True)}
            )
        if not items:
            return np.zeros((0, self.dim), np.float32)
        return np.stack([self._known[item] for item in items])

    def __repr__(self) -> str:
        return f"<WordsInContext {self.name} ({self.dim} dimensions)>"


def space_at(
    model: "LanguageModel",
    place: Place,
    contexts: GivenContexts | None = None,
    *,
    cache: VectorCache | bool = False,
    progress: Progress | None = None,
    fitting: bool = False,
) -> PlaceSpace | WordsInContext | WordVectors:
    """The space at a place; words are put into contexts if any are given.

    The contexts ``types(FILE)`` produce word vectors: the mean of each word over a corpus.
    ``fitting`` returns sentence vectors as erasers see them, before normalisation to length 1.
    """
    kept = VectorCache() if cache is True else (cache or None)
    space = PlaceSpace(model, place, cache=kept, progress=progress, fitting=fitting)
    if contexts is None:
        return space
    around = any_contexts_from(contexts)
    if isinstance(around, TypeContexts):
        from unslant.models.language.averages import type_averages

        return type_averages(model, place, around.path, least=around.least, progress=progress)
    return WordsInContext(space, around)


def piece_vectors(model: "LanguageModel") -> WordVectors:
    """The table of word pieces as word vectors, the most frequent first where ids are ranked so.

    Pieces that continue a word, and special ones, keep their spelling, so that no word finds them;
    a sign for a preceding space is removed.
    """
    import torch

    site = model.site(Place("wordpieces"))
    table = model.network.get_submodule(site.module).weight
    with torch.inference_mode():
        table = model.intervention.at_wordpieces(table).float().numpy().copy()
    spelled: dict[str, int] = {}
    for piece, number in sorted(model.tokens.vocabulary.items(), key=lambda item: item[1]):
        if number < len(table):
            spelled.setdefault(_spelled(piece, set(spelled)), number)
    rows = table[list(spelled.values())]
    is_there = np.abs(rows).max(axis=1) > 0  # unused pieces may have no vector
    words = [word for word, keep in zip(spelled, is_there, strict=True) if keep]
    if not words:
        raise UnslantError(f"{model.name} has no word piece with a vector.")
    return WordVectors(
        Vocabulary.of(words),
        rows[is_there],
        model.lineage.then("wordpieces"),
        origin={"model": model.name, "model_sha256": model.content_hash, "place": "wordpieces"},
    )


def _spelled(piece: str, taken: set[str]) -> str:
    """The word that a piece is, without the sign of a space before it."""
    plain = piece.removeprefix("Ġ").removeprefix("▁")
    return plain if plain and plain not in taken else piece


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(("unslant space 1", *parts)).encode()).hexdigest()


def is_place_space(space: Any) -> bool:
    """Whether a space is at a place of a model."""
    return isinstance(space, PlaceSpace | WordsInContext)
