"""Files of our own with a right seal whose content does not fit: one sentence, or all of it fits.

A seal shows that a file is as somebody wrote it, and not that what they wrote makes sense.
"""

import io
import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tests.attacks.misfits import changed, changed_arrays
from tests.attacks.sentences import is_one_sentence
from tests.attacks.test_flipped_bits import (
    a_coreference_model,
    a_training_under_way,
    an_inference_model,
    an_inference_model_on_an_elmo,
    trained_heads,
)
from tests.made_erasers import made_of
from tests.tallies import Tally
from unslant.core.errors import UnslantError
from unslant.core.measurement import WordUse
from unslant.core.places import parse_place
from unslant.core.plain import to_plain
from unslant.core.read_record import read_record, record_from
from unslant.core.sealed import _opened, sealed
from unslant.erasers import (
    Constant,
    Dense,
    EachVector,
    Eraser,
    GradedRotation,
    LowRank,
    Network,
    TheseWords,
    UnitLength,
)
from unslant.models.coreference.trained import load_coref
from unslant.models.head_training.heads import load_heads
from unslant.models.nli.elmo_trained import load_elmo_nli
from unslant.models.nli.trained import load_nli
from unslant.models.training.checkpoint import Checkpoint
from unslant.reports.card.markdown import model_index, section
from unslant.reports.figures.of_record import figures_of
from unslant.reports.gate.check import refuse_empty
from unslant.reports.terminal import record_tables
from unslant.studies.answers.pivot import row_of
from unslant.studies.run.contents import FoundCell
from unslant.studies.study_record import BriefCells

GOLDEN = Path(__file__).parents[1] / "golden" / "records"
WIDTH = 4
WORDS = ["he", "she", "a", "b"]


def an_eraser() -> Eraser:
    """One step of every kind, with everything that a stage can have."""
    rng = np.random.default_rng(0)
    first, second = np.eye(WIDTH)[0], (np.eye(WIDTH)[0] + np.eye(WIDTH)[1]) / 2**0.5
    read, write = rng.normal(size=(2, 2, WIDTH))
    steps = (
        EachVector(LowRank(read, write, rng.normal(size=WIDTH)), ("he", "she")),
        EachVector(Dense(rng.normal(size=(WIDTH, WIDTH)), rng.normal(size=WIDTH))),
        EachVector(UnitLength()),
        EachVector(GradedRotation(first, second, rng.normal(size=WIDTH))),
        EachVector(
            Network(
                (rng.normal(size=(WIDTH, 3)), rng.normal(size=(3, WIDTH))),
                (rng.normal(size=3), rng.normal(size=WIDTH)),
            )
        ),
        TheseWords(("he", "she"), rng.normal(size=(2, WIDTH))),
    )
    made = made_of(*steps).stages[0]
    other = made_of(EachVector(Constant(np.ones(WIDTH)))).stages[0]
    uses = (WordUse(set="female", used=("she",), missing=("her",)),)
    return Eraser(
        (
            replace(
                made,
                removed=np.eye(WIDTH)[:1],
                parameters={"k": 2, "of": "pairs"},
                inputs={"vectors": "glove"},
                words=uses,
                details={"share": 0.5, "rounds": 3, "note": None},
                warnings=("few words",),
                seed=3,
                version="1",
            ),
            other,
        )
    )


def resealed(path: Path, draw: random.Random) -> str:
    """Change one thing in a sealed file and seal it again; the return value says what."""
    tensors, header = _opened(path)
    del header["seal"]
    if draw.random() < 0.5:
        tensors, said = changed_arrays(tensors, draw)
    else:
        key = draw.choice([key for key in header if key != "kind"])
        with suppress(ValueError):  # some headers are plain texts
            header[key] = json.loads(header[key])
        after = changed({key: header[key]}, draw).get(key)
        header[key] = after if isinstance(after, str) else json.dumps(after)
        said = f"{key}: {header[key][:300]}"
    path.write_bytes(sealed(tensors, header))
    return said


def use_eraser(path: Path) -> None:
    eraser = Eraser.load(path)
    rows = np.random.default_rng(1).normal(size=(len(WORDS), eraser.dim))
    for kind in (np.float64, np.float32):
        for words in (WORDS, None):
            after = eraser.apply(rows.astype(kind), words)
            assert after.shape == (len(WORDS), eraser.dim_out)
            assert np.isfinite(after).all()
    if eraser.affine is not None:
        assert all(np.isfinite(part).all() for part in eraser.affine)
    for stage in eraser.stages:
        json.dumps(stage.to_dict(), allow_nan=False)
        assert stage.removed is None or stage.removed.shape[1:] == (eraser.dim,)
    again = Eraser.load(eraser.save(path.with_name("again.safetensors")))
    assert again.apply(rows, WORDS).tobytes() == eraser.apply(rows, WORDS).tobytes()
    assert again.stages[0].to_dict() == eraser.stages[0].to_dict()


def use_intervention(path: Path) -> None:
    torch = pytest.importorskip("torch")
    from unslant.models.language.interventions import Intervention

    found = Intervention.load(path)
    for step in found.steps:
        state = torch.ones(2, 3, step.widths[0])
        after = step.change(state)
        assert after.shape == (2, 3, step.widths[1])
        assert after.isfinite().all()
        assert step.content_key
        assert step.name
    assert found.content_hash
    assert found.expression is not None
    again = found.save(path.with_name("again.safetensors"))
    assert Intervention.load(again).content_hash == found.content_hash


def intervention_file(folder: Path) -> Path:
    from unslant.models.language.interventions import AtPlace, Intervention

    step = made_of(*an_eraser().steps[:5])
    steps = (
        AtPlace(parse_place("layer:2"), step),
        AtPlace(parse_place("layer:3[cls]"), an_eraser()),
    )
    return Intervention(steps).save(folder / "intervention.safetensors")


def eraser_file(folder: Path) -> Path:
    return an_eraser().save(folder / "eraser.safetensors")


def use_inference_model(path: Path) -> None:
    check_facts(load_nli(path))


def use_elmo_model(path: Path) -> None:
    check_facts(load_elmo_nli(path))


def use_coreference_model(path: Path) -> None:
    check_facts(load_coref(path))


def check_facts(model: Any) -> None:
    json.dumps(model.facts, allow_nan=False)
    assert all(np.isfinite(value).all() for value in model.tensors.values())


def use_heads(path: Path) -> None:
    heads = load_heads(path)
    assert isinstance(heads.record, dict)
    assert all(np.isfinite(value).all() for value in heads.weights.values())
    assert heads.how.schedule().rounds == heads.how.rounds


def use_checkpoint(path: Path) -> None:
    found = Checkpoint(path, "c" * 64).read()
    assert found is not None
    assert found.steps >= 0
    assert all(isinstance(one, dict) for one in found.rounds)


SEALED: dict[str, tuple[Callable[[Path], Path], Callable[[Path], None]]] = {
    "erasers": (eraser_file, use_eraser),
    "interventions": (intervention_file, use_intervention),
    "inference models": (lambda folder: an_inference_model(folder)[0], use_inference_model),
    "elmo models": (lambda folder: an_inference_model_on_an_elmo(folder)[0], use_elmo_model),
    "coreference models": (lambda folder: a_coreference_model(folder)[0], use_coreference_model),
    "heads": (lambda folder: trained_heads(folder)[0], use_heads),
    "checkpoints": (lambda folder: a_training_under_way(folder)[0], use_checkpoint),
}


def is_refused(use: Callable[[], object], said: str) -> bool:
    """Whether something is refused in one sentence, not used; any other error is a failure."""
    refusal = None
    try:
        use()
    except UnslantError as error:
        refusal = error
    except Exception as error:
        raise AssertionError(said) from error
    assert refusal is None or is_one_sentence(refusal), said
    return refusal is not None


COUNTS = [60, pytest.param(500, marks=pytest.mark.full)]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", SEALED)
def test_a_sealed_file_that_does_not_fit_is_one_sentence(
    kind: str, count: int, tmp_path: Path, tally: Tally
) -> None:
    make, use = SEALED[kind]
    whole = make(tmp_path).read_bytes()
    use(make(tmp_path))
    refused = 0
    for number in range(count):
        path = tmp_path / "changed.safetensors"
        path.write_bytes(whole)
        said = resealed(path, random.Random(number))
        refused += is_refused(partial(use, path), f"{number}: {said}")
    assert refused > count // 5
    tally(count, said=f"{refused} refused")


def records() -> list[Any]:
    """Plain records of every kind; a cell is part of a study, and no record of its own."""
    paths = [path for path in sorted(GOLDEN.glob("*.json")) if path.stem != "cell"]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def show_record(path: Path) -> None:
    """Everything that is made of a record, except the drawing of pictures."""
    record = read_record(path)
    Console(file=io.StringIO(), width=120).print(record_tables(record))
    for figure in figures_of(record):
        json.dumps(figure.spec(), allow_nan=False)
    if not is_refused(lambda: refuse_empty(record, "it"), "an empty record"):
        model_index(record)
        section(record)
    assert record_from(record.to_dict()) == record


@pytest.mark.parametrize("count", COUNTS)
def test_a_changed_record_is_one_sentence_or_shown(
    count: int, tmp_path: Path, tally: Tally
) -> None:
    whole, refused = records(), 0
    for number in range(count):
        path = tmp_path / "record.json"
        path.write_text(json.dumps(changed(whole[number % len(whole)], random.Random(number))))
        refused += is_refused(partial(show_record, path), f"record {number}")
    assert count // 3 < refused < count
    tally(count, said=f"{refused} refused")


def use_cell(result: dict[str, Any]) -> None:
    found = FoundCell(label=("a", "b", "c", "d", 0), id="0e", state="done", result=result)
    row = row_of(found)
    assert row.value is None or np.isfinite(row.value)
    cells = BriefCells()
    cells.add(found)
    json.dumps(to_plain(cells.cells), allow_nan=False)


@pytest.mark.parametrize("count", COUNTS)
def test_a_changed_cell_of_a_study_is_one_sentence_or_used(count: int, tally: Tally) -> None:
    whole = json.loads((GOLDEN / "cell.json").read_text(encoding="utf-8"))
    use_cell(whole)
    refused = 0
    for number in range(count):
        result = changed(whole, random.Random(number))
        refused += is_refused(partial(use_cell, result), f"cell {number}")
    assert count // 5 < refused < count
    tally(count, said=f"{refused} refused")
