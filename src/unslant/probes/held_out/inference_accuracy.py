"""Accuracy of an inference model on labelled pairs."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.example import Example
from unslant.core.files import data_folder
from unslant.core.measurement import Interval, Measurement
from unslant.core.parameters import at_least
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.core.score import LARGER, Range, Score
from unslant.core.seeds import generator
from unslant.datasets.nli.pairs import LABELS, LabelledPair, everything_in, refusal, scan
from unslant.datasets.nli.text import BadLine
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.metrics.uncertainty import LEVEL
from unslant.models.language.model import load_model
from unslant.models.nli.trained import TrainedNli, builtin_nli, load_nli
from unslant.numerics.bootstrap import wilson_interval
from unslant.predictors.protocols import NliModel
from unslant.probes.held_out.text import ratio_over_sentences

_AT_ONCE = 2_048
_LOCAL = "nli/snli"


@dataclass(frozen=True, kw_only=True)
class LabelledPairs:
    """Pairs of sentences with the labels that people gave."""

    name: str
    pairs: tuple[LabelledPair, ...]
    drawn_of: int
    concept: str = ""

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def content_hash(self) -> str:
        """A hash of the pairs and their labels."""
        lines = "\n".join("\t".join(map(str, pair)) for pair in self.pairs)
        return hashlib.sha256(lines.encode()).hexdigest()

    def subject(self) -> Subject:
        """Their entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title="Inference accuracy",
            about="How often a model assigns the same label to a pair of sentences as people did.",
            references=(reference("bowman-2015"),),
            sha256=self.content_hash,
            facts={"pairs": len(self), "of": self.drawn_of},
        )


@probe(
    "nli-accuracy",
    cites="bowman-2015",
    example=Example(call="nli-accuracy(data=snli_1.0/)", of="INFERENCE-MODEL"),
    needs=NliModel,
    scores={
        "nli-accuracy": Score(
            better=LARGER,
            tells="quality",
            tolerated=0.02,
            range=Range(0, 1),
            misleads="Many labels can be guessed from the second sentence alone, so a model can be "
            "right for the wrong reason. Encoders that learnt from sentence pairs have often seen "
            "these.",
        )
    },
)
class InferenceAccuracy:
    """Does an inference model still know what follows from what?

        accuracy = share of pairs of sentences whose most probable label is the human label

    The pairs are SNLI's, or data of its kind, with the label that people gave. The interval is over
    pairs.
    """

    data: Annotated[
        str,
        "A folder with SNLI or data of its kind (by default nli/snli in the folder UNSLANT_DATA).",
    ] = ""
    split: Annotated[Literal["dev", "test"], "Which of its parts."] = "dev"
    most: Annotated[int, at_least(0), "Randomly sample N pairs (0 = all)."] = 0
    seed: Annotated[int, at_least(0), "The seed of the sample and of resamples."] = 0

    def run(self, resource: NliModel, subject: LabelledPairs | None, setting: Setting) -> Findings:
        """Ask every pair once, and count the right labels."""
        asked = self.questions() if subject is None else subject
        found = np.concatenate(
            [
                self._answers(
                    resource, asked.pairs[start : start + _AT_ONCE], setting, start, asked
                )
                for start in range(0, len(asked), _AT_ONCE)
            ]
        )
        labels = np.array([pair.label for pair in asked.pairs])
        hits = (found.argmax(axis=1) == labels).astype(np.float64)
        details = {
            "pairs": len(asked),
            **{
                f"answered-{label}": int((found.argmax(axis=1) == n).sum())
                for n, label in enumerate(LABELS)
            },
        }
        value, interval, draws = float(hits.mean()), None, None
        if not setting.values_only:
            low, high = wilson_interval(hits.sum(), len(hits), LEVEL)
            interval = Interval(low=low, high=high, level=LEVEL, how="Wilson, over pairs")
            _, _, draws, _ = ratio_over_sentences(
                hits,
                np.ones(len(hits)),
                lambda mean: mean,
                seed=self.seed,
                purpose=("nli-accuracy", asked.content_hash),
            )
        measured = Measurement(
            metric="nli-accuracy",
            title=f"Right labels, {asked.name}",
            value=value,
            interval=interval,
            draws=draws,
            details=details,
        )
        return Findings(measurements=(measured,))

    def _answers(
        self,
        model: NliModel,
        pairs: tuple[LabelledPair, ...],
        setting: Setting,
        start: int,
        asked: LabelledPairs,
    ) -> NDArray[np.float64]:
        given = model.predict([pair.premise for pair in pairs], [pair.hypothesis for pair in pairs])
        rows = np.asarray(given, dtype=np.float64)
        if rows.shape != (len(pairs), len(LABELS)) or not np.isfinite(rows).all():
            raise UnslantError(
                f"{type(model).__name__}.predict must give {len(LABELS)} finite probabilities for "
                f"each of {len(pairs)} pairs; it gave an array of shape {rows.shape}."
            )
        if setting.progress:
            setting.progress("Asking", start + len(pairs), len(asked))
        return rows

    def questions(self) -> LabelledPairs:
        """The pairs of the folder that have a label, or a sample of them."""
        folder = self._folder()
        files = getattr(scan(folder), self.split)
        if not files:
            raise FileFormatError(
                f"{folder} has no {self.split} data: expected a file such as "
                f"snli_1.0_{self.split}.jsonl."
            )
        pairs: list[LabelledPair] = []
        for path in files:
            for line in everything_in(path):
                if isinstance(line.what, BadLine):
                    raise refusal(path, line)
                if line.what is not None:
                    pairs.append(line.what)
        if not pairs:
            raise FileFormatError(f"The {self.split} data in {folder} have no labelled pair.")
        total, name = len(pairs), f"{folder.name} {self.split}"
        if self.most and self.most < total:
            rng = generator(self.seed, "labelled pairs", str(self.most))
            rows = np.sort(rng.permutation(total)[: self.most])
            pairs, name = [pairs[row] for row in rows], f"{name}, {self.most:,} pairs"
        return LabelledPairs(name=name, pairs=tuple(pairs), drawn_of=total)

    def _folder(self) -> Path:
        if self.data:
            return Path(self.data)
        known = data_folder()
        if known is None or not (known / _LOCAL).is_dir():
            raise UnslantError(
                f"Name the folder with the labelled pairs "
                f"([[data='snli_1.0'|--data snli_1.0/]]), or put it into the "
                f"folder that UNSLANT_DATA names, as {_LOCAL}."
            )
        return known / _LOCAL

    def reader(self) -> TrainedNli:
        """The model in the package, which reads any vectors of 100 dimensions."""
        return builtin_nli()

    def loaded(self, path: Path) -> Any:
        """The model in a folder with its head, or in a file that ``unslant train nli`` wrote."""
        return load_model(path).predictor(NliModel) if path.is_dir() else load_nli(path)
