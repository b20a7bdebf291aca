"""The last layer at chosen pieces of a text only, without computing the others.

A score often reads one vector of a text: that of [CLS], or that of a masked piece. Every block but
the last is needed for all pieces, because later pieces read them. In the last block only the keys
and values are; queries, the product after attention and the feed-forward part are needed for the
chosen pieces alone. For BERT's family (``Architecture.narrows``) that is all that is computed;
elsewhere the whole block is, and the pieces are chosen from its result.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from unslant.models.language.hooks import Replaced, added

if TYPE_CHECKING:
    from unslant.core.places import Place
    from unslant.models.language.model import TransformerModel

Positions = Sequence[int] | Any
"""Numbers of pieces, the same for every text, or an array of texts × numbers; -1 is the last."""


def last_hidden_at(
    model: "TransformerModel", ids: Any, positions: Positions, token_types: Any = None
) -> Any:
    """The last layer (texts × positions × width) of texts of one length, interventions in effect.

    ``ids`` are texts × pieces without padding. It equals ``layer:-1`` of the whole network at these
    pieces up to rounding.
    """
    import torch

    options = {} if token_types is None else {"token_type_ids": token_types}
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        stack.enter_context(model.intervening(positions=positions))
        return model.network(input_ids=ids, **options).last_hidden_state


class Narrowed:
    """A network without head whose last layer is computed at chosen pieces only.

    A head on top of it therefore computes for these alone. Erasers at [cls] or [last] within the
    last block, and the pooler, find their piece: it is then computed too and left out at the end.
    Two contexts, because what keeps the results of blocks comes between them.
    """

    def __init__(self, model: "TransformerModel", base: Any, positions: Positions) -> None:
        row, layout = model.layout.architecture, model.layout
        block = base.get_submodule(row.block.format(n=layout.layers - 1)) if row.narrows else None
        self._block = None if block is None or block.is_decoder else block
        self._base, self._positions = base, positions
        self._needs_first, self._needs_last = _ends(model, base)
        self._computed: Any = None
        self._picked: Any = None

    def key(self, ids: Any) -> bytes:
        """Which pieces of which texts the block computes, for code that stores its output."""
        if self._block is None:
            return b""
        ends = f"{self._needs_first} {self._needs_last} ".encode()
        return ends + bytes(_numbers(ids, self._positions).contiguous().numpy().tobytes())

    @contextmanager
    def computing(self) -> Iterator[None]:
        """A context in which the block computes the chosen pieces."""

        def of_block(own: Any, states: Any, mask: Any = None, *_: Any, **__: Any) -> Any:
            return _block_at(self._block, states, mask, self._computed)

        with nullcontext() if self._block is None else Replaced(self._block, of_block):
            yield

    @contextmanager
    def choosing(self) -> Iterator[None]:
        """A context in which the network returns the chosen pieces; the first thing each pass does
        is to count them."""

        def count(own: Any, states: Any, *args: Any, **options: Any) -> Any:
            self._choose(states)
            return own(states, *args, **options)

        thread = threading.get_ident()

        def of_network(module: Any, given: Any, result: Any) -> Any:
            if threading.get_ident() != thread:
                return None
            if self._block is None:
                self._picked = _numbers(result.last_hidden_state, self._positions)
            result.last_hidden_state = _at(result.last_hidden_state, self._picked)
            return result

        with ExitStack() as stack:
            if self._block is not None:
                stack.enter_context(Replaced(self._block, count))
            stack.callback(added(self._base, "output", of_network))
            yield

    def _choose(self, states: Any) -> None:
        """Which pieces are computed, and which of these were requested.

        A requested piece at an end of the text is taken from there, because an eraser
        at [cls] or [last] acts on the ends alone.
        """
        import torch

        length = states.shape[1]
        chosen = _numbers(states, self._positions)
        if length == 1:  # both ends are the same piece
            self._computed, self._picked = chosen[:, :1], torch.zeros_like(chosen)
            return
        is_first, is_last = chosen == 0, chosen == length - 1
        lead = self._needs_first and not bool(is_first[:, :1].all())
        ends = [chosen.new_full((len(chosen), 1), end) for end in (0, length - 1)]
        parts = [ends[0][:, : int(lead)], chosen, ends[1][:, : int(self._needs_last)]]
        self._computed = torch.cat(parts, dim=1)
        picked = torch.arange(chosen.shape[1]).expand_as(chosen) + int(lead)
        if self._needs_first:
            picked = torch.where(is_first, 0, picked)
        if self._needs_last:
            picked = torch.where(is_last, self._computed.shape[1] - 1, picked)
        self._picked = picked


def _ends(model: "TransformerModel", base: Any) -> tuple[bool, bool]:
    """Whether the first and the last piece of a text are always needed."""
    tokens = {step.place.tokens for step in model.intervention.steps if _in_last(model, step.place)}
    has_pooler = getattr(base, "pooler", None) is not None
    return has_pooler or "cls" in tokens, "last" in tokens


def _in_last(model: "TransformerModel", place: "Place") -> bool:
    return model.layout.layers - 1 < model.site(place).depth <= model.layout.layers


def _numbers(states: Any, positions: Positions) -> Any:
    """Texts × numbers, counted from the beginning."""
    import torch

    given = torch.as_tensor(positions)
    given = given.expand(states.shape[0], -1) if given.dim() == 1 else given
    # Python's modulo is never negative, so -1 becomes the last piece.
    return given % states.shape[1]


def _at(states: Any, numbers: Any) -> Any:
    return states.gather(1, numbers[:, :, None].expand(-1, -1, states.shape[2]))


def _block_at(block: Any, states: Any, mask: Any, numbers: Any) -> Any:
    """A block of BERT for some pieces: its own parts are called, so that their hooks act."""
    from torch.nn.functional import scaled_dot_product_attention

    chosen = _at(states, numbers)
    attention = block.attention.self

    def heads(rows: Any) -> Any:
        shape = (*rows.shape[:-1], attention.num_attention_heads, -1)
        return rows.view(shape).transpose(1, 2)

    queries = heads(attention.query(chosen))
    keys, values = heads(attention.key(states)), heads(attention.value(states))
    # A mask over keys alone broadcasts over all queries; one with a row for each query must lose
    # the rows of pieces that are not computed.
    if mask is not None and mask.shape[-2] > 1:
        shape = (*mask.shape[:2], numbers.shape[1], mask.shape[3])
        mask = mask.gather(2, numbers[:, None, :, None].expand(shape))
    mixed = scaled_dot_product_attention(
        queries, keys, values, attn_mask=mask, scale=attention.scaling
    )
    read = block.attention.output(mixed.transpose(1, 2).flatten(2), chosen)
    return block.output(block.intermediate(read), read)
