"""An ELMo as a resource: the same surface as any other language model."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.models.elmo.folder import NLI, ElmoFolder, read_elmo_folder
from unslant.models.elmo.layout import ElmoLayout
from unslant.models.elmo.tokens import ElmoTokens
from unslant.models.elmo.weights import network
from unslant.models.language.base import LanguageModel
from unslant.predictors.protocols import NliModel, method_of

if TYPE_CHECKING:
    from unslant.models.nli.elmo_trained import ElmoNli


class ElmoModel(LanguageModel):
    """An ELMo in the official layout (Peters et al. 2018).

    Every text begins without memory of others, so that no result depends on what was asked before;
    official code carries the LSTMs' states from batch to batch.
    """

    folder: ElmoFolder
    layout: ElmoLayout

    def read_network(self) -> Any:
        """The network with every parameter from the file."""
        with self.folder.files.unchanged(self.folder.weights.name) as path:
            return network(path, self.folder.options)

    def head(self, head: str) -> NoReturn:
        """An ELMo has none: its released weights stop before the softmax."""
        raise UnslantError(
            f"{self.name} has no {head} head: the released weights of an ELMo end before it. Use a "
            f"model that was saved with its head."
        )

    def predictor(self, need: type[Any]) -> Any:
        """The model as what a probe asks: vectors, or answers of an inference model trained on it.

        Another ELMo than the one it was trained on is refused.
        """
        if super().can_answer(need):
            return super().predictor(need)
        if need is not NliModel:
            raise UnslantError(
                f"{self.name} is an ELMo, whose released weights have no head for "
                f"{method_of(need)}. Use a model that was saved with its language-model head."
            )
        if self.nli is None:
            raise UnslantError(
                f"{self.name} has no inference model. Train one with: unslant train nli "
                f"{self.original.name} --data FOLDER -o FOLDER"
            )
        from unslant.models.nli.elmo_asking import ElmoInference

        return ElmoInference(self, self.nli)

    def can_answer(self, need: type[Any]) -> bool:
        """Whether it gives what is asked, or an inference model makes it answer."""
        return need is NliModel or super().can_answer(need)

    @cached_property
    def nli(self) -> "ElmoNli | None":
        """The inference model in its folder, read once; None if there is none."""
        if self._origin is not None:
            return self._origin.nli
        if self.folder.nli is None:
            return None
        from unslant.models.nli.elmo_trained import load_elmo_nli

        with self.folder.files.unchanged(NLI) as path:
            return load_elmo_nli(path)

    @property
    def default_place(self) -> Place:
        """Where a text's own vector is: the mean over layers and words."""
        return Place("all", tokens="all")


def load_elmo(path: str | Path) -> ElmoModel:
    """The ELMo in a folder with options.json and HDF5 weights, of which only headers are read.

    If an inference model was trained on it with erasers in effect, they act in it.
    """
    folder = read_elmo_folder(Path(path))
    model = ElmoModel(
        folder,
        ElmoLayout(name=folder.name, options=folder.options),
        ElmoTokens(name=folder.name, length=folder.options.word_length),
    )
    if model.nli is None or not model.nli.intervention.steps:
        return model
    model.nli.intervention.check(model)
    return model.intervened(model.nli.intervention)
