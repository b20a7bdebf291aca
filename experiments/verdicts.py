"""Are the words of verdicts right? Spaces with a planted bias, 100 seeds for each level.

    python -m experiments.verdicts

A verdict is right if its level is the planted one: strictly, so "at least weak, probably moderate"
is wrong for a moderate bias. It is too strong if it claims more than was planted. Effects are
planted in the middle of a level, and word sets are large enough for an interval to lie inside it;
smaller sets show what becomes of the words if they are not. A row is skipped if the table has it.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from experiments.planted_spaces import association, recovery
from unslant.core.record import Record

RESULTS = Path(__file__).parent / "results" / "verdicts.csv"
SEEDS = 100
ORDER = ("undecided", "weak", "moderate", "strong")
EFFECTS = {"undecided": 0.0, "weak": 0.35, "moderate": 0.65, "strong": 1.2}
ACCURACIES = {"undecided": 0.5, "weak": 0.6, "moderate": 0.7, "strong": 0.85}
ENOUGH = {"undecided": 400, "weak": 400, "moderate": 1_200, "strong": 400}
"""Words in each target set for which the interval of an effect lies inside its level."""
FEW = (8, 32)
COLUMNS = ("measure", "level", "planted", "words", "seeds", *ORDER, "right", "too strong", "named")

Maker = Callable[[int], Record]


def cases() -> Iterator[tuple[str, str, float, int, Maker]]:
    """The measure, the level, what is planted, the words in a set, and how to make a space."""
    for level, accuracy in ACCURACIES.items():
        yield "recoverability", level, accuracy, 2_500, partial(recovery, accuracy=accuracy)
    for size in FEW:
        for level, effect in EFFECTS.items():
            yield "weat", level, effect, size, partial(association, effect=effect, size=size)
    for level, effect in EFFECTS.items():
        size = ENOUGH[level]
        yield "weat", level, effect, size, partial(association, effect=effect, size=size)


def counted(maker: Maker, level: str, seeds: int = SEEDS) -> dict[str, int]:
    """How often each level is the verdict, and how often it is right, too strong or named."""
    found: Counter[str] = Counter()
    for seed in range(seeds):
        finding = maker(seed).results[0].finding
        assert finding is not None
        found[finding.level] += 1
        found["right"] += finding.level == level
        found["too strong"] += ORDER.index(finding.level) > ORDER.index(level)
        found["named"] += level in (finding.level, finding.probable)
    return {name: found[name] for name in (*ORDER, "right", "too strong", "named")}


def main() -> None:
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {(row["measure"], row["level"], row["words"]) for row in csv.DictReader(file)}
    else:
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    for measure, level, planted, words, maker in cases():
        if (measure, level, str(words)) in done:
            continue
        found = counted(maker, level)
        with RESULTS.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(
                [measure, level, planted, words, SEEDS, *found.values()]
            )
        print(measure, level, planted, words, found, flush=True)


if __name__ == "__main__":
    main()
