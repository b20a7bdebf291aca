"""Coreference on original and debiased vectors, with and without swapped documents: Table 4.1.

    python -m experiments.coreference NAME=VECTORS … --data litbank/ --work DIR

Each space is trained on the documents as they are and on documents doubled by the gender swap, with
each seed, and each model is asked WinoBias (dev) and SoWinoBias. Models and records are kept in
DIR as soon as they are done, so a run that was stopped goes on where it was; several runs may share
DIR (``--only NAME``). At the end all records in DIR are written to
experiments/results/coreference.csv and, as tables, into docs/coreference-table.md;
``--tables-only`` does only that. UNSLANT_DATA names the folder with winobias/.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from scripts.marked_page import between

import unslant as us
from experiments.csv_table import write_csv
from unslant.core.files import write_text
from unslant.core.read_record import record_from
from unslant.core.record import Record

SEEDS = (0, 1)
PROBES = {"winobias": "winobias", "sowinobias": "sowinobias"}
AUGMENTED: Mapping[str, tuple[str, ...]] = {
    "": ("--rounds", "8"),
    "swapped": ("--swap", "gender", "--rounds", "4"),
}
"""As many steps with twice the documents."""
HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "coreference.csv"
PAGE = HERE.parent / "docs" / "coreference-table.md"
HEAD = ("space", "documents", "seed", "score", "value", "low", "high", "p")
TITLES: Mapping[str, str] = {
    "glove": "GloVe",
    "hard": "Hard-GloVe",
    "ran": "RAN-GloVe",
    "inlp": "INLP-GloVe",
    "novels": "GloVe of novels",
    "gn": "GN-GloVe(w_a) of novels",
}
Cell = tuple[float, float, float]
PUBLISHED: Mapping[tuple[str, str], tuple[str, str]] = {
    ("glove", ""): ("77.8 48.8 29.0", "64.2 46.8 17.4"),
    ("glove", "swapped"): ("67.0 59.0 8.0", "62.8 56.5 6.4"),
    ("hard", ""): ("66.5 59.1 7.4", "63.6 49.2 14.3"),
    ("hard", "swapped"): ("64.0 61.9 2.1", "77.1 50.1 27.0"),
    ("ran", ""): ("72.8 53.2 19.6", "70.2 60.0 10.2"),
    ("ran", "swapped"): ("60.1 63.8 3.7", "69.5 59.4 10.0"),
    ("inlp", ""): ("67.5 57.5 10.0", "68.4 46.1 22.4"),
    ("inlp", "swapped"): ("66.2 59.1 7.1", "73.4 65.1 8.3"),
    ("gn", ""): ("63.4 61.1 2.3", "68.0 49.7 18.3"),
    ("gn", "swapped"): ("59.0 66.0 7.0", "72.1 69.7 2.4"),
}
"""WinoBias (F1) and SoWinoBias (accuracy): pro, anti, difference (Dawkins 2023, Table 4.1)."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("spaces", nargs="*", metavar="NAME=VECTORS")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seeds", nargs="*", type=int, default=SEEDS)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--tables-only", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if not given.tables_only:
        if given.data is None:
            parser.error("name the folder of the documents with --data")
        spaces = dict(each.split("=", 1) for each in given.spaces)
        for seed in given.seeds:
            for documents in AUGMENTED:
                for name, path in spaces.items():
                    if not given.only or name in given.only:
                        one(name, Path(path), documents, seed, given.data, given.work)
    write_tables(given.work)


def one(name: str, vectors: Path, documents: str, seed: int, data: Path, work: Path) -> None:
    """One model and its records, unless they are there."""
    stem = f"{name} -- {documents} -- {seed}"
    model = work / f"{stem}.safetensors"
    began = time.monotonic()
    if not model.exists():
        train = [sys.executable, "-m", "unslant", "train", "coref", str(vectors), "--json"]
        train += ["--data", str(data), "--seed", str(seed), *AUGMENTED[documents]]
        with (work / f"{stem}.log").open("w") as log:
            subprocess.run([*train, "-o", str(model)], check=True, stdout=log, stderr=log)
    for probe in PROBES:
        target = work / f"{stem} -- {probe}.json"
        if not target.exists():
            us.probe(PROBES[probe], us.load(vectors), model=model).save(target)
    print(f"{stem}: {time.monotonic() - began:.0f} s", flush=True)


Key = tuple[str, str, int]


def records(work: Path) -> dict[Key, dict[str, Record]]:
    """The records of each model, by probe."""
    found: dict[Key, dict[str, Record]] = {}
    for path in sorted(work.glob("* -- *.json")):
        parts = path.stem.split(" -- ")
        if len(parts) == 4 and parts[3] in PROBES:
            key = parts[0], parts[1], int(parts[2])
            found.setdefault(key, {})[parts[3]] = record_from(json.loads(path.read_text()))
    order = list(TITLES)
    return dict(sorted(found.items(), key=lambda item: (order.index(item[0][0]), *item[0][1:])))


def held_out(work: Path, key: Key) -> Mapping[str, float]:
    """F1 on held-out documents, with predicted and with gold mentions."""
    record = json.loads((work / f"{key[0]} -- {key[1]} -- {key[2]}.json").read_text())["record"]
    scores = record["scores"]["held_out"]
    return {kind: float(each["conll_f1"]) for kind, each in scores.items()}


def rows(work: Path) -> Iterator[tuple[object, ...]]:
    for key, both in records(work).items():
        for kind, value in held_out(work, key).items():
            yield *key, f"held-out-{kind.replace('_', '-')}", value, None, None, None
        for record in both.values():
            for result in record.results:
                now = result.now
                ends = (now.interval.low, now.interval.high) if now.interval else (None, None)
                yield *key, now.metric, now.value, *ends, now.p.value if now.p else None


def write_tables(work: Path) -> None:
    write_csv(RESULT, HEAD, rows(work))
    text = PAGE.read_text(encoding="utf-8")
    for mark, made in (
        ("results", results_table(work)),
        ("types", types_table(work)),
        ("polarity", polarity_table(work)),
    ):
        text = between(PAGE, text, mark, made)
    write_text(PAGE, text)


def by_setting(work: Path) -> dict[tuple[str, str], dict[str, list[Cell]]]:
    """For each space and kind of documents, each score by seed: value and ends of its interval."""
    found: dict[tuple[str, str], dict[str, list[Cell]]] = {}
    for (name, documents, seed), both in records(work).items():
        scores = found.setdefault((name, documents), {})
        for kind, value in held_out(work, (name, documents, seed)).items():
            scores.setdefault(kind, []).append((value, np.nan, np.nan))
        for record in both.values():
            for result in record.results:
                ends = result.now.interval
                low, high = (ends.low, ends.high) if ends else (np.nan, np.nan)
                cell = (np.nan if result.now.value is None else result.now.value, low, high)
                scores.setdefault(result.now.metric, []).append(cell)
    return found


def _mean(cells: list[Cell]) -> str:
    return f"{100 * float(np.mean([cell[0] for cell in cells])):.1f}"


def _each(cells: list[Cell]) -> str:
    """Each seed's value with its interval."""
    return "; ".join(
        f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})".replace("-", "−")
        for value, low, high in cells
    )


def _name(setting: tuple[str, str]) -> str:
    return f"{TITLES[setting[0]]}{' + swap' if setting[1] else ''}"


def _table(head: str, lines: list[str]) -> str:
    return "\n".join([head, f"|{'---|' * (head.count('|') - 1)}", *lines])


def results_table(work: Path) -> str:
    """Table 4.1: means over seeds, and each seed's difference with its interval."""
    lines = []
    for setting, scores in by_setting(work).items():
        f1 = [_mean(scores[f"winobias-f1-type1-{version}"]) for version in ("pro", "anti")]
        so = [_mean(scores[f"sowinobias-accuracy-all-{version}"]) for version in ("pro", "anti")]
        published = PUBLISHED.get(setting, ("", ""))
        cells = [
            _name(setting),
            f"{_mean(scores['predicted_mentions'])} / {_mean(scores['true_mentions'])}",
            *f1,
            _each(scores["winobias-f1-difference-type1"]),
            published[0],
            *so,
            _each(scores["sowinobias-difference-all"]),
            published[1],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    head = (
        "| vectors | held-out F1, predicted / gold mentions | WinoBias type 1, F1: pro | anti "
        "| difference, each seed | published | SoWinoBias: pro | anti | difference, each seed "
        "| published |"
    )
    return _table(head, lines)


def types_table(work: Path) -> str:
    """WinoBias as accuracies: type 1 needs knowledge, type 2 is decided by syntax."""
    return _two_parts(work, "winobias", {"type1": "type 1", "type2": "type 2"})


def polarity_table(work: Path) -> str:
    """Table C.1: SoWinoBias by the polarity of the adjective."""
    return _two_parts(work, "sowinobias", {"positive": "positive", "negative": "negative"})


def _two_parts(work: Path, probe: str, parts: Mapping[str, str]) -> str:
    """Accuracies in both versions and their difference, for two parts of a set."""
    lines = []
    for setting, scores in by_setting(work).items():
        cells = [_name(setting)]
        for part in parts:
            cells += [_mean(scores[f"{probe}-accuracy-{part}-{one}"]) for one in ("pro", "anti")]
            cells.append(_each(scores[f"{probe}-difference-{part}"]))
        lines.append(f"| {' | '.join(cells)} |")
    heads = (f"{title}: pro | anti | difference, each seed" for title in parts.values())
    return _table(f"| vectors | {' | '.join(heads)} |", lines)


if __name__ == "__main__":
    main()
