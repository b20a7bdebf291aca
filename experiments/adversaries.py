"""Trainings with and without adversaries on data with a known answer: the table of adversaries.md.

    python -m experiments.adversaries -o experiments/results/adversaries.csv

Learning rates, alpha and networks were tried on another draw of the data, with the seeds 0 to 2,
and chosen by the judgement there. Every run here has data and a seed of its own, and all are kept.
"""

import argparse
import csv
from dataclasses import replace
from pathlib import Path

from experiments.constructed_groups import Biased
from unslant.models.adversaries.leakage_probe import judged
from unslant.models.adversaries.settings import AdversarySettings
from unslant.models.adversaries.training import train_against
from unslant.models.training.schedule import Schedule

SEEDS = range(100, 110)
_BASE = AdversarySettings(
    attributes=("colour",), alpha="10", width=32, dropout=0.0, learning_rate=0.03
)
SETTINGS = {
    "plain": replace(_BASE, alpha="0", projection="none"),
    "odds, alpha 10": _BASE,
    "odds, alpha 1": replace(_BASE, alpha="1"),
    "odds, alpha 10, no projection": replace(_BASE, projection="none"),
    "parity, small, alpha 10": replace(_BASE, fairness="parity", network="small"),
}
COLUMNS = ("training", "seed", "accuracy", "read", "recovered", "low", "high", "above", "warnings")


def rows() -> list[dict[str, object]]:
    """One row for each training, seed and kind of reader."""
    found: list[dict[str, object]] = []
    for seed in SEEDS:
        task = Biased(draw=f" {seed}")
        how = Schedule(rounds=20, patience=20, learning_rate=0.003, warm_up=10, seed=seed)
        for name, settings in SETTINGS.items():
            outcome, opposition = train_against(task, how, settings)
            assert opposition is not None
            for fairness in ("odds", "parity"):
                reader = replace(_BASE, fairness=fairness)  # the same judge for all trainings
                each = judged(task, outcome.network, reader, seed=seed)["colour"]
                assert each.interval is not None
                found.append(
                    {
                        "training": name,
                        "seed": seed,
                        "accuracy": round(outcome.rounds[-1]["accuracy"], 4),
                        "read": fairness,
                        "recovered": round(each.accuracy or 0, 4),
                        "low": round(each.interval[0], 4),
                        "high": round(each.interval[1], 4),
                        "above": int(bool(each.is_above_chance)),
                        "warnings": len(opposition.warnings),
                    }
                )
            print(found[-2], found[-1], sep="\n", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    with parser.parse_args().output.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows())
