"""A model trained by a method: from the machine's cache, or made now and kept there."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.expression import Call, Step
from unslant.core.files import sha256_of_file
from unslant.core.record import Fact, StageFacts, flat
from unslant.core.references import reference
from unslant.core.version import __version__
from unslant.models.language.export import TOLERANCE, new_folder
from unslant.models.language.interventions import INTERVENTION
from unslant.models.language.reloading import TRIAL
from unslant.models.tuning.folder import (
    TUNING,
    read_record,
    write_card,
    write_record,
    write_weights,
)
from unslant.models.tuning.registry import TUNINGS, call_of
from unslant.models.tuning.store import kept_folder
from unslant.models.tuning.tuning import Setup, Tuning

if TYPE_CHECKING:
    from unslant.models.language.model import TransformerModel
    from unslant.models.language.weights import Head

_DIGITS = 12


def lineage_name(method: Tuning, place: Any, text_sha256: str) -> str:
    """What a lineage calls the method: the text by its content."""
    named = (
        (key, f"sha256:{text_sha256[:_DIGITS]}" if key == "text" else value)
        for key, value in call_of(method).kwargs
    )
    return str(Step(Call(method.name, kwargs=tuple(named)), place))


def tuned(
    method: Tuning, on: Setup, words: str = ""
) -> tuple["TransformerModel", tuple[StageFacts, ...]]:
    """The trained model, named by its lineage, and what a record says of the training.

    It is made once on a machine for the same model, method, text, concept, versions and ``words``
    (whatever else its erasers are fitted with), and goes on where a killed run stopped.
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
        network = task.built()
        network.train(mode=False)
        with torch.inference_mode():
            before = task.held_out(network)
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
    """What was trained first, and by which methods before this one."""
    if not (model.folder.path / TUNING).exists():
        return model.name, ()
    origin, stages, _ = read_record(model.folder.path)
    return origin, stages


def _terms(task: Any, found: dict[str, float]) -> list[tuple[str, str]]:
    return [(key, said) for key, said in task.terms if key in found]


def _warnings(before: dict[str, float], after: dict[str, float]) -> tuple[str, ...]:
    """What to know of a training that did not help by its own measure."""
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
