"""Which share of its branches the tests take, by package; ends with 1 if one is below its bar.

python scripts/branch_coverage.py coverage.json
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

BAR = 90
KEPT = (
    *("core", "numerics", "vectors", "concepts", "subspaces"),
    *("erasers", "metrics", "methods", "probes", "studies"),
)
"""The packages that the bar is for; the others are shown."""


def shares(report: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """For each package how many branches tests took, and how many there are."""
    taken: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for name, file in report["files"].items():
        parts = PurePath(name).parts
        package = parts[parts.index("unslant") + 1]
        taken[package] += file["summary"]["covered_branches"]
        every[package] += file["summary"]["num_branches"]
    return {package: (taken[package], every[package]) for package in sorted(every)}


def main() -> None:
    """Print the table."""
    found = shares(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    low = []
    print("| package | branches | taken | % |\n|---|---|---|---|")
    for package, (taken, every) in found.items():
        share = 100 * taken / every if every else 100
        print(f"| {package} | {every:,} | {taken:,} | {share:.1f} |")
        if package in KEPT and share < BAR:
            low.append(package)
    absent = sorted(set(KEPT) - set(found))
    if low or absent:
        raise SystemExit(f"Below {BAR} %: {', '.join(low) or 'none'}; not there: {absent}")


if __name__ == "__main__":
    main()
