"""GloVe and GN-GloVe trained on novels: the thesis' rows of GN-GloVe on vectors of ours.

    python -m experiments.glove novels.txt.xz --snli snli/ --work DIR
    python -m experiments.glove --tables DIR

The first command trains both (or takes DIR/glove.safetensors and DIR/gn-glove.safetensors if they
are there), and runs one study: plain GloVe and Hard Debias, GN-GloVe, w_a, w_a with MISP and MHD,
and w_a with MISP's four weights on the wrong axes, in all 23 ways. Every cell is kept in DIR, and
a run that was stopped continues. ``--pairs`` is how many SNLI pairs each inference model is
trained on (0: none are trained); ``--assignments`` how many of the 23 ways. The second command, at
any time, writes what is done to experiments/results/glove.csv and docs/glove-table.md. Needs the
similarity and analogy sets (UNSLANT_DATA, or ``unslant files fetch all``).
"""

import argparse
import csv
import gzip
import io
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scripts.marked_page import between

import unslant as us
from unslant.core.files import write_text
from unslant.methods.misp import assignments
from unslant.models.glove.neutral import groups_of, view
from unslant.models.glove.output import Attribute, train_to
from unslant.models.glove.settings import CountSettings, GloveSettings, NeutralSettings
from unslant.studies.run.store import Store
from unslant.vectors import WordVectors

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "glove-table.md"
RESULTS = ROOT / "experiments" / "results" / "glove.csv"

INTRINSIC: Mapping[str, str] = {
    "DB": '"direct-bias(neutral=most-frequent, of=refitted)"',
    "MIDB": '"midb"',
    "Clus v1500": '{ measure = "clustering(n=750)", detail = "V-measure" }',
    "Rec LR": '"recoverability"',
    "SB def": '"sembias"',
    "SB stereo": '{ measure = "sembias", detail = "stereotype" }',
    "GIPE": '"gipe(threshold=0.03)"',
}
INFERENCE = {"E": "error-nouns", "d": "distance-nouns"}
QUALITY: Mapping[str, str] = {
    "Google": "analogy(dataset=google)",
    "MSR": "analogy(dataset=msr)",
    "RG": "similarity(dataset=rg-65)",
    "WS353": "similarity(dataset=wordsim-353)",
    "MTurk": "similarity(dataset=mturk-287)",
    "MEN": "similarity(dataset=men)",
    "SL999": "similarity(dataset=simlex-999)",
}
METHODS: Mapping[str, tuple[str, str]] = {
    "GloVe": ("GloVe", ""),
    "GloVe.HD": ("GloVe", "hard"),
    "GloVe.MISP": ("GloVe", "misp"),
    "GN-GloVe": ("GN-GloVe", ""),
    "GN-GloVe(w_a)": ("GN-GloVe", "drop-last"),
    "GN-GloVe(w_a).MISP": ("GN-GloVe", "drop-last | misp"),
    "GN-GloVe(w_a).MHD": ("GN-GloVe", "drop-last | mhd"),
}

OWN_BASELINE = (
    "\\* A study compares vectors with the resource they were made of, so the baseline of GIPE in "
    "these rows is GN-GloVe itself, not GloVe. They do not compare with the other rows, nor with "
    "the published values. With GloVe of the same novels as the baseline, GIPE of GN-GloVe(w_a) is "
    ".015 ([coreference-table.md]({folder}coreference-table.md))."
)
"""What is said under a table with the cells that :func:`marked` marks."""

COLUMNS = (*INTRINSIC, *INFERENCE, *QUALITY)

# Dawkins (2023), Tables 3.1, 3.4 and B.1 and section 3.5, in the order of COLUMNS; 300 dimensions,
# Wikipedia, all of SNLI.
PRINTED: Mapping[str, str] = {
    "GloVe": ".055 -.032 .984 1 .802 .109 .115 .182 .225 .7080 .5149 .7529 - .6427 .7219 .3486",
    "GloVe.HD": "0 -.004 .302 .927 .786 .130 .070 .155 .128 - - - - - - -",
    "GloVe.MISP": "- - - - - - - - - .7084 .5151 .7606 - .6432 .7241 .3504",
    "GN-GloVe": ".038 .172 .588 .999 .977 .014 .141 .301 .408"
    " .6887 .4929 .7411 - .6636 .7449 .3712",
    "GN-GloVe(w_a)": ".068 -.096 .497 .989 .939 .011 .117 .149 .115"
    " .6887 .4938 .7546 - .6655 .7472 .3753",
    "GN-GloVe(w_a).MISP": "- - .498 .992 .938 - .1169 .1107 .0874"
    " .6889 .4926 .7549 - .6645 .7476 .3760",
    "GN-GloVe(w_a).MHD": "- - - - - - - .1501 .1603 - - - - - - -",
}
PUBLISHED = {
    row: {
        column: float(text)
        for column, text in zip(COLUMNS, printed.split(), strict=True)
        if text != "-"
    }
    for row, printed in PRINTED.items()
}


def marked(row: str, column: str, shown: str) -> str:
    """The cell with a mark if its baseline is not that of the other rows."""
    return f"{shown}\\*" if column == "GIPE" and row.startswith("GN-GloVe") else shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", nargs="?", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--snli", type=Path, help="a folder with SNLI, as in UNSLANT_DATA")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--assignments", type=int, default=23)
    parser.add_argument("--iterations", type=int, default=GloveSettings.iterations)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tables", type=Path, metavar="DIR")
    given = parser.parse_args()
    if given.tables:
        write_tables(given.tables)
        return
    if not (given.corpus and given.work and (given.snli or not given.pairs)):
        parser.error("name a corpus, --work, and --snli unless --pairs is 0")
    given.work.mkdir(parents=True, exist_ok=True)
    trained(given.corpus, given.work, given.iterations, given.threads)
    write_text(given.work / "leaning.json", json.dumps(leanings(given.work), indent=1))
    folder = pairs(given.snli, given.pairs, given.work) if given.pairs else None
    write_text(given.work / "plan.toml", plan(folder, given.assignments))
    us.study(given.work / "plan.toml", given.work / "study", workers=given.workers, progress=said)


def said(what: str, done: int, total: int) -> None:
    print(f"{what}: {done:,} of {total:,}", flush=True)


def trained(corpus: Path, work: Path, iterations: int, threads: int) -> None:
    """GloVe and GN-GloVe on the same counts; novels have hard line breaks."""
    counting = CountSettings(boundary="paragraph")
    how = GloveSettings(iterations=iterations, threads=threads)
    for name, attribute in (("glove", None), ("gn-glove", Attribute(concept="gender"))):
        output = work / f"{name}.safetensors"
        if not output.exists():
            counts = work / "counts"
            train_to(output, corpus, counting, how, attribute, counts_folder=counts, progress=said)


def leanings(work: Path) -> dict[str, dict[str, float]]:
    """Mean |v·w| and |cos(v, w)| over neutral words, v the mean difference of the pairs."""
    plain, whole = (us.load(work / f"{name}.safetensors") for name in ("glove", "gn-glove"))
    assert isinstance(plain, WordVectors)
    assert isinstance(whole, WordVectors)
    groups = groups_of(us.concept("gender"), list(plain.words), NeutralSettings())
    found = {}
    for name, vectors in (("GloVe", plain), ("GN-GloVe(w_a)", view(whole, "w_a"))):
        first, second = (vectors.rows_at(rows).mean(axis=0) for rows in groups.members)
        words, v = vectors.rows_at(np.flatnonzero(groups.kinds == 0)), first - second
        along = np.abs(words @ v)
        cosines = along / np.linalg.norm(words, axis=1) / np.linalg.norm(v)
        found[name] = {"inner": float(along.mean()), "cosine": float(cosines.mean())}
    w_g = whole.matrix[:, -1]
    for number, group in enumerate((*groups.names, "neutral")):
        rows = groups.kinds == (number + 1) % 3
        found[f"w_g of {group}"] = {"mean": float(w_g[rows].mean()), "words": int(rows.sum())}
    return found


def pairs(snli: Path, most: int, work: Path) -> Path:
    """A folder with the first pairs of SNLI's training set and the whole dev set."""
    folder = work / f"snli-{most}"
    if not folder.exists():
        part = work / f".snli-{most}"
        part.mkdir(exist_ok=True)
        with gzip.open(snli / "snli_1.0_train_100k.jsonl.gz", "rt", encoding="utf-8") as stream:
            write_text(part / "snli_train.jsonl", "".join(islice(stream, most)))
        for name in ("s1.dev", "s2.dev", "labels.dev"):
            shutil.copyfile(snli / name, part / name)
        part.replace(folder)
    return folder


def rows_of(several: int) -> Iterator[tuple[str, str, str]]:
    """Name, vectors and method of every row."""
    for name, (resource, method) in METHODS.items():
        yield name, resource, method
    for order in assignments(4)[1 : several + 1]:
        method = f"drop-last | misp(assignment={order})"
        yield f"GN-GloVe(w_a).MISP {order}", "GN-GloVe", method


def plan(folder: Path | None, several: int) -> str:
    """The study: all measures for the rows, and of the wrong assignments those of inference."""
    rows = list(rows_of(several))
    measures = [f'"{name}" = {given}' for name, given in INTRINSIC.items()]
    measures += [f'"{name}" = "{given}"' for name, given in QUALITY.items()]
    asked: list[str] = []
    if folder is not None:
        asked = list(INFERENCE)
        probe = 'probe = "nli", set = "marked-attribute"'
        measures += [
            f'{name} = {{ {probe}, measure = "marked-{given}", retrain = "{folder.name}" }}'
            for name, given in INFERENCE.items()
        ]
    methods = [f"\"{name}\" = '{method}'" for name, _, method in rows]
    main_rows = [*INTRINSIC, *QUALITY, *asked]
    matrices = []
    for resource in ("GloVe", "GN-GloVe"):
        own = [name for name, given, _ in rows if given == resource and name in METHODS]
        matrices.append(matrix(resource, own, main_rows))
    others = [name for name, _, _ in rows if name not in METHODS]
    if others:
        matrices.append(matrix("GN-GloVe", others, ["MIDB", *asked]))
    return "\n".join(
        [
            'name = "glove"',
            'about = "GloVe and GN-GloVe trained on novels, debiased and measured."',
            *("[resources]", 'GloVe = "glove.safetensors"', 'GN-GloVe = "gn-glove.safetensors"'),
            *("[methods]", *methods, "[measures]", *measures, *matrices, ""),
        ]
    )


def matrix(resource: str, methods: Sequence[str], measures: Sequence[str]) -> str:
    return (
        f"[[matrix]]\nresources = {json.dumps([resource])}\n"
        f"methods = {json.dumps(list(methods))}\nmeasures = {json.dumps(list(measures))}"
    )


def write_tables(work: Path) -> None:
    """What is done, as a table of all cells and as the page's tables."""
    found: dict[str, dict[str, float | None]] = {}
    for item in Store(work / "study").records():
        with suppress(KeyError):  # a cell that failed has no measurement
            value = item.result["measurement"]["value"]
            found.setdefault(str(item.label[1]), {})[str(item.label[2])] = value
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(["row", *COLUMNS])
    names = [name for name, _, _ in rows_of(23) if name in found]
    for name in names:
        writer.writerow([name, *(_plain(found[name], column) for column in COLUMNS)])
    write_text(RESULTS, made.getvalue())
    text = PAGE.read_text(encoding="utf-8")
    own = [name for name in names if name in METHODS]
    intrinsic = table(found, own, [*INTRINSIC, *INFERENCE])
    for mark, shown in (
        ("intrinsic", f"{intrinsic}\n\n{OWN_BASELINE.format(folder='')}"),
        ("quality", table(found, own, list(QUALITY))),
        ("assignments", assigned(found)),
        ("training", training(work)),
    ):
        text = between(PAGE, text, mark, shown)
    write_text(PAGE, text)


def table(
    found: Mapping[str, Mapping[str, float | None]], names: Sequence[str], columns: Sequence[str]
) -> str:
    """Our values, and in brackets the published ones."""
    rows = []
    for name in names:
        theirs = PUBLISHED.get(name, {})
        cells = [
            marked(name, column, _n(found[name].get(column)))
            + (f" ({_n(theirs[column])})" if column in theirs else "")
            for column in columns
        ]
        rows.append([name, *cells])
    return _lines(["", *columns], rows)


def assigned(found: Mapping[str, Mapping[str, float | None]]) -> str:
    """E of the 23 wrong assignments beside that of MISP."""
    errors = {
        name.removeprefix("GN-GloVe(w_a).MISP").strip() or "1-2-3-4": values["E"]
        for name, values in found.items()
        if name.startswith("GN-GloVe(w_a).MISP") and values.get("E") is not None
    }
    if "1-2-3-4" not in errors:
        return "Not computed."
    own = errors.pop("1-2-3-4")
    below = [order for order, value in errors.items() if value < own]  # type: ignore[operator]
    ordered = sorted(errors.items(), key=lambda item: item[1] or 0.0)
    said_so = (
        f"{len(below)} of {len(errors)} wrong assignments have a lower E than MISP ({_n(own)})"
    )
    rows = [[order, _n(value)] for order, value in ordered]
    return f"{said_so}.\n\n{_lines(['assignment', 'E'], rows)}"


def training(work: Path) -> str:
    """Text, loss and how far neutral words lean, of both trainings."""
    leaning = json.loads((work / "leaning.json").read_text(encoding="utf-8"))
    rows = []
    for name, row in (("glove", "GloVe"), ("gn-glove", "GN-GloVe(w_a)")):
        record = json.loads((work / f"{name}.json").read_text(encoding="utf-8"))
        corpus, losses = record["corpus"], [each["loss"] for each in record["iterations"]]
        rows.append(
            [
                *(row, f"{corpus['tokens']:,}", f"{corpus['words']:,}", f"{corpus['cells']:,}"),
                *(str(len(losses)), f"{losses[0]:.4f}", f"{losses[-1]:.4f}"),
                *(f"{leaning[row][key]:.4f}" for key in ("inner", "cosine")),
            ]
        )
    head = ["", "tokens", "words", "pairs", "iterations", "first loss", "last loss"]
    return _lines([*head, "mean abs. v·w", "mean abs. cos(v, w)"], rows)


def _plain(values: Mapping[str, Any], column: str) -> str:
    if column not in values:
        return ""
    return "NA" if values[column] is None else repr(values[column])


def _n(value: float | None) -> str:
    if value is None:
        return "NA"
    text = f"{value:.3f}".replace("-", "−")
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


if __name__ == "__main__":
    main()
