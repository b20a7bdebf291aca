"""How an encoder is fine-tuned for a task: the choices, checked, without torch."""

from dataclasses import dataclass

from unslant.core.errors import UnslantError
from unslant.models.training.schedule import Schedule, Tuned, check_precision

MOST_WARM_UP = 500


@dataclass(frozen=True, kw_only=True)
class FineTuning:
    """How an encoder and its new head are trained.

    ``tune`` says which weights of the encoder are trained with the head: ``last:4`` are the last
    four blocks, and ``last:6`` of a model with six blocks is everything but the tables of pieces
    and positions. Examples of more than ``longest`` pieces are left out and counted. ``precision``
    bfloat16 halves the time on processors that have it; weights stay in single precision.
    """

    tune: str = "all"
    epochs: int = 3
    patience: int = 2
    batch: int = 32
    learning_rate: float = 5e-5
    dropout: float = 0.1
    longest: int = 128
    precision: str = "single"
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "batch", "longest"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if not 0 <= self.dropout < 1:
            raise UnslantError(f"dropout must be at least 0 and below 1, not {self.dropout}.")
        check_precision(self.precision)
        Tuned.of(self.tune)
        self.schedule(1)

    def schedule(self, steps: int) -> Schedule:
        """The trainer's schedule, for a given number of steps per epoch."""
        return Schedule(
            rounds=self.epochs,
            patience=self.patience,
            learning_rate=self.learning_rate,
            warm_up=max(1, min(MOST_WARM_UP, self.epochs * steps // 10)),
            weight_decay=0.01,
            clip=1.0,
            seed=self.seed,
            threads=self.threads,
        )
