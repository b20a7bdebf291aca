"""A layer map: one measure at every layer, or at every head, of a model."""

from collections.abc import Sequence
from dataclasses import replace

from unslant.concepts import AssociationTest, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.contexts import GivenContexts
from unslant.concepts.read import own_definition
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.exhibits import Column, Curves, Exhibit, Grid, Point, Table
from unslant.core.expression import parse_call
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.places import Place, parse_place
from unslant.core.provenance import provenance
from unslant.core.record import LeftOut, Record, Resource, Result
from unslant.core.record import Subject as Recorded_Subject
from unslant.core.score import Better
from unslant.measures.change import corrected
from unslant.measures.registry import MEASURES, SPACE, meaning
from unslant.measures.running import Subject, measure
from unslant.models.language.base import LanguageModel
from unslant.models.language.shared import spaces_at
from unslant.studies.audit import subject_of
from unslant.studies.record import Recorded
from unslant.vectors import Space

# One measure at many places of a model, as results of a record.

GivenPlaces = Sequence[Place | str]


def layers_of(model: LanguageModel, tokens: str, after: float = -2.0) -> list[Place]:
    """The input of the first layer and the output of each, deeper than ``after``."""
    layers = [Place("layer", n, tokens=tokens) for n in range(1, model.layout.layers + 1)]
    places = [Place("embeddings", tokens=tokens), *layers]
    return [place for place in places if model.site(place).depth > after]


def heads_of(model: LanguageModel, component: str, tokens: str) -> list[Place]:
    """Every head of a component in every layer."""
    is_shared = component in ("key", "value")
    count = getattr(model.layout, "key_heads" if is_shared else "heads", 0)
    if not count:
        raise UnslantError(f"{model.name} has no attention heads.")
    return [
        Place("layer", n, component, head, tokens)
        for n in range(1, model.layout.layers + 1)
        for head in range(count)
    ]


def parsed(places: GivenPlaces) -> list[Place]:
    """Places from their texts; the same place twice is one."""
    parsed_places = [parse_place(place) if isinstance(place, str) else place for place in places]
    return list(dict.fromkeys(parsed_places))


def label_of(place: Place) -> str:
    """The axis label of a place: the number of a layer, or the part."""
    if place.index is None:
        return place.part
    return str(place.index) if place.component is None else str(replace(place, tokens=None))


def measured_at(
    expression: str,
    places: Sequence[Place],
    spaces: Sequence[Space],
    subject: Subject,
    policy: WordPolicy,
) -> tuple[list[Measurement | None], tuple[LeftOut, ...]]:
    """The measurement at each place, None (and why) where it could not be made."""
    measurements: list[Measurement | None] = []
    left_out = []
    for place, space in zip(places, spaces, strict=True):
        try:
            item = measure(expression, space, subject, policy)
        except MissingWordsError:
            raise
        except UnslantError as error:
            if len(places) == 1:
                raise
            measurements.append(None)
            left_out.append(LeftOut(what=str(place), why=str(error)))
            continue
        parameters = {key: v for key, v in item.parameters.items() if key != "definition"}
        parameters["place"] = str(place)
        measurements.append(replace(item, title=f"{item.title}, {place}", parameters=parameters))
    return measurements, tuple(left_out)


def model_resource(model: LanguageModel) -> Resource:
    """The identity of a model in a record."""
    layout = model.layout
    return Resource(
        name=model.name,
        kind="model",
        sha256=model.content_hash,
        facts={"architecture": layout.kind, "layers": layout.layers, "dim": layout.width},
    )


Found = Sequence[tuple[Place, Measurement]]


class LayerMap(Recorded):
    """The record of one measure at many places of a model."""


def layer_map(
    expression: str,
    model: LanguageModel,
    subject: Subject | str,
    *,
    places: GivenPlaces | None = None,
    contexts: GivenContexts | None = None,
    component: str = "",
    policy: WordPolicy | None = None,
    progress: Progress | None = None,
) -> LayerMap:
    """Any measure that needs only a space, at every layer of a model, as one figure.

    Every text is encoded once: a pass through the network serves all places. Words are put into
    ``contexts`` and read at their own pieces; without contexts the items are texts, read as the
    mean of all pieces. A ``component`` such as "value" makes a heat map of its heads. ``places``
    chooses others. The places are compared on the same words, and p-values are corrected for
    their number.
    """
    if isinstance(subject, str):
        subject = concept_from(subject)
    name = parse_call(expression).name
    if MEASURES.entry(name).traits["needs"] != SPACE:
        raise UnslantError(
            f"{name} needs more than a space, so it cannot be measured at a layer. Measures that "
            f"can: {', '.join(e.name for e in MEASURES if e.traits['needs'] == SPACE)}."
        )
    tokens = "all" if contexts is None else "word"
    if contexts is None and name in _MARKING:
        tokens = "word"
    chosen = (
        parsed(places)
        if places is not None
        else heads_of(model, component, tokens)
        if component
        else layers_of(model, tokens)
    )
    spaces = spaces_at(model, chosen, contexts, progress)
    every, left_out = measured_at(expression, chosen, spaces, subject, policy or WordPolicy())
    measured = [
        (place, item) for place, item in zip(chosen, every, strict=True) if item is not None
    ]
    if not measured:
        raise UnslantError(f"Nothing could be measured in {model.name}: {left_out[0].why}")
    items = [item for _, item in measured]
    return LayerMap(
        Record(
            about="layers",
            subject=_subject(subject),
            resource=model_resource(model),
            results=tuple(
                Result(now=item, corrected=p)
                for item, p in zip(items, corrected(items), strict=True)
            ),
            exhibits=tuple(_exhibits(expression, model, measured)),
            left_out=left_out,
            glossary={item.metric: meaning(item.metric) for item in items},
            settings={"expression": expression, "places": tuple(map(str, chosen))},
            provenance=provenance(),
        )
    )


_MARKING = ("probing", "ceat")
"""Measures that put words into contexts themselves, and mark them."""


def _subject(subject: Subject) -> Recorded_Subject:
    if not isinstance(subject, AssociationTest):
        return subject_of(subject)
    return Recorded_Subject(
        kind="concept",
        name=str(subject),
        title=subject.title,
        sha256=subject.content_hash,
        definition=own_definition(subject),
    )


def _exhibits(expression: str, model: LanguageModel, found: Found) -> list[Exhibit]:
    title = f"{expression} by layer of {model.name}"
    known = [(place, item) for place, item in found if item.value is not None]
    goal = Better.of(known[0][1].better).goal if known and known[0][1].better else float("inf")
    level = goal if abs(goal) != float("inf") else _chance(known)
    heads = [(place, item) for place, item in known if place.head is not None]
    lines = [(place, item) for place, item in known if place.head is None]
    shown: list[Exhibit] = []
    if lines:
        shown.append(_curves(title, lines, level))
    if heads:
        shown.append(_grid(title.replace("layer", "head"), heads, level or 0.0))
    shown.append(_table(title, found))
    return shown


def _chance(known: Found) -> float | None:
    chance = known[0][1].details.get("chance") if known else None
    return float(chance) if isinstance(chance, int | float) else None


def _curves(title: str, lines: Found, level: float | None) -> Curves:
    top_place, top = max(lines, key=lambda pair: abs((pair[1].value or 0) - (level or 0)))
    kinds = {(place.component, place.tokens) for place, _ in lines}
    return Curves(
        id="layers",
        title=title,
        x="layer",
        y=top.metric,
        points=tuple(
            Point(
                label=label_of(replace(place, component=None)) if place.index else place.part,
                x=float(item.value or 0),
                group=_group(place) if len(kinds) > 1 else "",
                low=item.interval.low if item.interval else None,
                high=item.interval.high if item.interval else None,
            )
            for place, item in lines
        ),
        level=level,
        level_says="" if level is None else "chance" if top.details.get("chance") else "no effect",
        says=f"It is furthest from {level or 0:g} at {top_place}: {top.value:.2f}.",
    )


def _group(place: Place) -> str:
    tokens = f"[{place.tokens}]" if place.tokens else ""
    return f"{place.component or 'output'}{tokens}"


def _grid(title: str, heads: Found, level: float) -> Grid:
    by_cell = {(place.index, place.head): item.value for place, item in heads}
    rows = list(dict.fromkeys(place.index for place, _ in heads))
    columns = sorted({place.head for place, _ in heads if place.head is not None})
    top_place, top = max(heads, key=lambda pair: abs((pair[1].value or 0) - level))
    return Grid(
        id="heads",
        title=title,
        rows=tuple(f"layer {row}" for row in rows),
        columns=tuple(map(str, columns)),
        values=tuple(tuple(by_cell.get((row, column)) for column in columns) for row in rows),
        x="head",
        level=level,
        says=f"It is furthest from {level:g} at {top_place}: {top.value:.2f}.",
    )


def _table(title: str, found: Found) -> Table:
    digits = [Column(label=label, digits=3) for label in ("value", "low", "high", "p")]
    return Table(
        id="places",
        title=title,
        columns=(Column(label="place"), *digits),
        rows=tuple(
            (
                str(place),
                item.value,
                item.interval.low if item.interval else None,
                item.interval.high if item.interval else None,
                item.p.value if item.p else None,
            )
            for place, item in found
        ),
        is_detail=True,
    )
