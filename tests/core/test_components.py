from dataclasses import dataclass

import pytest

from unslant.core.components import component_from
from unslant.core.errors import ExpressionError, UnknownNameError
from unslant.core.registry import Registry
from unslant.measures.registry import MEASURES

THINGS: Registry[str] = Registry("thing", "unslant.test.things")


@THINGS.register("box", cites="nobody-2026", facts="grey")
@dataclass(frozen=True)
class Box:
    """A box of some size.

    More about it.
    """

    what: str
    size: int = 1
    weight: float = 0.5
    is_open: bool = False


def test_positional_and_named_arguments_reach_the_component() -> None:
    assert component_from(THINGS, "box(hat, 3, is_open=true)") == Box("hat", 3, 0.5, True)


def test_a_whole_number_serves_as_a_float() -> None:
    assert component_from(THINGS, "box(hat, weight=2)").weight == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("box", 'needs a value for "what"'),
        ("box(1)", '"what" parameter of box must be str. Got 1 instead'),
        ("box(hat, size=1.5)", "must be int"),
        ("box(hat, size=true)", "must be int"),
        ("box(hat, is_open=1)", "must be bool"),
        ("box(a, 1, 2, true, 5)", "too many"),
        ("box(hat, what=cap)", "twice"),
    ],
)
def test_a_wrong_argument_names_owner_parameter_rule_and_value(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        component_from(THINGS, text)
    assert message in str(caught.value)


def test_an_unknown_name_or_parameter_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "box"'):
        component_from(THINGS, "bx(hat)")
    with pytest.raises(UnknownNameError, match='Did you mean "size"'):
        component_from(THINGS, "box(hat, sise=2)")


def test_a_registry_knows_citation_facts_and_first_line() -> None:
    [entry] = list(THINGS)
    assert (entry.cites, entry.facts, entry.summary) == (
        "nobody-2026",
        "grey",
        "A box of some size.",
    )


def test_a_name_cannot_be_taken_twice() -> None:
    with pytest.raises(ValueError, match="Two things"):
        THINGS.register("box", cites="x", facts="")(Box)


def test_other_packages_add_components_through_entry_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Point:
        name = "crate"

        def load(self) -> None:
            things.register("crate", cites="somebody-2026", facts="")(type("Crate", (Box,), {}))

    searches = []

    def points(group: str) -> list[Point]:
        searches.append(group)
        return [Point()] if group == "unslant.test.things" else []

    monkeypatch.setattr("importlib.metadata.entry_points", points)
    things: Registry[str] = Registry("thing", "unslant.test.things")
    assert things.entry("crate").cites == "somebody-2026"
    assert [entry.name for entry in things] == ["crate"]
    assert (len(searches), "crate" in things, "crete" in things) == (1, True, False)


def test_parameters_of_a_subclass_are_its_own_and_those_of_its_base() -> None:
    class Chest(Box):
        lock: str = "brass"

    things: Registry[str] = Registry("thing", "unslant.test.things")
    things.register("chest", cites="nobody-2026", facts="")(Chest)
    assert component_from(things, "chest(hat, 3, lock=iron)") == Chest("hat", 3, lock="iron")  # type: ignore[call-arg]


def test_another_package_cannot_take_a_name_of_ours() -> None:
    with pytest.raises(ValueError, match='Two measures are called "weat"'):
        MEASURES.register("weat", cites="x", facts=MEASURES.entry("weat").facts)(Box)
