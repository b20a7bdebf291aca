"""How hard a predictor works against an adversary: α, constant or growing with the steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

from unslant.core.errors import UnknownNameError, UnslantError

SHAPES = ("constant", "sqrt", "linear")
_FORMS = "a number such as 0.5, or 0.5:sqrt or 0.5:linear to grow to it"


@dataclass(frozen=True)
class Strength:
    """α at each step: ``value`` throughout, or growing to it as the root of the steps or in a line.

    Zhang et al. (2018) let α grow with √t for equality of odds; that is ``sqrt``, up to scale.

    >>> Strength.of("2:sqrt").at(24, 100), Strength.of("0.5").at(0, 100)
    (1.0, 0.5)
    """

    value: float
    shape: str = "constant"

    @classmethod
    def of(cls, text: str) -> "Strength":
        """Read a strength; a shape alone grows to 1."""
        number, _, shape = text.strip().partition(":")
        if number in SHAPES and not shape:
            number, shape = "1", number
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        shape = shape or "constant"
        if not (isfinite(value) and value >= 0) or shape not in SHAPES:
            raise UnslantError(f'A strength (alpha) must be {_FORMS}, not "{text}".')
        return cls(value, shape)

    def at(self, step: int, steps: int) -> float:
        """α of a step, counted from 0, of so many."""
        part = (step + 1) / steps
        if self.shape == "constant":
            return self.value
        return self.value * (sqrt(part) if self.shape == "sqrt" else part)

    def __str__(self) -> str:
        return f"{self.value:g}" + (f":{self.shape}" if self.shape != "constant" else "")


def strengths(text: str, attributes: Sequence[str]) -> Mapping[str, Strength]:
    """The strength of each attribute: one for all, or one for each by name.

    >>> found = strengths("gender=1,race=0.5:sqrt", ("gender", "race"))
    >>> {name: str(each) for name, each in found.items()}
    {'gender': '1', 'race': '0.5:sqrt'}
    """
    if "=" not in text:
        return dict.fromkeys(attributes, Strength.of(text))
    found: dict[str, Strength] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in attributes:
            raise UnknownNameError("adversary", name, attributes)
        if name in found:
            raise UnslantError(f'"{text}" gives {name} two strengths.')
        found[name] = Strength.of(value)
    if missing := [name for name in attributes if name not in found]:
        raise UnslantError(
            f'"{text}" gives no strength for {", ".join(missing)}. Add one, such as {missing[0]}=1.'
        )
    return {name: found[name] for name in attributes}
