"""How the time grows with words, dimensions, sentence pairs, sentences and layers.

Each line is measured at five sizes, each twice as large as the one before, and the slope of time
over size on logarithmic scales is the exponent: 1 is in proportion, 2 would be its square. Fixed
costs make small sizes too slow and the exponent too small, so the sizes are those of real work, and
the exponent is that of the three largest. ``python -m benchmarks.growth_figure`` draws the lines.
Sentences need UNSLANT_MODELS with minilm; layers are those of BERTs with random weights.
"""

import json
import os
from pathlib import Path

from benchmarks.debiasing import apply_in_memory, write_vectors
from benchmarks.encoding import distinct, unslant_encoding
from benchmarks.harness import Contender, into_page_cache, measure, say
from benchmarks.load_text import unslant_without_cache
from benchmarks.nli import PAIRS_OF_A_CONTEXT, unslant_grid
from benchmarks.results import Result, growth
from benchmarks.synthetic import write_glove_text

ROWS = 200_000
AT_MOST = 1.15
_DOUBLINGS = 5
_BEYOND_CACHES = 4


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """``rows`` is the largest number of words; everything else shrinks with it."""
    share = rows / ROWS
    found = [*_files(scratch, rows), _pairs(scratch, int(1968 * share))]
    folder = Path(os.environ.get("UNSLANT_MODELS", "")) / "minilm"
    if folder.is_dir():
        found += [
            _sentences(scratch, folder, int(4096 * share)),
            _layers(scratch, folder, int(1024 * share)),
        ]
    else:
        say("growth: sentences and layers are left out, because UNSLANT_MODELS has no minilm")
    return found


def _files(scratch: Path, rows: int) -> list[Result]:
    """Text is loaded; vectors in memory lose a direction, more of them than a cache holds."""
    by_words = [(size, (size, 100)) for size in _sizes(rows)]
    by_dims = [(size, (rows // 8, size)) for size in _sizes(800)]
    results = []
    for what, cases in (("words", by_words), ("dimensions", by_dims)):
        loads, applied = [], []
        for _, (words, dim) in cases:
            say(f"growth: {words:,} × {dim} numbers")
            text, vectors = scratch / "glove.txt", scratch / "vectors.safetensors"
            write_glove_text(text, words, dim)
            write_vectors(vectors, _BEYOND_CACHES * words, dim)
            into_page_cache(text)
            load, linear = measure(
                Contender(unslant_without_cache, text),
                Contender(apply_in_memory, vectors, "linear"),
                runs=2,
            )
            loads.append(min(load.seconds))
            applied.append(min(linear.answer))
            text.unlink()
            vectors.unlink()
        sizes = [size for size, _ in cases]
        results += [
            growth("loading text", what, sizes, loads, AT_MOST),
            growth("projecting a direction out", what, sizes, applied, AT_MOST),
        ]
    return results


def _pairs(scratch: Path, contexts: int) -> Result:
    """The model in the package on a part of the occupations."""
    sizes, seconds = _sizes(contexts), []
    for size in sizes:
        asked, *_ = measure(Contender(unslant_grid, size, 984, scratch / "answers.npy"), runs=2)
        seconds.append(min(asked.seconds))
    pairs = [PAIRS_OF_A_CONTEXT * size for size in sizes]
    return growth("asking the inference model", "sentence pairs", pairs, seconds, AT_MOST)


def _sentences(scratch: Path, folder: Path, most: int) -> Result:
    seconds, texts = [], scratch / "texts.json"
    sizes = _sizes(most)
    for size in sizes:
        texts.write_text(json.dumps(distinct(size)))
        (done,) = measure(Contender(unslant_encoding, folder, texts), runs=2)
        seconds.append(min(done.seconds))
    return growth("encoding with MiniLM-L6", "sentences", sizes, seconds, AT_MOST)


def _layers(scratch: Path, tokenizer: Path, sentences: int) -> Result:
    seconds, texts = [], scratch / "texts.json"
    texts.write_text(json.dumps(distinct(sentences)))
    sizes = _sizes(32)
    for size in sizes:
        folder = scratch / f"layers-{size}"
        _random_bert(folder, tokenizer, size)
        (done,) = measure(Contender(unslant_encoding, folder, texts), runs=2)
        seconds.append(min(done.seconds))
    return growth("encoding with a BERT", "layers", sizes, seconds, AT_MOST)


def _random_bert(folder: Path, tokenizer: Path, layers: int) -> None:
    """A BERT of that many layers, 256 wide, with random weights: only its time counts."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    torch.manual_seed(0)
    words = AutoTokenizer.from_pretrained(tokenizer)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=256,
        intermediate_size=1024,
        num_attention_heads=4,
        num_hidden_layers=layers,
    )
    BertModel(config).save_pretrained(folder)
    words.save_pretrained(folder)


def _sizes(most: int) -> list[int]:
    return sorted({max(1, most >> step) for step in range(_DOUBLINGS)})
