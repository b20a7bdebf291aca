"""A written model as each library loads it, compared with ours before the folder gets its name."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import OutputError
from unslant.models.language.folder import json_list
from unslant.models.language.folding import Folded, head_of
from unslant.models.language.opened import FolderFiles
from unslant.models.language.weights import Head

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

TRIAL = ("She is a nurse.", "He is an engineer.", "The doctor said that they would come later.")
_PACKAGE = "sentence_transformers"
_AUTO: dict[Head | None, str] = {
    None: "AutoModel",
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
}
Pair = tuple[Any, Any]


def largest_difference(model: "TransformerModel", folder: Path, result: Folded | None) -> float:
    """The largest difference of the written model from ours, as a share of the largest number.

    ``us.load`` must match. If the erasers are in the weights, so must plain transformers, and
    for sentence vectors sentence-transformers if it is installed.
    """
    pairs = list(_by_unslant(model, folder, result))
    if result is not None:
        try:
            with _quiet():
                pairs += _by_others(model, folder, result)
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise OutputError(f"Others could not load the new model: {reason}") from error
    return max(float(abs(a - b).max() / max(1.0, float(abs(a).max()))) for a, b in pairs)


def _by_unslant(model: "TransformerModel", folder: Path, result: Folded | None) -> Iterator[Pair]:
    from unslant.models.language.model import load_transformer

    written = load_transformer(folder)
    if result is None or not result.only_in_heads:
        yield model.encode(TRIAL), written.encode(TRIAL)
    head, _ = head_of(model)
    if head is not None and model.modules is None:
        theirs = written.head(head)
        for ours, ids in _outputs(model, head):
            with written.intervening(theirs):
                yield ours, theirs(input_ids=ids).logits


def _by_others(model: "TransformerModel", folder: Path, result: Folded) -> Iterator[Pair]:
    import transformers

    in_sentences = result.pooled is not None or result.sentence is not None
    heads: list[Head | None] = []
    if not in_sentences and not result.only_in_heads:
        heads.append(None)
    if result.head is not None and model.modules is None:
        heads.append(result.head)
    for head in heads:
        plain = getattr(transformers, _AUTO[head]).from_pretrained(
            folder, local_files_only=True, use_safetensors=True, trust_remote_code=False
        )
        plain.train(mode=False)
        for ours, ids in _outputs(model, head):
            yield ours, plain(input_ids=ids)[0]
    if in_sentences and find_spec(_PACKAGE) and _has_known_modules(folder):
        from sentence_transformers import SentenceTransformer

        loaded = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        loaded.default_prompt_name = None  # a prompt is the caller's, not the model's
        yield model.encode(TRIAL), loaded.encode(list(TRIAL), show_progress_bar=False)


def _outputs(model: "TransformerModel", head: Head | None) -> Iterator[Pair]:
    """Our model's last states or logits for each trial text, and the pieces."""
    import torch

    ours = model.network if head is None else model.head(head)
    for pieces in model.tokens.of(TRIAL):
        ids = torch.tensor([pieces.ids])
        with torch.inference_mode():
            with model.intervening(None if head is None else ours):
                found = ours(input_ids=ids)[0]
            yield found, ids


def _has_known_modules(folder: Path) -> bool:
    """Whether loading calls only the package's own classes: it imports any name in a folder."""
    kinds = [str(entry["type"]) for entry in json_list(FolderFiles(folder))]
    return all(kind.startswith(f"{_PACKAGE}.") for kind in kinds)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bars and reports of the libraries that load; their settings come back."""
    from transformers.utils import logging as theirs

    level, has_bars = theirs.get_verbosity(), theirs.is_progress_bar_enabled()
    package = logging.getLogger(_PACKAGE)
    before = package.level
    theirs.set_verbosity_error()
    theirs.disable_progress_bar()
    package.setLevel(logging.ERROR)
    try:
        yield
    finally:
        theirs.set_verbosity(level)
        if has_bars:
            theirs.enable_progress_bar()
        package.setLevel(before)
