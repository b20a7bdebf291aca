"""The spaces of a cell in a language model: read once in a process, fitted once on a machine."""

import os
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.concepts import AssociationTest, Concept, WordPolicy, concept
from unslant.concepts.contexts import (
    BLEACHED,
    EVERYDAY,
    AnyContexts,
    TypeContexts,
    any_contexts_from,
)
from unslant.core.errors import UnslantError
from unslant.core.expression import Call, Chain, Step, parse_call, parse_chain
from unslant.core.files import Fingerprint
from unslant.core.registry import Registry
from unslant.measures.registry import MEASURES
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.models.language.base import LanguageModel
from unslant.models.language.interventions import Intervention
from unslant.models.language.model import load_model
from unslant.models.language.recipes import is_recipe
from unslant.models.language.resuming import resume_from_now_on
from unslant.studies.at_places import Fits, chain_at_places, fit_at_places
from unslant.studies.resources import space_of
from unslant.studies.run.machine_cache import get_or_create
from unslant.studies.run.task import Task, threads_restored
from unslant.studies.treated_model import trained
from unslant.studies.tunings import is_tuning, split_training_steps, trainings_of
from unslant.vectors import Space

# The seed of a cell, given to every component of it that draws numbers.


def with_seed(expression: str, seed: int) -> str:
    """The measure with this seed, unless it says its own or draws nothing.

    >>> with_seed("weat", 3), with_seed("weat(seed=1)", 3)
    ('weat(seed=3)', 'weat(seed=1)')
    """
    return str(_seeded(MEASURES, parse_call(expression), seed))


def seeded_methods(expression: str, seed: int) -> str:
    """The chain with this seed in every method that draws and does not say its own.

    Recipes are as they are: none of their methods draws.

    >>> seeded_methods("hard | random", 3)
    'hard | random(seed=3)'
    """
    chain = parse_chain(expression)
    return str(Chain(tuple(_seeded_step(step, seed) for step in chain)))


def _seeded_step(step: Step, seed: int) -> Step:
    if is_recipe(step):
        return step
    registry: Registry[Any] = TUNINGS if is_tuning(step) else DEBIASERS
    return Step(_seeded(registry, step.call, seed), step.place)


def _seeded(registry: Registry[Any], call: Call, seed: int) -> Call:
    names = [field.name for field in fields(registry.entry(call.name).component)]
    named = {*names[: len(call.args)], *(key for key, _ in call.kwargs)}
    if seed == 0 or "seed" not in names or "seed" in named:  # 0 is what all of them begin with
        return call
    return Call(call.name, call.args, (*call.kwargs, ("seed", seed)))


_KEPT_MODELS = 2
"""How many networks a process keeps in memory."""
_KEPT_INTERVENTIONS = 8
_KEPT_FITS = 4_096
_KEPT_AVERAGES = 4
_MOST_FILES = 1_000
_LEAST_STATES_BYTES = 512 << 20
_STATES_BYTES = (
    max(_LEAST_STATES_BYTES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 8)
    if hasattr(os, "sysconf")  # Windows has none
    else _LEAST_STATES_BYTES
)
"""How much a process may keep of what the blocks of one model gave: an eighth of the memory.

Questions whose states do not fit are answered from the first block on, setting after setting."""

Fingerprints = tuple[tuple[str, Fingerprint], ...]


def spaces_in_model(
    task: Task, subject: Concept | AssociationTest, policy: WordPolicy
) -> tuple[Space, Space]:
    """The space after the cell's method and the one before it.

    They are made again for each cell. Texts are encoded in batches, and the last digits of a vector
    may depend on what else is in its batch, so vectors kept from another cell would make a number
    depend on which cells were computed before it.
    """
    resource = task.cell.resource
    place = str(task.inputs["resource"]["place"])
    after, before = models_of(task, policy, [place])
    contexts, hash_ = None, ""  # sentences need no contexts
    if getattr(subject, "items", "words") != "sentences" and place != "wordpieces":
        hash_ = str(task.inputs["resource"]["contexts"])
        contexts = _contexts(resource.contexts, hash_)
    if isinstance(contexts, TypeContexts):
        return _averages(after, place, contexts, hash_), _averages(before, place, contexts, hash_)
    return (
        space_of(after, subject, place=place, contexts=contexts),
        space_of(before, subject, place=place, contexts=contexts),
    )


def _averages(model: LanguageModel, place: str, contexts: TypeContexts, sha256: str) -> Space:
    """The averages over a corpus, which depend on no other cell, so that they may be kept."""
    kept, key = _kept_averages(), (model.content_hash, place, sha256)
    if key not in kept:
        if len(kept) >= _KEPT_AVERAGES:
            kept.pop(next(iter(kept)))
        kept[key] = space_of(model, place=place, contexts=contexts)
    return kept[key]


@lru_cache(maxsize=1)
def _kept_averages() -> dict[tuple[str, str, str], Space]:
    """Averages that were made in this process."""
    return {}


def models_of(
    task: Task, policy: WordPolicy, places: Sequence[str] = ()
) -> tuple[LanguageModel, LanguageModel]:
    """The model after the cell's method and the one before it.

    Blocks that models agree on are computed once in a process, as long as it has room for what
    they gave; the numbers are the same bits as without that.
    """
    cell, resource = task.cell, task.cell.resource
    before = _model(resource.path, str(task.inputs["resource"]["sha256"]))
    if not cell.method:
        resume_from_now_on(before, places, most_bytes=_STATES_BYTES)
        return before, before
    method = seeded_methods(cell.method, cell.seed)
    first, rest = split_training_steps(method)
    tuned = _tuned(task, before, Chain(first), policy) if first else before
    chain = chain_at_places(rest, before)
    acting = [step.place for step in chain if step.place is not None]
    resume_from_now_on(tuned, [*acting, *places], most_bytes=_STATES_BYTES)
    if not acting:
        return tuned, before
    return tuned.intervened(_fitted(task, tuned, chain, policy)), before


def _tuned(task: Task, model: LanguageModel, chain: Chain, policy: WordPolicy) -> LanguageModel:
    """The model after methods that train it."""
    cell = task.cell
    about = cell.concept, str(task.inputs["concept"])
    fit_contexts = cell.resource.fit_contexts
    around = fit_contexts, str(task.inputs["resource"].get("fit_contexts", ""))
    return _trained(str(chain), about, around, policy, model)


@lru_cache(maxsize=_KEPT_MODELS)
def _trained(
    methods: str,
    about: tuple[str, str],
    around: tuple[str, str],
    policy: WordPolicy,
    model: LanguageModel,
) -> LanguageModel:
    """The same, trained once on each machine and kept in memory for the cells that come next.

    Concept and contexts are stored with their hashes, because files may change.
    """
    trainings = trainings_of(parse_chain(methods).steps, model)
    contexts = _contexts(*around) if around[0] else EVERYDAY
    with threads_restored():
        tuned, _ = trained(trainings, model, concept(about[0]), policy, contexts=contexts)
    return tuned


@lru_cache(maxsize=_KEPT_AVERAGES)
def _contexts(given: str, sha256: str) -> AnyContexts:
    contexts = any_contexts_from(given or BLEACHED)
    if contexts.content_hash != sha256:
        raise UnslantError(
            f"The contexts in {given} have changed since the study was planned. Run it again."
        )
    return contexts


def _fitted(task: Task, model: LanguageModel, chain: Chain, policy: WordPolicy) -> Intervention:
    """The fitted methods, computed once on each machine, those that chains begin with only once."""
    cell = task.cell
    depends_on = {
        "model": model.content_hash,
        "method": str(chain),
        "concept": task.inputs["concept"],
        "policy": task.inputs["policy"],
        "version": task.inputs["version"],
    }
    fit_contexts = cell.resource.fit_contexts
    sha256 = str(task.inputs["resource"].get("fit_contexts", ""))
    if fit_contexts:
        depends_on["contexts"] = sha256

    def make(path: Path) -> None:
        words = (str(task.inputs["concept"]), sha256, policy.missing, policy.case)
        known = _fits(model.content_hash, words)
        if len(known.steps) > _KEPT_FITS:
            known.steps.clear()
        around = _contexts(fit_contexts, sha256) if fit_contexts else EVERYDAY
        fit_at_places(
            chain, model, concept(cell.concept), policy, contexts=around, known=known
        ).save(path)

    return get_or_create(depends_on, task.cache_bytes, make=make, read=_read)


@lru_cache(maxsize=_KEPT_MODELS)
def _fits(model: str, words: tuple[str, ...]) -> Fits:
    """The fits of this process."""
    return Fits()


@lru_cache(maxsize=_KEPT_INTERVENTIONS)
def _read(path: Path) -> Intervention:
    return Intervention.load(path)


def _model(path: str, sha256: str) -> LanguageModel:
    """The model at the plan's path, if it is the one that the study was planned with."""
    if not Path(path).is_dir():
        raise UnslantError(
            f"The model {path} is not on this machine. Copy its folder to the same path."
        )
    model = _loaded(path, touched(path))
    if model.content_hash != sha256:
        raise UnslantError(
            f"{path} is not the model that the study was planned with (its SHA-256 is not "
            f"{sha256[:16]}…). Put the same model there, or run the study again."
        )
    return model


@lru_cache(maxsize=_KEPT_MODELS)
def _loaded(path: str, files: Fingerprints) -> LanguageModel:
    return load_model(path)


def touched(path: str) -> Fingerprints:
    """A fingerprint that changes with any file of a model's folder."""
    try:
        files = sorted(file for file in Path(path).rglob("*") if file.is_file())[:_MOST_FILES]
        return tuple((str(file), Fingerprint.of(file)) for file in files)
    except OSError as error:
        raise UnslantError(f"{path} cannot be read: {error.strerror}.") from error
