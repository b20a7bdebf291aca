"""The layers of an ELMo as they are given out, at every word: what a task model reads."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.models.language.passes import batches

if TYPE_CHECKING:
    from unslant.models.elmo.model import ElmoModel


def output_layers(
    model: "ElmoModel", texts: Sequence[str], progress: Progress | None = None
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Rows of the texts, of one length together, and their layers: texts × words × layers × width.

    The characters, twice beside each other, are the first layer. An eraser at ``all`` acts on the
    mean of the layers in the model, which is the same as on each of them, as it acts here.
    """
    import torch

    check_affine_at_all(model)
    places = model.layout.outputs()
    on_all = [step for step in model.intervention.steps if step.place.part == "all"]
    for batch in batches(model, texts, places, progress):
        layers = [batch.states[place] for place in places]
        with torch.inference_mode():
            for step in on_all:
                layers = [step.change(layer) for layer in layers]
            found = torch.stack(layers, dim=2)
        yield batch.rows, found


def check_affine_at_all(model: "ElmoModel") -> None:
    """Refuse an eraser of the mean of the layers that is not one of each of them."""
    for step in model.intervention.steps:
        if step.place.part == "all" and step.eraser.affine is None:
            raise UnslantError(
                f"{step.eraser} at all is not affine, so it cannot act on each layer as on their "
                f"mean. Let it act at every output: output:0, output:1, …"
            )
