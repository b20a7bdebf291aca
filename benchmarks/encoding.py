"""Texts through MiniLM-L6: distinct ones of equal length, and SEAT's, which repeat and vary.

The peer is plain transformers: tokenised and padded batch by batch in the order of the texts, at
the best of several batch sizes. Both give the mean of the last layer. Needs UNSLANT_MODELS with
minilm (``make .venv/.ready-lm``), and UNSLANT_DATA for SEAT's files.
"""

import json
import os
from collections.abc import Callable
from itertools import product
from pathlib import Path

from benchmarks.harness import Contender, Measured, measure, say
from benchmarks.results import Result, faster, slower

ROWS = 8_192
BATCHES = (32, 128, 256)
AT_MOST = 1.2
AT_LEAST = 2.0
_SUBJECTS = (
    "man woman boy girl king queen nurse doctor writer farmer baker painter driver teacher lawyer "
    "clerk waiter singer dancer soldier sailor pilot judge coach tailor butcher banker broker chef "
    "guard maid monk"
)
_VERBS = "saw met called found helped asked liked heard"


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Both kinds of texts, where the model is there."""
    folder = Path(os.environ.get("UNSLANT_MODELS", "")) / "minilm"
    if not folder.is_dir():
        say("encoding: left out, because UNSLANT_MODELS has no minilm")
        return []
    results = []
    for name, texts, check in (
        (f"encoding {rows:,} distinct sentences of equal length", distinct(rows), slower),
        ("encoding SEAT's sentences", _seat(), faster),
    ):
        if not texts:
            say("encoding: SEAT is left out, because UNSLANT_DATA has no seat folder")
            continue
        path = scratch / "texts.json"
        path.write_text(json.dumps(texts))
        ours, *theirs = measure(
            Contender(unslant_encoding, folder, path),
            *(Contender(plain_transformers, folder, path, size) for size in BATCHES),
            runs=2,
        )
        best = min(theirs, key=lambda one: min(one.seconds))
        _expect_equal(ours, best)
        size = BATCHES[theirs.index(best)]
        bound = AT_MOST if check is slower else AT_LEAST
        peer = f"plain transformers, batches of {size}"
        results.append(check(name, ours.seconds, peer, best.seconds, bound))
    return results


def distinct(rows: int) -> list[str]:
    """Sentences of five words that are one piece each."""
    people = _SUBJECTS.split()
    made = (f"the {a} {verb} the {b}" for a, verb, b in product(people, _VERBS.split(), people))
    return list(made)[:rows]


def _seat() -> list[str]:
    """The sentences of all of SEAT's files, in their order."""
    folder = Path(os.environ.get("UNSLANT_DATA", "")) / "seat"
    texts: list[str] = []
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        for part in json.loads(path.read_text(encoding="utf-8")).values():
            texts += part["examples"]
    return texts


def _expect_equal(ours: Measured, theirs: Measured) -> None:
    if abs(ours.answer - theirs.answer) > 1e-3 * abs(theirs.answer):
        raise SystemExit(f"encoding: ours sum to {ours.answer}, theirs to {theirs.answer}")


def unslant_encoding(folder: str, texts: str) -> Callable[[], float]:
    """Our vectors of the last layer."""
    import unslant as us

    model = us.load(folder)
    model.at("layer:-1").rows(["Warm up."])
    wanted = json.loads(Path(texts).read_text())
    return lambda: float(abs(model.at("layer:-1").rows(wanted)).sum())


def plain_transformers(folder: str, texts: str, size: int) -> Callable[[], float]:
    """The same with a loop over batches."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = (
        AutoModel.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    wanted = json.loads(Path(texts).read_text())

    def action() -> float:
        total = 0.0
        with torch.inference_mode():
            for start in range(0, len(wanted), size):
                given = tokenizer(wanted[start : start + size], padding=True, return_tensors="pt")
                states = model(**given).last_hidden_state
                mask = given["attention_mask"].unsqueeze(-1)
                means = (states * mask).sum(dim=1) / mask.sum(dim=1)
                total += float(means.abs().sum())
        return total

    return action
