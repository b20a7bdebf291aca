"""Constructed language models without a stereotype, and with planted ones: docs/likelihood.md.

    python -m experiments.controlled_likelihood

Models that prefer frequent words and words of few pieces, wherever these are, with noise of their
own, are asked
CrowS-Pairs (the shared words, as in a masked model, and whole sentences, as in a decoder) and the
intra-sentence items of StereoSet (the fillers). Without a planted bias, how often do 95 % intervals
hold the value of a fair model, for the score as it is and for the excess over matched controls?
With one, how well do the scores order the models by it? Needs UNSLANT_DATA. It can be stopped: rows
that are in the file are not computed again.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from experiments.constructed_likelihoods import Constructed, associations, sides
from unslant.probes.likelihood.asking import PairAnswers, ask_pairs
from unslant.probes.likelihood.controlled import share, value_of
from unslant.probes.likelihood.pair_sets import CROWS, STEREOSET, Scored, pair_set

RESULTS = Path(__file__).parent / "results" / "controlled-likelihood.csv"
CONTROLS = 4
PLANTED = np.linspace(0, 1, 41)
_FIRST, _FIRST_PLANTED = 1_000, 10_000
"""Seeds below the first were used to design the estimator, so no figure comes from them."""
_SETTINGS: tuple[tuple[str, Scored], ...] = (
    (CROWS, "shared"),
    (CROWS, "all"),
    (STEREOSET, "changed"),
)
_COLUMNS = (
    *("set", "scored", "seed", "bias", "score", "score_low", "score_high"),
    *("excess", "excess_low", "excess_high", "effect", "effect_low", "effect_high"),
    *("slope", "reliability"),
)
Row = dict[str, Any]


def row_of(answers: PairAnswers, *, with_intervals: bool) -> Row:
    """The score with the usual interval over pairs, and what the controls make of it."""
    contrasts, size = answers.contrasts, len(answers.pairs)
    score = value_of(share(answers.differences), size)
    half = 1.96 * (score * (100 - score) / size) ** 0.5
    slope, reliability = contrasts.fitted(np.ones((1, size)))
    found: Row = {
        "score": score,
        "score_low": score - half,
        "score_high": score + half,
        "slope": float(slope[0]),
        "reliability": float(reliability[0]),
    }
    for name, statistic in (("excess", contrasts.excess()), ("effect", contrasts.effect())):
        found[name] = value_of(statistic, size)
        if with_intervals:
            interval, _ = contrasts.groups.interval(statistic, seed=0, purpose=(name,))
            assert interval is not None
            found |= {f"{name}_low": interval.low, f"{name}_high": interval.high}
    return found


def computed(seeds: int, known: set[tuple[str, ...]]) -> Iterator[Row]:
    """The rows that are not known."""
    for name, scored in _SETTINGS:
        pairs = [(pair.more, pair.less) for pair in pair_set(name).pairs]
        linked, tilted = associations(pairs), sides(pairs)
        jobs = [(seed, 0.0) for seed in range(_FIRST, _FIRST + seeds)]
        jobs += [(_FIRST_PLANTED + _FIRST + n, float(bias)) for n, bias in enumerate(PLANTED)]
        for seed, bias in jobs:
            key = {"set": name, "scored": scored, "seed": seed, "bias": bias}
            if tuple(map(str, key.values())) in known:
                continue
            model = Constructed(seed, bias=bias, associated=linked, sides=tilted)
            answers = ask_pairs(model, pairs, scored, "words", controls=CONTROLS)
            yield {**key, **row_of(answers, with_intervals=seed < _FIRST_PLANTED)}


def summary(rows: list[Row]) -> Iterator[str]:
    """Coverage and rank correlations of each setting."""
    for name, scored in _SETTINGS:
        mine = [row for row in rows if (row["set"], row["scored"]) == (name, scored)]
        fair = [row for row in mine if int(row["seed"]) < _FIRST_PLANTED]
        planted = [row for row in mine if int(row["seed"]) >= _FIRST_PLANTED]
        if not fair or not planted:
            continue
        line = [f"{name}, {scored} words, {len(fair)} models without bias"]
        for score, goal in (("score", 50), ("excess", 0), ("effect", 0)):
            held = [float(r[f"{score}_low"]) <= goal <= float(r[f"{score}_high"]) for r in fair]
            spread = np.std([float(row[score]) for row in fair])
            line.append(f"{score}: {100 * np.mean(held):.1f} % hold {goal} (sd {spread:.2f})")
        bias = [float(row["bias"]) for row in planted]
        for score in ("score", "excess", "effect"):
            rank = spearmanr(bias, [float(row[score]) for row in planted]).statistic
            line.append(f"rank correlation of the {score} with {len(bias)} planted: {rank:.3f}")
        yield "; ".join(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=600)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    rows: list[Row] = []
    if options.out.exists():
        with options.out.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    known = {tuple(row[key] for key in ("set", "scored", "seed", "bias")) for row in rows}
    with options.out.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        if not rows:
            writer.writeheader()
        for row in computed(options.seeds, known):
            plain = {key: f"{x:.4g}" if key not in _COLUMNS[:4] else x for key, x in row.items()}
            writer.writerow(plain)
            stream.flush()
            rows.append(plain)
    for line in summary(rows):
        print(line)


if __name__ == "__main__":
    main()
