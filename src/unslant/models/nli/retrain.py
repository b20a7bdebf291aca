"""Models trained for given vectors, kept so that the same training is never done twice."""

import hashlib
import json
from pathlib import Path

from unslant.core.extras import torch_for
from unslant.core.files import Progress
from unslant.models.nli.corpus import Splits
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import TrainedNli, load_nli
from unslant.vectors import WordVectors


def trained_for(
    vectors: WordVectors,
    pairs: Splits,
    how: Training,
    folder: Path,
    progress: Progress | None = None,
) -> TrainedNli:
    """The model trained on these vectors and pairs: found in ``folder``, or trained and put there.

    Its file is named by everything that its weights depend on. A training that was stopped goes
    on where it was.
    """
    torch_for("Retraining")
    from unslant.models.nli.training import identity, train

    what = identity(vectors, pairs, how)
    key = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]
    path = folder / f"nli-{key}.safetensors"
    if path.exists():
        return load_nli(path)
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = path.with_suffix(".checkpoint")
    model = train(vectors, pairs, how, checkpoint=checkpoint, name=path.stem, progress=progress)
    model.save(path)
    checkpoint.unlink(missing_ok=True)
    return load_nli(path)
