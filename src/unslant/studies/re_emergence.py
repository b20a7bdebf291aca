"""Where an erased attribute re-emerges: probing at every place after an intervention."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Column, Curves, Exhibit, Point, Table
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.places import Place
from unslant.core.provenance import provenance
from unslant.core.record import Record, Result
from unslant.measures.registry import meaning
from unslant.metrics.probing import balanced_ends
from unslant.models.language.base import LanguageModel
from unslant.models.language.shared import spaces_at
from unslant.studies.audit import subject_of
from unslant.studies.layer_map import (
    GivenPlaces,
    label_of,
    layers_of,
    measured_at,
    model_resource,
    parsed,
)
from unslant.studies.record import Recorded

KINDS = {"linear": "logistic", "curved": "rbf-svm"}
ERROR = 0.05
"""The family-wise error rate: how often a model without recovery may be flagged."""


@dataclass(frozen=True, kw_only=True)
class Recovered:
    """A classifier's accuracy at one place, and whether it is above chance."""

    place: Place
    kind: str
    accuracy: float
    low: float
    high: float
    control: float
    chance: float
    re_emerges: bool


@dataclass(frozen=True, repr=False)
class ReEmergence(Recorded):
    """The record, and each finding by place and kind of classifier."""

    found: tuple[Recovered, ...] = ()

    def flagged(self, kind: str = "") -> list[Place]:
        """The places where the attribute can be recovered, for one kind of classifier or any."""
        every = [item.place for item in self.found if item.re_emerges and kind in ("", item.kind)]
        return list(dict.fromkeys(every))


def re_emergence(
    model: LanguageModel,
    concept: GivenConcept,
    *,
    places: GivenPlaces | None = None,
    contexts: str = "bleached",
    of: str = "all",
    folds: int = 5,
    controls: int = 4,
    tokens: str = "word",
    seed: int = 0,
    policy: WordPolicy | None = None,
    progress: Progress | None = None,
) -> ReEmergence:
    """Find the places where a removed concept can be recovered again.

    ``model`` is one with interventions (``model.intervened(…)``). At the place of the first and at
    every later layer a linear and a curved classifier are tested on words that they were not
    trained on (the measure ``probing``), with a control task. A place is flagged if the interval of
    the accuracy is above both chance and the control; its level is corrected for the number of
    places and classifiers, so that in a model without recovery anything is flagged in
    about 5 % of cases. Words are the observations: with few words only a strong return is seen.
    """
    concept = concept_from(concept)
    steps = model.intervention.steps
    if places is None and not steps:
        raise UnslantError(
            f"{model.name} has no intervention, so nothing can re-emerge. Give one with "
            f"model.intervened(…), or name the places to probe."
        )
    if places is None:
        first = min(model.site(step.place).depth for step in steps)
        chosen = layers_of(model, tokens, after=first - 0.01)
    else:
        chosen = parsed(places)
    if not chosen:
        raise UnslantError(f"{model.name} has no layer after the intervention; name the places.")
    spaces = spaces_at(model, chosen, None, progress)
    findings: list[Recovered] = []
    results: list[Result] = []
    tests = len(chosen) * len(KINDS)
    for kind, classifier in KINDS.items():
        expression = (
            f'probing(classifier={classifier}, of={of}, contexts="{contexts}", folds={folds}, '
            f"controls={controls}, seed={seed})"
        )
        every, _ = measured_at(expression, chosen, spaces, concept, policy or WordPolicy())
        for place, item in zip(chosen, every, strict=True):
            if item is None or item.value is None:
                why = item.why_undefined if item else "it could not be measured"
                raise UnslantError(f"Nothing can be probed at {place}: {why}.")
            results.append(Result(now=item))
            findings.append(_judged(place, kind, item, concept, tests))
    flagged = [item for item in findings if item.re_emerges]
    return ReEmergence(
        Record(
            about="layers",
            subject=subject_of(concept),
            resource=model_resource(model),
            results=tuple(results),
            exhibits=tuple(_exhibits(concept, model, findings)),
            warnings=() if steps else ("the model has no intervention",),
            glossary={"probing": meaning("probing")},
            settings={
                "intervention": model.intervention.expression if steps else "",
                "places": tuple(map(str, chosen)),
                "re-emerges-at": tuple(f"{item.place} ({item.kind})" for item in flagged),
                "family-error": ERROR,
            },
            provenance=provenance(),
        ),
        tuple(findings),
    )


def _judged(place: Place, kind: str, item: Measurement, concept: Concept, tests: int) -> Recovered:
    assert item.value is not None
    sizes = [len(use.used) for use in item.words]
    low, high = balanced_ends(item.value, sizes, 1 - ERROR / tests)
    chance = float(item.details["chance"] or 0)
    control = item.details.get("control-accuracy")
    bar = max(chance, float(control)) if isinstance(control, int | float) else chance
    return Recovered(
        place=place,
        kind=kind,
        accuracy=item.value,
        low=low,
        high=high,
        control=float(control) if isinstance(control, int | float) else chance,
        chance=chance,
        re_emerges=low > bar,
    )


def _exhibits(
    concept: Concept, model: LanguageModel, found: Sequence[Recovered]
) -> Iterator[Exhibit]:
    back = [item for item in found if item.re_emerges]
    places = [
        (kind, ", ".join(label_of(item.place) for item in back if item.kind == kind))
        for kind in KINDS
    ]
    where = "; ".join(f"by a {kind} classifier: {named}" for kind, named in places if named)
    says = (
        f"{concept.name.capitalize()} can be recovered after the intervention at these layers, "
        f"{where}."
        if back
        else f"{concept.name.capitalize()} is not recovered clearly above chance at any place."
    )
    title = f"{concept.name.capitalize()} recovered in {model.name}"
    controls = {item.place: item.control for item in found if item.kind == "linear"}
    yield Curves(
        id="re-emergence",
        title=title,
        x="layer",
        y="accuracy on unseen words",
        points=(
            *(
                Point(
                    label=label_of(item.place),
                    x=item.accuracy,
                    group=f"{item.kind} classifier",
                    low=item.low,
                    high=item.high,
                )
                for item in found
            ),
            *(
                Point(label=label_of(place), x=value, group="control task (random labels)")
                for place, value in controls.items()
            ),
        ),
        level=found[0].chance,
        level_says="chance",
        marked=tuple(dict.fromkeys(label_of(item.place) for item in back)),
        bands="confidence intervals of 95 % for all places and classifiers together",
        caption="Accuracy of classifiers of the group, on words that they were not trained on, at "
        "the place of the intervention and after it.",
        says=says,
    )
    numbers = [Column(label=label, digits=3) for label in ("accuracy", "low", "high", "control")]
    yield Table(
        id="recovered",
        title=f"{title}: every number",
        columns=(Column(label="place"), Column(label="classifier"), *numbers,
                 Column(label="re-emerges")),
        rows=tuple(
            (str(item.place), item.kind, item.accuracy, item.low, item.high, item.control,
             "yes" if item.re_emerges else "no")
            for item in found
        ),
    )  # fmt: skip
