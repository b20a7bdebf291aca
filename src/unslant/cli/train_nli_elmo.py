"""The part of ``unslant train nli`` that trains on a frozen ELMo and writes a folder."""

from unslant.cli import shared
from unslant.cli.train_nli_encoder import EncoderOutput
from unslant.cli.training import epochs_table, said_what_is_kept
from unslant.datasets.nli import read_corpus
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.nli.elmo_settings import ElmoTraining


class ElmoOutput(EncoderOutput):
    """An ELMo, the pairs to train on, and the folder to write."""

    def train_on_elmo(self, how: ElmoTraining, *, overwrite: bool, as_json: bool) -> None:
        """Train decomposable attention on it, write both and show the epochs."""
        self.check(overwrite=overwrite)
        elmo = load_elmo(self.model)
        from unslant.models.nli.elmo_folder import write_elmo_nli
        from unslant.models.nli.elmo_training import train_on_elmo

        with said_what_is_kept(self.kept), shared.progress_bar() as progress:
            pairs = read_corpus(
                self.data, skip_bad=self.skip_bad, keeps_case=True, progress=progress
            )
            shared.say_skipped(pairs.skipped)
            treated = self.treated(elmo, progress)
            assert isinstance(treated, ElmoModel)
            trained = train_on_elmo(
                treated,
                pairs,
                how,
                most=self.most,
                checkpoint=self.kept,
                note=self.note,
                progress=progress,
            )
            write_elmo_nli(elmo, trained, self.output)
        self.kept.unlink(missing_ok=True)
        if as_json:
            shared.print_json(dict(trained.record))
            return
        shared.out.print(epochs_table(trained.record))
        shared.say(f"Model: {self.output}")
