"""Which methods and measures go with which resources, from the plan and from headers alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unslant.core.errors import UnslantError
from unslant.core.expression import parse_call
from unslant.core.places import parse_place
from unslant.measures.registry import MEASURES, SPACE
from unslant.predictors.protocols import method_of
from unslant.studies.plan.cells import PlannedMeasure, PlannedResource
from unslant.studies.plan.expressions import acts_in_models
from unslant.studies.resources import model_from
from unslant.studies.tunings import parted, trainings_of

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel

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
                first, rest = parted(method)
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
