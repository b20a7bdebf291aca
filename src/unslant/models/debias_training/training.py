"""A model trained by a method: from the machine's cache, or made now and kept there."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.expression import Call, Step
from unslant.core.file_locks import alone, hold, name_of_inputs, shared_folder
from unslant.core.files import sha256_of_file
from unslant.core.plain import from_plain
from unslant.core.record import Fact, StageFacts, flat
from unslant.core.references import reference
from unslant.core.sealed import with_seal, without_seal
from unslant.core.text_files import json_from, small_text
from unslant.core.version import __version__
from unslant.models.debias_training.registry import TUNINGS, call_of
from unslant.models.debias_training.tuning import Setup, Tuning
from unslant.models.language.export import TOLERANCE, new_folder
from unslant.models.language.exported_files import (
    CARD,
    copy_known,
    original_card,
    write_arrays,
    write_json,
)
from unslant.models.language.folder import CONFIG, WEIGHTS
from unslant.models.language.folding import head_of
from unslant.models.language.interventions import INTERVENTION
from unslant.models.language.reloading import TRIAL
from unslant.models.language.weights import arrays_of, planned

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel
    from unslant.models.language.weights import Head


# The machine's store of tuned models: each made once, by one process, in bounded space.

MOST_BYTES = 16 << 30
"""How much the tuned models of a machine may take; those used least recently go first."""
HOLDS = "the models that are trained"
Made = TypeVar("Made")


def kept_folder(
    inputs: Mapping[str, Any],
    *,
    make: Callable[[Path, Path], object],
    read: Callable[[Path], Made],
    most_bytes: int = MOST_BYTES,
) -> Made:
    """Get or create the folder for these inputs, and return what ``read`` makes of it.

    ``make`` is given the folder to make and a file for its checkpoint. Other processes on this
    machine wait for it. A folder that ``read`` refuses is rebuilt.
    """
    place = shared_folder("tunings", HOLDS)
    target = place / name_of_inputs(inputs)
    with alone(target, HOLDS):
        if target.exists():
            try:
                os.utime(target)
                return read(target)
            except (UnslantError, FileNotFoundError):  # damaged, or the cache was just cleared
                shutil.rmtree(target, ignore_errors=True)
        for partial in place.glob(f".{target.name}-*.partial"):  # what a kill left
            shutil.rmtree(partial, ignore_errors=True)
        checkpoint = target.with_suffix(".checkpoint")
        make(target, checkpoint)
        checkpoint.unlink(missing_ok=True)
        _shrink(place, most_bytes, target)
        return read(target)


def _shrink(place: Path, most_bytes: int, but: Path) -> None:
    """Remove the folders that were used least recently, and are not in use."""
    found = []
    for folder in place.iterdir():
        with suppress(FileNotFoundError):  # another process may be removing it
            if folder.is_dir() and not folder.name.startswith("."):
                size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
                found.append((folder.stat().st_mtime_ns, size, folder))
    total = sum(size for _, size, _ in found)
    for _, size, folder in sorted(found):
        if total <= most_bytes:
            return
        if folder != but and _removed(folder):
            total -= size


def _removed(folder: Path) -> bool:
    with folder.with_suffix(".lock").open("wb") as lock:
        try:
            hold(lock.fileno(), wait=False)
        except BlockingIOError:
            return False
        shutil.rmtree(folder, ignore_errors=True)
        return True


# A tuned model as a folder: weights that plain transformers loads, and their history.

TUNING = "tuning.json"
"""The file in a model's folder that says how its weights were trained."""
_KIND = "unslant tuning 1"
_LARGEST = 8 << 20


def write_weights(
    model: "TransformerModel", head: "Head | None", network: Any, target: Path
) -> None:
    """Write the model's files with the weights of a trained network in place of its own.

    Arrays that the network does not have, such as another head, are written as they were.
    """
    copy_known(model.folder, target)
    arrays = arrays_of(model.folder)
    trained = network.state_dict()
    for name, stored in planned(model.folder, model.layout, head).names.items():
        if name in trained and stored in arrays:
            arrays[stored] = trained[name]
    # A table that the head shares may be stored twice, and both are the trained one.
    _, plan = head_of(model)
    for name, source in plan.tied.items():
        if name in plan.names and source in plan.names:
            arrays[plan.names[name]] = arrays[plan.names[source]].clone()
    config = {key: value for key, value in model.folder.config.items() if key != "torch_dtype"}
    write_json(target / CONFIG, {**config, "dtype": "float32"})
    write_arrays(target / WEIGHTS, {name: value.clone() for name, value in arrays.items()})


def write_record(target: Path, origin: str, stages: tuple[StageFacts, ...], sha256: str) -> None:
    """Write the training history, with the hash of the folder's weights and a seal."""
    content = {
        "kind": _KIND,
        "origin": origin,
        "model_sha256": sha256,
        "stages": [json.loads(json.dumps(asdict(stage))) for stage in stages],
    }
    write_json(target / TUNING, with_seal(content))


def write_card(target: Path, model: "TransformerModel", stage: StageFacts) -> None:
    """Write the original's card with a section about the training."""
    facts = "\n".join(f"- {key}: {_format_value(value)}" for key, value in stage.details.items())
    section = (
        f"## Trained with Unslant\n\nUnslant {stage.version} trained {model.name} (SHA-256 "
        f"{model.content_hash[:16]}…) with `{stage.expression}` on {stage.inputs['text']} (SHA-256 "
        f"{stage.inputs['text_sha256'][:16]}…), after {stage.reference}\n\n{facts}"
    )
    text = f"{original_card(model, model.name)}\n\n{section}\n"
    (target / CARD).write_text(text, encoding="utf-8")


def _format_value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def read_record(folder: Path) -> tuple[str, tuple[StageFacts, ...], str]:
    """The original's name, its training history, and the hash of the weights, all sealed."""
    path = folder / TUNING
    try:
        content = without_seal(json_from(small_text(path, _LARGEST)))
        if content["kind"] != _KIND:
            raise ValueError(f"its kind is {content['kind']}")
        stages = tuple(from_plain(StageFacts, {**each, "words": []}) for each in content["stages"])
        return str(content["origin"]), stages, str(content["model_sha256"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UnslantError) as error:
        raise DamagedFileError(f"{path} is not the record of a training ({error}).") from error


_DIGITS = 12


def lineage_name(method: Tuning, place: Any, text_sha256: str) -> str:
    """The method's name in a lineage, with the text identified by its content."""
    named = (
        (key, f"sha256:{text_sha256[:_DIGITS]}" if key == "text" else value)
        for key, value in call_of(method).kwargs
    )
    return str(Step(Call(method.name, kwargs=tuple(named)), place))


def tuned(
    method: Tuning, on: Setup, words: str = ""
) -> tuple["TransformerModel", tuple[StageFacts, ...]]:
    """The trained model, named by its lineage, and the training's entry in a record.

    It is made once on a machine for the same model, method, text, concept, versions and ``words``
    (independent of how its erasers are fitted), and resumes where a killed run stopped.
    """
    import torch

    text = _text_hash(method.path)
    name = f"{on.model.name}.{lineage_name(method, on.place, text)}"
    inputs = {
        "model": on.model.content_hash,
        "method": lineage_name(method, on.place, text),
        "text": text,
        "concept": on.concept.content_hash,
        "words": words,
        "versions": [__version__, str(torch.__version__)],
    }

    def make(target: Path, checkpoint: Path) -> None:
        _trained(method, on, target, checkpoint, name=name, text_sha256=text)

    def read(folder: Path) -> tuple["TransformerModel", tuple[StageFacts, ...]]:
        from unslant.models.language.model import load_transformer

        _, stages, sha256 = read_record(folder)
        model = load_transformer(folder, called=name)
        if model.weights_sha256 != sha256:
            raise DamagedFileError(f"{folder} has changed since it was trained.")
        return model, stages[-1:]

    return kept_folder(inputs, make=make, read=read)


def _text_hash(path: Path) -> str:
    try:
        if not path.is_file():
            raise UnslantError(f"{path} is not a text file. Name one to train on: text=FILE.")
        return sha256_of_file(path)
    except OSError as error:
        raise UnslantError(f"{path} cannot be read: {error.strerror}.") from error


def _trained(
    method: Tuning, on: Setup, target: Path, checkpoint: Path, *, name: str, text_sha256: str
) -> None:
    """Train, and write the folder completely or not at all."""
    import torch

    from unslant.core.extras import torch_threads
    from unslant.models.language.model import load_transformer
    from unslant.models.training.adapters import merge
    from unslant.models.training.checkpoint import Checkpoint
    from unslant.models.training.trainer import train

    task = method.task(on)
    how = method.schedule()
    with torch_threads(torch, how.threads), torch.random.fork_rng(devices=[]):
        network = task.build_network()
        network.train(mode=False)
        with torch.inference_mode():
            before = task.evaluate_dev(network)
    del network
    outcome = train(task, how, store=Checkpoint(checkpoint, target.name), progress=on.progress)
    after = outcome.rounds[outcome.best - 1]
    merge(outcome.network)
    details: dict[str, Fact] = {
        **{f"held-out {name} before": before[key] for key, name in _terms(task, before)},
        **{f"held-out {name} after": after[key] for key, name in _terms(task, before)},
        "rounds": len(outcome.rounds),
        "best-round": outcome.best,
        "steps": len(outcome.rounds) * task.steps_in_round,
        "seconds": outcome.seconds,
        "trained-numbers": sum(value.size for value in outcome.weights.values()),
        **task.facts,
    }
    entry = TUNINGS.entry(method.name)
    stage = StageFacts(
        expression=str(Step(call_of(method), on.place)),
        cites=entry.cites,
        reference=reference(entry.cites),
        inputs={
            "model": on.model.name,
            "model_sha256": on.model.content_hash,
            "text": method.path.name,
            "text_sha256": text_sha256,
            "concept": on.concept.name,
            "words_sha256": on.concept.content_hash,
        },
        parameters=flat({**asdict(method), "text": method.path.name}),
        details=details,
        warnings=_warnings(before, after),
        seed=method.seed,
        version=__version__,
    )
    with new_folder(target) as partial:
        write_weights(on.model, task.head, outcome.network, partial)
        written = load_transformer(partial, called=name)
        _check(outcome.network, written, task.head)
        if methods := method.final(on):
            assert on.fit is not None
            on.fit(methods, written).save(partial / INTERVENTION)
        origin, earlier = _history(on.model)
        write_card(partial, on.model, stage)
        write_record(partial, origin, (*earlier, stage), written.weights_sha256)


def _history(model: "TransformerModel") -> tuple[str, tuple[StageFacts, ...]]:
    """The original model, and the methods that trained it before this one."""
    if not (model.folder.path / TUNING).exists():
        return model.name, ()
    origin, stages, _ = read_record(model.folder.path)
    return origin, stages


def _terms(task: Any, found: dict[str, float]) -> list[tuple[str, str]]:
    return [(key, said) for key, said in task.terms if key in found]


def _warnings(before: dict[str, float], after: dict[str, float]) -> tuple[str, ...]:
    """Warnings about a training that did not improve its own loss."""
    if after["score"] > before["score"]:
        return ()
    return ("the held-out loss of the best round is no better than before training",)


def _check(network: Any, written: "TransformerModel", head: "Head | None") -> None:
    """Refuse a folder whose model does not do what the trained network does, head included."""
    import torch

    theirs = written.network if head is None else written.head(head)
    with torch.inference_mode():
        for pieces in written.tokens.of(TRIAL):
            ids = torch.tensor([pieces.ids])
            one, other = (net(input_ids=ids)[0] for net in (network, theirs))
            apart = float((one - other).abs().max() / max(1.0, float(one.abs().max())))
            if not apart <= TOLERANCE:
                raise UnslantError(
                    f"{written.name} was not written: its folder differs from the trained network "
                    f"by {apart:.1e}, but at most {TOLERANCE:.0e} is allowed."
                )
