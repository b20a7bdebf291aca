"""Compute, write and check the pages in docs/papers/.

    python -m experiments.papers VECTORS --work DIR     a folder with the vectors of the plan
    python -m experiments.papers                        pages and promises from committed results
    python -m experiments.papers --check                write nothing; fail if a page would change

The exit status is 1 if a promise fails. DIR keeps the study, so a run that was stopped goes on.
"""

import argparse
import sys
from pathlib import Path

import unslant as us
from experiments.papers import cheung_ip, dev_2020, spaces, study
from experiments.papers.pages import outdated, promises, write_pages
from experiments.papers.promises import promises_table
from unslant.cli import shared
from unslant.core.files import write_text


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.papers", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("vectors", nargs="?", type=Path, help="folder with the vectors of the plan")
    parser.add_argument("--work", type=Path, default=Path("papers-study"), help="keeps the study")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    if given.vectors:
        try:
            compute(given.vectors, given.work, given.workers)
        except us.UnslantError as error:
            print(error, file=sys.stderr)
            return 2
    if given.check:
        old = outdated()
        for page in old:
            print(f"docs/papers/{page} is not what the results give: python -m experiments.papers")
        return 1 if old else 0
    for page in write_pages():
        print(f"docs/papers/{page} written")
    found = promises()
    print(promises_table(found))
    return 1 if any(promise.holds is False for promise in found) else 0


def compute(folder: Path, work: Path, workers: int) -> None:
    """Everything that needs vectors and no training, into experiments/results."""
    files = study.vector_files(folder)
    vectors = us.load(files["GloVe 840B"])
    write_text(cheung_ip.RESULT, cheung_ip.computed(vectors))
    write_text(dev_2020.STABILITY, dev_2020.computed(vectors))
    with shared.progress_bar() as progress:
        write_text(study.RESULT, study.compute(files, work, workers, progress))
        write_text(spaces.RESULT, spaces.compute(files, progress))


if __name__ == "__main__":
    sys.exit(main())
