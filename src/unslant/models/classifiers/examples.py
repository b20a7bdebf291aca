"""Labelled texts as pieces: one array, read in batches of similar length."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ExampleBatch:
    """Some texts, padded on the right: texts × pieces; ``labels`` has what the task asks for.

    ``rows`` are their places among all examples. For ``protected`` and ``clusters`` see
    ``Examples``.
    """

    rows: Ids
    ids: Ids
    parts: Ids
    is_piece: NDArray[np.bool_]
    labels: Ids
    protected: Mapping[str, Ids] = field(default_factory=dict, kw_only=True)
    clusters: Ids | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class LabelledExamples:
    """Texts or pairs as pieces, text n from ``ends[n]`` on, with one label each.

    ``parts`` is 1 for pieces of the second sentence of a pair. ``protected`` has the group of each
    text for each of several attributes, -1 for none. Texts with the same number in ``clusters``,
    such as those with one premise, are not independent; all are if it is None.
    """

    ids: NDArray[np.int32]
    parts: NDArray[np.int8]
    ends: NDArray[np.int64]
    labels: NDArray[np.int64]
    protected: Mapping[str, Ids] = field(default_factory=dict, kw_only=True)
    clusters: Ids | None = field(default=None, kw_only=True)

    @classmethod
    def of(
        cls,
        ids: Sequence[Sequence[int]],
        parts: Sequence[Sequence[int]],
        labels: Sequence[int] | NDArray[np.integer],
    ) -> "LabelledExamples":
        """Examples of lists."""
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        total = int(lengths.sum())
        return cls(
            np.fromiter((piece for text in ids for piece in text), np.int32, total),
            np.fromiter((part for text in parts for part in text), np.int8, total),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
            np.asarray(labels, np.int64),
        )

    def __len__(self) -> int:
        return len(self.ends) - 1

    @property
    def lengths(self) -> Ids:
        """How many pieces each text has."""
        return np.diff(self.ends)

    @property
    def content_hash(self) -> str:
        """A hash of the pieces, the labels, and the groups if there are any."""
        digest = hashlib.sha256(b"unslant examples 1")
        for part in (self.ids, self.parts, self.ends, self.labels):
            digest.update(np.ascontiguousarray(part).tobytes())
        for name, groups in self.protected.items():
            digest.update(name.encode() + np.ascontiguousarray(groups).tobytes())
        return digest.hexdigest()

    def batch(self, rows: Ids) -> ExampleBatch:
        """Some of the texts, padded to the longest."""
        starts, lengths = self.ends[rows], self.lengths[rows]
        columns = np.arange(int(lengths.max()))
        is_piece = columns < lengths[:, None]
        places = np.where(is_piece, starts[:, None] + columns, 0)
        ids, parts = (
            np.where(is_piece, table[places], 0).astype(np.int64)
            for table in (self.ids, self.parts)
        )
        found = ExampleBatch(rows, ids, parts, is_piece, self.labels[rows])
        return replace(found, protected=_at(self.protected, rows), clusters=self._clusters(rows))

    def drawn(self, count: int, rng: np.random.Generator) -> "LabelledExamples":
        """So many of the texts, drawn without replacement, in their order."""
        return self.taken(np.sort(rng.permutation(len(self))[:count]))

    def taken(self, rows: Ids) -> "LabelledExamples":
        """Some of the texts."""
        starts, lengths = self.ends[rows], self.lengths[rows]
        places = np.concatenate(
            [np.arange(start, start + size) for start, size in zip(starts, lengths, strict=True)]
        )
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        own = LabelledExamples(self.ids[places], self.parts[places], ends, self.labels[rows])
        return replace(own, protected=_at(self.protected, rows), clusters=self._clusters(rows))

    def _clusters(self, rows: Ids) -> Ids | None:
        return None if self.clusters is None else self.clusters[rows]


def _at(protected: Mapping[str, Ids], rows: Ids) -> dict[str, Ids]:
    return {name: of_text[rows] for name, of_text in protected.items()}


def groups(lengths: Ids, size: int, rng: np.random.Generator | None = None) -> Iterator[Ids]:
    """Rows in groups of ``size``, those of similar length together.

    With a generator, texts of equal length are mixed and the groups come in random order.
    """
    order = np.arange(len(lengths)) if rng is None else rng.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    parts = [order[at : at + size] for at in range(0, len(order), size)]
    places = range(len(parts)) if rng is None else rng.permutation(len(parts))
    for place in places:
        yield parts[place]
