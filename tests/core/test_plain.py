"""Dataclasses go to JSON and back by their type hints; what does not fit is refused in place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import jsonschema  # type: ignore[import-untyped]
import pytest
from scripts.record_schema import schema_of

from unslant.core.errors import UnslantError
from unslant.core.extras import frame
from unslant.core.plain import IN_MEMORY, PlainError, from_plain, to_plain
from unslant.core.record import FORMAT, Record


@dataclass(frozen=True)
class Dot:
    at: float
    kind: Literal["dot"] = "dot"


@dataclass(frozen=True)
class Box:
    sides: tuple[float, float]
    kind: Literal["box"] = "box"


@dataclass(frozen=True, kw_only=True)
class Drawer:
    name: str
    things: tuple[Dot | Box, ...] = ()
    facts: Mapping[str, str | int | float | bool | tuple[str, ...] | None] = field(
        default_factory=dict
    )
    best: Dot | None = None
    anything: Any = None
    handle: object = field(default=None, metadata=IN_MEMORY)


FULL = Drawer(
    name="d",
    things=(Dot(1.5), Box((1.0, 2.0))),
    facts={"n": 3, "x": 0.5, "yes": True, "no": None, "words": ("a", "b"), "t": "text"},
    best=Dot(0.0),
    anything={"a": [1, {"b": None}]},
    handle=object(),
)


def test_what_is_written_is_read_back_without_loss() -> None:
    plain = json.loads(json.dumps(to_plain(FULL), allow_nan=False))
    again = from_plain(Drawer, plain)
    assert again == Drawer(**{**FULL.__dict__, "handle": None})
    assert isinstance(again.facts["n"], int), "a whole number stays one"
    assert "handle" not in plain
    jsonschema.validate(plain, schema_of(Drawer, "drawer"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": 3}, "name: expected text, found a whole number."),
        ({"name": None}, "name: expected text, found null."),
        ({"things": [{"kind": "dot", "at": "x"}]}, "things[0].at: expected a number, found text."),
        ({"things": [{"kind": "dot", "at": True}]}, "expected a number, found true or false."),
        ({"things": [{"kind": "box", "sides": [1]}]}, "things[0].sides: expected a list of 2"),
        ({"things": [{"kind": "bag"}]}, 'object of the kind "dot" or an object of the kind "box"'),
        ({"things": {}}, "things: expected a list, found an object."),
        ({"facts": {"w": ["a", 1]}}, "facts.w[1]: expected text, found a whole number."),
        ({"best": {"kind": "dot"}}, 'best: the key "at" is missing.'),
        ({"best": 3}, 'best: expected an object of the kind "dot" or null'),
        ({"more": 1}, 'the record: unknown key "more".'),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(change: dict[str, Any], said: str) -> None:
    plain = {**to_plain(FULL), **change}
    with pytest.raises(PlainError) as raised:
        from_plain(Drawer, plain)
    assert said in str(raised.value)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plain, schema_of(Drawer, "drawer"))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_have_are_not_written(value: float) -> None:
    with pytest.raises(ValueError, match="not a JSON value"):
        to_plain(Dot(value))


def test_the_committed_schema_is_that_of_the_record() -> None:
    number = FORMAT.rpartition(" ")[2]
    path = Path(__file__).parents[2] / f"docs/schema/record-{number}.schema.json"
    assert json.loads(path.read_text()) == schema_of(Record, FORMAT), (
        "write it again with: python scripts/record_schema.py"
    )


def test_a_table_without_pandas_or_rows_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UnslantError, match="mac has no points, so there is no table of it"):
        frame([], "mac has no points")
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(UnslantError, match="needs pandas, which is not installed"):
        frame([{"a": 1}], "")
