"""How long and how fast a network is trained: the choices, checked, without torch."""

import os
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.seeds import check_seed


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The learning rate rises over ``warm_up`` steps and then falls in a line to 0.

    A round is a part of the training that ends with an evaluation, such as an epoch.
    Training stops when they have not improved for ``patience`` rounds; the weights of the best
    round count. Gradients are cut to the length ``clip``; 0 leaves them as they are.
    """

    rounds: int
    patience: int
    learning_rate: float
    warm_up: int = 200
    weight_decay: float = 0.0
    clip: float = 0.0
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("rounds", "patience", "warm_up"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        for name in ("weight_decay", "clip"):
            if not getattr(self, name) >= 0:
                raise UnslantError(f"{name} must be at least 0, not {getattr(self, name)}.")
        check_learning_rate(self.learning_rate)
        check_threads(self.threads)
        check_seed(self.seed)

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step, counted from 0, out of a total.

        >>> how = Schedule(rounds=1, patience=1, learning_rate=0.1, warm_up=2)
        >>> [round(how.rate(step, 10), 3) for step in (0, 1, 5, 9)]
        [0.05, 0.09, 0.05, 0.01]
        """
        return self.learning_rate * min((step + 1) / self.warm_up, 1 - step / steps)


def check_learning_rate(rate: float) -> None:
    """Refuse a learning rate that no training can use."""
    if not 0 < rate < 1:
        raise UnslantError(f"The learning rate must be above 0 and below 1, not {rate}.")


def check_threads(threads: int) -> None:
    """Refuse more threads than the machine has processors, and fewer than 1."""
    if threads < 1:
        raise UnslantError(f"threads must be at least 1, not {threads}.")
    processors = os.cpu_count() or 1
    if threads > processors:
        raise UnslantError(
            f"threads must be at most {processors}, the processors of this machine, not {threads}."
        )


# The precision of products while a network is trained; weights are always single.

PRECISIONS = ("single", "bfloat16")


def check_precision(name: str) -> None:
    """Refuse a precision that is none of the two."""
    if name not in PRECISIONS:
        raise UnslantError(f"precision must be {' or '.join(PRECISIONS)}, not {name}.")


def computing_in(name: str) -> AbstractContextManager[Any]:
    """A context in which matrix products use that precision."""
    import torch

    made: AbstractContextManager[Any] = torch.autocast(
        "cpu", dtype=torch.bfloat16, enabled=name == "bfloat16"
    )
    return made


# Which weights of an encoder are trained in addition to its head.

_TEXT = re.compile(r"(all|none|last|adapters)(?::(\d+))?")
_FORMS = "all, none, last:2 (blocks) or adapters:16 (their rank)"


@dataclass(frozen=True)
class Tuned:
    """``all`` weights, ``none``, the ``last`` blocks, or low-rank ``adapters`` in every block.

    Adapters come with the norms, which are small. ``number`` is how many blocks, or the rank.

    >>> Tuned.of("adapters:16"), str(Tuned.of("last:2"))
    (Tuned(kind='adapters', number=16), 'last:2')
    """

    kind: str
    number: int = 0

    @classmethod
    def of(cls, text: str) -> "Tuned":
        """Parse which weights are tuned."""
        match = _TEXT.fullmatch(text)
        if match is None or (match[1] in ("last", "adapters")) != bool(match[2]):
            raise UnslantError(f'What is tuned must be {_FORMS}, not "{text}".')
        number = int(match[2] or 0)
        if match[2] and not 1 <= number <= 1_024:
            raise UnslantError(f'The number in "{text}" must be from 1 to 1,024.')
        return cls(match[1], number)

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}" if self.number else self.kind
