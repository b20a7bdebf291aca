"""Cached states of a frozen ELMo for sentences, within a memory limit.

The states do not depend on the model that reads them, so epochs after the first cost no pass
through ELMo. A word takes 4 bytes × layers × width: 12 kB with the released sizes, so that the nine
million words of SNLI's distinct sentences would take 110 GB, and those of a tiny model a hundredth.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import OutputError, UnslantError
from unslant.core.files import Progress, cache_folder, own_folder
from unslant.core.types import Matrix
from unslant.models.language.passes import batches

if TYPE_CHECKING:
    from unslant.models.elmo.model import ElmoModel


# The layers of an ELMo as they are given out, at every word: what a task model reads.


def output_layers(
    model: "ElmoModel", texts: Sequence[str], progress: Progress | None = None
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Rows of the texts, of one length together, and their layers: texts × words × layers × width.

    The characters, concatenated twice, are the first layer. An eraser at ``all`` acts on the
    mean of the layers in the model, which is the same as on each of them, as it acts here.
    """
    import torch

    check_affine_at_all(model)
    places = model.layout.outputs()
    on_all = [step for step in model.intervention.steps if step.place.part == "all"]
    for batch in batches(model, texts, places, progress):
        layers = [batch.states[place] for place in places]
        with torch.inference_mode():
            for step in on_all:
                layers = [step.change(layer) for layer in layers]
            found = torch.stack(layers, dim=2)
        yield batch.rows, found


def check_affine_at_all(model: "ElmoModel") -> None:
    """Refuse an eraser of the mean of the layers that is not one of each of them."""
    for step in model.intervention.steps:
        if step.place.part == "all" and step.eraser.affine is None:
            raise UnslantError(
                f"{step.eraser} at all is not affine, so it cannot act on each layer as on their "
                f"mean. Let it act at every output: output:0, output:1, …"
            )


Places = NDArray[np.int64]

MEMORY_BYTES = 1 << 30
FILE_BYTES = 32 << 30
_BLOCK = 4_096
"""Sentences computed together; the states of one block are in memory."""


@dataclass(frozen=True, kw_only=True)
class Room:
    """How much may be kept: in memory, or else in a nameless file of the cache folder.

    At most half of the free disk space is used. Sentences beyond that are computed
    again each time they are read.
    """

    memory_bytes: int = MEMORY_BYTES
    file_bytes: int = FILE_BYTES


class SentenceStates:
    """The layers of an ELMo, interventions included, at every word of distinct sentences."""

    def __init__(
        self,
        model: "ElmoModel",
        sentences: Sequence[str],
        room: Room | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._model, self._sentences = model, sentences
        self.lengths = np.array([text.count(" ") + 1 for text in sentences], np.int64)
        self._starts = np.cumsum([0, *self.lengths])
        self._shape = (model.layout.layers + 1, model.layout.width)
        self._word_bytes = 4 * self._shape[0] * self._shape[1]
        self.kept, self.where = self._fitting(room or Room())
        self._rows = self._filled(progress)

    @property
    def facts(self) -> dict[str, Any]:
        """Its entry in a record."""
        words = int(self._starts[self.kept])
        return {
            "sentences": len(self._sentences),
            "words": int(self._starts[-1]),
            "kept_sentences": self.kept,
            "kept_bytes": words * self._word_bytes,
            "kept_in": self.where,
        }

    def of(self, chosen: Places) -> tuple[Matrix, Places]:
        """The words of some sentences (words × layers × width), and where each sentence begins."""
        lengths = self.lengths[chosen]
        starts = np.cumsum([0, *lengths])
        found = np.empty((int(starts[-1]), *self._shape), np.float32)
        here = chosen < self.kept
        places = _ranges(starts[:-1][here], lengths[here])
        found[places] = self._rows[_ranges(self._starts[chosen[here]], lengths[here])]
        if not here.all():
            gone = np.flatnonzero(~here)
            texts = [self._sentences[place] for place in chosen[gone].tolist()]
            for rows, layers in output_layers(self._model, texts):
                into = _ranges(starts[gone[list(rows)]], lengths[gone[list(rows)]])
                found[into] = layers.numpy().reshape(-1, *self._shape)
        return found, starts[:-1]

    def _fitting(self, room: Room) -> tuple[int, str]:
        """How many of the sentences can be kept, and where."""
        ends = self._starts[1:] * self._word_bytes
        if not len(ends) or ends[-1] <= room.memory_bytes:
            return len(ends), "memory"
        most = room.file_bytes
        if most > room.memory_bytes:
            folder = cache_folder() / "elmo"
            own_folder(folder)
            most = min(most, shutil.disk_usage(folder).free // 2)
        if most <= room.memory_bytes:
            return int(np.searchsorted(ends, room.memory_bytes, side="right")), "memory"
        return int(np.searchsorted(ends, most, side="right")), "file"

    def _filled(self, progress: Progress | None) -> Matrix:
        shape = (int(self._starts[self.kept]), *self._shape)
        if self.where == "memory":
            rows: Matrix = np.empty(shape, np.float32)
            for start, block in self._blocks(progress):
                rows[start : start + len(block)] = block
            return rows
        # Without a name no other process can open it, and the system removes it when this one ends.
        try:
            with tempfile.TemporaryFile(dir=cache_folder() / "elmo") as stream:
                for _, block in self._blocks(progress):
                    stream.write(block.tobytes())
                stream.flush()
                return np.memmap(stream, np.float32, "r", shape=shape)
        except OSError as error:
            raise OutputError(
                f"The states of {self._model.name} cannot be kept in {cache_folder()}: "
                f"{error.strerror}. Free some space, or set UNSLANT_CACHE to another folder."
            ) from error

    def _blocks(self, progress: Progress | None) -> Any:
        """The offset of a block among all words, and its words' states."""
        for first in range(0, self.kept, _BLOCK):
            last = min(first + _BLOCK, self.kept)
            begin = int(self._starts[first])
            block = np.empty((int(self._starts[last]) - begin, *self._shape), np.float32)
            starts, lengths = self._starts[first:last] - begin, self.lengths[first:last]
            for rows, layers in output_layers(self._model, self._sentences[first:last]):
                into = _ranges(starts[list(rows)], lengths[list(rows)])
                block[into] = layers.numpy().reshape(-1, *self._shape)
            yield begin, block
            if progress:
                progress(f"Reading sentences with {self._model.name}", last, self.kept)


def _ranges(starts: Places, lengths: Places) -> Places:
    """All places from each start on, one range after the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
