"""The figure of a recommendation: whatever else is crowded, the answer has its name."""

from tests.reports.figures.made_studies import check
from unslant.core.record import Considered, MethodShare, Recommendation
from unslant.reports.figures.export import drawn
from unslant.reports.figures.recommended import recommended


def considered(number: int) -> Considered:
    """Methods that lie close together, with wide intervals; the first removes most."""
    removed, kept = 0.9 - 0.016 * number, 0.86 + 0.009 * number
    return Considered(
        method=f"a-method-of-a-long-name-{number}",
        expression=f"a-method-of-a-long-name-{number}",
        removed=MethodShare(value=removed, low=0.3, high=1.0),
        kept=MethodShare(value=kept, low=0.8, high=1.0),
        is_on_front=number % 3 == 0,
    )


def test_the_recommended_method_is_named_among_many_that_lie_close_together() -> None:
    for chosen in (0, 4, 7, 11):
        found = Recommendation(
            purpose="shipping",
            rule="",
            method=f"a-method-of-a-long-name-{chosen}",
            expression=f"a-method-of-a-long-name-{chosen}",
            answer="",
            reason="",
            price="",
            considered=tuple(map(considered, range(12))),
        )
        figure = recommended(found)
        assert figure is not None
        check(figure)
        assert f">a-method-of-a-long-name-{chosen}</text>" in drawn(figure, "svg").decode()
