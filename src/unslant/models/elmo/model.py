"""An ELMo as a resource: the same surface as any other language model."""

from pathlib import Path
from typing import Any, NoReturn

from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.models.elmo.folder import ElmoFolder, read_elmo_folder
from unslant.models.elmo.layout import ElmoLayout
from unslant.models.elmo.tokens import ElmoTokens
from unslant.models.elmo.weights import network
from unslant.models.language.base import LanguageModel


class ElmoModel(LanguageModel):
    """An ELMo in the official layout (Peters et al. 2018).

    Every text begins without memory of others, so that no result depends on what was asked before;
    official code carries the LSTMs' states from batch to batch.
    """

    folder: ElmoFolder
    layout: ElmoLayout

    def read_network(self) -> Any:
        """The network with every parameter from the file."""
        return network(self.folder.weights, self.folder.options)

    def head(self, head: str) -> NoReturn:
        """An ELMo has none: its released weights stop before the softmax."""
        raise UnslantError(
            f"{self.name} has no {head} head: the released weights of an ELMo end before it. Use a "
            f"model that was saved with its head."
        )

    @property
    def default_place(self) -> Place:
        """Where a text's own vector is: the mean over layers and words."""
        return Place("all", tokens="all")


def load_elmo(path: str | Path) -> ElmoModel:
    """The ELMo in a folder with options.json and HDF5 weights, of which only headers are read."""
    folder = read_elmo_folder(Path(path))
    return ElmoModel(
        folder,
        ElmoLayout(name=folder.name, options=folder.options),
        ElmoTokens(name=folder.name, length=folder.options.word_length),
    )
