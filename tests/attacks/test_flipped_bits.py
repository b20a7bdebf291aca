"""One changed bit in a file of our own is refused, or what it held is made anew: never used.

The cache of vectors has its own test in ``tests/vectors/test_sealed.py``.
"""

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.attacks.sentences import is_one_sentence
from tests.made_coreference import SHAPE
from tests.models.language.erasers import random_affine
from tests.models.nli.test_trained import model_of
from tests.random_nli import random_tensors
from tests.tallies import Tally
from unslant.concepts.vocabulary import unit_rows
from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantWarning
from unslant.core.files import cache_folder
from unslant.core.places import parse_place
from unslant.core.record import StageFacts
from unslant.erasers import Eraser
from unslant.models.coreference.trained import TrainedCoref, load_coref
from unslant.models.debias_training.training import TUNING, read_record, write_record
from unslant.models.glove.counts import counts_of
from unslant.models.glove.settings import CountSettings
from unslant.models.head_training.heads import TrainedHeads, load_heads
from unslant.models.head_training.settings import HeadTraining
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.space import VectorCache
from unslant.models.nli.elmo_trained import ElmoNli, load_elmo_nli
from unslant.models.nli.settings import ElmoShape
from unslant.models.nli.trained import load_nli
from unslant.models.training.checkpoint import Checkpoint, Progressed
from unslant.numerics.neighbours import top_cosines
from unslant.studies.run.machine_cache import KeptNeighbours
from unslant.studies.run.store import Store
from unslant.vectors import WordVectors, load
from unslant.vectors.save import save

CELL = "a" * 64
Kind = tuple[Path, Callable[[], Any]]
"""The file, and what reads it and gives something that can be compared."""


def an_eraser(folder: Path) -> Kind:
    path = random_affine(16).save(folder / "eraser.safetensors")
    return path, lambda: Eraser.load(path).apply(np.eye(16)).tobytes()


def an_intervention(folder: Path) -> Kind:
    path = folder / "intervention.safetensors"
    Intervention((AtPlace(parse_place("layer:2"), random_affine(16)),)).save(path)
    return path, lambda: Intervention.load(path).content_hash


def an_inference_model(folder: Path) -> Kind:
    path = model_of().save(folder / "nli.safetensors")
    return path, lambda: load_nli(path).sha256


def a_coreference_model(folder: Path) -> Kind:
    rng = np.random.default_rng(0)
    shapes = SHAPE.tensors().items()
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes}
    path = TrainedCoref("small", SHAPE, tensors, {}, True).save(folder / "coref.safetensors")
    return path, lambda: load_coref(path).sha256


def saved_vectors(folder: Path) -> Kind:
    rows = np.random.default_rng(1).normal(size=(50, 8)).tolist()
    path = save(
        WordVectors.of({f"w{n}": row for n, row in enumerate(rows)}), folder / "v.safetensors"
    )

    def read() -> tuple[Any, ...]:
        found = load(path, cache=False)
        return list(found.words), found.matrix.tobytes(), found.name

    return path, read


def a_cell_of_a_study(folder: Path) -> Kind:
    store = Store(folder / "study")
    store.folder.mkdir()
    store.path(CELL).parent.mkdir(parents=True, exist_ok=True)
    store.write(CELL, {"id": CELL, "measurement": {"value": 0.25, "word": "größe"}}, {"begun": "x"})
    return store.path(CELL), lambda: (store.read(CELL), store.times(CELL))


def kept_neighbours(folder: Path) -> Kind:
    units = unit_rows(load(), np.arange(200))

    def read() -> list[Any]:
        found = KeptNeighbours(1 << 30)(units, np.arange(50), 9)
        return [(rows.tobytes(), cosines.tobytes()) for _, rows, cosines in found]

    assert read() == [
        (r.tobytes(), c.tobytes()) for _, r, c in top_cosines(units, np.arange(50), 9)
    ]
    [path] = (cache_folder() / "studies").glob("*.safetensors")
    return path, read


def an_inference_model_on_an_elmo(folder: Path) -> Kind:
    shape = ElmoShape(dim=12, layers=3, hidden=8, attention=7, classification=10)
    model = ElmoNli(shape, random_tensors(shape, 3), {"note": "x"}, "e" * 64)
    path = model.save(folder / "elmo.safetensors")

    def read() -> Any:
        found = load_elmo_nli(path)
        weights = {name: value.tobytes() for name, value in found.tensors.items()}
        return weights, found.record, found.elmo_sha256

    return path, read


def trained_heads(folder: Path) -> Kind:
    weights = {"head": np.random.default_rng(2).normal(size=(8, 8)).astype(np.float16)}
    heads = TrainedHeads("b" * 64, HeadTraining(), weights, {"note": "größe"})
    path = heads.save(folder / "heads.safetensors")

    def read() -> Any:
        found = load_heads(path)
        return found.weights["head"].tobytes(), found.base, found.how, found.record

    return path, read


def a_training_under_way(folder: Path) -> Kind:
    weights = {"w": np.random.default_rng(3).normal(size=(8, 8)).astype(np.float32)}
    kept = Checkpoint(folder / "x.checkpoint", "c" * 64)
    kept.write(Progressed(7, [{"loss": 0.5}], weights))

    def read() -> Any:
        found = kept.read()
        assert found is not None
        return found.steps, found.rounds, found.tensors["w"].tobytes()

    return kept.path, read


def facts_of_counts(folder: Path, name: str = "counts.json") -> Kind:
    text = folder / "text.txt"
    text.write_text("the man and the woman saw the dog\n" * 20, encoding="utf-8")

    def read() -> Any:
        found = counts_of(text, CountSettings(window=3), folder / "counts")
        return found.words, found.frequencies.tobytes(), found.cells.tobytes(), found.facts

    read()
    return folder / "counts" / name, read


def words_of_counts(folder: Path) -> Kind:
    return facts_of_counts(folder, "words.txt")


def cells_of_counts(folder: Path) -> Kind:
    return facts_of_counts(folder, "cells.bin")


def a_record_of_a_training(folder: Path) -> Kind:
    stage = StageFacts(expression="cda", version="1", inputs={"text": "novels"})
    write_record(folder, "minilm", (stage,), "d" * 64)
    return folder / TUNING, lambda: read_record(folder)


def vectors_of_texts(folder: Path) -> Kind:
    path = folder / "own" / "vectors.sqlite"
    cache = VectorCache(path)
    texts = [f"This is w{n}." for n in range(40)]
    rows = np.random.default_rng(4).normal(size=(40, 8)).astype(np.float32)
    cache.put("layer:1", texts, rows)

    def read() -> Any:
        cache = VectorCache(path)
        with warnings.catch_warnings():  # of a file that is not used at all
            warnings.simplefilter("ignore", UnslantWarning)
            found = cache.get("layer:1", texts, 8)
        missing = [n for n, text in enumerate(texts) if text not in found]
        cache.put("layer:1", [texts[n] for n in missing], rows[missing])
        anew = {texts[n]: rows[n] for n in missing}
        return {text: row.tobytes() for text, row in sorted({**found, **anew}.items())}

    return cache.path, read


KINDS = (
    an_eraser, an_intervention, an_inference_model, an_inference_model_on_an_elmo,
    a_coreference_model, trained_heads, a_training_under_way, a_record_of_a_training,
    facts_of_counts, words_of_counts, cells_of_counts, saved_vectors, a_cell_of_a_study,
    kept_neighbours, vectors_of_texts,
)  # fmt: skip
MADE_ANEW = (kept_neighbours, vectors_of_texts)
"""What is computed again where it was changed; all else is refused."""


@pytest.mark.parametrize("flips", [40, pytest.param(1_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_flipped_bit_is_silent(
    kind: Callable[[Path], Kind], flips: int, tmp_path: Path, tally: Tally
) -> None:
    path, read = kind(tmp_path)
    whole, truth = path.read_bytes(), read()
    draw, refused = random.Random(31), 0
    header = 8 + int.from_bytes(whole[:8], "little")
    for number in range(flips):
        some = header if number % 2 and header < len(whole) else len(whole)
        bit = draw.randrange(8 * some)
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        refusal, found = None, None
        try:
            found = read()
        except (DamagedFileError, FileFormatError, OutputError) as error:
            refusal = error
        if refusal is not None:
            assert is_one_sentence(refusal)
            refused += 1
        else:
            assert found == truth, f"bit {bit} of {path.name}"
        path.write_bytes(whole)
    if kind not in MADE_ANEW:
        assert refused == flips
    tally(flips)
