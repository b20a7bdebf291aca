"""StereoSet's fillers with a masked language model: as it is, and batch of one with all logits.

The peer does what bias-bench and crows-pairs do, in plain transformers: one sequence for each piece
of each candidate, one at a time, with logits for every piece of the sentence. Both score whole
words from left to right, and every number must agree to 1e-5. The model is MiniLM-L6 with a masked
head of random weights, because there is no English BERT of this size with its own: speed does not
depend on the values. Needs UNSLANT_MODELS with minilm and UNSLANT_DATA with stereoset.
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster

ROWS = 400
AT_LEAST = 8.0
_TOLERANCE = 1e-5
_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """The candidates of ``rows`` items."""
    source = Path(os.environ.get("UNSLANT_MODELS", "")) / "minilm"
    data = Path(os.environ.get("UNSLANT_DATA", "")) / "stereoset" / "dev.json"
    if not source.is_dir() or not data.is_file():
        say("likelihood: left out, because UNSLANT_MODELS has no minilm or UNSLANT_DATA no items")
        return []
    folder, texts = scratch / "with-head", scratch / "texts.json"
    with_head(source, folder)
    texts.write_text(json.dumps(_texts(data, rows)), encoding="utf-8")
    ours, theirs = measure(
        Contender(unslant_likelihoods, folder, texts), Contender(one_by_one, folder, texts), runs=2
    )
    apart = max(abs(a - b) for a, b in zip(ours.answer, theirs.answer, strict=True))
    if apart > _TOLERANCE:
        raise RuntimeError(f"ours and theirs differ by {apart:.2g}, more than {_TOLERANCE:g}")
    say(f"  {len(ours.answer):,} candidates, at most {apart:.1e} apart")
    name = f"StereoSet's fillers, {rows:,} items"
    peer = "batch of one, logits everywhere"
    return [faster(name, ours.seconds, peer, theirs.seconds, AT_LEAST)]


def with_head(source: Path, folder: Path) -> None:
    """The encoder with a fresh masked head, as transformers saves it."""
    import torch
    from transformers import AutoModel, AutoTokenizer, BertForMaskedLM

    torch.manual_seed(0)
    encoder = AutoModel.from_pretrained(source)
    network = BertForMaskedLM(encoder.config)
    network.bert.load_state_dict(encoder.state_dict(), strict=False)
    network.tie_weights()
    network.save_pretrained(folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)


def _texts(data: Path, rows: int) -> list[str]:
    """Each candidate in its context, with the filler marked; broken gaps are left out."""
    from unslant.datasets.stereoset import broken_gap, filler_of, read_stereoset

    items = [item for item in read_stereoset(data) if item.task == "intra" and not broken_gap(item)]
    return [
        item.context.replace("BLANK", f"[[{filler_of(item.context, each.text)}]]")
        for item in items[:rows]
        for each in item.sentences
    ]


def unslant_likelihoods(folder: str, texts: str) -> Callable[[], list[float]]:
    """Ours: distinct sequences, batches of equal length, last block and head at the gap only."""
    import unslant as us
    from unslant.predictors.protocols import Likelihood

    predictor = us.load(folder).predictor(Likelihood)
    predictor.log_likelihoods(["Warm [[up]]."])
    wanted = json.loads(Path(texts).read_text(encoding="utf-8"))
    return lambda: [float(value) for value in predictor.log_likelihoods(wanted)]


def one_by_one(folder: str, texts: str) -> Callable[[], list[float]]:
    """The same by a loop over pieces, each a pass of its own."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    model = AutoModelForMaskedLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    marked = json.loads(Path(texts).read_text(encoding="utf-8"))

    def score(text: str) -> float:
        before, _, rest = text.partition("[[")
        filler, _, after = rest.partition("]]")
        given = tokenizer(before + filler + after, return_offsets_mapping=True)
        ids, offsets = given["input_ids"], given["offset_mapping"]
        total = 0.0
        for word in _WORD.finditer(filler):
            start, end = (len(before) + place for place in word.span())
            places = [n for n, (a, b) in enumerate(offsets) if a < end and b > start]
            for number, place in enumerate(places):
                hidden = list(ids)
                for later in places[number:]:
                    hidden[later] = tokenizer.mask_token_id
                logits = model(input_ids=torch.tensor([hidden])).logits
                total += float(logits.log_softmax(dim=-1)[0, place, ids[place]])
        return total

    def action() -> list[float]:
        with torch.inference_mode():
            return [score(text) for text in marked]

    return action
