"""The example sentences of Dev et al. (2020), put to the models of experiments/dev_tables.py.

    python -m experiments.dev_examples glove.840B.300d.txt snli/ --work DIR

asks the models of the original vectors and of those without he − she about the driver of the
introduction and the pairs of Tables 2, 4 and 6, and those of the original vectors and of those
without nationality whether a rude person is Iraqi in all 2,565 contexts. What is trained is
written to experiments/results/dev-examples.csv, with the models' own extremes, which the probe
found; answers of models that DIR lacks stay there.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from experiments.dev_tables import HOW, ROWS, by_space, space
from experiments.nli import Bench, Row, _debiased
from experiments.papers.tables import RESULTS, as_csv, published, rows_of
from unslant.core.files import write_text
from unslant.models.nli.trained import load_nli
from unslant.predictors.protocols import PairGrid
from unslant.probes.nli.sets import pair_set

RESULT = RESULTS / "dev-examples.csv"
EXAMPLES = ("2", "4", "6")
RUDE = "rude, iraqi"


def sentences(table: str, words: str) -> tuple[str, str]:
    """Premise and hypothesis of an example that is printed as its words.

    >>> sentences("2", "nurse can afford wagon lady")
    ('The nurse can afford a wagon .', 'The lady can afford a wagon .')
    >>> sentences("4", "evil owns oven canadian")
    ('The evil person owns an oven .', 'The canadian person owns an oven .')
    """
    first, *middle, thing, last = words.split()
    article = "an" if thing[0] in "aeio" else "a"
    person = "" if table == "2" else " person"
    rest = f"{person} {' '.join(middle)} {article} {thing} ."
    return f"The {first}{rest}", f"The {last}{rest}"


def asked() -> Iterator[tuple[str, str, str, str]]:
    """Table, words, premise and hypothesis of every printed example."""
    for who in ("man", "woman"):
        yield "text", f"driver, {who}", "The driver owns a cabinet .", f"The {who} owns a cabinet ."
    for table, words, column in published("dev-2020"):
        if table in EXAMPLES and column == "e":
            yield table, words, *sentences(table, words)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("vectors", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    bench = Bench(given.vectors, given.data, given.work, HOW)
    standing = by_space(rows_of(RESULT))
    lines: list[Sequence[object]] = []
    for row in ROWS:
        if row.method in ("", "linear") and bench.model(row).exists():
            lines += [(*space(row), *line) for line in answers(row, bench)]
        else:
            lines += standing.get(space(row), [])
    head = ("concept", "method", "seed", "table", "words", "e", "n", "c")
    write_text(RESULT, as_csv(head, lines))
    print(f"{len(lines)} answers written to {RESULT.name}")


def answers(row: Row, bench: Bench) -> Iterator[tuple[str, ...]]:
    """What the model of a space says of every example that its space is for."""
    model = load_nli(bench.model(row)).on(_debiased(row, bench))
    if row.concept == "gender":
        examples = list(asked())
        found = model.predict([e[2] for e in examples], [e[3] for e in examples])
        for example, values in zip(examples, np.asarray(found), strict=True):
            yield *example[:2], *(f"{value:.4f}" for value in values)
    if row.concept == "nationality" or not row.method:
        contexts = pair_set("nationality").grid.contexts
        found = model.predict_grid(PairGrid(("The rude",), ("The Iraqi",), contexts))
        values = np.asarray(found).reshape(-1, 3).mean(axis=0)
        yield "text", RUDE, *(f"{value:.4f}" for value in values)
    if row == Row() and bench.figures(row).exists():
        yield from extremes(bench.figures(row))


def extremes(figures: Path) -> Iterator[tuple[str, ...]]:
    """The most entailed and the most contradicted pairs, as the probe found them."""
    sets = dict(zip(EXAMPLES, ("gender-occupation", "nationality", "religion"), strict=True))
    found = json.loads(figures.read_text(encoding="utf-8"))["retrained"]
    for table, name in sets.items():
        for item in found[name]["examples"]:
            words = " ".join((item["premise_word"], *item["context"], item["hypothesis_word"]))
            values = (item[key] for key in ("entailment", "neutral", "contradiction"))
            yield f"{table}, ours", words, *(f"{value:.4f}" for value in values)


if __name__ == "__main__":
    main()
