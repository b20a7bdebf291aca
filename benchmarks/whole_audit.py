"""A whole gender audit on GloVe 341,479 × 100, against a minute.

Needs the full GloVe 6B 100d (``UNSLANT_GLOVE``); quality benchmarks run where their data are.
"""

import os
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, within

ROWS = 341_479
SECONDS = 60.0


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """The audit from mapped vectors to the record, without writing the page."""
    path = os.environ.get("UNSLANT_GLOVE")
    if not path:
        say("whole_audit: left out, UNSLANT_GLOVE does not name the full GloVe 6B 100d file")
        return []
    [ours] = measure(Contender(unslant_audit, path, rows), runs=2)
    name = f"gender audit, {ours.answer} measurements on {rows:,} × 100"
    return [within(name, ours.seconds, "a minute", [SECONDS], SECONDS)]


def unslant_audit(path: str, rows: int) -> Callable[[], int]:
    """Every measure of the gender concept."""
    import unslant as us

    vectors = us.load(path, limit=rows)
    gender = us.concept("gender")
    return lambda: len(us.audit(vectors, gender).measurements)
