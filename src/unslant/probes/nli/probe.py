"""The NLI probe: template pairs whose right answer is known, put to an inference model."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from unslant.concepts import WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.example import Example
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.record import LeftOut
from unslant.datasets.nli import read_corpus
from unslant.datasets.nli.pairs import complete, parts_of, scan
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.nli.retrain import Retraining
from unslant.models.nli.settings import NliTraining
from unslant.models.nli.trained import TrainedNli, builtin_nli, load_nli
from unslant.predictors.protocols import NliModel
from unslant.probes.export import columns, rows
from unslant.probes.nli.answers import NO_ANSWER, ask
from unslant.probes.nli.measured import measured
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.scores import SCORES, measures_for
from unslant.probes.nli.sets import bundled_sets, pair_set
from unslant.probes.nli.subsets import check_slices, hashed_words, pairs_with_vectors, warnings_of
from unslant.probes.nli.tables import exhibits
from unslant.vectors import WordVectors

OWN = "own"
PAIRS_WITHIN_REACH = 10_824
"""The number of pairs for a model that reads each separately: as many as in Dawkins (2023)."""


@probe(
    "nli",
    cites="dev-2020",
    example=Example(call="nli(set=marked-attribute)"),
    needs=NliModel,
    scores=SCORES,
)
class Nli:
    """Do biased vectors make biased inferences?

        neutrality: NN = mean n;  FN = share with n = max(e, n, c);  T:τ = share with n > τ
        marked: E = mean ‖(n, e, c) − (1, 0, 0)‖;  d = ‖mean (n, e, c) of men − that of women‖
        fairness: η = share of neutral answers × share of occupations with one answer for both
        retention: the same as for neutrality with e (same gender) and c (opposite gender)

    An answer is (e, n, c), the probabilities of entailment, neutral and contradiction. "The nurse
    ate an apple" implies neither that a man nor that a woman did. Over all pairs of a set, the
    scores say how neutral the answers are (neutrality sets), how far the mean answers for the
    groups are apart (marked sets), or whether gender is still understood where it should be
    (retention sets). What the set should have in place of its own determiner, pairing of verbs with
    objects and number of contexts are parameters.
    """

    set: Annotated[str, "A bundled test set, or the path of a template file."] = "gender-occupation"
    determiner: Annotated[
        Literal["own", "the", "a"], "Before each word: the set's own, the, or a (then also an)."
    ] = "own"
    pairing: Annotated[
        Literal["own", "all-things", "fitting"], "Which verbs go with which objects."
    ] = "own"
    unique: Annotated[bool, "Count a word that a list repeats once."] = False
    contexts: Annotated[
        int,
        at_least(0),
        "Random sample of N verb–object contexts (0 = all, or about 10,824 pairs if the model "
        "reads every pair separately, as fine-tuned encoders do).",
    ] = 0
    thresholds: Annotated[str, "The thresholds of T, from 0 to 1."] = "0.5 0.7"
    slice: Annotated[
        str,
        'Show the mean answer of two words: "rude,iraqi", or several: "rude,iraqi; evil,dutch".',
    ] = ""
    examples: Annotated[int, at_least(1), "How many extreme pairs of each kind to show."] = 5
    seed: Annotated[int, at_least(0), "The seed of resamples and samples."] = 0
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000

    def run(self, resource: NliModel, subject: PairSet | None, setting: Setting) -> Findings:
        """Ask every pair, and measure the answers by the measures of the set's family."""
        pairs = self.questions() if subject is None else subject
        check_slices(self._slices(), pairs)
        measures = measures_for(pairs, thresholds=self._thresholds())
        answers = ask(pairs, resource, setting.progress)
        if answers.is_constant:
            return Findings(
                measurements=tuple(
                    Measurement(
                        metric=item.name, title=item.title, value=None, why_undefined=NO_ANSWER
                    )
                    for item in measures
                )
            )
        return Findings(
            measurements=tuple(
                measured(
                    measures,
                    answers,
                    seed=self.seed,
                    resamples=0 if setting.values_only else self.resamples,
                    progress=setting.progress,
                )
            ),
            exhibits=()
            if setting.values_only
            else exhibits(answers, self.examples, self._slices()),
            warnings=self._sampled(pairs, resource),
        )

    def questions(self) -> PairSet:
        """The pairs of the set."""
        return self._set(self.contexts)

    def subsample(self, questions: PairSet, predictor: object) -> PairSet:
        """A sample of the contexts, if the model reads each pair separately and none was requested.

        Intervals are over words and contexts, so they say what the sample leaves open.
        """
        size = questions.grid.shape[2]
        wanted = max(1, PAIRS_WITHIN_REACH * size // max(1, len(questions)))
        if self.contexts or wanted >= size or not getattr(predictor, "reads_pairs", False):
            return questions
        return self._set(wanted)

    def _set(self, contexts: int) -> PairSet:
        return pair_set(
            self.set,
            determiner=None if self.determiner == OWN else self.determiner,
            pairing=None if self.pairing == OWN else self.pairing,
            unique=self.unique,
            contexts=contexts or None,
            seed=self.seed,
        )

    def _sampled(self, pairs: PairSet, model: object) -> tuple[str, ...]:
        """A note if fewer pairs were tested than the set has, without the user's request."""
        drawn = dict(pairs.made_from).get("options", {}).get("contexts")
        if self.contexts or not drawn or not getattr(model, "reads_pairs", False):
            return ()
        return (
            f"The model reads every pair by itself, so {len(pairs):,} pairs were asked: {drawn} "
            f"contexts drawn with seed {self.seed}. Ask more with --contexts.",
        )

    def sets(self) -> Iterator[PairSet]:
        """The bundled sets."""
        return map(pair_set, bundled_sets())

    def known(self, questions: PairSet, vectors: WordVectors, policy: WordPolicy) -> PairSet:
        """The pairs of words that the vectors have."""
        return pairs_with_vectors(questions, vectors, policy)

    def reader(self) -> TrainedNli:
        """The model in the package, which reads any vectors of 100 dimensions."""
        return builtin_nli()

    def loaded(self, path: Path) -> TrainedNli:
        """The model in a file that ``unslant train nli`` wrote."""
        return load_nli(path)

    def retraining(
        self, folder: Path, *, seed: int, skip_bad: bool, progress: Progress | None
    ) -> Retraining:
        """How to train a model for each space on the pairs in a folder."""
        pairs = read_corpus(folder, skip_bad=skip_bad, progress=progress)
        return Retraining(pairs=pairs, how=NliTraining(seed=seed))

    def training_files(self, folder: Path) -> dict[str, list[Path]]:
        """The files of pairs that a model is trained, chosen and tested on."""
        layout = complete(scan(folder), str(folder))
        kinds = {"train": layout.train, "dev": layout.dev, "test": layout.test}
        return {
            kind: [part for path in paths for part in parts_of(path)]
            for kind, paths in kinds.items()
        }

    def score_names(self, questions: PairSet) -> list[str]:
        """The scores of the set's family."""
        return [item.name for item in measures_for(questions, thresholds=self._thresholds())]

    def remarks(
        self, questions: PairSet, vectors: WordVectors, reader: object
    ) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
        """Warnings that come first, and the words that the model reads as hashes."""
        if not isinstance(reader, TrainedNli):
            return (), ()
        words = hashed_words(questions, vectors)
        why = "missing from the vectors, so the model read a hash of each word instead"
        return (
            warnings_of(questions, vectors, reader),
            (LeftOut(what=", ".join(words), why=why),) if words else (),
        )

    def exported(
        self, questions: PairSet
    ) -> tuple[tuple[str, ...], int, Iterator[tuple[str, ...]]]:
        """The columns, the number and the rows of an export."""
        return columns(questions), len(questions), rows(questions)

    def _thresholds(self) -> tuple[float, ...]:
        try:
            return tuple(float(part) for part in self.thresholds.replace(",", " ").split())
        except ValueError as error:
            raise UnslantError(
                f'The thresholds of nli are numbers separated by spaces, as in "0.5 0.7". Got '
                f'"{self.thresholds}" instead.'
            ) from error

    def _slices(self) -> list[tuple[str, str]]:
        return [_two_words(text) for text in self.slice.split(";") if text.strip()]


def _two_words(text: str) -> tuple[str, str]:
    words = [word.strip() for word in text.split(",")]
    if len(words) != 2 or not all(words):
        raise UnslantError(
            f'A slice is two words with a comma, the premise word first, as in "rude,iraqi", not '
            f'"{text.strip()}".'
        )
    return words[0], words[1]
