"""Check the arguments of the public verbs early, so that mistakes get a one-sentence error."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from unslant.concepts import WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.expression import Call


def policy_from(given: WordPolicy | None) -> WordPolicy:
    """The policy for missing words; without one they are dropped and listed."""
    if given is not None and not isinstance(given, WordPolicy):
        raise UnslantError(
            f'Expected a policy such as us.WordPolicy(missing="drop"), not {given!r}.'
        )
    return given or WordPolicy(missing="drop")


def path_from(given: str | PathLike[str], what: str) -> Path:
    """A path; ``what`` names what it is for."""
    if not isinstance(given, str | PathLike):
        raise UnslantError(f"Expected the path of {what}, not {type(given).__name__}.")
    return Path(given)


def check_jobs(jobs: Any) -> None:
    """Refuse jobs of an audit that are not pairs of a metric and what it is measured on."""
    for job in jobs if isinstance(jobs, Sequence) else [jobs]:
        is_pair = isinstance(job, tuple) and len(job) == 2 and isinstance(job[0], str | Call)
        if not is_pair:
            raise UnslantError(
                f'jobs takes pairs such as ("weat", gender.test("career-family")), not {job!r:.80}.'
            )


def check_probe(*, questions: Any, controls: Any, scores: Any, retraining: Any) -> None:
    """Refuse options of a probe that are of another type than they should be."""
    if not isinstance(controls, int) or controls < 0:
        raise UnslantError(f"The number of controls must be at least 0, not {controls!r}.")
    if scores is not None:
        path_from(scores, "a file of answers (scores)")
    if questions is not None and not hasattr(questions, "content_hash"):
        raise UnslantError(
            f"Expected a set of questions, such as pair_set(…) gives, not "
            f'{type(questions).__name__}. To name a bundled set: us.probe("nli(set=sirt)", …)'
        )
    is_trainer = hasattr(retraining, "model")
    if not (retraining is None or is_trainer or isinstance(retraining, str | Path)):
        raise UnslantError(
            f"Expected the folder of training data (retraining), not {type(retraining).__name__}."
        )
