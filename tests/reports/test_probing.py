"""The tables of a probe at every width: nothing is cut, nothing vanishes."""

import io
from typing import Any

import pytest
from rich.console import Console

from unslant.concepts import concept
from unslant.probes.nli import pair_set
from unslant.reports.probe_words import short_name
from unslant.reports.probing import probe_tables
from unslant.reports.words import interval, number
from unslant.studies.probing import probe_nli
from unslant.vectors import WordVectors


def shown(record: Any, width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(probe_tables(record))
    lines = stream.getvalue().split("\n")
    assert all(len(line) <= width for line in lines)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def records(glove: WordVectors) -> dict[str, Any]:
    found = {}
    for name in ("marked-attribute", "gender-occupation", "sirt"):
        found[name] = probe_nli(
            glove,
            pair_set(name, contexts=8),
            method="linear",
            concept=concept("gender"),
            compare=True,
            controls=2,
            resamples=30,
        ).record
    return found


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", ["marked-attribute", "gender-occupation", "sirt"])
def test_no_value_is_cut_and_no_name_vanishes(
    name: str, width: int, records: dict[str, Any]
) -> None:
    record = records[name]
    text = shown(record, width)
    assert "…" not in text
    words = " ".join(text.split())
    for item, change in zip(record["measurements"], record["changes"], strict=True):
        assert number(item["value"]) in text
        assert interval(item, 3) in text
        assert interval(change, 1) in text
        short = short_name(item["metric"])
        assert len([part for part in short.split() if part in words]) == len(short.split())
    for found in record["examples"].values():
        for item in found:
            for word in item["premise"].split():
                assert word in text


def test_titles_say_what_is_listed(records: dict[str, Any]) -> None:
    text = shown(records["gender-occupation"], 120)
    assert text.index("Most entailed") < text.index("Most contradicted")
    assert "Words with the least neutral answers" in text
    assert "Mean probability of neutral (NN)" in text
    assert "without a random direction instead" in text
    sirt = shown(records["sirt"], 120)
    assert "6 × 6 × 8, without a word with itself" in sirt
    assert "Furthest from the right answer" in sirt
    assert "lowest probability of the right answer" in sirt
    assert "neutral answers" not in sirt
    assert "Most entailed" not in sirt


def test_warnings_and_words_left_out_stand_before_the_numbers(records: dict[str, Any]) -> None:
    record = records["marked-attribute"]
    record = {
        **record,
        "warnings": ["Beware."],
        "set": {**record["set"], "missing": {"hypotheses": ["zorp"]}},
    }
    text = shown(record, 80)
    assert text.strip().startswith("Warning: Beware.")
    assert text.index("1 word of the set is not in the vectors") < text.index("Measures")
    assert "left out of the hypotheses: zorp" in text
