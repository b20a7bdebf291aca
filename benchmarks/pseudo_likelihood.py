"""Pseudo-log-likelihoods of the sentences of CrowS-Pairs: ours beside minicons and a plain loop.

Each word of a sentence is hidden in turn, and its later pieces with it, as Kauf and Ivanova (2023)
do it; all three give the same numbers. minicons runs in batches at the best of several sizes; the
loop, as CrowS-Pairs and bias-bench have it, asks one hidden piece at a time. Sentences whose words
the libraries cut differently (apostrophes, hyphens, signs) are left out. The model is MiniLM-L6
with a masked head of random weights. Needs UNSLANT_MODELS with minilm and UNSLANT_DATA with
crows_pairs.
"""

import csv
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, measure, say
from benchmarks.likelihood import one_by_one, unslant_likelihoods, with_head
from benchmarks.results import Result, faster

ROWS = 120
BATCHES = (8, 32)
OVER_THE_LOOP = 4.0
_TOLERANCE = 1e-3
_PLAIN = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*\.")


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """The sentences of ``rows`` pairs."""
    source = Path(os.environ.get("UNSLANT_MODELS", "")) / "minilm"
    data = Path(os.environ.get("UNSLANT_DATA", "")) / "crows_pairs"
    files = sorted(data.glob("*.csv")) if data.is_dir() else []
    if not source.is_dir() or not files:
        say("pseudo_likelihood: left out, because there is no UNSLANT_MODELS or no UNSLANT_DATA")
        return []
    folder, texts = scratch / "with-head", scratch / "texts.json"
    with_head(source, folder)
    texts.write_text(json.dumps(_texts(files[0], rows)), encoding="utf-8")
    ours, loop, *batched = measure(
        Contender(unslant_likelihoods, folder, texts),
        Contender(one_by_one, folder, texts),
        *(Contender(minicons, folder, texts, size, peer=True) for size in BATCHES),
    )
    best = min(batched, key=lambda one: min(one.seconds))
    for other, who in ((loop, "the loop"), (best, "minicons")):
        apart = max(abs(a - b) for a, b in zip(ours.answer, other.answer, strict=True))
        if apart > _TOLERANCE:
            raise RuntimeError(f"ours and {who} differ by {apart:.2g}, more than {_TOLERANCE:g}")
    name = f"CrowS-Pairs, pseudo-likelihoods of {len(ours.answer):,} sentences"
    size = BATCHES[batched.index(best)]
    return [
        faster(name, ours.seconds, "one hidden piece at a time", loop.seconds, OVER_THE_LOOP),
        faster(name, ours.seconds, f"minicons, batches of {size}", best.seconds, 1.0),
    ]


def _texts(path: Path, rows: int) -> list[str]:
    """Both sentences of each pair, wholly marked, where words and pieces are cut alike."""
    with path.open(encoding="utf-8", newline="") as file:
        pairs = [(row["sent_more"], row["sent_less"]) for row in csv.DictReader(file)]
    plain = [pair for pair in pairs if all(map(_PLAIN.fullmatch, pair))]
    return [f"[[{text}]]" for pair in plain[:rows] for text in pair]


def minicons(folder: str, texts: str, size: int) -> Callable[[], list[float]]:
    """The same by minicons, in batches of ``size`` sentences."""
    from minicons.scorer import MaskedLMScorer

    scorer = MaskedLMScorer(folder, "cpu")
    wanted = [text[2:-2] for text in json.loads(Path(texts).read_text(encoding="utf-8"))]

    def action() -> list[float]:
        found: list[float] = []
        for first in range(0, len(wanted), size):
            part = wanted[first : first + size]
            found += scorer.sequence_score(
                part, reduction=lambda scores: scores.sum(0).item(), PLL_metric="within_word_l2r"
            )
        return found

    return action
