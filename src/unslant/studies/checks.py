"""Early checks of the public verbs' arguments, and a refusal of results that measured nothing."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from unslant.concepts import Concept, WordPolicy
from unslant.concepts.language_fit import better_fit
from unslant.concepts.languages import language_name
from unslant.core.errors import UnslantError
from unslant.core.expression import Call
from unslant.core.measurement import Measurement
from unslant.core.record import LeftOut, Result
from unslant.studies.audit_jobs import GivenJob
from unslant.vectors import Space, WordVectors

# Refuses an audit or a probe that measured nothing: an empty result looks like a good one.

_FEW_WORDS = 5_000


_OTHER_LANGUAGE = (
    "If these vectors are not {}, take the concept of their language (unslant list concepts lists "
    "25), or write one (docs/add-a-concept.md)."
)


class NothingMeasuredError(UnslantError):
    """An audit without a single value about its concept, or a probe without any."""


def refuse_empty(concept: Concept, jobs: Sequence[GivenJob]) -> None:
    """Stop before measuring a concept that has nothing to measure, such as a name alone."""
    if all(subject is None for _, subject in jobs):
        raise NothingMeasuredError(
            f"The concept “{concept.name}” has nothing to measure: it has no association tests, no "
            f"measures, and no direction with neutral words. Add some (docs/add-a-concept.md)."
        )


def refuse_nothing(
    vectors: Space,
    concept: Concept,
    policy: WordPolicy,
    results: Sequence[Result],
    left_out: Sequence[LeftOut],
) -> None:
    """Stop where no measurement of the concept has a value, and say why that may be."""
    about_concept = (result.now for result in results if result.now.parameters.get("subject"))
    if any(item.value is not None for item in about_concept):
        return
    raise NothingMeasuredError(
        f"Nothing about “{concept.name}” could be measured in {vectors.name}. "
        f"{_reason(vectors, concept, policy, left_out)}"
    )


def refuse_no_answer(found: Sequence[Measurement], model: str) -> None:
    """Stop where no measurement of a probe has a value: the model gave no usable answer."""
    if found and all(item.value is None for item in found):
        whys = "; ".join(dict.fromkeys(item.why_undefined for item in found))
        raise NothingMeasuredError(f"{model} has no score: {whys}.")


def _reason(
    vectors: Space,
    concept: Concept,
    policy: WordPolicy,
    left_out: Sequence[LeftOut],
) -> str:
    words = concept.all_words
    known = len(vectors.lookup(words, policy.case).words)
    in_any_case = len(vectors.lookup(words, "any").words)
    fit = better_fit(vectors, concept, policy.case)
    if in_any_case > 2 * known and fit is None:
        return (
            f"It has {known:,} of the {len(words):,} words of the concept as they are spelt, and "
            f'{in_any_case:,} in another case: use [[us.WordPolicy(case="any")|--case any]].'
        )
    sentences = [f"It has {known:,} of the {len(words):,} words of the concept."]
    if isinstance(vectors, WordVectors) and len(vectors) < _FEW_WORDS and fit is None:
        sentences.append(
            f"Only {len(vectors):,} words were loaded: load more (a larger [[limit|--limit]])."
        )
    sentences.append(str(fit) if fit else _OTHER_LANGUAGE.format(_language(concept)))
    if left_out and known:
        sentences.append(f"The first problem was: {left_out[0].why}")
    return " ".join(sentences)


def _language(concept: Concept) -> str:
    """The language that a concept expects."""
    return language_name(concept.language) if concept.language else "in the concept's language"


# Check the arguments of the public verbs early, so that mistakes get a one-sentence error.


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
