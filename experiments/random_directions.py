"""Does removing one random direction count as a change of the bias? It must not, in 19 of 20.

    python -m experiments.random_directions

Debiases the built-in vectors by random directions, 40 times on gender and 20 times on race, and by
real methods, and keeps what the headline then claims. A row that is in the table is not run again.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import unslant as us
from experiments.csv_table import write_csv
from unslant.methods.streaming import debiased
from unslant.studies.debiasing import debiasing, jobs_for

RESULTS = Path(__file__).parent / "results" / "random-directions.csv"
COLUMNS = ("concept", "method", "outcome", "removed", "removed-by-chance")
RUNS = {"gender": 40, "race": 20}
FIRST = 100
"""Seeds of the directions; those of the controls begin at 0."""
METHODS = ("hard", "hard | misp", "misp", "inlp", "leace", "linear")


def rows() -> Iterator[tuple[str, str]]:
    """Every concept with every method, real ones first."""
    yield from ((concept, method) for concept in RUNS for method in METHODS)
    for concept, many in RUNS.items():
        yield from ((concept, f"random(seed={FIRST + number})") for number in range(many))


def claim(name: str, method: str) -> tuple[str, float | None, float | None]:
    """What the headline says became of the bias, and the shares that it rests on."""
    vectors, concept = us.load(), us.concept(name)
    eraser = us.fit(method, vectors, concept)
    jobs = [job for job in jobs_for(concept, "main") if job[1] is not None]  # no quality
    found = debiasing(vectors, debiased(vectors, eraser), eraser, concept, jobs=jobs)
    whole = found.record.conclusion
    assert whole is not None, "a comparison has a conclusion"
    return whole.outcome or "not judged", whole.removed, whole.removed_by_chance


def main() -> None:
    done: dict[tuple[str, str], list[object]] = {}
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {
                (row["concept"], row["method"]): [*row.values()] for row in csv.DictReader(file)
            }
    for row in rows():
        if row not in done:
            done[row] = [*row, *claim(*row)]
            write_csv(RESULTS, COLUMNS, done.values())
            print(*done[row], flush=True)
    for concept, many in RUNS.items():
        drawn = [
            line for (of, by), line in done.items() if of == concept and by.startswith("random")
        ]
        false = sum(line[2] != "undecided" for line in drawn)
        print(f"{concept}: {false} of {len(drawn)} (of {many}) random directions claimed a change")


if __name__ == "__main__":
    main()
