"""How heads are trained: the choices, checked, without torch."""

from dataclasses import dataclass

from unslant.core.errors import UnslantError
from unslant.models.training.schedule import Schedule, Tuned, check_precision


@dataclass(frozen=True, kw_only=True)
class HeadTraining:
    """How masked-language-model and next-sentence heads are trained on running text.

    ``tune`` says which weights of the encoder are trained with them. A round is ``steps`` batches
    of ``batch`` pairs of sentences. ``dropout`` and ``attention_dropout`` replace those of the
    model's configuration; larger ones are a debiasing baseline (Webster et al. 2020).
    ``precision`` bfloat16 halves the time on processors that have it; weights stay in single
    precision.
    """

    tune: str = "adapters:16"
    rounds: int = 10
    steps: int = 500
    batch: int = 64
    patience: int = 3
    learning_rate: float = 1e-3
    dropout: float = 0.0
    attention_dropout: float = 0.0
    longest: int = 60
    sentences: int = 1_000_000
    precision: str = "single"
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "longest", "sentences"):
            if getattr(self, name) < 1:
                raise UnslantError(f"{name} must be at least 1, not {getattr(self, name)}.")
        for name in ("dropout", "attention_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise UnslantError(
                    f"{name} must be at least 0 and below 1, not {getattr(self, name)}."
                )
        check_precision(self.precision)
        Tuned.of(self.tune)
        self.schedule()

    def schedule(self) -> Schedule:
        """How long and how fast, as the trainer takes it."""
        return Schedule(
            rounds=self.rounds,
            patience=self.patience,
            learning_rate=self.learning_rate,
            warm_up=max(1, min(200, self.rounds * self.steps // 10)),
            weight_decay=0.01,
            clip=1.0,
            seed=self.seed,
            threads=self.threads,
        )
