"""How long and how fast a network is trained: the choices, checked, without torch."""

import os
from dataclasses import dataclass

from unslant.core.errors import UnslantError
from unslant.core.seeds import check_seed


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The learning rate rises over ``warm_up`` steps and then falls in a line to 0.

    A round is a part of the training after which the held-out data are asked, such as an epoch.
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
        """The learning rate of a step, counted from 0, of so many.

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
