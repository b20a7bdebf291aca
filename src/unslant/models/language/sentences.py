"""The modules of a sentence-transformers folder after its network: pool, multiply, normalise."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.places import Place
from unslant.models.language.folder import MODULES, WEIGHTS, ModelFolder, json_list

_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_lasttoken": "lasttoken",
}
_LINEAR = ("cls", "mean", "lasttoken")
"""Poolings that an affine map of every token passes through unchanged."""
_OF_ONE = {"cls": "cls", "last": "lasttoken"}
_ORDER = ("Transformer", "Pooling", "Dense", "Normalize")
_LARGEST_DENSE = 1 << 30
_ACTIVATIONS = {"torch.nn.modules.activation.Tanh": "tanh", "torch.nn.modules.linear.Identity": ""}


@dataclass(frozen=True, eq=False)
class DenseModule:
    """One product after the pooling, with an optional tanh."""

    weight: Any
    bias: Any
    activation: str

    def apply(self, rows: Any) -> Any:
        """The rows multiplied."""
        after = rows @ self.weight.T + (0 if self.bias is None else self.bias)
        return after.tanh() if self.activation == "tanh" else after


@dataclass(frozen=True, eq=False, kw_only=True)
class SentenceModules:
    """Pooling, products and normalisation, in the order of the folder."""

    pooling: str
    dense: tuple[DenseModule, ...] = ()
    normalise: bool = False
    most: int | None = None
    """The number of pieces after which sentence-transformers cuts a text."""
    lower: bool = False
    """Whether sentence-transformers writes every text in small letters first."""

    def pooled(self, states: Any) -> Any:
        """The vectors (texts × width) before normalisation."""
        count = states.shape[1]
        rows = {
            "cls": lambda: states[:, 0],
            "mean": lambda: states.mean(dim=1),
            "max": lambda: states.max(dim=1).values,
            "mean_sqrt_len_tokens": lambda: states.sum(dim=1) / count**0.5,
            "lasttoken": lambda: states[:, -1],
        }[self.pooling]()
        for product in self.dense:
            rows = product.apply(rows)
        return rows

    def width_after(self, width: int) -> int:
        """The width of a sentence vector, if that of the last layer is ``width``."""
        for number, product in enumerate(self.dense, 1):
            shape = tuple(product.weight.shape)
            if len(shape) != 2 or shape[1] != width:
                raise DamagedFileError(
                    f"Dense module {number} has the shape {shape}, but gets vectors of width "
                    f"{width}."
                )
            width = shape[0]
            if product.bias is not None and tuple(product.bias.shape) != (width,):
                raise DamagedFileError(f"The bias of Dense module {number} has not width {width}.")
        return width

    def normalised(self, rows: Any) -> Any:
        """The model's vectors, unnormalised."""
        if not self.normalise:
            return rows
        return rows / rows.norm(dim=1, keepdim=True).clamp_min(1e-12)


def why_not_through(pooling: str, place: Place) -> str:
    """Why an affine eraser of the last layer cannot act after a pooling instead; empty if it can.

    The mean of x M + b over all tokens is the mean of x, times M, plus b. A maximum has no such
    rule, and a sum multiplies b.
    """
    if pooling not in _LINEAR:
        return f'an affine map does not pass through the pooling "{pooling}"'
    if place.tokens in _OF_ONE and pooling != _OF_ONE[place.tokens]:
        return f'it acts on one token of each text, but the pooling "{pooling}" uses others too'
    return ""


def read_modules(folder: ModelFolder) -> SentenceModules | None:
    """The modules of a sentence-transformers folder; None for any other folder."""
    path = folder.path / MODULES
    if MODULES not in folder.parts:
        return None
    pooling, dense, normalise = "", [], False
    entries = [_entry(entry, path) for entry in json_list(folder.files)]
    _check_order([kind for kind, _ in entries], path)
    for kind, inside in entries:
        if kind == "Transformer":
            continue
        if kind == "Pooling":
            pooling = _pooling(folder, inside)
        elif kind == "Dense":
            dense.append(_dense(folder, inside))
        elif kind == "Normalize":
            normalise = True
        else:
            raise UnslantError(
                f"{path} has a module {kind[:60]}, which is not supported. Supported: Transformer, "
                f"Pooling, Dense, Normalize."
            )
    if not pooling:
        raise DamagedFileError(f"{path} names no Pooling, so no text would have one vector.")
    facts = folder.json("sentence_bert_config.json")
    most = facts.get("max_seq_length")
    return SentenceModules(
        pooling=pooling,
        dense=tuple(dense),
        normalise=normalise,
        most=most if isinstance(most, int) and most > 0 else None,
        lower=bool(facts.get("do_lower_case")),
    )


def _check_order(kinds: list[str], path: Path) -> None:
    """Refuse another order, because the result would differ from the folder's definition."""
    ranks = [_ORDER.index(kind) for kind in kinds if kind in _ORDER]
    is_once = all(kinds.count(kind) < 2 for kind in ("Transformer", "Pooling", "Normalize"))
    if ranks != sorted(ranks) or not is_once:
        raise UnslantError(
            f"{path} has the modules {', '.join(kinds)[:200]}. Supported is this order: "
            f"Transformer, Pooling, any number of Dense, and Normalize at the end."
        )


def _entry(entry: object, path: Path) -> tuple[str, str]:
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise DamagedFileError(f'{path}: every module must be an object with a "type".')
    inside = str(entry.get("path", ""))
    if inside and (Path(inside).name != inside or inside.startswith(".")):
        raise DamagedFileError(f'{path}: "{inside[:60]}" is not a folder beside it.')
    return entry["type"].rsplit(".", 1)[-1], inside


def _pooling(folder: ModelFolder, inside: str) -> str:
    facts = folder.json(f"{inside}/config.json")
    named = facts.get("pooling_mode")
    chosen = [named] if isinstance(named, str) else []
    chosen = chosen or [mode for key, mode in _MODES.items() if facts.get(key)]
    if len(chosen) != 1 or chosen[0] not in _MODES.values():
        raise UnslantError(
            f"{folder.path / inside}: exactly one pooling of {', '.join(_MODES.values())} is "
            f"supported. Got {', '.join(map(str, chosen))[:60] or 'none'} instead."
        )
    return str(chosen[0])


def _dense(folder: ModelFolder, inside: str) -> DenseModule:
    from safetensors import SafetensorError
    from safetensors.torch import load

    facts = folder.json(f"{inside}/config.json")
    activation = str(facts.get("activation_function", ""))
    path = folder.path / inside / WEIGHTS
    if activation not in _ACTIVATIONS:
        raise UnslantError(f"{path.parent}: the activation {activation[:60]} is not supported.")
    asked = (facts.get("module_input_name"), facts.get("module_output_name"))
    if facts.get("use_residual") or not set(asked) <= {None, "sentence_embedding"}:
        raise UnslantError(
            f"{path.parent}: a Dense module with a residual, or of something else than the "
            f"sentence vector, is not supported."
        )
    try:
        arrays = load(folder.files.read(f"{inside}/{WEIGHTS}", _LARGEST_DENSE))
        for name, array in arrays.items():
            if not array.is_floating_point():
                raise DamagedFileError(f"{path}: {name} holds {array.dtype}, not fractions.")
            if not array.isfinite().all():
                raise DamagedFileError(f"{path}: {name} contains a number that is not finite.")
            arrays[name] = array.float()  # the network computes in single precision
        return DenseModule(
            arrays["linear.weight"], arrays.get("linear.bias"), _ACTIVATIONS[activation]
        )
    except (SafetensorError, KeyError, RuntimeError) as error:
        raise DamagedFileError(f"{path} is not a whole Dense module ({error}).") from error
