"""The measures of a plan: any metric, and the scores of any probe."""

from dataclasses import MISSING
from typing import Any

from unslant.core.components import shortest
from unslant.core.errors import UnslantError
from unslant.core.expression import Call, parse_call
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.registry import Entry
from unslant.core.toml_lines import Place
from unslant.core.toml_source import TomlSource, unknown
from unslant.measures.registry import MEASURES, Declared, measure_from, metrics, probes
from unslant.studies.plan.cells import PlannedMeasure
from unslant.studies.plan.expressions import metric_text
from unslant.studies.plan.resources import check_label

ALL = "all"
ALL_TESTS = "*"
"""In the place of a test's name: every test of the concept, each a measure of its own."""

_ANSWERED_BY = ("model", "retrain")
"""Paths of who answers a probe: a trained model, or the data to train one for each space."""


def read_measures(source: TomlSource) -> dict[str, PlannedMeasure]:
    """The measures of a plan by label."""
    if (short := _short(source)) is not None:
        return short
    measures = {}
    for label, value in source.get(("measures",), dict, {}).items():
        place = ("measures", label)
        check_label(source, place, label)
        if isinstance(value, str):
            measures[label] = PlannedMeasure(label=label, expression=_metric(source, place, value))
        elif isinstance(value, dict):
            is_probe = source.has((*place, "probe"))
            measures[label] = (_of_probe if is_probe else _of_vectors)(source, place, label)
        else:
            raise source.error(
                place, f'"{label}" must be a measure in quotes, or {{ measure = "…" }}.'
            )
    return measures


def _short(source: TomlSource) -> dict[str, PlannedMeasure] | None:
    """Measures in one line, each on all tests: an array of metrics, or ``"all"`` of them."""
    value = source.value(("measures",))
    if isinstance(value, str):
        if value != ALL:
            raise source.error(("measures",), f'measures is a table, an array or "{ALL}".')
        texts = [entry.name for entry in metrics() if entry.traits["takes"] in ("test", "concept")]
    elif isinstance(value, list):
        texts = source.texts(("measures",))
    else:
        return None
    measures = {}
    for number, text in enumerate(texts):
        place: Place = ("measures", number) if isinstance(value, list) else ("measures",)
        expression = metric_text(source, place, text)
        is_test = MEASURES.entry(parse_call(expression).name).traits["takes"] == "test"
        tests = ALL_TESTS if is_test else ""
        expression = _metric(source, place, text, tests)
        measures[text] = PlannedMeasure(label=text, expression=expression, test=tests)
    return measures


def _of_vectors(source: TomlSource, place: Place, label: str) -> PlannedMeasure:
    known = ("measure", "test", "tests", "detail", "probe")
    for key in source.get(place, dict):
        if key not in known and any(key in _keys(entry) for entry in probes()):
            raise source.error((*place, key), f'"{key}" is for probes; add probe = "…".')
    source.only(place, known)
    expression, test = source.get((*place, "measure"), str), _text(source, (*place, "test"))
    if source.has((*place, "tests")):
        if test or source.value((*place, "tests")) != ALL:
            raise source.error(
                (*place, "tests"), f'write tests = "{ALL}" for every test, or test = "…" for one.'
            )
        test = ALL_TESTS
    return PlannedMeasure(
        label=label,
        expression=_metric(source, (*place, "measure"), expression, test),
        test=test,
        detail=_text(source, (*place, "detail")),
    )


def _metric(source: TomlSource, place: Place, text: str, test: str = "") -> str:
    expression = metric_text(source, place, text)
    name = parse_call(expression).name
    facts = MEASURES.entry(name).facts
    if facts.is_probe:
        message = f'{name} is a probe; write {{ probe = "{name}", measure = "…" }} with a score: '
        raise source.error(place, f"{message}{', '.join(facts.scores)}.")
    if facts.takes == "test" and not test:
        message = f'{name} is measured on a test; write {{ measure = "{name}", test = "…" }}'
        message += f', or tests = "{ALL}".'
        raise source.error(place, message)
    if facts.takes != "test" and test:
        of = "the vectors alone" if facts.takes == "vectors" else "a whole concept"
        message = f'{name} measures {of}, not a test; leave out test = "{test}".'
        raise source.error((*place[:-1], "test"), message)
    return expression


def _of_probe(source: TomlSource, place: Place, label: str) -> PlannedMeasure:
    name = source.get((*place, "probe"), str)
    known = {entry.name: entry for entry in probes()}
    if name not in known:
        raise source.error((*place, "probe"), unknown("probe", name, known))
    parameters = parameters_of(known[name].component)
    keys = _keys(known[name])
    source.only(place, ("probe", "measure", "detail", *keys))
    arguments = [
        (item.name, _parameter(source, (*place, item.name), item))
        for item in parameters
        if item.name in keys and (source.has((*place, item.name)) or item.default is MISSING)
    ]
    call = shortest(MEASURES, Call(name, kwargs=tuple(arguments)))
    by = {key: _text(source, (*place, key)) for key in _ANSWERED_BY}
    by = {key: source.path(text, (*place, key)) for key, text in by.items() if text}
    score = source.get((*place, "measure"), str)
    try:
        _check(source, place, measure_from(call), by)
        _check_score(source, place, call, score)
    except UnslantError as error:
        is_placed = str(error).startswith(source.name)
        raise error if is_placed else source.error(place, str(error)) from error
    return PlannedMeasure(
        label=label,
        expression=str(call),
        detail=_text(source, (*place, "detail")),
        score=score,
        **by,
    )


def _keys(probe: Entry[Declared]) -> list[str]:
    """The keys of a probe in a plan: its parameters but for the seed, which cells have."""
    return [*_ANSWERED_BY, *(name for name in probe.parameters if name != "seed")]


def _parameter(source: TomlSource, place: Place, parameter: Parameter) -> Any:
    value = source.value(place)
    if value is None:
        raise source.error(place, f'"{place[-1]}" is missing here.')
    if value == "":
        raise source.error(place, f'"{place[-1]}" is empty; leave it out.')
    if isinstance(value, str) and value.lower() in parameter.choices:
        value = value.lower()  # choices match in any case
    if (expected := parameter.fault(value)) is not None:
        raise source.error(place, f'"{place[-1]}" must be {expected}, not {value!r}.')
    if parameter.type is not str or parameter.choices or not value.endswith(".toml"):
        return value
    path = source.path(value, place)
    if '"' in path:  # expressions quote texts with this mark
        raise source.error(place, f"a path cannot contain a quotation mark: {path}.")
    return path


def _check(source: TomlSource, place: Place, made: object, by: dict[str, str]) -> None:
    """Refuse a model or training data that the probe cannot take."""
    if len(by) > 1:
        raise source.error((*place, "retrain"), "name a model or retrain, not both.")
    from unslant.probes.abilities import LoadsModel, Retrains

    for key, ability in (("model", LoadsModel), ("retrain", Retrains)):
        if key in by and not isinstance(made, ability):
            what = "reads no model from a file" if key == "model" else "trains no model"
            raise source.error((*place, key), f'this probe {what}; leave out "{key}".')


def _check_score(source: TomlSource, place: Place, call: Call, score: str) -> None:
    from unslant.probes.abilities import AsksSet, NamesScores

    measure, facts = measure_from(call), MEASURES.entry(call.name).facts
    questions = measure.questions() if isinstance(measure, AsksSet) else None
    known = measure.score_names(questions) if isinstance(measure, NamesScores) else facts.scores
    is_family = any(score.startswith(f"{stem}-") for stem in facts.scores)
    if score not in known and (isinstance(measure, NamesScores) or not is_family):
        raise source.error((*place, "measure"), unknown(f"measure of {call}", score, known))


def _text(source: TomlSource, place: Place) -> str:
    text = source.get(place, str, "")
    if source.has(place) and not text:
        raise source.error(place, f'"{place[-1]}" is empty; leave it out.')
    return text
