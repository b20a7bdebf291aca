"""Erasers made by hand, for tests."""

from unslant.core.expression import Call, Step
from unslant.erasers import Action, Eraser, Stage


def made_of(*steps: Action, name: str = "toy") -> Eraser:
    """An eraser of these steps, as if a method of that name had been fitted."""
    return Eraser((Stage(method=Step(Call(name)), name=name, steps=steps),))
