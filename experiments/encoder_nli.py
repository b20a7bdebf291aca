"""Table 15 of Dev et al. (2020) on encoders: he − she projected at test, or in training and test.

    python -m experiments.encoder_nli MODELS --data SNLI --work DIR

MODELS is the folder with the encoders minilm and gte-small. Every model is fine-tuned on the same
pairs and kept in DIR, and so is every record; the same command goes on after a stop. It writes
experiments/results/encoder-nli.csv and the table of docs/encoder-nli.md between its marks.
"""

import argparse
import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.marked_page import between

from unslant.concepts import concept
from unslant.core.files import write_text
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.datasets.nli import Splits, read_corpus
from unslant.models.classifiers.folder import write_fine_tuned
from unslant.models.classifiers.inference import train_inference
from unslant.models.classifiers.settings import FineTuning
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.studies.probe import probe
from unslant.studies.treated_model import treated_model

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "encoder-nli.md"
RESULT = ROOT / "experiments" / "results" / "encoder-nli.csv"
PAIRS = 16_000
BLOCKS = {"minilm": 6, "gte-small": 12}
SUBWORD = "subword"
RANDOM = tuple(f"random(seed={seed})@wordpieces" for seed in range(3))
TRAINED: Mapping[str, tuple[str, ...]] = {
    "minilm": ("", SUBWORD, *RANDOM),
    "gte-small": ("",),
}
"""What acts in the training of each model; gte-small is a second model for the first row."""
SCORES = {
    "NN": "nli-net-neutral",
    "FN": "nli-fraction-neutral",
    "T:0.5": "nli-threshold-0.5",
    "T:0.7": "nli-threshold-0.7",
    "η": "nli-fairness",
}

# Dev et al. (2020), Table 15: BERT base, all of SNLI.
PUBLISHED: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("", ""): (0.421, 0.397, 0.374, 0.209),
    ("", SUBWORD): (0.396, 0.371, 0.341, 0.167),
    ("", "random"): (0.398, 0.388, 0.328, 0.201),
    (SUBWORD, ""): (0.516, 0.526, 0.501, 0.354),
    ("random", ""): (0.338, 0.296, 0.253, 0.168),
}


@dataclass(frozen=True)
class Row:
    """A model, what acted in its training, and what acts at test beside that."""

    model: str
    trained: str
    tested: str = ""

    @property
    def name(self) -> str:
        """A name for files."""
        kept = (self.model, self.trained or "plain", self.tested or "as-trained")
        return "--".join("".join(c if c.isalnum() else "-" for c in part) for part in kept)

    @property
    def published(self) -> tuple[float, ...] | None:
        """What Dev et al. have for it: the mean over random directions stands for each."""
        trained, tested = (
            "random" if "random" in part else part for part in (self.trained, self.tested)
        )
        return PUBLISHED.get((trained, tested)) if self.model == "minilm" else None


def rows() -> Iterator[Row]:
    """Every model as it was trained, and the plain one with something at test."""
    for model, trained in TRAINED.items():
        for each in trained:
            yield Row(model, each)
            if not each and len(trained) > 1:
                yield from (Row(model, "", tested) for tested in (SUBWORD, *RANDOM))


def main() -> None:
    """Train what is not trained yet, ask what is not asked yet, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    pairs: Splits | None = None
    found: dict[Row, tuple[Record, Mapping[str, Any]]] = {}
    for row in rows():
        folder = given.work / Row(row.model, row.trained).name
        if not folder.exists():
            pairs = pairs or read_corpus(given.data, keep_texts=True)
            _train(given.models / row.model, row.trained, pairs, given.pairs, folder)
        record = given.work / f"{row.name}.json"
        if not record.exists():
            model = load_transformer(folder)
            probe("nli", model, method=row.tested or None).save(record)
            print(record.name, flush=True)
        found[row] = read_record(record), load_transformer(folder).folder.json("training.json")
    _write(found)


def _train(encoder: Path, method: str, pairs: Splits, most: int, target: Path) -> None:
    model = load_transformer(encoder)
    how = FineTuning(
        epochs=1,
        tune=f"last:{BLOCKS[encoder.name]}",
        precision="bfloat16",
        learning_rate=1e-4,
    )
    if method:
        after = treated_model(method, model, concept("gender")).after
        assert isinstance(after, TransformerModel)
        model = after
    kept = target.with_name(f"{target.name}.checkpoint")
    tuned = train_inference(model, pairs, how, most=most, checkpoint=kept)
    write_fine_tuned(tuned, target)
    kept.unlink(missing_ok=True)
    print(target.name, f"{tuned.record['dev_accuracy']:.4f}", flush=True)


def _write(found: Mapping[Row, tuple[Record, Mapping[str, Any]]]) -> None:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    ends = [f"{name} {end}" for name in SCORES for end in ("", "low", "high")]
    writer.writerow(["model", "in training", "at test", "dev accuracy", *map(str.strip, ends)])
    lines = []
    for row, (record, training) in found.items():
        by_name = {result.now.metric: result for result in record.results}
        values: list[str] = []
        shown: list[str] = []
        for metric in SCORES.values():
            now = by_name[metric].now
            low, high = (now.interval.low, now.interval.high) if now.interval else ("", "")
            values += [f"{number:.6g}" if number != "" else "" for number in (now.value, low, high)]
            shown.append(f"{now.value:.3f} ({low:.3f}–{high:.3f})")
        accuracy = "" if row.tested else f"{training['dev_accuracy']:.4f}"
        writer.writerow([row.model, row.trained, row.tested, accuracy, *values])
        published = " ".join(f"{number:.3f}" for number in row.published or ()) or ""
        acts = [f"`{part}`" if part else "–" for part in (row.trained, row.tested)]
        lines.append(f"| {row.model} | {' | '.join((*acts, *shown, accuracy, published))} |")
    write_text(RESULT, out.getvalue())
    head = (
        f"| model | in training | at test | {' | '.join(SCORES)} | dev | published NN FN T.5 T.7 |"
    )
    rule = "|---|---|---|" + "---|" * len(SCORES) + "---:|---|"
    made = "\n".join([head, rule, *lines])
    write_text(PAGE, between(PAGE, PAGE.read_text(encoding="utf-8"), "table", made))


if __name__ == "__main__":
    main()
