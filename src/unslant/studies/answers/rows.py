"""The numbers of a study, one a row, and those that are not there yet."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.core.errors import UnslantError

Label = tuple[str, str, str, str, int]

DONE, UNDEFINED, FAILED, MISSING = "done", "undefined", "failed", "missing"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One cell of a study: a number, or what became of it.

    ``state`` is ``done``, ``undefined`` (measured, but without a value), ``failed`` or
    ``missing`` (planned, not yet done); ``why`` says why there is no value. Two rows of the same
    measure with different ``words_key`` used different words, so they do not compare.
    """

    resource: str
    method: str
    measure: str
    concept: str
    seed: int
    state: str = DONE
    value: float | None = None
    better: str = ""
    interval: tuple[float, float] | None = None
    p: float | None = None
    id: str = ""
    why: str = ""
    words_key: str = ""

    @property
    def label(self) -> Label:
        """What tells this cell from the others of its study."""
        return (self.resource, self.method, self.measure, self.concept, self.seed)


def rows_of(
    results: Iterable[Mapping[str, Any]],
    *,
    planned: Iterable[Sequence[Any]] | None = None,
    failures: Mapping[Any, str] | None = None,
) -> list[Row]:
    """The rows of stored results, in the order of the plan where its labels are given.

    Labels that are planned and have no result become rows that failed, with their message, or are
    missing, so that what is made of the rows can say what it lacks.
    """
    found: dict[Label, Row] = {}
    for result in results:
        row = _row(result)
        if row.label in found:
            raise UnslantError(
                f"Two results are called {said(row.label)} ({found[row.label].id} and {row.id}). "
                f"Take the results of one plan only."
            )
        found[row.label] = row
    failed = {_label(label): message for label, message in (failures or {}).items()}
    labels = [*(_label(label) for label in planned or ()), *found, *failed]
    return [found.get(label) or _without(label, failed) for label in dict.fromkeys(labels)]


def said(label: Label) -> str:
    """A label as one text, such as ``glove.hard, WEAT 6, gender, seed 0``."""
    resource, method, measure, concept, seed = label
    row = f"{resource}.{method}" if method else resource
    return f"{row}, {measure}, {concept}, seed {seed}"


def _row(result: Mapping[str, Any]) -> Row:
    try:
        resource, method, measure, concept, seed = _label(result["label"])
        record = result["measurement"]
        interval, p = record.get("interval"), record.get("p")
        return Row(
            resource=resource,
            method=method,
            measure=measure,
            concept=concept,
            seed=seed,
            state=UNDEFINED if record["value"] is None else DONE,
            value=None if record["value"] is None else float(record["value"]),
            better=record.get("better", ""),
            interval=(float(interval["low"]), float(interval["high"])) if interval else None,
            p=float(p["value"]) if p else None,
            id=str(result["id"]),
            why=record.get("why_undefined", ""),
            words_key=words_key(record),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnslantError(f"This is not a result of a study: {error!r}.") from error


def words_key(record: Mapping[str, Any]) -> str:
    """The same for two records of one measure exactly where both used the same words.

    It leaves out the expression, which the measure's label stands for and which names the seed.
    """
    parameters = record.get("parameters", {})
    used = {use["set"]: sorted(set(use["used"])) for use in record.get("words", ())}
    what = [record.get("metric"), parameters.get("subject"), parameters.get("case"), used]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _label(plain: Sequence[Any]) -> Label:
    resource, method, measure, concept, seed = plain
    return str(resource), str(method), str(measure), str(concept), int(seed)


def _without(label: Label, failed: Mapping[Label, str]) -> Row:
    resource, method, measure, concept, seed = label
    return Row(
        resource=resource,
        method=method,
        measure=measure,
        concept=concept,
        seed=seed,
        state=FAILED if label in failed else MISSING,
        why=failed.get(label, ""),
    )
