"""A debiased model as a folder that others can load: complete and checked, or not written at all.

If every eraser folds, plain transformers or sentence-transformers loads the folder, without
Unslant. Otherwise it has the original files and a sealed file with the erasers, which
``us.load`` applies.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import OutputError, UnslantError
from unslant.models.language.card import write_card
from unslant.models.language.folding import CannotFoldError, folded, head_of
from unslant.models.language.interventions import INTERVENTION
from unslant.models.language.written import copy_original, write_folded

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

TOLERANCE = 1e-5
"""How far a written model may differ from ours, as a share of the largest number."""
TRIAL = ("She is a nurse.", "He is an engineer.", "The doctor said that they would come later.")


@dataclass(frozen=True)
class Exported:
    """Where a model was written, and whether it needs Unslant.

    ``why_not_folded`` is empty if all erasers are in the weights. ``only_in_heads``: the erasers
    are in what the heads read, so hidden states of the network without its head are as before.
    ``largest_difference`` is that of the written model from ours, in a trial.
    """

    folder: Path
    why_not_folded: str
    only_in_heads: bool
    largest_difference: float

    @property
    def needs_unslant(self) -> bool:
        """Whether the erasers act only if Unslant loads the folder."""
        return bool(self.why_not_folded)


def export(model: "TransformerModel", folder: str | Path, card_section: str = "") -> Exported:
    """Write a model with its interventions to a new folder, completely or not at all.

    ``card_section`` is Markdown for the model card, such as measures before and after.
    """
    target = Path(folder)
    with new_folder(target) as partial:
        only_in_heads, why_not = False, ""
        try:
            result = folded(model)
        except CannotFoldError as error:
            why_not = str(error)
            copy_original(model.folder, partial)
            model.intervention.save(partial / INTERVENTION)
        else:
            only_in_heads = result.only_in_heads
            write_folded(model, result, partial)
        write_card(model, partial, target.name, why_not, only_in_heads, card_section)
        difference = _difference(model, partial, only_in_heads)
        if not difference <= TOLERANCE:
            raise UnslantError(
                f"{target} was not written: the new model differs from {model.name} by "
                f"{difference:.1e}, but at most {TOLERANCE:.0e} is allowed."
            )
    return Exported(target, why_not, only_in_heads, difference)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to write to that gets its name at the end, and is removed if anything fails."""
    if os.path.lexists(target):
        raise OutputError(f"{target} already exists. Choose another name, or remove it first.")
    try:
        made = tempfile.mkdtemp(
            dir=target.parent, prefix=f".{target.name[:40]}-", suffix=".partial"
        )
    except OSError as error:
        raise OutputError(f"Cannot write {target}: {error.strerror}.") from error
    partial = Path(made)
    try:
        yield partial
        for path in partial.rglob("*"):
            _make_durable(path)
        mask = os.umask(0)
        os.umask(mask)
        partial.chmod(0o777 & ~mask)
        partial.rename(target)
    except OSError as error:
        raise OutputError(f"Cannot write {target}: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _make_durable(path: Path) -> None:
    if path.is_file():
        with path.open("rb") as stream:
            os.fsync(stream.fileno())


def _difference(model: "TransformerModel", folder: Path, only_in_heads: bool) -> float:
    """The largest difference of the written model from ours, as a share of the largest number."""
    from unslant.models.language.model import load_transformer

    written = load_transformer(folder)
    pairs: list[tuple[Any, Any]] = []
    if not only_in_heads:
        pairs.append((model.encode(TRIAL), written.encode(TRIAL)))
    if model.modules is None:
        pairs += _of_heads(model, written)
    return max(float(abs(a - b).max() / max(1.0, float(abs(a).max()))) for a, b in pairs)


def _of_heads(model: "TransformerModel", written: "TransformerModel") -> Iterator[tuple[Any, Any]]:
    import torch

    head, _ = head_of(model)
    if head is None:
        return
    ours, theirs = model.head(head), written.head(head)
    with torch.inference_mode(), model.intervening(ours), written.intervening(theirs):
        for pieces in model.tokens.of(TRIAL):
            ids = torch.tensor([pieces.ids])
            yield ours(input_ids=ids).logits, theirs(input_ids=ids).logits
