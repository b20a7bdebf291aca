"""An ELMo with its inference model as one folder, which ``us.load`` and probes read."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.models.elmo.folder import NLI
from unslant.models.language.export import new_folder
from unslant.models.language.folder import OPTIONS
from unslant.models.nli.elmo_trained import ElmoNli, load_elmo_nli

if TYPE_CHECKING:
    from unslant.models.elmo.model import ElmoModel

RECORD = "training.json"


def write_elmo_nli(model: "ElmoModel", trained: ElmoNli, target: Path) -> Path:
    """Copy the ELMo to a new folder and put its inference model beside it, or write nothing."""
    trained.check(model)
    with new_folder(target) as partial:
        for name in (OPTIONS, model.folder.weights.name):
            with model.folder.files.unchanged(name) as source:
                shutil.copyfile(source, partial / name)
        trained.save(partial / NLI)
        load_elmo_nli(partial / NLI)
        said = json.dumps(trained.record, indent=1, allow_nan=False)
        (partial / RECORD).write_text(f"{said}\n", encoding="utf-8")
    return target
