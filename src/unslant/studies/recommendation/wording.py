"""A choice in words: the method, the reason, and the price."""

from collections.abc import Sequence

from unslant.core import wording
from unslant.core.record import Considered, MethodShare, Purpose, Recommendation
from unslant.studies.recommendation.choice import RULES, Choice, Estimate, Option

_MOST = 3
_HARDLY = 0.005


def recommendation(
    choice: Choice,
    options: Sequence[Option],
    controls: Sequence[Option],
    *,
    purpose: Purpose,
    concept: str,
    shows_bias: bool = True,
    notes: Sequence[str] = (),
) -> Recommendation:
    """The answer with every method that was weighed, the recommended one first."""
    chosen = choice.chosen
    considered = [_considered(item, choice) for item in options]
    considered.sort(
        key=lambda item: (item.method != (chosen and chosen.method), item.why_not != "")
    )
    return Recommendation(
        purpose=purpose,
        rule=RULES[purpose],
        method=chosen.method if chosen else None,
        expression=chosen.expression if chosen else "",
        answer=_answer(choice, purpose, concept, shows_bias),
        reason=_reason(choice, options, purpose),
        price=_price(chosen) if chosen else "",
        tied=tuple(item.method for item in choice.tied),
        runners_up=tuple(item.method for item in choice.runners_up[:_MOST]),
        considered=(*considered, *(_considered(item, choice, control=True) for item in controls)),
        notes=tuple(notes),
    )


def _answer(choice: Choice, purpose: Purpose, concept: str, shows_bias: bool) -> str:
    chosen = choice.chosen
    if not shows_bias:
        return (
            f"No method can be recommended for {purpose}: these vectors show no {concept} bias by "
            f"the measures that could tell it from chance, so there is nothing to remove."
        )
    if chosen is None:
        return f"No method can be recommended for {purpose}: {_why_none(choice)}."
    kept = f"keeps {percent(chosen.quality)} of the measured quality"
    return (
        f"For {purpose}, use {chosen.expression}: it removes {percent(chosen.bias)} of the "
        f"measured {concept} bias and {kept}."
    )


def _why_none(choice: Choice) -> str:
    reasons = list(choice.why_not.values())
    if not reasons:
        return "no method has a number for every measure"
    chance = [reason for reason in reasons if "random" in reason]
    if len(chance) == len(reasons):
        return "none removes more bias than removing random directions does"
    others = [(m, why) for m, why in choice.why_not.items() if "random" not in why]
    said = "; ".join(f"{method} {why}" for method, why in others[:_MOST])
    return f"what works comes at too high a price ({said})"


def _reason(choice: Choice, options: Sequence[Option], purpose: Purpose) -> str:
    chosen = choice.chosen
    shown = sum(item.is_shown for item in options)
    work = f"{shown} of {len(options)} methods remove more bias than random directions do"
    if chosen is None:
        return f"{work}."
    sentences = [
        f"{work}. {chosen.expression} clearly improves {len(chosen.beyond_chance)} of "
        f"{len(chosen.removed)} measures of bias beyond every random control"
    ]
    if choice.tied:
        names = ", ".join(item.method for item in choice.tied[:_MOST])
        are = "is" if len(choice.tied) == 1 else "are"
        sentences.append(f"{names} {are} not clearly better or worse, and not simpler")
    if choice.runners_up:
        after = choice.runners_up[0]
        sentences.append(f"the runner-up, {after.method}, removes {percent(after.bias)}")
    if purpose == "research":
        names = ", ".join(item.method for item in choice.front)
        sentences.append(f"beaten by none in bias removed and quality kept: {names}")
    return "; ".join(sentences) + "."


def _price(chosen: Option) -> str:
    """The cost of a method: quality, and measures of bias that it makes worse."""
    lost = [
        f"{wording.percent(1 - share.value, 1)} of {name}"
        for name, share in sorted(chosen.kept.items(), key=lambda item: item[1].value)
        if share.value < 1 - _HARDLY
    ]
    costs = [f"it loses {', '.join(lost)}" if lost else "no measured quality is lost"]
    if not chosen.kept:
        costs = ["no quality was measured"]
    if chosen.worse:
        costs.append(f"clearly worse: {', '.join(sorted(chosen.worse))}")
    left = [
        name
        for name, share in chosen.removed.items()
        if name not in chosen.beyond_chance and name not in chosen.worse
    ]
    if left:
        costs.append(f"not clearly improved: {', '.join(left)}")
    return "Price: " + "; ".join(costs) + "."


def percent(share: Estimate) -> str:
    """A share as a percentage with its interval, as in ``78 % (60 to 91)``.

    >>> percent(Estimate(0.784))
    '78 %'
    """
    return wording.percent_within(share.value, *(share.bounds or (None, None)))


def _considered(option: Option, choice: Choice, *, control: bool = False) -> Considered:
    is_best = any(option is item for item in choice.front)
    return Considered(
        method=option.method,
        expression=option.expression,
        removed=_share(option.bias),
        kept=_share(option.quality),
        removed_by={name: _share(item) for name, item in option.removed.items()},
        kept_by={name: _share(item) for name, item in option.kept.items()},
        better=tuple(sorted(option.beyond_chance)),
        worse=tuple(sorted(option.worse)),
        is_on_front=is_best,
        is_control=control,
        why_not="" if control else choice.why_not.get(option.method, ""),
    )


def _share(estimate: Estimate) -> MethodShare:
    low, high = estimate.bounds or (None, None)
    return MethodShare(value=estimate.value, low=low, high=high)
