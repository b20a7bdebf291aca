"""A fine-tuned encoder as a folder that transformers loads."""

import json
from pathlib import Path

from unslant.models.classifiers.task import labelled
from unslant.models.classifiers.training import FineTuned
from unslant.models.language.export import new_folder
from unslant.models.language.exported_files import copy_tokenizer, write_arrays, write_json
from unslant.models.language.folder import CONFIG, WEIGHTS
from unslant.models.language.interventions import INTERVENTION

RECORD = "training.json"


def write_fine_tuned(tuned: FineTuned, target: Path) -> Path:
    """Write an encoder with its head to a new folder, completely or not at all.

    Interventions that acted in training are written next to the weights, and ``us.load`` applies
    them. It is no longer a sentence-transformers folder.
    """
    model = tuned.model
    with new_folder(target) as partial:
        copy_tokenizer(model.folder, partial)
        config = dict(labelled(model.folder, tuned.labels))
        for old in ("torch_dtype", "dtype", "_name_or_path"):
            config.pop(old, None)
        named = {"architectures": [type(tuned.network).__name__], "dtype": "float32"}
        write_json(partial / CONFIG, {**config, **named})
        write_arrays(partial / WEIGHTS, tuned.network.state_dict())
        if model.intervention.steps:
            model.intervention.save(partial / INTERVENTION)
        write_json(partial / RECORD, tuned.record)
        (partial / "README.md").write_text(_card(target.name, tuned), encoding="utf-8")
    return target


def _card(name: str, tuned: FineTuned) -> str:
    record = tuned.record
    found = "; ".join(
        f"{key.replace('_', ' ')} {value:.4f}"
        for key, value in record.items()
        if key.startswith(("dev_", "test_")) and isinstance(value, float)
    )
    acted = ""
    if record["intervention"]:
        acted = f"""
It was trained with this intervention in effect, which acts only if Unslant loads the folder
(`us.load`), because it is not part of the weights: `{record["intervention"]}`.
"""
    return f"""# {name}

{record["model"]} fine-tuned for {record["task"]} by Unslant {record["versions"]["unslant"]}:
{found}. {record["note"]}
{acted}
Labels: {", ".join(tuned.labels)}. Settings, epochs and hashes are in {RECORD}:

    {json.dumps(record["settings"])}
"""
