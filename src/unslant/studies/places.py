"""One measure at many places of a model, as results of a record."""

from collections.abc import Sequence
from dataclasses import replace

from unslant.concepts import WordPolicy
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.measurement import Measurement
from unslant.core.places import Place, parse_place
from unslant.core.record import LeftOut, Resource
from unslant.measures.running import Subject, measure
from unslant.models.language.base import LanguageModel
from unslant.vectors import Space

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
