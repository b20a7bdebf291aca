"""The network of a model, with every array from its file: nothing is ever freshly initialised."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.extras import extra_for, torch_for
from unslant.core.wording import some
from unslant.models.language.folder import ModelFolder
from unslant.models.language.layout import ModelLayout, prefix_of

Head = Literal["masked", "causal", "next-sentence", "pretraining", "sequence", "tokens"]
HEADS: dict[Head, tuple[str, str]] = {
    "masked": ("MODEL_FOR_MASKED_LM_MAPPING", "a masked language-model head"),
    "causal": ("MODEL_FOR_CAUSAL_LM_MAPPING", "a language-model head"),
    "next-sentence": ("MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING", "a next-sentence head"),
    "pretraining": ("MODEL_FOR_PRETRAINING_MAPPING", "the heads of its pretraining"),
    "sequence": ("MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING", "a head that classifies texts"),
    "tokens": ("MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING", "a head that tags words"),
}
_TRAINED_BY: dict[Head, str] = {
    "masked": "unslant train heads MODEL --text TEXT -o OUT",
    "next-sentence": "unslant train heads MODEL --text TEXT -o OUT",
    "sequence": "unslant train nli MODEL --data SNLI -o OUT",
    "tokens": "unslant train ner MODEL --data CONLL -o OUT",
}
"""The command that trains a missing head for an encoder."""
_OLD = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
_NOT_WEIGHTS = re.compile(
    r"(^|\.)(position_ids|token_type_ids|inv_freq|rotary_emb\..*|attn\.(masked_)?bias)$"
)
"""GPT-2's mask is called attn.bias; attn.c_attn.bias is a weight."""


@dataclass(frozen=True, eq=False)
class NetworkPlan:
    """A network that has no memory yet, and which stored array each of its own arrays comes from.

    ``names`` maps the network's names to stored ones, ``tied`` the array that another one is
    the same as.
    """

    network: Any
    make: Callable[[], Any]
    names: Mapping[str, str]
    tied: Mapping[str, str]

    @cached_property
    def needed(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the network's own arrays."""
        return {name: tuple(value.shape) for name, value in self.network.state_dict().items()}

    @cached_property
    def missing(self) -> list[str]:
        """Arrays that the file does not have and that nothing determines."""
        return [
            name
            for name in self.needed
            if name not in self.names
            and self.tied.get(name) not in self.names
            and not is_buffer(name)
        ]


def planned(folder: ModelFolder, layout: ModelLayout, head: Head | None = None) -> NetworkPlan:
    """The network that a configuration describes, without memory for its arrays."""
    torch = torch_for("A language model")
    transformers = extra_for("A language model", "transformers", "lm")
    fresh = _initialisation(transformers)
    config = _config(transformers, folder)
    made = _class_of(transformers, config, layout, head)
    has_none = head is None and bool(layout.architecture.pooled) and not layout.has_pooler
    extra = {"add_pooling_layer": False} if has_none else {}

    def make() -> Any:
        with fresh.no_init_weights():
            return made(config, **extra)

    try:
        with torch.device("meta"):
            plan = make()
    except Exception as error:  # any error, because a forged configuration can cause any
        reason = " ".join(str(error).split())[:200]
        raise DamagedFileError(
            f"{folder.path / 'config.json'} describes no {folder.kind} that can be made: {reason}"
        ) from error
    return NetworkPlan(plan, make, _names(folder, layout, plan, head), _tied(plan))


def _initialisation(transformers: Any) -> Any:
    try:
        return import_module("transformers.initialization")
    except ImportError as error:  # it is new in version 5
        raise UnslantError(
            f"A language model needs transformers 5; {transformers.__version__} is installed. "
            f'Update it with: pip install "unslant[lm]"'
        ) from error


def network(folder: ModelFolder, layout: ModelLayout, head: Head | None = None) -> Any:
    """The network in evaluation mode, in single precision, with its head if requested.

    The stored arrays are compared with what the architecture needs before any is allocated. An
    array that is missing is an error, because transformers would fill it with random numbers.
    """
    torch = torch_for("A language model")
    plan = planned(folder, layout, head)
    if plan.missing:
        raise missing_arrays_error(folder, layout, head, plan.missing)
    net = built(folder, plan)
    net.train(False)
    net.requires_grad_(False)
    _try(torch, net, folder)
    return net


def built(folder: ModelFolder, plan: NetworkPlan) -> Any:
    """The network of a plan with the stored arrays, whose shapes are compared before it is made.

    Arrays missing from the file keep their random initial values: see ``plan.missing``.
    """
    names, needed = plan.names, plan.needed
    for name, stored in names.items():
        if name in needed and folder.shapes[stored] != needed[name]:
            raise DamagedFileError(
                f"{folder.path}: {stored} has the shape {folder.shapes[stored]}, but the "
                f"configuration asks for {needed[name]}."
            )
    net = plan.make()
    torch = torch_for("A language model")
    _fill(torch, net, folder, {name: names[name] for name in needed if name in names})
    for name, source in plan.tied.items():
        if name not in names and source in names:
            _set(net, name, _get(net, source))
    return net


def _try(torch: Any, net: Any, folder: ModelFolder) -> None:
    """Pass one piece through the network, because values of a forged configuration fail there."""
    try:
        with torch.inference_mode():
            net(input_ids=torch.zeros((1, 1), dtype=torch.long))
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise DamagedFileError(
            f"{folder.path / 'config.json'} describes a {folder.kind} that cannot read a text "
            f"({reason})."
        ) from error


def _config(transformers: Any, folder: ModelFolder) -> Any:
    plain = {key: value for key, value in folder.config.items() if key not in _IGNORED}
    try:
        config = transformers.CONFIG_MAPPING[folder.kind].from_dict(plain)
    except Exception as error:  # a forged value can cause any error
        reason = " ".join(str(error).split())[:200]
        raise DamagedFileError(
            f"{folder.path / 'config.json'} is not a configuration of {folder.kind}: {reason}"
        ) from error
    config.use_cache = False
    return config


_IGNORED = {"auto_map", "torch_dtype", "dtype", "quantization_config", "_name_or_path"}


def _class_of(transformers: Any, config: Any, layout: ModelLayout, head: Head | None) -> Any:
    if head is None:
        return transformers.MODEL_MAPPING[type(config)]
    mapping = getattr(import_module("transformers.models.auto.modeling_auto"), HEADS[head][0])
    if type(config) not in mapping:
        raise UnslantError(f"{layout.name} is a {layout.kind}, which has no {head} head.")
    return mapping[type(config)]


def _names(
    folder: ModelFolder, layout: ModelLayout, plan: Any, head: Head | None
) -> dict[str, str]:
    """The stored name of each array, by the network's own name for it."""
    stored_prefix = prefix_of(folder.shapes, layout.architecture) or ""
    base = f"{plan.base_model_prefix}." if head else ""
    found = {}
    for stored in folder.shapes:
        name = stored
        for old, new in _OLD.items():
            name = name.replace(old, new)
        if name.startswith(stored_prefix) and stored_prefix:
            name = base + name.removeprefix(stored_prefix)
        elif not stored_prefix and base and not _is_of_head(name, plan):
            name = base + name
        found[name] = stored
    return found


def _is_of_head(name: str, plan: Any) -> bool:
    """Whether a name without prefix belongs to the head and not to the base."""
    own = {part for part, _ in plan.named_children() if part != plan.base_model_prefix}
    return name.split(".")[0] in own


def _tied(plan: Any) -> dict[str, str]:
    if not getattr(plan.config, "tie_word_embeddings", False):
        return {}
    return dict(getattr(plan, "_tied_weights_keys", None) or {})


def is_buffer(name: str) -> bool:
    """Whether an array is a constant of the architecture, which files need not hold."""
    return bool(_NOT_WEIGHTS.search(name))


def missing_arrays_error(
    folder: ModelFolder, layout: ModelLayout, head: Head | None, missing: list[str]
) -> UnslantError:
    """The error for arrays that a file does not have."""
    shown = some(missing, 3)
    if head is not None:
        is_known = layout.kind == "bert" or head in ("sequence", "tokens")
        can_train = is_known and not layout.architecture.is_decoder and head in _TRAINED_BY
        train = f", or train one: {_TRAINED_BY[head]}" if can_train else "."
        return UnslantError(
            f"{layout.name} has no {head} head: its weights lack {shown}. A head with random "
            f"numbers would give random results; use a model that was saved with its head{train}"
        )
    return DamagedFileError(f"{folder.path}: the weights lack {shown}. Copy the model again.")


def arrays_of(folder: ModelFolder) -> dict[str, Any]:
    """Every stored array by its stored name, in single precision."""
    torch = torch_for("A language model")

    def copied(array: Any) -> Any:
        # What is read may be a view of the file, and would follow it if it were overwritten.
        return array.to(torch.float32 if array.is_floating_point() else array.dtype, copy=True)

    return {name: copied(array) for name, array in _stored(folder, set(folder.shapes))}


def _fill(torch: Any, net: Any, folder: ModelFolder, names: dict[str, str]) -> None:
    """Copy the stored arrays into the network, one at a time."""
    wanted = {stored: name for name, stored in names.items()}
    state = net.state_dict()
    for stored, array in _stored(folder, set(wanted)):
        state[wanted[stored]].copy_(array)
    for stored, name in wanted.items():
        if not torch.isfinite(state[name]).all():
            raise DamagedFileError(f"{folder.path}: {stored} contains a number that is not finite.")


def _stored(folder: ModelFolder, wanted: set[str]) -> Iterator[tuple[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        for file in folder.weights:
            unchanged = folder.files.unchanged(file.name)
            with unchanged as path, safe_open(path, framework="pt") as opened:
                for stored in opened.keys():  # noqa: SIM118
                    if stored in wanted:
                        yield stored, opened.get_tensor(stored)
    except (SafetensorError, OSError, RuntimeError) as error:
        raise DamagedFileError(f"{folder.path}: the weights cannot be read ({error}).") from error


def _get(net: Any, name: str) -> Any:
    owner, _, last = name.rpartition(".")
    return getattr(net.get_submodule(owner), last)


def _set(net: Any, name: str, value: Any) -> None:
    owner, _, last = name.rpartition(".")
    setattr(net.get_submodule(owner), last, value)


# A network with a head on the base that a model has already read.


def on_shared_base(net: Any, base: Any) -> Any:
    """The network with the base's own arrays in the place of its copies of them.

    Arrays of the head that are tied to the base, such as the table of word pieces, follow.
    """
    inside = getattr(net, net.base_model_prefix)
    own = dict(base.named_parameters())
    shared = {id(old): own[name] for name, old in inside.named_parameters() if name in own}
    for module in net.modules():
        for name, value in list(module.named_parameters(recurse=False)):
            if id(value) in shared:
                setattr(module, name, shared[id(value)])
    return net
