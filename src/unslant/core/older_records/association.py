"""Associations of a user's own words as “unslant association 1” wrote them."""

from collections.abc import Mapping
from typing import Any

from unslant.core.exhibits import Point, Points
from unslant.core.measurement import Interval, Measurement
from unslant.core.older_records.parts import Plain, settings_of, vectors_of, words_of
from unslant.core.record import Record, Result, Subject


def association_record(plain: Mapping[str, Any]) -> Record:
    """The mean of the list for each contrast, with its words as points."""
    return Record(
        about="association",
        subject=Subject(
            kind="set",
            name="words",
            title="Words of the user",
            groups=tuple(plain["groups"]),
        ),
        resource=vectors_of(plain["vectors"]),
        results=tuple(Result(now=_mean(plain, contrast)) for contrast in plain["contrasts"]),
        exhibits=tuple(map(_points, plain["contrasts"])),
        warnings=tuple(plain["warnings"]),
        settings=settings_of(plain["policy"]),
        provenance=plain["provenance"],
    )


def _mean(plain: Plain, contrast: Plain) -> Measurement:
    mean = contrast["mean"]
    has_interval = mean["low"] is not None
    return Measurement(
        value=mean["value"],
        metric="association",
        better="closer to 0",
        title=_title(contrast),
        interval=Interval(low=mean["low"], high=mean["high"], **plain["interval"])
        if has_interval
        else None,
        words=words_of(plain["words"]),
    )


def _points(contrast: Plain) -> Points:
    words = [
        *((item["word"], item, "words") for item in contrast["words"]),
        ("mean of the list", contrast["mean"], "mean"),
    ]
    return Points(
        id="association",
        title="Which group each word is closer to",
        part=_title(contrast),
        x="association",
        ends=(contrast["group"], " and ".join(contrast["against"])),
        points=tuple(
            Point(label=label, x=item["value"], group=group, low=item["low"], high=item["high"])
            for label, item, group in words
        ),
    )


def _title(contrast: Plain) -> str:
    return f"{contrast['group']} against {' and '.join(contrast['against'])}"
