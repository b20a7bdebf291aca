"""A record shows itself in one short line, however much it holds."""

import pytest

from unslant.concepts import concept
from unslant.studies.audit import Audit, audit
from unslant.studies.probing import NliProbe
from unslant.studies.record import LONGEST_REPR
from unslant.studies.study_record import Study
from unslant.vectors import WordVectors

ITEMS = [
    {"title": "undefined", "value": None},
    {"title": "Career and family", "value": 1.71782},
]


def test_an_audit_is_one_line_with_its_names_and_its_first_number(glove: WordVectors) -> None:
    gender = concept("gender")
    jobs = [(metric, gender.test("career-family")) for metric in ("weat", "mac")]
    found = audit(glove.head(20_000), gender, jobs=list(jobs))
    assert len(str(found.older)) > 10_000
    first = found.measurements[0]
    assert repr(found) == (
        f"<Audit glove.6B.100d.slice, gender: 2 measurements; {first.title}: {first.value:.4g}>"
    )


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (
            NliProbe({"vectors": {"name": "v"}, "set": {"name": "s"}, "measurements": ITEMS}),
            "<NliProbe v, s: 2 measurements; Career and family: 1.718>",
        ),
        (
            Study({"plan": {"name": "quick"}, "cells": ITEMS[:1]}),
            "<Study quick: 1 measurement>",
        ),
    ],
)
def test_probes_and_studies_are_one_line_too(shown: NliProbe | Study, expected: str) -> None:
    assert repr(shown) == expected


def test_names_that_are_long_or_break_lines_do_not_break_it() -> None:
    line = repr(Audit({"vectors": {"name": "a\n\x1b[31m" + "b" * 5_000}, "measurements": []}))
    assert len(line) <= LONGEST_REPR + 3
    assert line.isprintable()
