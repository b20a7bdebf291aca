"""Limits of a component's parameters, declared where the parameter is.

A parameter is a field of a frozen dataclass. Its choices are a ``Literal`` type; a number may have
``Annotated[int, at_least(1), "what it is"]``. Expressions are checked against both, help texts show
them with the sentence, and completion offers the choices.
"""

from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class Limits:
    """The smallest and the greatest value of a number; ``is_open`` leaves the ends out.

    ``below`` is an exclusive upper limit, for use with an inclusive ``low``.
    """

    low: float | None = None
    high: float | None = None
    is_open: bool = False
    below: float | None = None

    def holds(self, value: float) -> bool:
        """Whether a value is allowed."""
        if self.below is not None and not value < self.below:
            return False
        if self.is_open:
            return (self.low is None or value > self.low) and (
                self.high is None or value < self.high
            )
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.below is not None:
            return f"at least {self.low:g} and less than {self.below:g}"
        if self.low is not None and self.high is not None:
            return f"{'strictly ' if self.is_open else ''}between {self.low:g} and {self.high:g}"
        if self.low is not None:
            return f"greater than {self.low:g}" if self.is_open else f"at least {self.low:g}"
        return f"less than {self.high:g}" if self.is_open else f"at most {self.high:g}"


def at_least(low: float) -> Limits:
    """Not less than a number."""
    return Limits(low=low)


def between(low: float, high: float) -> Limits:
    """From one number to another, both allowed."""
    return Limits(low, high)


def above(low: float) -> Limits:
    """Greater than a number."""
    return Limits(low=low, is_open=True)


SHARE = Limits(low=0, below=1)
"""A share that may be 0 but not 1."""


@dataclass(frozen=True)
class Benchmark:
    """Marks a parameter that is a known benchmark of a kind, or a file in its format."""

    kind: str


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a component, as help texts and checks need it."""

    name: str
    type: type
    default: Any
    choices: tuple[str | int, ...] = ()
    limits: Limits | None = None
    help: str = ""
    benchmark: str = ""

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING

    def fault(self, value: Any) -> str | None:
        """The expected value in words, or None if the value is allowed.

        >>> k = Parameter(name="k", type=int, default=1, limits=at_least(1))
        >>> k.fault(0), k.fault(2)
        ('at least 1', None)
        """
        if self.choices:
            return None if value in self.choices else f"one of {', '.join(map(str, self.choices))}"
        fits = isinstance(value, (int, float) if self.type is float else self.type)
        if not fits or (isinstance(value, bool) and self.type is not bool):
            return str(self.type.__name__)
        return None if self.limits is None or self.limits.holds(value) else str(self.limits)

    def in_one_spelling(self, value: Any) -> Any:
        """The value as it is always written: 1 and 1.0 are the same where a float is taken."""
        if self.type is not float or isinstance(value, bool):
            return value
        value = float(value)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value

    def __str__(self) -> str:
        """The values it takes, in a few words."""
        if self.choices:
            return ", ".join(map(str, self.choices))
        return f"{self.type.__name__} {self.limits}" if self.limits else self.type.__name__


def parameters_of(component: type[Any]) -> tuple[Parameter, ...]:
    """The parameters of a component, in their order."""
    types = get_type_hints(component, include_extras=True)
    return tuple(_parameter(field.name, types[field.name], field) for field in fields(component))


def _parameter(name: str, hint: Any, field: Any) -> Parameter:
    limits, benchmark, description = None, "", ""
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        limits = next((note for note in notes if isinstance(note, Limits)), None)
        benchmark = next((note.kind for note in notes if isinstance(note, Benchmark)), "")
        description = next((note for note in notes if isinstance(note, str)), "")
    choices: tuple[str | int, ...] = ()
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        hint = type(choices[0])
    return Parameter(
        name=name,
        type=hint,
        default=field.default,
        choices=choices,
        limits=limits,
        benchmark=benchmark,
        help=description,
    )
