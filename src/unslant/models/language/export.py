"""Export a debiased model as a folder that is complete and checked, or not written at all.

If every eraser folds, plain transformers or sentence-transformers loads the folder, without
Unslant. Anything else would be the original model to them, so it is refused unless the caller
names the ``loader`` that applies it.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unslant.core.errors import OutputError, UnslantError
from unslant.core.places import Place
from unslant.models.language.exported_files import copy_original, write_card, write_folded
from unslant.models.language.folding import CannotFoldError, Folded, folded
from unslant.models.language.interventions import INTERVENTION
from unslant.models.language.reloading import largest_difference

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel

Loader = Literal["any", "heads", "unslant"]
"""What must apply the debiasing: any library, transformers with the language-model head, or us."""

TOLERANCE = 1e-5
"""How far a written model may differ from ours, as a share of the largest number."""
ONLY_UNSLANT = (
    "WARNING: other libraries will load the ORIGINAL model from this folder. Only us.load() "
    "applies the debiasing."
)
_ONLY_HEADS = (
    "WARNING: without the language-model head, transformers and sentence-transformers will load "
    "the ORIGINAL model from this folder. The debiasing is in the weights that the head reads."
)
_ONLY_SENTENCES = (
    "sentence-transformers and us.load() apply the debiasing. WARNING: plain transformers will "
    "load this folder WITHOUT the debiasing of its sentence vectors."
)
_EVERYONE = "The erasers are in the weights; the folder loads without Unslant."


@dataclass(frozen=True)
class Exported:
    """Where a model was written, and which libraries apply its erasers.

    ``why_not_folded`` is empty if all erasers are in the weights. ``only_in_heads``: the erasers
    are in what the heads read, so hidden states of the network without its head are as before.
    ``largest_difference`` is that of the written model from ours, in a trial.
    """

    folder: Path
    why_not_folded: str
    only_in_heads: bool
    largest_difference: float
    who_applies: str

    @property
    def needs_unslant(self) -> bool:
        """Whether the erasers act only if Unslant loads the folder."""
        return bool(self.why_not_folded)


def export(
    model: "TransformerModel",
    folder: str | Path,
    card_section: str = "",
    *,
    loader: Loader = "any",
) -> Exported:
    """Write a model with its interventions to a new folder, completely or not at all.

    Erasers that do not fold are refused unless ``loader`` is "unslant": the folder then has the
    original weights and a sealed file, which only ``us.load`` applies. Erasers that fold only into
    what a language-model head reads need the ``loader`` "heads". ``card_section`` is Markdown for
    the model card, such as measures before and after.
    """
    target = Path(folder)
    with new_folder(target) as partial:
        result, why_not = folded_for(model, loader)
        if result is None:
            copy_original(model.folder, partial)
            model.intervention.save(partial / INTERVENTION)
        else:
            write_folded(model, result, partial)
        who_applies = _who_applies(result)
        in_card = f"{who_applies} {why_not}".rstrip()
        if result is None:
            in_card += f'\n\n```python\nimport unslant as us\nmodel = us.load("{target.name}")\n```'
        write_card(model, partial, target.name, in_card, card_section)
        difference = largest_difference(model, partial, result)
        if not difference <= TOLERANCE:
            raise UnslantError(
                f"{target} was not written: the new model differs from {model.name} by "
                f"{difference:.1e}, but at most {TOLERANCE:.0e} is allowed."
            )
    only_in_heads = result is not None and result.only_in_heads
    return Exported(target, why_not, only_in_heads, difference, who_applies)


def folded_for(model: "TransformerModel", loader: Loader) -> tuple[Folded | None, str]:
    """The weights with the erasers in them; with the ``loader`` "unslant" None and why not."""
    try:
        result = folded(model)
    except CannotFoldError as error:
        if loader != "unslant":
            raise _only_unslant(str(error)) from error
        return None, str(error)
    if result.only_in_heads and loader == "any":
        raise _only_heads(model)
    if result.only_in_heads and loader == "unslant":
        return None, "Weights could apply the debiasing only in the language-model head."
    return result, ""


def check_places(model: "TransformerModel", places: Iterable[Place], loader: Loader) -> None:
    """Refuse, before anything is fitted, places whose erasers the ``loader`` would not apply."""
    if loader == "unslant":
        return
    for place in places:
        if why_not := model.site(place).why_not_folded:
            raise _only_unslant(
                f"An eraser at {place} cannot be put into the weights of {model.name}: {why_not}."
            )
        if loader == "any" and _is_read_by_heads_alone(model, place):
            raise _only_heads(model)


def _is_read_by_heads_alone(model: "TransformerModel", place: Place) -> bool:
    is_output = place.part == "layer" and place.component is None  # only the last of these folds
    return is_output and not model.layout.has_sentence


def _only_unslant(why: str) -> UnslantError:
    return UnslantError(
        f"{why} Other libraries would load the ORIGINAL model, so nothing was written. Choose a "
        f"place that folds (listed by: unslant inspect places MODEL), or write a folder that only "
        f'us.load() debiases, with [[loader="unslant"|--loader unslant]].'
    )


def _only_heads(model: "TransformerModel") -> UnslantError:
    return UnslantError(
        f"The last layer is the output of {model.original.name}: its debiasing fits only into the "
        f"weights that the language-model head reads. Other libraries would load the ORIGINAL "
        f"model without that head, so nothing was written. Add "
        f'[[loader="heads"|--loader heads]] if the folder is used only with its head, or '
        f'[[loader="unslant"|--loader unslant]] if only us.load() needs to apply it.'
    )


def _who_applies(result: Folded | None) -> str:
    if result is None:
        return ONLY_UNSLANT
    if result.only_in_heads:
        return _ONLY_HEADS
    if result.pooled is not None or result.sentence is not None:
        return _ONLY_SENTENCES
    return _EVERYONE


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
