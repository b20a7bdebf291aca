"""The joined gradient of a network: what it promises over all tensors together."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from unslant.models.adversaries.task import joined  # noqa: E402

SHAPES = ((4, 3), (4,), (2, 4), ())


def gradient(seed: int, common: Any = None) -> list[Any]:
    draw = torch.Generator().manual_seed(seed)
    own = [torch.randn(shape, generator=draw) for shape in SHAPES]
    return own if common is None else [a + b for a, b in zip(own, common, strict=True)]


def dot(one: list[Any], other: list[Any]) -> float:
    return sum(float((a * b).sum()) for a, b in zip(one, other, strict=True))


PREDICTOR = gradient(0)
COMMON = gradient(1)
BOTH = {"gender": gradient(2, COMMON), "race": gradient(3, COMMON)}
NONE = {"gender": 0.0, "race": 0.0}


def step(projection: str, alphas: dict[str, float] = NONE, adversaries: Any = BOTH) -> list[Any]:
    found, idle = joined(PREDICTOR, adversaries, alphas, projection)
    assert idle == set()
    return found


def test_without_alpha_the_whole_gradient_is_perpendicular_to_every_adversary() -> None:
    found = step("whole")
    for each in BOTH.values():
        assert dot(found, each) == pytest.approx(0, abs=1e-5)
    assert [value.shape for value in found] == [torch.Size(shape) for shape in SHAPES]
    # Single tensors are not: what one of them gains for the adversary, another one loses.
    assert abs(dot(found[:1], BOTH["gender"][:1])) > 0.1


def test_the_published_sum_helps_or_hurts_both_adversaries() -> None:
    found = step("whole-sum")
    assert min(abs(dot(found, each)) for each in BOTH.values()) > 0.1
    one = {"gender": BOTH["gender"]}
    for a, b in zip(
        step("whole-sum", adversaries=one), step("whole", adversaries=one), strict=True
    ):
        torch.testing.assert_close(a, b)


def test_by_tensor_every_tensor_is_perpendicular_and_more_is_lost() -> None:
    found = step("by-tensor")
    for each in BOTH.values():
        for place in range(3):
            assert dot([found[place]], [each[place]]) == pytest.approx(0, abs=1e-5)
    assert float(found[3].abs()) < 1e-5  # a tensor of one number has no other direction
    assert dot(found, found) < dot(step("whole"), step("whole"))


def test_alpha_takes_so_much_of_each_adversarys_gradient() -> None:
    plain, opposed = step("whole"), step("whole", {"gender": 0.5, "race": 2.0})
    for place in range(4):
        taken = 0.5 * BOTH["gender"][place] + 2 * BOTH["race"][place]
        torch.testing.assert_close(opposed[place], plain[place] - taken)
    free = step("none", {"gender": 1.0, "race": 0.0})
    torch.testing.assert_close(free[0], PREDICTOR[0] - BOTH["gender"][0])


def test_fairlearns_inner_product_of_matrices_leaves_a_component() -> None:
    # _pytorch_engine.py, by tensor: p.grad - sum(inner(unit, p.grad)) * unit - alpha * dW_LA
    own, other = PREDICTOR[0], BOTH["gender"][0]
    unit = other / (torch.norm(other) + torch.finfo(float).tiny)
    theirs = own - torch.sum(torch.inner(unit, own)) * unit
    ours, _ = joined([own], {"gender": [other]}, {"gender": 0.0}, "by-tensor")
    assert ours[0] is not None
    assert float((ours[0] * unit).sum()) == pytest.approx(0, abs=1e-5)
    assert abs(float((theirs * unit).sum())) > 0.1


def test_weights_that_only_one_loss_depends_on_take_part() -> None:
    own: list[Any] = [PREDICTOR[0], None, None]
    other: list[Any] = [BOTH["gender"][0], BOTH["gender"][1], None]
    found, idle = joined(own, {"gender": other}, {"gender": 1.0}, "whole")
    assert found[2] is None
    assert idle == set()
    assert dot(found[:2], other[:2]) == pytest.approx(-dot(other[:2], other[:2]), rel=1e-5)


@pytest.mark.parametrize("projection", ["whole", "whole-sum", "by-tensor", "none"])
def test_an_adversary_without_a_gradient_changes_nothing_and_is_named(projection: str) -> None:
    flat = [torch.zeros(shape) for shape in SHAPES]
    pair = {"gender": BOTH["gender"], "race": flat}
    found, idle = joined(PREDICTOR, pair, {"gender": 1.0, "race": 1.0}, projection)
    assert idle == {"race"}
    alone, _ = joined(PREDICTOR, {"gender": BOTH["gender"]}, {"gender": 1.0}, projection)
    for a, b in zip(found, alone, strict=True):
        torch.testing.assert_close(a, b)
