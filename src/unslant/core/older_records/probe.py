"""NLI probes as “unslant nli probe 1” wrote them."""

from collections.abc import Iterator, Mapping
from typing import Any

from unslant.core.better import better_side
from unslant.core.measurement import Interval, Measurement, PValue
from unslant.core.older_records.parts import (
    Plain,
    glossary_of,
    measurement_of,
    settings_of,
    treatment_of,
    vectors_of,
)
from unslant.core.older_records.probe_exhibits import exhibits_of
from unslant.core.plain import from_plain
from unslant.core.record import (
    Change,
    Control,
    LeftOut,
    Meaning,
    Record,
    Resource,
    Result,
    Subject,
    Verdict,
    flat,
)

_OF_THE_SET = ("family", "concept", "pairs", "premises", "hypotheses", "contexts", "options")
_NAMES = {
    "nli-net-neutral": "NN",
    "nli-fraction-neutral": "FN",
    "nli-fairness": "η",
    "marked-error": "E",
    "marked-distance": "d",
}
_STARTS = {"nli-threshold-": "T:{}", "marked-error-": "E, {}", "marked-distance-": "d, {}"}


def probe_record(plain: Mapping[str, Any]) -> Record:
    """The record of a probe."""
    pairs, debiasing = plain["set"], plain["debiasing"]
    vectors, model = vectors_of(plain["vectors"]), _model(plain["models"])
    return Record(
        about="probe",
        subject=Subject(
            kind="set",
            name=pairs["name"],
            title=pairs["title"],
            about=pairs["about"],
            references=tuple(pairs["references"]),
            sha256=pairs["content_sha256"],
            facts=flat({key: pairs[key] for key in _OF_THE_SET if key in pairs}),
            definition=pairs.get("template"),
        ),
        resource=vectors or model,
        predictor=model if vectors else None,
        baseline=vectors_of(plain["baseline"]),
        treatment=treatment_of(
            debiasing,
            debiasing["concept"]["name"] if debiasing else "",
            is_retrained=plain["retrained"],
        ),
        results=tuple(_results(plain)),
        exhibits=tuple(exhibits_of(plain)),
        left_out=tuple(_left_out(plain)),
        warnings=tuple(plain["warnings"]),
        glossary=_glossary(plain),
        settings=settings_of(plain["policy"]) | {key: plain[key] for key in ("seed", "resamples")},
        provenance=plain["provenance"],
    )


def _model(models: list[Plain]) -> Resource:
    """The model that answered; further ones are named among its facts."""
    first = models[0]
    described = {
        "dev-accuracy": first["dev_accuracy"],
        "trained-on": first["trained_on"],
        "note": first["note"],
        "answered": [
            f"{model['vectors']}{_by(model)}, SHA-256 of the model {model['sha256']}"
            for model in models
            if model["sha256"] is not None
        ],
    }
    facts = flat(described) | flat(first.get("training") or {}, "training-")
    return Resource(name=first["model"], kind="model", sha256=first["sha256"] or "", facts=facts)


def _by(model: Plain) -> str:
    return f" ({model['expression']})" if model["expression"] else ""


def _results(plain: Plain) -> Iterator[Result]:
    for place, item in enumerate(plain["measurements"]):
        now = measurement_of(item)
        before = measurement_of(plain["before"][place]) if plain["before"] else None
        yield Result(
            now=now,
            before=before,
            change=_change(now, before, plain["changes"][place]) if before else None,
            control=_control(plain, plain["controls"][place]) if plain["controls"] else None,
        )


def _change(now: Measurement, before: Measurement, plain: Plain) -> Change:
    if now.value is None or before.value is None:
        return Change(difference=None, why_undefined=plain["why_undefined"])
    details = plain["details"]
    percent = from_plain(Interval, plain["interval"]) if plain["interval"] else None
    ends = details.get("low of difference"), details.get("high of difference")
    interval = None
    if percent and ends[0] is not None and ends[1] is not None:
        interval = Interval(low=ends[0], high=ends[1], level=percent.level, how=percent.how)
    return Change(
        difference=now.value - before.value,
        interval=interval,
        percent=plain["value"],
        percent_interval=percent,
        verdict=_verdict(now, before, interval),
        why_undefined=plain["why_undefined"],
    )


def _verdict(now: Measurement, before: Measurement, interval: Interval | None) -> Verdict:
    better = better_side(now.better)
    if better is None or interval is None or now.value is None or before.value is None:
        return "unknown"
    if interval.low <= 0 <= interval.high:
        return "unclear"
    return "better" if better.gap(now.value) < better.gap(before.value) else "worse"


def _control(plain: Plain, control: Plain) -> Control | None:
    details = control["details"]
    if "mean of the controls" not in details:
        return None
    return Control(
        values=tuple(point["value"] for point in control["points"]),
        directions=plain["control_directions"],
        mean=details["mean of the controls"],
        sd=details["standard deviation of the controls"],
        deviations=details["deviations from the controls"],
        p=from_plain(PValue, control["p"]) if control["p"] else None,
    )


def _left_out(plain: Plain) -> Iterator[LeftOut]:
    for side, words in plain["set"]["missing"].items():
        yield LeftOut(
            what=", ".join(words), why=f"missing from the vectors, so left out of the {side}"
        )
    if plain["hashed_words"]:
        yield LeftOut(
            what=", ".join(plain["hashed_words"]),
            why="missing from the vectors, so the model read a hash of each word instead",
        )


def _glossary(plain: Plain) -> dict[str, Meaning]:
    facts = plain.get("metrics", {})
    return glossary_of({name: {**of, "short": _short(name)} for name, of in facts.items()})


def _short(metric: str) -> str:
    """What a measure is called in the papers' tables.

    >>> _short("nli-threshold-0.7"), _short("retention-entail-threshold-0.5")
    ('T:0.7', 'T:0.5 entail')
    """
    if metric in _NAMES:
        return _NAMES[metric]
    for start, shape in _STARTS.items():
        if metric.startswith(start):
            return shape.format(metric.removeprefix(start))
    for verb in ("entail", "contradict"):
        if metric.startswith(f"retention-{verb}-"):
            what = metric.removeprefix(f"retention-{verb}-")
            return f"{what.replace('threshold-', 'T:')} {verb}"
    return ""
