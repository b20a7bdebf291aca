"""Try to break every promise, put mistakes of others into our code, and write the table.

>>> # make attack, or: python attacks/run.py --rows 1 4 31, python attacks/run.py --mistakes F5 F16
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

if not __package__:  # started as a file: the folder above must be importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.machine import processor, system

from attacks.museum import ROOT, Exempt, Mutant, Trial, museum, trials
from attacks.outcomes import Outcome, read
from attacks.promises import KEPT, Promise, Result, promises, result, verdict_of
from attacks.table import page

PAGE = ROOT / "docs" / "promises.md"
WORKERS = 2


def machine() -> str:
    """What the figures were measured on."""
    python = f"Python {platform.python_version()}"
    return f"{os.cpu_count()} cores ({processor()}), {system()}, {python}"


def outcomes_of(wanted: Sequence[Promise]) -> list[Outcome]:
    """Run the tests of promises, in their long versions, on two processes."""
    tests = list(dict.fromkeys(proof.test for promise in wanted for proof in promise.proofs))
    with tempfile.TemporaryDirectory(prefix="unslant-attack-") as folder:
        path = Path(folder) / "outcomes.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "attacks.outcomes"]
        command += ["--outcomes", str(path), "-p", "no:cacheprovider", "-m", "full or not full"]
        command += ["-n", str(WORKERS), "--dist", "loadfile", "--no-loadscope-reorder"]
        done = subprocess.run([*command, "--basetemp", f"{folder}/tmp", *tests], cwd=ROOT)
        if not path.exists():
            sys.exit(f"The tests did not end: pytest gave {done.returncode}.")
        return read(path)


def mistakes(wanted: Sequence[Mutant]) -> list[Trial]:
    """Try all mutants, telling each as it ends."""
    stale = [one for one in wanted if one.occurrences != 1]
    if stale:
        sys.exit(f"{stale[0].file} no longer has the text of {stale[0].fault}: {stale[0].ours}")
    found = []
    for trial in trials(wanted, WORKERS):
        word = "caught" if trial.caught else "SURVIVED"
        print(
            f"{word} {trial.mutant.fault} {trial.mutant.mistake} ({trial.said[:120]})", flush=True
        )
        found.append(trial)
    return found


def document(
    results: Mapping[str, Sequence[Result]], tried: Sequence[Trial], exempt: Sequence[Exempt]
) -> dict[str, object]:
    """Everything that the page says, for other programs."""
    return {
        "machine": machine(),
        "promises": {
            row: {"verdict": verdict_of(found), "proofs": [asdict(one) for one in found]}
            for row, found in results.items()
        },
        "mistakes": [asdict(one) for one in tried],
        "exempt": [asdict(one) for one in exempt],
    }


def main() -> None:
    """Run what was asked for; the exit code is not 0 unless all of it holds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", nargs="*", help="only these promises; none without a row")
    parser.add_argument("--mistakes", nargs="*", help="only these mistakes; none without a number")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a document too")
    parser.add_argument("--page", type=Path, metavar="FILE", help=f"default: {PAGE.name} in docs")
    options = parser.parse_args()
    begun = time.monotonic()
    is_all = options.rows is None and options.mistakes is None
    mutants, exempt = museum()
    chosen = promises() if is_all else [p for p in promises() if p.row in (options.rows or ())]
    put_in = mutants if is_all else [m for m in mutants if m.fault in (options.mistakes or ())]
    tried = mistakes(put_in) if put_in else []
    outcomes = outcomes_of(chosen) if chosen else []
    results = {one.row: [result(proof, outcomes) for proof in one.proofs] for one in chosen}
    text = page(results, chosen, tried, exempt if is_all else (), machine())
    print("\n" + text)
    if where := options.page or (PAGE if is_all else None):
        where.write_text(text, encoding="utf-8")
    if options.json:
        made = document(results, tried, exempt)
        options.json.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
    print(f"{time.monotonic() - begun:.0f} seconds")
    bad = [f"promise {row}" for row, found in results.items() if verdict_of(found) != KEPT]
    bad += [f"{one.mutant.fault} survived" for one in tried if not one.caught]
    if bad:
        sys.exit(f"Not kept: {', '.join(bad)}")


if __name__ == "__main__":
    main()
