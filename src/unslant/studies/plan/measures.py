"""What a plan measures: metrics, and measures of probes."""

from typing import cast

from unslant.core.errors import UnslantError
from unslant.core.expression import parse_call
from unslant.core.toml_lines import Place
from unslant.measures.registry import MEASURES
from unslant.probes.nli import PairSet, bundled_sets, measures_for, pair_set
from unslant.studies.plan.cells import Measure
from unslant.studies.plan.expressions import metric_text
from unslant.studies.plan.resources import check_label
from unslant.studies.plan.source import Source, unknown

PROBES = ("nli",)
_OF_PROBE = {
    "set": str,
    "contexts": int,
    "model": str,
    "retrain": str,
    "determiner": str,
    "pairing": str,
}
_PATHS = ("model", "retrain")


def read_measures(source: Source) -> dict[str, Measure]:
    """The measures of a plan by label."""
    found = {}
    for label, value in source.get(("measures",), dict, {}).items():
        place = ("measures", label)
        check_label(source, place, label)
        if isinstance(value, str):
            found[label] = Measure(label=label, expression=_metric(source, place, value))
        elif isinstance(value, dict):
            is_probe = source.has((*place, "probe"))
            found[label] = (_of_probe if is_probe else _of_vectors)(source, place, label)
        else:
            raise source.error(
                place, f'"{label}" must be a measure in quotes, or {{ measure = "…" }}.'
            )
    return found


def _of_vectors(source: Source, place: Place, label: str) -> Measure:
    for key in _OF_PROBE:
        if source.has((*place, key)):
            raise source.error((*place, key), f'"{key}" is for probes; add probe = "nli".')
    source.only(place, ("measure", "test", "detail", "probe", *_OF_PROBE))
    expression, test, detail = _texts(source, place)
    return Measure(
        label=label,
        expression=_metric(source, (*place, "measure"), expression, test),
        test=test,
        detail=detail,
    )


def _metric(source: Source, place: Place, text: str, test: str = "") -> str:
    expression = metric_text(source, place, text)
    name = parse_call(expression).name
    takes = MEASURES.entry(name).facts.takes
    if takes == "test" and not test:
        message = f'{name} is measured on a test; write {{ measure = "{name}", test = "…" }}.'
        raise source.error(place, message)
    if takes != "test" and test:
        of = "the vectors alone" if takes == "vectors" else "a whole concept"
        message = f'{name} measures {of}, not a test; leave out test = "{test}".'
        raise source.error((*place[:-1], "test"), message)
    return expression


def _of_probe(source: Source, place: Place, label: str) -> Measure:
    source.only(place, ("probe", "measure", "detail", "test", *_OF_PROBE))
    probe = source.get((*place, "probe"), str)
    if probe not in PROBES:
        raise source.error((*place, "probe"), unknown("probe", probe, PROBES))
    expression, test, detail = _texts(source, place)
    if test:
        raise source.error((*place, "test"), 'a probe asks a set, not a test; write set = "…".')
    options: dict[str, str | int] = {}
    for key, kind in _OF_PROBE.items():
        if source.has((*place, key)):
            options[key] = source.get((*place, key), kind)
            if not options[key]:
                raise source.error((*place, key), f'"{key}" is empty; leave it out.')
    options |= {
        key: source.path(str(options[key]), (*place, key)) for key in _PATHS if key in options
    }
    options["set"] = _set(source, (*place, "set"))
    if "model" in options and "retrain" in options:
        raise source.error((*place, "retrain"), "name a model or retrain, not both.")
    measure = Measure(
        label=label, expression=expression, detail=detail, probe=probe, options=options
    )
    try:
        known = [item.name for item in measures_for(pairs_of(measure))]
    except UnslantError as error:
        raise source.error((*place, "set"), str(error)) from error
    if expression not in known:
        what = f"measure of {options['set']}"
        raise source.error((*place, "measure"), unknown(what, expression, known))
    return measure


def pairs_of(measure: Measure) -> PairSet:
    """The set of pairs that the measure of a probe asks, the same for every seed."""
    options = measure.options
    return pair_set(
        str(options["set"]),
        determiner=cast(str | None, options.get("determiner")),
        pairing=cast(str | None, options.get("pairing")),
        contexts=cast(int | None, options.get("contexts")),
    )


def _set(source: Source, place: Place) -> str:
    name = source.get(place, str)
    if name in bundled_sets():
        return name
    if not name.endswith(".toml"):
        raise source.error(place, unknown("set", name, bundled_sets()))
    return source.path(name, place)


def _texts(source: Source, place: Place) -> tuple[str, str, str]:
    measure = source.get((*place, "measure"), str)
    test, detail = (source.get((*place, key), str, "") for key in ("test", "detail"))
    for key, text in (("test", test), ("detail", detail)):
        if source.has((*place, key)) and not text:
            raise source.error((*place, key), f'"{key}" is empty; leave it out.')
    return measure, test, detail
