"""A tuned model as a folder: weights that plain transformers loads, and what was done to them."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.plain import from_plain
from unslant.core.record import StageFacts
from unslant.core.sealed_json import with_seal, without_seal
from unslant.core.text_files import json_from, small_text
from unslant.models.language.card import CARD, original_card
from unslant.models.language.folder import CONFIG, WEIGHTS
from unslant.models.language.folding import head_of
from unslant.models.language.weights import arrays_of, planned
from unslant.models.language.written import copy_known, write_arrays, write_json

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel
    from unslant.models.language.weights import Head

TUNING = "tuning.json"
"""The file in a model's folder that says how its weights were trained."""
_KIND = "unslant tuning 1"
_LARGEST = 8 << 20


def write_weights(
    model: "TransformerModel", head: "Head | None", network: Any, target: Path
) -> None:
    """Write the model's files with the weights of a trained network in place of its own.

    Arrays that the network does not have, such as another head, are written as they were.
    """
    copy_known(model.folder, target)
    arrays = arrays_of(model.folder)
    trained = network.state_dict()
    for name, stored in planned(model.folder, model.layout, head).names.items():
        if name in trained and stored in arrays:
            arrays[stored] = trained[name]
    # A table that the head shares may be stored twice, and both are the trained one.
    _, plan = head_of(model)
    for name, source in plan.tied.items():
        if name in plan.names and source in plan.names:
            arrays[plan.names[name]] = arrays[plan.names[source]].clone()
    config = {key: value for key, value in model.folder.config.items() if key != "torch_dtype"}
    write_json(target / CONFIG, {**config, "dtype": "float32"})
    write_arrays(target / WEIGHTS, {name: value.clone() for name, value in arrays.items()})


def write_record(target: Path, origin: str, stages: tuple[StageFacts, ...], sha256: str) -> None:
    """Write what was done, with the hash of the folder's weights and a seal."""
    content = {
        "kind": _KIND,
        "origin": origin,
        "model_sha256": sha256,
        "stages": [json.loads(json.dumps(asdict(stage))) for stage in stages],
    }
    write_json(target / TUNING, with_seal(content))


def write_card(target: Path, model: "TransformerModel", stage: StageFacts) -> None:
    """Write the original's card with a section about the training."""
    facts = "\n".join(f"- {key}: {_said(value)}" for key, value in stage.details.items())
    section = (
        f"## Trained with Unslant\n\nUnslant {stage.version} trained {model.name} (SHA-256 "
        f"{model.content_hash[:16]}…) with `{stage.expression}` on {stage.inputs['text']} (SHA-256 "
        f"{stage.inputs['text_sha256'][:16]}…), after {stage.reference}\n\n{facts}"
    )
    text = f"{original_card(model, model.name)}\n\n{section}\n"
    (target / CARD).write_text(text, encoding="utf-8")


def _said(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def read_record(folder: Path) -> tuple[str, tuple[StageFacts, ...], str]:
    """The original's name, what was done to it, and the hash of the weights, all sealed."""
    path = folder / TUNING
    try:
        content = without_seal(json_from(small_text(path, _LARGEST)))
        if content["kind"] != _KIND:
            raise ValueError(f"its kind is {content['kind']}")
        stages = tuple(from_plain(StageFacts, {**each, "words": []}) for each in content["stages"])
        return str(content["origin"]), stages, str(content["model_sha256"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UnslantError) as error:
        raise DamagedFileError(f"{path} is not the record of a training ({error}).") from error
