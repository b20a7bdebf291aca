"""Erasers put into the weights of a model, where that is exact; docs/design/places.md says where.

The arrays of the file are changed, so the result needs no hooks and no Unslant. Where a place has
no weights around it that could hold an affine map, folding is refused with the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.erasers.transform import Affine
from unslant.models.language.interventions import AtPlace
from unslant.models.language.layout import Site
from unslant.models.language.weights import Head, NetworkPlan, arrays_of, is_buffer, planned

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


# Affine maps before or after a product, as another product: the algebra of folding.
#
# A product is y = x Wᵀ + c, with W stored as (out, in), or as (in, out) where `transposed`. An
# eraser is x → x M + b for rows, on the columns S of what it acts on, and
#
#     after the product:   (x W_Sᵀ + c_S) M + b  =  x (Mᵀ W_S)ᵀ + (c_S M + b)
#     before the product:  (x_S M + b) W_Sᵀ + c  =  x_S (W_S Mᵀ)ᵀ + (c + b W_Sᵀ)
#
# where W_S are rows of W in the first case and columns in the second. Both are computed in double
# precision and rounded once.

Columns = tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Product:
    """The weight and the bias of one product, as tensors; the bias may be None."""

    weight: Any
    bias: Any = None
    transposed: bool = False

    def then(self, affine: Affine, columns: Columns = None) -> "Product":
        """The product whose results are those of this one after the map."""
        matrix, offset = _tensors(self.weight, affine)
        weight, bias = self._plain(), None if self.bias is None else self.bias.double().clone()
        part = _slice(columns, len(weight))
        weight[part] = matrix.T @ weight[part]
        if bias is not None:
            bias[part] = bias[part] @ matrix + offset
        return self._made(weight, bias)

    def after(self, affine: Affine, columns: Columns = None) -> "Product":
        """The product composed with a map: its value at x is that of this one at map(x)."""
        matrix, offset = _tensors(self.weight, affine)
        weight, bias = self._plain(), None if self.bias is None else self.bias.double().clone()
        part = _slice(columns, weight.shape[1])
        if bias is not None:
            # Before the next lines change the weight: the offset passes through the original one.
            bias += weight[:, part] @ offset
        weight[:, part] = weight[:, part] @ matrix.T
        return self._made(weight, bias)

    def _plain(self) -> Any:
        # An explicit copy: ``double`` and ``T`` return views if there is nothing to convert, and
        # the callers assign to parts of the result.
        weight = self.weight.double()
        return (weight.T if self.transposed else weight).clone()

    def _made(self, weight: Any, bias: Any) -> "Product":
        # safetensors refuses arrays that are not contiguous, such as a transposed view.
        weight = (weight.T if self.transposed else weight).to(self.weight.dtype).contiguous()
        return replace(self, weight=weight, bias=None if bias is None else bias.to(self.bias.dtype))


def rows_after(table: Any, affine: Affine) -> Any:
    """The rows of a table after the map."""
    matrix, offset = _tensors(table, affine)
    return (table.double() @ matrix + offset).to(table.dtype)


def composed(first: Affine, second: Affine) -> Affine:
    """The map that applies the first and then the second."""
    return np.asarray(first[0] @ second[0]), np.asarray(first[1] @ second[0] + second[1])


def _tensors(like: Any, affine: Affine) -> tuple[Any, Any]:
    matrix, offset = affine
    like = like.double()
    return like.new_tensor(matrix), like.new_tensor(offset)


def _slice(columns: Columns, width: int) -> slice:
    return slice(*columns) if columns else slice(0, width)


_BIAS_SETTINGS = ("attention_bias", "classifier_bias")
_READS_THE_POOLER = "cls.seq_relationship."
_READS_THE_TABLE = "lm_predictions."


class CannotFoldError(UnslantError):
    """An eraser at a place where no weights can do what it does."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Folded:
    """A model whose weights do what its erasers did.

    ``arrays`` has every array of the file, in single precision, by the network's own names.
    ``pooled`` and ``sentence`` are (M, b) for a sentence vector before and after the folder's own
    Dense modules. ``head`` names the head that the file has; if ``only_in_heads``, the last layer
    itself is unchanged, and only what the heads make of it is as after the erasers.
    """

    config: Mapping[str, Any]
    arrays: Mapping[str, Any]
    pooled: Affine | None = None
    sentence: Affine | None = None
    head: Head | None = None
    only_in_heads: bool = False


def folded(model: "TransformerModel") -> Folded:
    """The weights of a model with all of its erasers in them, or the reason why there are none."""
    model.intervention.check(model)
    work = _Work(model)
    for step in _in_order(model):
        work.fold(step)
    return work.result()


def _in_order(model: "TransformerModel") -> list[AtPlace]:
    """Steps that change weights before their place, in order; then those after it, reversed.

    A reader holds the last map that acts before it next to itself: x M₁ M₂ Wᵀ = x M₁ (W M₂ᵀ)ᵀ.
    """
    steps = model.intervention.steps
    is_read = [
        step.place.component == "attention"
        or (step.place.part, step.place.component) == ("layer", None)
        for step in steps
    ]
    before = [step for step, late in zip(steps, is_read, strict=True) if not late]
    after = [step for step, late in zip(steps, is_read, strict=True) if late]
    return [*before, *reversed(after)]


def head_of(model: "TransformerModel") -> tuple[Head | None, NetworkPlan]:
    """The language-model head that a model's file has in full, and the network with it."""
    folder, layout = model.folder, model.layout
    if layout.has_head:
        head: Head = "causal" if layout.architecture.is_decoder else "masked"
        plan = planned(folder, layout, head)
        if not plan.missing:
            return head, plan
    return None, planned(folder, layout)


class _Work:
    def __init__(self, model: "TransformerModel") -> None:
        self.model, self.row = model, model.layout.architecture
        self.config = dict(model.folder.config)
        self.head, self.plan = head_of(model)
        stored = arrays_of(model.folder)
        self.arrays = {
            name: stored[there] for name, there in self.plan.names.items() if not is_buffer(name)
        }
        self.base = f"{self.plan.network.base_model_prefix}." if self.head else ""
        self.pooled: Affine | None = None
        self.sentence: Affine | None = None
        self.only_in_heads = False
        self.step: AtPlace

    def result(self) -> Folded:
        # Both spellings, because transformers renamed the key: one that says float16 would round
        # the folded weights when the folder is loaded.
        for old in ("torch_dtype", "dtype"):
            self.config.pop(old, None)
        self.config["dtype"] = "float32"
        if self.head:
            self.config["architectures"] = [type(self.plan.network).__name__]
        return Folded(
            config=self.config,
            arrays=self.arrays,
            pooled=self.pooled,
            sentence=self.sentence,
            head=self.head,
            only_in_heads=self.only_in_heads,
        )

    def fold(self, step: AtPlace) -> None:
        self.step = step
        site, affine = self.model.site(step.place), step.eraser.affine
        if affine is None:
            raise self._refused("it is not an affine map, and weights hold only those")
        if site.why_not_folded:
            raise self._refused(site.why_not_folded)
        part = step.place.part
        if part == "sentence":
            self.sentence = affine if self.sentence is None else composed(self.sentence, affine)
        elif part == "wordpieces":
            self._tables((self.row.wordpieces,), affine)
        elif part == "embeddings" and site.module != self.row.projected:
            self._tables(self.row.tables, affine)
        elif part == "layer" and step.place.component is None:
            self._last_layer(affine)
        else:
            self._product(f"{self.base}{site.module}", affine, site)

    def _tables(self, modules: tuple[str, ...], affine: Affine) -> None:
        """Sums of rows: (s + t) M + b = s M + (t M + b)."""
        readers = [name for name in self.arrays if name.startswith(_READS_THE_TABLE)]
        if readers:
            raise self._refused("the head multiplies by the same table, which cannot be two")
        self._untie()
        matrix, offset = affine
        for number, module in enumerate(modules):
            name = f"{self.base}{module}.weight"
            is_last = number == len(modules) - 1
            # The rows of several tables are summed, so only one of them may add the offset.
            plus = offset if is_last else 0 * offset
            self.arrays[name] = rows_after(self.arrays[name], (matrix, plus))

    def _last_layer(self, affine: Affine) -> None:
        if self.model.layout.has_sentence:
            self.pooled = affine if self.pooled is None else composed(affine, self.pooled)
            return
        if self.head is None:
            raise self._refused("its weights have no language-model head that reads it")
        pooler = f"{self.base}{self.row.pooler_weights}"
        # An array outside the base that no known module needs may belong to another reader of the
        # last layer, which would go on reading it without the eraser.
        others = [
            name
            for name in self.arrays
            if not name.startswith((self.base, _READS_THE_POOLER)) and name not in self.plan.needed
        ]
        if others:
            raise self._refused(f"{others[0]} may read it too, in a way that is not known")
        self._untie()
        self._product(self.row.head_reader, affine, None)
        if pooler in self.arrays:
            self._product(pooler.removesuffix(".weight"), affine, None)
        self.only_in_heads = True

    def _product(self, module: str, affine: Affine, site: Site | None) -> None:
        """Change the product at a site, or one that reads the place if there is no site."""
        # Only then: a bias that the architecture does not have needs another configuration.
        if affine[1].any():
            self._make_bias(module)
        weight, bias = f"{module}.weight", f"{module}.bias"
        # GPT-2's Conv1D stores its weight as (in, out), Linear as (out, in).
        is_transposed = type(self._module(module)).__name__ == "Conv1D"
        product = Product(self.arrays[weight], self.arrays.get(bias), is_transposed)
        if site is not None and site.side == "output":
            product = product.then(affine, site.columns)
        else:
            product = product.after(affine, site.columns if site else None)
        self.arrays[weight] = product.weight
        if product.bias is not None:
            self.arrays[bias] = product.bias

    def _module(self, name: str) -> Any:
        try:
            return self.plan.network.get_submodule(name)
        except AttributeError:  # a pooler that the network with this head does not use
            return None

    def _make_bias(self, module: str) -> None:
        """Add biases of zeros if the product has none and the configuration can ask for some."""
        import torch

        bias = f"{module}.bias"
        if bias in self.arrays:
            return
        # Which setting adds this bias differs between architectures, so each is tried on a network
        # without weights, until one expects an array of that name.
        for setting in _BIAS_SETTINGS:
            config = {**self.config, setting: True}
            folder = replace(self.model.folder, config=config)
            plan = planned(folder, self.model.layout, self.head)
            if bias in plan.needed:
                new = [name for name in plan.missing if name not in self.arrays]
                self.arrays |= {name: torch.zeros(plan.needed[name]) for name in new}
                self.config = config
                return
        raise self._refused(f"it has an offset, which needs a bias, and {module} can have none")

    def _untie(self) -> None:
        """Give the head a table of its own, because the shared one changes for one side only."""
        for name, source in self.plan.tied.items():
            if name not in self.arrays and source in self.arrays:
                self.arrays[name] = self.arrays[source].clone()
        if self.plan.tied:
            self.config["tie_word_embeddings"] = False

    def _refused(self, why: str) -> CannotFoldError:
        return CannotFoldError(
            f"{self.step.name} at {self.step.place} cannot be put into the weights of "
            f"{self.model.original.name}: {why}."
        )
