"""An encoder with trained heads as a folder that transformers loads."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.models.language.export import new_folder
from unslant.models.language.folder import CONFIG, WEIGHTS
from unslant.models.language.written import copy_tokenizer, write_arrays, write_json
from unslant.models.pretraining.heads import TrainedHeads

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

HEADS = "heads.safetensors"
"""The heads alone, small enough to publish; the folder can be made of them and the encoder."""
RECORD = "training.json"
_TIED = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")


def write_with_heads(model: "TransformerModel", heads: TrainedHeads, target: Path) -> Path:
    """Write the encoder with its heads to a new folder, completely or not at all.

    It is no sentence-transformers folder any more: what gave one vector for a text was trained on
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
