"""Expressions of methods and metrics in a plan, checked and written in one way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.core.expression import Call, Chain, Step, parse_call, parse_chain
from unslant.core.places import parse_place
from unslant.core.registry import Registry
from unslant.core.toml_lines import Place
from unslant.core.toml_source import TomlSource, unknown
from unslant.datasets.registry import datasets
from unslant.measures.registry import MEASURES, SPACE, measure_from
from unslant.methods.chains import chain_of
from unslant.methods.method import DEBIASERS
from unslant.models.language.recipes import RECIPES, is_recipe
from unslant.studies.plan.cells import PlannedMeasure, PlannedResource
from unslant.studies.resources import model_from
from unslant.studies.tunings import is_tuning, split_training_steps, trainings_of, tuning_names

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel


def method_text(source: TomlSource, place: Place, text: str) -> str:
    """A chain of methods as it is always written, or nothing for the resource as it is.

    Every method acts on vectors, or every method in a language model: at a place, as recipes do, or
    by training it, on a text whose path becomes absolute.
    """
    if not text.strip():
        return ""
    try:
        chain = _with_texts(source, place, parse_chain(text))
        first, rest = split_training_steps(chain)
        trainings_of(first)
        methods = Chain(tuple(step for step in rest if not is_recipe(step)))
        names = tuple(step.call for step in methods)
        known = (*RECIPES, *tuning_names())
        _check_names(source, place, DEBIASERS, "method", names, also=known)
        chain_of(methods)
    except UnslantError as error:
        raise _placed(source, place, error) from error
    if acts_in_models(chain) and any(_is_for_vectors(step) for step in chain):
        bare = next(step for step in chain if _is_for_vectors(step))
        raise source.error(
            place, f'"{chain}" has methods at places of a language model and one without: {bare}.'
        )
    return str(chain)


def acts_in_models(chain: Chain | str) -> bool:
    """Whether methods act at places in a language model, not on vectors."""
    chain = parse_chain(chain) if isinstance(chain, str) else chain
    return any(not _is_for_vectors(step) for step in chain)


def _is_for_vectors(step: Step) -> bool:
    return step.place is None and not is_recipe(step) and not is_tuning(step)


def _with_texts(source: TomlSource, place: Place, chain: Chain) -> Chain:
    """The chain with the texts of methods that train as absolute paths, which must exist."""
    steps = []
    for step in chain:
        if is_tuning(step) and (text := text_of(step.call)):
            own = source.path(text, place)
            if not Path(own).is_file() or '"' in own:
                raise source.error(place, f"{step.call.name}: {own} is not a text file.")
            step = replace(step, call=with_text(step.call, own))
        steps.append(step)
    return Chain(tuple(steps))


def text_of(call: Call) -> str:
    """The text that a method trains on; empty if none is named."""
    return str(dict(call.kwargs).get("text", call.args[0] if call.args else ""))


def with_text(call: Call, text: str) -> Call:
    """The same method on another text."""
    if call.args:  # the text is the first parameter
        return Call(call.name, (text, *call.args[1:]), call.kwargs)
    rest = tuple((key, value) for key, value in call.kwargs if key != "text")
    return Call(call.name, (), (("text", text), *rest))


def metric_text(source: TomlSource, place: Place, text: str) -> str:
    """A metric as it is always written; a benchmark of the user's own has its absolute path."""
    try:
        call = parse_call(text)
        _check_names(source, place, MEASURES, "measure", (call,))
        name = dataset_of(str(call))
    except UnslantError as error:
        raise _placed(source, place, error) from error
    if name is None or f"{call.name}/{name}" in datasets():
        return str(call)
    own = source.path(name, place)
    if not Path(own).is_file() or '"' in own:
        known = [key.partition("/")[2] for key in datasets() if key.startswith(f"{call.name}/")]
        raise source.error(place, unknown(f"{call.name} dataset or file", name, known))
    return with_dataset(str(call), own)


def dataset_of(expression: str) -> str | None:
    """The benchmark that a metric asks, by name or path, where it asks one."""
    kind = parse_call(expression).name
    dataset = getattr(measure_from(expression), "dataset", None)
    asks_one = any(key.startswith(f"{kind}/") for key in datasets())
    return str(dataset) if dataset is not None and asks_one else None


def with_dataset(expression: str, dataset: str) -> str:
    """The same metric on another benchmark."""
    call = parse_call(expression)
    if call.args:  # the benchmark is the first parameter
        return str(Call(call.name, (dataset, *call.args[1:]), call.kwargs))
    rest = tuple((key, value) for key, value in call.kwargs if key != "dataset")
    return str(Call(call.name, (), (("dataset", dataset), *rest)))


def _check_names(
    source: TomlSource,
    place: Place,
    registry: Registry[Any],
    kind: str,
    calls: tuple[Call, ...],
    also: tuple[str, ...] = (),
) -> None:
    for call in calls:
        if call.name not in registry and call.name not in also:
            known = {*(entry.name for entry in registry), *also}
            raise source.error(place, unknown(kind, call.name, known))


def _placed(source: TomlSource, place: Place, error: UnslantError) -> UnslantError:
    """The error with its place, unless it has one already."""
    return error if str(error).startswith(source.name) else source.error(place, str(error))


# Which methods and measures go with which resources, from the plan and from headers alone.

_APART = "list them in separate matrices"


@dataclass(frozen=True)
class Combinations:
    """Says in one sentence why two parts of a plan do not go together, or nothing if they do.

    What is missing or cannot be read fits everything here: its own cells fail and say why.
    """

    models: dict[str, LanguageModel | None] = field(default_factory=dict)

    def why_no_place(self, resource: PlannedResource) -> str:
        """Why a model cannot be measured where the plan says."""
        model = self._model(resource)
        if model is None or not resource.place:
            return ""
        try:
            model.site(parse_place(resource.place))
        except UnslantError as error:
            return str(error)
        return ""

    def why_not_treated(self, resource: PlannedResource, label: str, method: str) -> str:
        """Why a method cannot act on a resource."""
        if not method or resource.kind == "missing":
            return ""
        is_for_models = acts_in_models(method)
        if resource.kind == "vectors" and is_for_models:
            return (
                f'"{label}" ({method}) acts in language models, and "{resource.label}" is a set of '
                f"word vectors; {_APART}."
            )
        if resource.kind == "model" and not is_for_models:
            return (
                f'"{label}" ({method}) acts on word vectors, and "{resource.label}" is a language '
                f"model; name a place, as in leace@layer:-1, or {_APART}."
            )
        if (model := self._model(resource)) is not None:
            from unslant.studies.at_places import chain_at_places

            try:
                first, rest = split_training_steps(method)
                trainings_of(first, model)
                chain_at_places(rest, model)
            except UnslantError as error:
                return f'"{label}" cannot act in "{resource.label}": {error}'
        return ""

    def why_not_measured(self, resource: PlannedResource, measure: PlannedMeasure) -> str:
        """Why a measure cannot be taken of a resource."""
        if resource.kind != "model" or resource.place == "wordpieces":
            return ""
        name = parse_call(measure.expression).name
        if measure.is_probe:
            return self._why_no_answer(resource, measure, name)
        if MEASURES.entry(name).facts.needs == SPACE:
            return ""
        return (
            f'"{measure.label}" ({name}) needs a vocabulary ranked by frequency, and '
            f'"{resource.label}" is a language model; measure its word pieces '
            f'(place = "wordpieces"), or {_APART}.'
        )

    def _why_no_answer(self, resource: PlannedResource, measure: PlannedMeasure, name: str) -> str:
        """Why a language model cannot answer a probe."""
        needs = MEASURES.entry(name).facts.needs
        model = self._model(resource)
        if model is None or isinstance(needs, str):
            return ""
        if measure.model or measure.retrain:
            return (
                f'"{measure.label}" ({name}) is answered by another model, which reads word '
                f'vectors, and "{resource.label}" is a language model; leave out model and '
                f"retrain, or {_APART}."
            )
        if not model.can_answer(needs):
            from unslant.predictors.protocols import method_of

            return (
                f'"{measure.label}" ({name}) needs word vectors, and "{resource.label}" is a '
                f"language model, which has no method {method_of(needs)}; ask its word pieces "
                f'(place = "wordpieces"), or {_APART}.'
            )
        return ""

    def _model(self, resource: PlannedResource) -> LanguageModel | None:
        """The model of a resource, none if it cannot be read; only headers are read here."""
        if resource.kind != "model":
            return None
        if resource.path not in self.models:
            try:
                self.models[resource.path] = model_from(resource.path)
            except UnslantError:
                self.models[resource.path] = None
        return self.models[resource.path]
