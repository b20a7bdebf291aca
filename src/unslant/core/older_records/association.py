"""Associations of a user's own words as “unslant association 1” wrote them."""

from collections.abc import Mapping
from typing import Any

from unslant.core.association import MEAN, contrast, contrast_title
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
        results=tuple(Result(now=_mean(plain, item)) for item in plain["contrasts"]),
        exhibits=tuple(map(_points, plain["contrasts"])),
        warnings=tuple(plain["warnings"]),
        settings=settings_of(plain["policy"]),
        provenance=plain["provenance"],
    )


def _mean(plain: Plain, item: Plain) -> Measurement:
    mean = item["mean"]
    has_interval = mean["low"] is not None
    return Measurement(
        value=mean["value"],
        metric="association",
        better="closer to 0",
        title=contrast_title(item["group"], item["against"]),
        interval=Interval(low=mean["low"], high=mean["high"], **plain["interval"])
        if has_interval
        else None,
        words=words_of(plain["words"]),
    )


def _points(plain: Plain) -> Points:
    words = [_point(item["word"], item, "words") for item in plain["words"]]
    return contrast(plain["group"], plain["against"], words, _point(MEAN, plain["mean"], "mean"))


def _point(label: str, item: Plain, group: str) -> Point:
    return Point(label=label, x=item["value"], group=group, low=item["low"], high=item["high"])
