"""An ELMo to train an inference model on and the new folder that both are written to."""

from dataclasses import dataclass
from pathlib import Path

from unslant.cli import shared
from unslant.cli.encoder_folder import EncoderFolder
from unslant.cli.training import epochs_table, said_what_is_kept
from unslant.datasets.nli import read_corpus
from unslant.models.elmo import load_elmo
from unslant.models.nli.elmo_settings import ElmoTraining


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Where the pairs are, how many to train on (0 for all), and what is noted about them."""

    data: Path
    most: int
    note: str
    skip_bad: bool


class ElmoFolder(EncoderFolder):
    """The folder of an ELMo, an intervention for training or none, and the folder to write."""

    def trained_on(self, given: Pairs, how: ElmoTraining, *, as_json: bool) -> None:
        """Train decomposable attention on it, write both and show the epochs."""
        self.check()
        elmo = load_elmo(self.model)
        from unslant.models.nli.elmo_folder import write_elmo_nli
        from unslant.models.nli.elmo_training import train_on_elmo

        with said_what_is_kept(self.kept), shared.progress_bar() as progress:
            pairs = read_corpus(
                given.data, skip_bad=given.skip_bad, keeps_case=True, progress=progress
            )
            shared.say_skipped(pairs.skipped)
            trained = train_on_elmo(
                self.treated(elmo, progress),
                pairs,
                how,
                most=given.most,
                checkpoint=self.kept,
                note=given.note,
                progress=progress,
            )
            write_elmo_nli(elmo, trained, self.output)
        self.kept.unlink(missing_ok=True)
        if as_json:
            shared.print_json(dict(trained.record))
            return
        shared.out.print(epochs_table(trained.record))
        shared.say(f"Model: {self.output}")
