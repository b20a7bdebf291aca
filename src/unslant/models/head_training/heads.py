"""Trained heads: what an encoder needs to be a language model again, in one small sealed file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.files import atomic_write
from unslant.core.plain import from_plain
from unslant.core.sealed import Header, Kind, Tensors, sealed
from unslant.core.text_files import json_from
from unslant.models.head_training.settings import HeadTraining
from unslant.models.language.export import new_folder
from unslant.models.language.exported_files import copy_tokenizer, write_arrays, write_json
from unslant.models.language.folder import CONFIG, WEIGHTS

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel


_FILE = Kind(
    mark="unslant heads 1",
    what="file of heads",
    foreign="is not a file of heads. Create one with: unslant train heads MODEL --text TEXT -o OUT",
    remedy="The file may be truncated or damaged; copy it again, or train the heads again.",
)


@dataclass(frozen=True, eq=False)
class TrainedHeads:
    """The weights that training changed or added, for one encoder, in half precision.

    Half precision makes the file small. They are rounded before the test, so what the
    record says is true of the file.
    """

    base: str
    """The hash of the encoder's weights."""
    how: HeadTraining
    weights: Tensors
    record: dict[str, Any]

    def save(self, path: Path) -> Path:
        """Write them to a sealed file, completely or not at all."""
        header = {
            "kind": _FILE.mark,
            "base": self.base,
            "how": json.dumps(vars(self.how)),
            "record": json.dumps(self.record),
        }
        with atomic_write(path) as stream:
            stream.write(sealed(self.weights, header))
        return path

    def network(self, model: "TransformerModel") -> Any:
        """The encoder with these heads, adapters merged into the weights."""
        import torch

        from unslant.models.head_training.task import with_heads
        from unslant.models.training.adapters import merge
        from unslant.models.training.trainer import load_weights

        if model.weights_sha256 != self.base:
            raise UnslantError(
                f"These heads belong to the encoder with the hash {self.base[:16]}…, but "
                f"{model.name} has {model.weights_sha256[:16]}…. Use the encoder they were trained "
                f"for."
            )
        with torch.random.fork_rng(devices=[]):
            net = with_heads(model, self.how)
        load_weights(net, {name: value.astype(np.float32) for name, value in self.weights.items()})
        merge(net)
        net.train(mode=False)
        return net


def load_heads(path: str | Path) -> TrainedHeads:
    """The heads written by :meth:`TrainedHeads.save`."""
    return _FILE.read(Path(path), _understood)


def _understood(tensors: Tensors, header: Header) -> TrainedHeads:
    how = from_plain(HeadTraining, json_from(header["how"]))
    record = json_from(header["record"])
    if not isinstance(record, dict):
        raise TypeError("its record is not a table")
    for name, value in tensors.items():
        if value.dtype != np.float16 or not np.isfinite(value).all():
            raise ValueError(f"{name} does not hold finite float16 numbers")
    return TrainedHeads(header["base"], how, tensors, record)


# An encoder with trained heads as a folder that transformers loads.

HEADS = "heads.safetensors"
"""The heads alone, small enough to publish; with the encoder they restore the folder."""
RECORD = "training.json"
_TIED = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")


def write_with_heads(model: "TransformerModel", heads: TrainedHeads, target: Path) -> Path:
    """Write the encoder with its heads to a new folder, completely or not at all.

    It is no longer a sentence-transformers folder: its pooling was trained on
    other weights.
    """
    net = heads.network(model)
    with new_folder(target) as partial:
        copy_tokenizer(model.folder, partial)
        config = {**model.folder.config, "architectures": ["BertForPreTraining"]}
        write_json(partial / CONFIG, {**config, "tie_word_embeddings": True})
        arrays = {name: value for name, value in net.state_dict().items() if name not in _TIED}
        write_arrays(partial / WEIGHTS, arrays)
        heads.save(partial / HEADS)
        write_json(partial / RECORD, heads.record)
        (partial / "README.md").write_text(_card(target.name, heads), encoding="utf-8")
    return target


def _card(name: str, heads: TrainedHeads) -> str:
    record: dict[str, Any] = heads.record
    test, text = record["test"], record["text"]
    swapped = f", also with {record['swapped']} words swapped" if record["swapped"] else ""
    return f"""# {name}

{record["model"]} with heads for masked words and the next sentence, trained by Unslant
{record["versions"]["unslant"]} on {text["sentences"]:,} sentences of {text["file"]}{swapped}.
Beside the heads it tuned: {heads.how.tune}. {record["note"]}

On {text["file"]}'s held-out end it guesses {test["masked_accuracy"]:.3f} of masked pieces and tells
the next sentence from a random one with accuracy {test["next_accuracy"]:.3f}. It is a small model
trained briefly, and no evidence about any published model.

Settings, rounds and hashes are in {RECORD}:

    {json.dumps(record["settings"])}
"""
