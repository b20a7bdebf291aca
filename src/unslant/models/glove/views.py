"""The two parts of GN-GloVe's vectors: w_a, without the attribute, and w_g, which has it."""

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.vectors import WordVectors

VIEWS = ("w_a", "w_g")


def view(vectors: WordVectors, name: str) -> WordVectors:
    """One part of vectors that ``unslant train gn-glove`` made: ``w_a`` or ``w_g``.

    How many coordinates w_g has is in the file; files of other formats do not say it, and the
    method drop-last takes it as a parameter.
    """
    if name not in VIEWS:
        raise UnknownNameError("view", name, VIEWS)
    held = vectors.origin.get("group_coordinates")
    if not isinstance(held, int) or not 0 < held < vectors.dim or vectors.lineage.steps:
        raise UnslantError(
            f"{vectors.name} does not say which of its coordinates are w_g. Name the .safetensors "
            f"file that unslant train gn-glove wrote, or use the method drop-last for w_a."
        )
    part = slice(None, -held) if name == "w_a" else slice(-held, None)
    origin = {key: value for key, value in vectors.origin.items() if key != "group_coordinates"}
    return WordVectors(
        vectors.words, vectors.matrix[:, part].copy(), vectors.lineage.then(name), origin=origin
    )
