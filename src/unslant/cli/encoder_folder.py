"""An encoder to fine-tune and the new folder that it is written to."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.cli.trained_folder import TrainedFolder
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.models.language.model import TransformerModel, load_model

if TYPE_CHECKING:
    from unslant.models.classifiers.training import FineTuned

Train = Callable[[TransformerModel, Path, Progress], "FineTuned"]
"""Given the encoder, the path of a checkpoint and a bar."""


class EncoderFolder(TrainedFolder):
    """The folder of an encoder, and the one to write."""

    def written(self, train: Train, *, as_json: bool, scores: tuple[str, ...] = ()) -> None:
        """Fine-tune, write the folder and show the epochs; nothing is lost on Ctrl-C."""
        self.check()
        encoder = load_model(self.model)
        if not isinstance(encoder, TransformerModel):
            raise UnslantError(f"{self.model} is an ELMo, which is not fine-tuned.")
        from unslant.models.classifiers.folder import write_fine_tuned

        with self.training() as progress:
            treated = self.treated(encoder, progress)
            assert isinstance(treated, TransformerModel)
            tuned = train(treated, self.kept, progress)
            write_fine_tuned(tuned, self.output)
        self.show(tuned.record, *scores, as_json=as_json)
