"""The walk: a model with interventions resumes from the deepest stored block.

Models that share weights, texts and all interventions up to a block get the same from that block.
Within ``resuming(model)`` block outputs are kept, and a later pass of the model, or of any other
that ``intervened`` makes of it, begins after the deepest block whose result is known. Blocks before
it, and the embeddings, are not computed. Nothing else changes: measures, fits and probes run as
they do without it and get the same bits.
"""

import hashlib
import math
import threading
from collections.abc import Hashable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unslant.core.places import Place, parse_place
from unslant.models.language.hooks import Replaced
from unslant.models.language.layout import ModelLayout

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel
    from unslant.models.language.last_block import Narrowed
    from unslant.models.language.model import TransformerModel


# Block outputs kept in bounded memory, for models that share weights and texts.

MOST_BYTES = 1 << 30
"""States of 700,000 pieces in a model of width 384, each after one block."""
_SPARED = 64

Steps = tuple[Hashable, ...]
"""What acted before a block gave its result, as keys of content, in the order of the pass."""


@dataclass(frozen=True)
class StateKey:
    """A block's own result, before erasers at its output act, for the texts of one batch."""

    texts: bytes
    block: int
    steps: Steps
    pieces: bytes = b""
    """The chosen pieces, if the block was computed for these alone."""


@dataclass
class _Entry:
    value: Any
    size: int
    used: int


class KeptStates:
    """States by what they are computed from; ``most_bytes`` is never exceeded.

    A walk through many settings comes back to the same texts again and again, so throwing out what
    was used longest ago would evict what is needed next. States of another branch are evicted
    first, then those that were not used for several rounds. If that makes no room,
    the new state is not kept.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, blocks: frozenset[int] | None = None) -> None:
        self.most_bytes = most_bytes
        self._blocks = blocks
        self._entries: dict[StateKey, _Entry] = {}
        self._changing = threading.Lock()
        self._time = 0
        self.bytes = 0
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self._entries)

    def keeps(self, block: int) -> bool:
        """Whether results of a block are kept at all."""
        return self._blocks is None or block in self._blocks

    def keep_also(self, blocks: frozenset[int]) -> None:
        """Keep the results of more blocks from now on."""
        if self._blocks is not None:
            self._blocks |= blocks

    def get(self, key: StateKey) -> Any:
        """A kept result, or None."""
        with self._changing:
            self._time += 1
            entry = self._entries.get(key)
            if entry is None:
                return None
            entry.used = self._time
            return entry.value

    def put(self, key: StateKey, value: Any, branch: dict[int, Steps]) -> None:
        """Keep a result if there is room; ``branch`` has the steps before each block."""
        if not self.keeps(key.block):
            return
        size = _bytes(value)
        with self._changing:
            if key in self._entries or size > self.most_bytes:
                return
            if self.bytes + size > self.most_bytes:
                self._make_room(size, branch)
            if self.bytes + size <= self.most_bytes:
                self._entries[key] = _Entry(value, size, self._time)
                self.bytes += size

    def clear(self) -> None:
        """Forget everything."""
        with self._changing:
            self._entries.clear()
            self.bytes = 0

    def _make_room(self, size: int, branch: dict[int, Steps]) -> None:
        # Time counts lookups. A round of a walk looks up every entry about once, so four rounds
        # without a use mean that nothing needs the entry; _SPARED protects small caches.
        old = self._time - 4 * len(self._entries) - _SPARED
        gone = [
            key
            for key, entry in self._entries.items()
            if key.steps != branch.get(key.block) or entry.used < old
        ]
        for key in sorted(gone, key=lambda each: self._entries[each].used):
            if self.bytes + size <= self.most_bytes:
                return
            self.bytes -= self._entries.pop(key).size


def _bytes(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(_bytes(item) for item in value)
    return int(value.nbytes) if hasattr(value, "nbytes") else 0


_ASKS_FOR_MORE = ("output_hidden_states", "output_attentions", "past_key_values", "use_cache")


@contextmanager
def resuming(
    model: "TransformerModel",
    places: Iterable[Place | str] | None = None,
    *,
    most_bytes: int = MOST_BYTES,
) -> Iterator[KeptStates]:
    """A context in which a model, and every other made of it by ``intervened``, resumes.

    ``places`` are those at which the models differ or are read; only what is useful for these is
    kept then, otherwise the result of every block. Within such a context a further one changes
    nothing. Architectures whose layers share one block (ALBERT) compute everything, as always.
    """
    origin = model.original
    if origin.kept is not None:
        yield origin.kept
        return
    blocks = None if places is None else _useful(origin.layout, places)
    origin.kept = KeptStates(most_bytes, blocks)
    try:
        yield origin.kept
    finally:
        origin.kept = None


def resume_from_now_on(
    model: "LanguageModel", places: Iterable[Place | str], *, most_bytes: int = MOST_BYTES
) -> None:
    """Let a model resume for its lifetime, at these places in addition to earlier ones."""
    if not isinstance(model.layout, ModelLayout):
        return
    origin: Any = model.original
    if origin.kept is None:
        origin.kept = KeptStates(most_bytes, frozenset())
    origin.kept.keep_also(_useful(origin.layout, places))


def _useful(layout: ModelLayout, places: Iterable[Place | str]) -> frozenset[int]:
    """The blocks before which nothing acts that differs, for each place."""
    found = {layout.layers}
    for place in places:
        depth = layout.site(parse_place(place) if isinstance(place, str) else place).depth
        found.add(min(layout.layers, math.floor(depth)))
    return frozenset(found)


class Resumed:
    """One network in whose passes blocks are skipped; see :meth:`acting`."""

    def __init__(
        self,
        model: "TransformerModel",
        base: Any,
        kept: KeptStates,
        *,
        narrow: "Narrowed | None" = None,
        read: float | None = None,
    ) -> None:
        layout = model.layout
        self._base, self._kept, self._layout, self._narrow = base, kept, layout, narrow
        self._most = layout.layers if read is None else min(layout.layers, math.floor(read))
        steps = sorted(
            ((model.site(step.place).depth, step.content_key) for step in model.intervention.steps),
            key=lambda item: item[0],
        )
        # Strictly less: a state is stored before the erasers at the block's own output act, so
        # settings that differ only there share it.
        self._branch: dict[int, Steps] = {
            block: tuple(key for depth, key in steps if depth < block)
            for block in range(1, layout.layers + 1)
        }
        self._keys: dict[int, StateKey] = {}
        self._found: Any = None
        self._first = 0
        self._stand_in: Any = None
        self.is_skipping = False

    @contextmanager
    def acting(self) -> Iterator[None]:
        """A context in which passes skip the blocks whose results are stored."""
        row = self._layout.architecture
        with ExitStack() as stack:
            stack.enter_context(Replaced(self._base, self._begin))
            if not row.projected or self._layout.piece_width == self._layout.width:
                module = self._base.get_submodule(row.embeddings)
                stack.enter_context(Replaced(module, self._embed))
            for number in range(1, self._layout.layers + 1):
                module = self._base.get_submodule(row.block.format(n=number - 1))
                stack.enter_context(Replaced(module, self._block(number)))
            yield

    def _begin(self, own: Any, *args: Any, **options: Any) -> Any:
        """One pass: see how far it is known, and compute the rest."""
        self._keys, self._found, self._first, self.is_skipping = {}, None, 0, False
        texts = self._texts(args, options)
        if texts is not None:
            ids = _ids(args, options)
            # What follows the first block in some models reads what went into it as well.
            self._keys = {
                block: StateKey(texts, block, steps, self._pieces(block, ids))
                for block, steps in self._branch.items()
                if self._kept.keeps(block) and not (block == 1 and self._layout.has_after_first)
            }
            for block in sorted((n for n in self._keys if n <= self._most), reverse=True):
                self._found = self._kept.get(self._keys[block])
                if self._found is not None:
                    self._first, self.is_skipping = block, True
                    shape = (*ids.shape, self._layout.width)
                    # Skipped blocks hand on a placeholder, because transformers reads shapes and
                    # types between blocks. Expanded from one number, it takes no memory.
                    self._stand_in = _tensor(self._found).new_zeros(1).expand(shape)
                    break
            if self._first:
                self._kept.hits += 1
            else:
                self._kept.misses += 1
        try:
            return own(*args, **options)
        finally:
            self._keys, self._found, self._first, self.is_skipping = {}, None, 0, False

    def _texts(self, args: tuple[Any, ...], options: dict[str, Any]) -> bytes | None:
        """A hash of a pass's inputs; None if it must be computed in full."""
        import torch

        # Kept states have no gradients, and with dropout no two passes agree. Arguments by position
        # beyond the first have no name to enter the hash under.
        if torch.is_grad_enabled() or self._base.training or len(args) > 1:
            return None
        # These need the output of every block, also of those that would be skipped.
        if any(options.get(key) for key in _ASKS_FOR_MORE):
            return None
        found = hashlib.sha256()
        for name, value in (("input_ids", _ids(args, options)), *sorted(options.items())):
            if torch.is_tensor(value):
                found.update(f"{name} {value.dtype} {tuple(value.shape)}:".encode())
                found.update(value.contiguous().numpy().tobytes())
            elif name == "input_ids" or not isinstance(value, bool | int | float | str | None):
                return None
            else:
                found.update(f"{name} {value}:".encode())
        return found.digest()

    def _pieces(self, block: int, ids: Any) -> bytes:
        is_narrow = self._narrow is not None and block == self._layout.layers
        return self._narrow.key(ids) if is_narrow and self._narrow else b""

    def _embed(self, own: Any, *args: Any, **options: Any) -> Any:
        return self._stand_in if self.is_skipping else own(*args, **options)

    def _block(self, number: int) -> Any:
        def answer(own: Any, *args: Any, **options: Any) -> Any:
            if number < self._first:
                found = self._found
                return (self._stand_in, *found[1:]) if isinstance(found, tuple) else self._stand_in
            self.is_skipping = False
            if number == self._first:
                return self._found
            if number not in self._keys:
                return own(*args, **options)
            found = own(*args, **options)  # even if it is kept: a place inside may be read
            self._kept.put(self._keys[number], found, self._branch)
            return found

        return answer


def _ids(args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return args[0] if args else options.get("input_ids")


def _tensor(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value
