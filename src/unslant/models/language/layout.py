"""Which places a model has, how wide they are and whether they fold, from headers alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.places import EACH, Place
from unslant.models.language.architectures import Architecture, architecture_of
from unslant.models.language.folder import ModelFolder, Shape
from unslant.models.language.sentences import SentenceModules, why_not_through

_MOST = 1_000_000
_OUTPUT = "this is the model's output; there are no later weights to fold into"
FUSED = ("query", "key", "value")


@dataclass(frozen=True, kw_only=True)
class Site:
    """A place in one model: a module, its input or output, and which columns.

    ``call`` counts the runs of a shared module within one pass, from 0. ``depth`` orders places
    along the pass. ``why_not_folded`` is empty where an affine eraser folds into the weights.
    """

    place: Place
    module: str
    side: Literal["input", "output"]
    width: int
    depth: float
    columns: tuple[int, int] | None = None
    call: int | None = None
    why_not_folded: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelLayout:
    """The sizes of a model, checked against its weights, and where its places are."""

    name: str
    kind: str
    architecture: Architecture
    layers: int
    width: int
    heads: int
    key_heads: int
    head_width: int
    piece_width: int
    pieces: int
    positions: int
    has_pooler: bool
    has_head: bool
    has_after_first: bool = False
    pooling: str = ""
    """How a sentence-transformers folder pools; empty for any other folder."""
    sentence_width: int = 0
    groups: int = 1

    @property
    def has_sentence(self) -> bool:
        """Whether the folder says how a text gets one vector."""
        return bool(self.pooling)

    @classmethod
    def of(cls, folder: ModelFolder, modules: SentenceModules | None = None) -> "ModelLayout":
        """The layout of the model in a folder; sizes that its weights contradict are refused."""
        kind, config = folder.kind, folder.config
        row = architecture_of(kind, folder.name)
        where = folder.path / "config.json"
        layers, width, heads = (
            _size(config, row.size_key(what), where) for what in ("layers", "width", "heads")
        )
        if width % heads and "head_dim" not in config:
            raise DamagedFileError(f"{where}: {width} dimensions do not divide into {heads} heads.")
        prefix = prefix_of(folder.shapes, row)
        if prefix is None:
            raise DamagedFileError(
                f"{folder.path} has no array {row.wordpieces}.weight, which every {kind} has. Its "
                f"weights belong to another architecture, or are incomplete."
            )
        table = folder.shapes[f"{prefix}{row.wordpieces}.weight"]
        head_width = _size(config, "head_dim", where, width // heads)
        groups = _size(config, "num_hidden_groups", where, 1) if row.shared else 1
        made = cls(
            name=folder.name,
            kind=kind,
            architecture=row,
            layers=layers,
            width=width,
            heads=heads,
            key_heads=_size(config, "num_key_value_heads", where, heads),
            head_width=head_width,
            piece_width=table[1] if len(table) == 2 else -1,
            pieces=table[0],
            positions=_size(
                config, "n_positions" if kind == "gpt2" else "max_position_embeddings", where, 512
            ),
            has_pooler=bool(row.pooled) and f"{prefix}{row.pooler_weights}" in folder.shapes,
            has_after_first=bool(row.after_first)
            and any(name.startswith(f"{prefix}{row.after_first}.") for name in folder.shapes),
            has_head=row.is_decoder or f"{row.head_reader}.weight" in folder.shapes,
            pooling=modules.pooling if modules else "",
            sentence_width=modules.width_after(width) if modules else 0,
            groups=groups,
        )
        made._check(folder.shapes, config, prefix, str(where))
        return made

    def _check(
        self, shapes: Mapping[str, Shape], config: Mapping[str, Any], prefix: str, where: str
    ) -> None:
        """Refuse sizes that the weights contradict, before anything of that size is made."""
        pieces = _size(config, "vocab_size", where, self.pieces)
        if pieces != self.pieces:
            raise DamagedFileError(
                f"{where} claims {pieces} word pieces, but the weights have {self.pieces}."
            )
        narrow = _size(config, "embedding_size", where, self.width)
        if self.piece_width not in (self.width, narrow):
            raise DamagedFileError(
                f"{where} claims vectors of {self.width} numbers, but the word pieces have "
                f"{self.piece_width}."
            )
        begin = f"{prefix}{self.architecture.block}"
        stored = {name for name in shapes if name.startswith(begin.split("{n}")[0])}
        blocks = self.groups if self.architecture.shared else self.layers
        for number in (0, blocks - 1, blocks):
            found = any(name.startswith(f"{begin.format(n=number)}.") for name in stored)
            if found != (number < blocks):
                raise DamagedFileError(
                    f"{where} claims {self.layers} layers, which is not how many the weights have."
                )

    def site(self, place: Place) -> Site:
        """The site of a place in this model, or an error that says why it has no such place."""
        row = self.architecture
        self._check_tokens(place)
        if place.part == "wordpieces":
            return Site(
                place=place, module=row.wordpieces, side="output", width=self.piece_width, depth=-2
            )
        if place.part == "embeddings":
            narrow = row.projected and self.piece_width != self.width
            module = row.projected if narrow else row.embeddings
            folds = module == row.projected or bool(row.tables)
            return Site(
                place=place,
                module=module,
                side="output",
                width=self.width,
                depth=-1,
                why_not_folded=_one_token(place)
                or ("" if folds else self._why_not("the first block adds it to its own output")),
            )
        if place.part == "layer":
            return self._in_layer(place)
        if place.part == "pooled":
            if not self.has_pooler:
                raise self._absent(place, "its weights have no pooler")
            return Site(
                place=place,
                module=row.pooled,
                side="output",
                width=self.width,
                depth=self.layers + 1,
                why_not_folded=_OUTPUT,
            )
        if place.part == "sentence":
            if not self.has_sentence:
                raise self._absent(place, "it is no sentence-transformers folder (modules.json)")
            return Site(
                place=place,
                module="",
                side="output",
                width=self.sentence_width,
                depth=self.layers + 2,
            )
        raise self._absent(place, f'only an ELMo has "{place.part}"')

    def _in_layer(self, place: Place) -> Site:
        assert place.index is not None
        number = place.index if place.index > 0 else self.layers + 1 + place.index
        if place.index == 0 or not 1 <= number <= self.layers:
            also = " What goes into the first is called embeddings." if place.index == 0 else ""
            raise self._absent(place, f"its layers are 1 to {self.layers}, or -1 to the last{also}")
        row, block, call = self.architecture, number - 1, None
        if row.shared:
            each = self.layers / self.groups
            group = int(block / each)
            call = block - next(n for n in range(self.layers) if int(n / each) == group)
            block = group
        module = row.block.format(n=block)
        if place.component is None:
            is_last = number == self.layers
            if is_last and row.last_norm:
                module = row.last_norm
            if number == 1 and self.has_after_first:
                module = row.after_first
            return Site(
                place=place,
                module=module,
                side="output",
                width=self.width,
                depth=number,
                call=call,
                why_not_folded=self._why_not_after(place, is_last),
            )
        key = place.component
        heads = self.heads_of(key)
        width = heads * self.head_width
        first = 0
        names = (row.query, row.key, row.value)
        if key in FUSED and len(set(names)) == 1:
            first = self.heads * self.head_width * FUSED.index(key)
        columns = (first, first + width)
        if place.head is not None:
            if place.head == EACH:
                raise self._absent(place, "* stands for each head, and only where methods act")
            if place.head >= heads:
                raise self._absent(place, f"each layer has {heads} heads for this, from 0")
            columns = (
                first + place.head * self.head_width,
                first + (place.head + 1) * self.head_width,
            )
        if row.multiplies_positions and key in ("query", "key") and _one_token(place):
            call = 0  # later calls are for relative positions, which are not tokens
        return Site(
            place=place,
            module=f"{module}.{getattr(row, key)}",
            side="input" if key == "attention" else "output",
            width=columns[1] - columns[0],
            depth=number - (0.25 if key == "attention" else 0.5),
            columns=columns,
            call=call,
            why_not_folded="its layers share their weights" if row.shared else _one_token(place),
        )

    def heads_of(self, component: str) -> int:
        """How many heads a component of attention has."""
        return self.key_heads if component in ("key", "value") else self.heads

    def _why_not(self, path: str) -> str:
        return f"{path} along the residual path, which has no weights"

    def _why_not_after(self, place: Place, is_last: bool) -> str:
        if not is_last:
            return self._why_not("the next block adds it to its own output")
        if self.has_sentence:
            return why_not_through(self.pooling, place)
        if self.has_head:
            return _one_token(place)
        return _OUTPUT

    def _check_tokens(self, place: Place) -> None:
        if place.tokens == "cls" and self.architecture.is_decoder:
            raise self._absent(place, "a decoder has no [CLS]; use [last] or [all]")

    def _absent(self, place: Place, why: str) -> UnslantError:
        return UnslantError(f"{self.name} has no place {place}: {why}.")

    def places(self) -> list[Place]:
        """Every place that an eraser could act at, from the first to the last."""
        found = [Place("wordpieces"), Place("embeddings")]
        for number in range(1, self.layers + 1):
            components = ("query", "key", "value", "attention")
            found += [Place("layer", number, component) for component in components]
            found.append(Place("layer", number))
        if self.has_pooler:
            found.append(Place("pooled"))
        if self.has_sentence:
            found.append(Place("sentence"))
        return found


def _one_token(place: Place) -> str:
    if place.tokens in ("cls", "last"):
        return "it acts on one token of each text, and weights act on all of them"
    return ""


def prefix_of(shapes: Mapping[str, Shape], row: Architecture) -> str | None:
    """The prefix of a model's array names: nothing, or the name of its base."""
    table = f"{row.wordpieces}.weight"
    found = [name.removesuffix(table) for name in shapes if name.endswith(table)]
    return min(found, key=len) if found else None


def _size(config: Mapping[str, Any], key: str, where: object, default: int | None = None) -> int:
    value = config.get(key, default)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST:
        raise DamagedFileError(
            f'{where}: "{key}" must be an integer from 1 to {_MOST:,}. Got {value!r:.40} instead.'
        )
    return value
