"""Debiasing 400,000 × 300: applying an eraser against copying the numbers, and Hard Debias and
RAN from start to end against WEFE."""

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import Contender, into_page_cache, measure, say, times_of
from benchmarks.large_file import plain_copy
from benchmarks.results import Result, faster, slower, within
from benchmarks.synthetic import SPREAD, word

ROWS, DIM = 400_000, 300
RAN_WORDS = 30_000
_WEFE_WORDS = 20
_REST = 0.5
"""Seconds until the threads of the linear algebra library, which wait by running, go to sleep."""
CHEAP = ("linear", "misp", "gbdd", "mhd", "leace(on=words)", "bam")
DENSE = ("half-sibling",)


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Write the vectors once, then let contenders take turns."""
    say(f"debiasing: writing {rows:,} × {DIM} numbers")
    source = scratch / "vectors.safetensors"
    write_vectors(source, rows)
    into_page_cache(source)
    copying, *applying = measure(
        Contender(copy_in_memory, source),
        *(Contender(apply_in_memory, source, method) for method in (*CHEAP, *DENSE)),
        runs=3,
    )
    floor = "one read and one write in memory"
    results = [
        slower(
            f"apply {method}", one.answer, floor, copying.answer, 1.5 if method in CHEAP else None
        )
        for method, one in zip((*CHEAP, *DENSE), applying, strict=True)
    ]
    moving, saving = measure(
        Contender(plain_copy, source, scratch / "copy"),
        Contender(save_result, source, scratch / "out.safetensors"),
        runs=3,
    )
    name = "apply linear, hash and save"
    results.append(slower(name, saving.seconds, "copying the file", moving.seconds))
    hard, peer = measure(
        Contender(hard_debias, source), Contender(wefe_hard, source, peer=True), runs=2
    )
    results.append(faster("hard, fit and apply", hard.answer, "WEFE", peer.answer, 10.0))
    ran, their_ran = measure(
        Contender(ran_debias, source, RAN_WORDS), Contender(wefe_ran, source, peer=True)
    )
    scaled = [seconds * RAN_WORDS / _WEFE_WORDS for seconds in their_ran.answer]
    against = f"WEFE, {_WEFE_WORDS} words timed and scaled"
    name = f"ran, {RAN_WORDS:,} words"
    return [*results, within(name, ran.seconds, against, scaled, 600.0)]


def write_vectors(path: Path, rows: int, dim: int = DIM) -> None:
    """Random vectors for the words of the gender concept and for made-up ones."""
    import numpy as np

    from unslant.concepts import concept
    from unslant.concepts.vocabulary import own_words
    from unslant.core.lineage import Lineage
    from unslant.vectors import Vocabulary, WordVectors
    from unslant.vectors.save import save

    own = sorted(own_words(concept("gender")))
    words = list(dict.fromkeys([*own, *(word(number) for number in range(rows))]))[:rows]
    matrix = np.random.default_rng(3).standard_normal((rows, dim), dtype=np.float32)
    matrix *= SPREAD
    save(WordVectors(Vocabulary.of(words), matrix, Lineage("made-up")), path)


def _loaded(source: str) -> Any:
    import unslant as us

    return us.load(source, cache=False)


def copy_in_memory(source: str) -> Callable[[], list[float]]:
    import numpy as np

    vectors = _loaded(source)
    return lambda: times_of(lambda: np.array(vectors.matrix))


def apply_in_memory(source: str, method: str) -> Callable[[], list[float]]:
    from unslant.concepts import concept
    from unslant.methods.pipeline import fit
    from unslant.methods.streaming import debiased

    vectors = _loaded(source)
    eraser = fit(method, vectors, concept("gender"))
    time.sleep(_REST)
    return lambda: times_of(lambda: debiased(vectors, eraser))


def save_result(source: str, target: str) -> Callable[[], None]:
    import unslant as us
    from unslant.methods.streaming import save_debiased

    vectors = _loaded(source)
    eraser = us.fit("linear", vectors, us.concept("gender"))

    def action() -> None:
        save_debiased(vectors, eraser, target)

    return action


def hard_debias(source: str) -> Callable[[], list[float]]:
    from unslant.concepts import concept
    from unslant.methods.pipeline import debias

    vectors, gender = _loaded(source), concept("gender")
    return lambda: times_of(lambda: debias("hard", vectors, gender))


def ran_debias(source: str, count: int) -> Callable[[], None]:
    from unslant.concepts import concept
    from unslant.methods.pipeline import debias

    vectors, gender = _loaded(source), concept("gender")
    method = f"ran(vocabulary={count})"

    def action() -> None:
        debias(method, vectors, gender)

    return action


def _wefe_model(source: str) -> Any:
    import numpy as np

    warnings.simplefilter("ignore")
    # The newest release of WEFE that installs beside numpy 2 asks for a type that it dropped.
    vars(np)["float_"] = np.float64
    import wefe.utils
    from gensim.models import KeyedVectors
    from wefe.word_embedding_model import WordEmbeddingModel

    # Its methods are no estimators to today's scikit-learn, which refuses to check them.
    wefe.utils._check_is_fitted = lambda *args, **named: None

    vectors = _loaded(source)
    keyed = KeyedVectors(vectors.dim)
    keyed.add_vectors(list(vectors.words), np.array(vectors.matrix))
    return WordEmbeddingModel(keyed, "made-up")


def _pairs(name: str) -> list[list[str]]:
    import unslant as us

    return [[str(cell) for cell in row] for row in us.concept("gender").table(name).rows]


def wefe_hard(source: str) -> Callable[[], list[float]]:
    model = _wefe_model(source)
    from wefe.debias.hard_debias import HardDebias

    from unslant.concepts import concept
    from unslant.methods.specific_words import specific_words

    definitional, equalise = _pairs("definitional"), _pairs("equalise")
    spared = [item for item in specific_words(concept("gender")) if item in model.wv.key_to_index]

    def debias() -> None:
        method = HardDebias(verbose=False, criterion_name="gender")
        method.fit(model, definitional_pairs=definitional, equalize_pairs=equalise)
        method.transform(model, ignore=spared, copy=False)

    return lambda: times_of(debias, times=2)


def wefe_ran(source: str) -> Callable[[], list[float]]:
    model = _wefe_model(source)
    from wefe.debias.repulsion_attraction_neutralization import (
        RepulsionAttractionNeutralization,
    )

    words = [word(number) for number in range(20_000, 20_000 + _WEFE_WORDS)]
    definitional = _pairs("definitional")

    def action() -> list[float]:
        method = RepulsionAttractionNeutralization(verbose=False, criterion_name="gender")
        method.fit(model, definitional_pairs=definitional)
        begin = time.perf_counter()
        method.transform(model, target=words, copy=False)
        return [time.perf_counter() - begin]

    return action
