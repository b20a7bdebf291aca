"""The answer of a probe of a model's answers."""

from collections.abc import Iterator

from unslant.core import wording
from unslant.core.record import Record, Resource, Result
from unslant.core.visible import visible
from unslant.core.wording import counted, number
from unslant.reports.answers.audit import change_words
from unslant.reports.results import name_of


def probe_answer(record: Record) -> tuple[str, str, str]:
    """The result and its worst part, how certain it is, and what was tested."""
    first = next((result for result in record.results if result.now.value is not None), None)
    found = [_found(record, first)] if first else ["No score has a value on these questions."]
    found += [exhibit.says for exhibit in record.exhibits if exhibit.says and exhibit.when == "now"]
    return (
        " ".join(found),
        " ".join([*(_certainty(first) if first else ()), _limits(record)]),
        " ".join(_account(record)),
    )


def _found(record: Record, result: Result) -> str:
    item = result.now
    name = name_of(record, item)
    better = f"{item.better} is better" if item.better else "no side is better"
    if result.before is not None and result.before.value is not None:
        moved = f"from {number(result.before.value)} to {number(item.value)}"
        verdict = change_words(result.finding)
        return f"{name} went {moved} ({better}{f'; {verdict}' if verdict else ''})."
    return f"{name} is {number(item.value)} ({better})."


def _certainty(result: Result) -> Iterator[str]:
    found = result.now.interval
    if found:
        yield f"Its {wording.level(found.level)} is {wording.interval(found, 3)}."
    change = result.change
    if change and change.percent_interval and change.percent is not None:
        yield (
            f"The change is {number(change.percent, 1)} % ("
            f"{wording.interval_text(change.percent_interval, 1)} %)."
        )
    control = result.control
    if control:
        taken = counted(control.directions, "random direction")
        sure = f"; p {wording.p_value(control.p)}" if control.p else ""
        did = f"Removing {taken} instead"
        if control.instead:
            did = f"A control, {visible(control.instead)},"
        yield (
            f"{did} gave {number(control.mean)} on average "
            f"({counted(len(control.values), 'draw')}{sure})."
        )


def _limits(record: Record) -> str:
    model = _model(record)
    share = model.facts.get("dev-accuracy") if model else None
    known = (
        f" This model is right on {wording.percent(share)} of its dev set."
        if isinstance(share, float)
        else ""
    )
    return f"These results apply only to this model and these sentences.{known}"


def _model(record: Record) -> Resource | None:
    if record.predictor is not None:
        return record.predictor
    return record.resource if record.resource and record.resource.kind != "vectors" else None


def _account(record: Record) -> Iterator[str]:
    facts, model = record.subject.facts, _model(record)
    pairs, texts = facts.get("pairs"), facts.get("texts")
    asked = f"We asked {model.name} " if model else "We asked "
    if isinstance(pairs, int):
        asked += f"{counted(pairs, 'pair')} of sentences"
    else:
        asked += counted(texts, "sentence") if isinstance(texts, int) else "the questions"
    known = ", whose right answers are known" if pairs else ""
    yield f"{asked} from “{record.subject.title}”{known}."
    if record.predictor and record.resource:
        treatment = record.treatment
        by = f" (debiased with {treatment.expression} for {treatment.concept})" if treatment else ""
        before = f", and {record.baseline.name} before debiasing" if record.baseline else ""
        yield f"The model read {record.resource.name}{by}{before}."
        if treatment and treatment.is_retrained:
            yield "A model was trained on each set of vectors."
        elif treatment:
            yield "The model was trained before debiasing."
    if record.left_out:
        what = "the words that are missing" if record.predictor else "what was not asked, and why"
        yield f"“Left out” lists {what}."
