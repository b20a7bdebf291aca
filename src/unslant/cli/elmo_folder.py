"""An ELMo to train an inference model on and the new folder that both are written to."""

from pathlib import Path

from unslant.cli import shared
from unslant.cli.trained_folder import TrainedFolder
from unslant.datasets.nli import read_corpus
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.nli.settings import ElmoTraining


class ElmoFolder(TrainedFolder):
    """The folder of an ELMo, and the one to write."""

    def written(
        self,
        data: Path,
        how: ElmoTraining,
        *,
        most: int,
        note: str,
        skip_bad: bool,
        as_json: bool,
    ) -> None:
        """Train decomposable attention on it, write both and show the epochs."""
        self.check()
        elmo = load_elmo(self.model)
        from unslant.models.nli.elmo_trained import write_elmo_nli
        from unslant.models.nli.elmo_training import train_on_elmo

        with self.training() as progress:
            pairs = read_corpus(data, skip_bad=skip_bad, keeps_case=True, progress=progress)
            shared.say_skipped(pairs.skipped)
            treated = self.treated(elmo, progress)
            assert isinstance(treated, ElmoModel)
            trained = train_on_elmo(
                treated, pairs, how, most=most, checkpoint=self.kept, note=note, progress=progress
            )
            write_elmo_nli(elmo, trained, self.output)
        self.show(trained.record, as_json=as_json)
