"""What a model answers on average: entailment, neutral and contradiction as shares of a bar."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.figure import Figure
from unslant.reports.figures.probe_values import is_compared
from unslant.reports.figures.share_bars import LABELS, share_panel, share_rows
from unslant.reports.figures.values import shown
from unslant.reports.kinds import PROBE
from unslant.reports.words import Record, counted

_MOST_BARS = 16
_WIDTH, _ALONE = 235, 420


def shares(record: Record) -> tuple[Figure, ...]:
    """The mean answers by group, and of the words whose right answer is least probable."""
    if record.get("kind") != PROBE or not record.get("groups"):
        return ()
    whole = [item for item in record["groups"] if not item["word"]]
    found = [_by_group(record, whole)]
    if words := _furthest(record):
        found.append(_by_word(record, words))
    return tuple(found)


def _by_group(record: Record, items: Sequence[Record]) -> Figure:
    has_groups = any(item["premises"] or item["hypotheses"] for item in items)
    return Figure(
        name="answers",
        title="The mean answer for each group" if has_groups else "The mean answer",
        caption=_caption(record),
        description=_description(record, items, _group_name),
        chart=_chart(record, items, _group_name),
    )


def _by_word(record: Record, items: Sequence[Record]) -> Figure:
    right = "neutral" if record["set"]["family"] != "retention" else "the right answer"
    side = items[0]["side"]
    is_all = _words(items, side) == _words(record["groups"], side)
    return Figure(
        name="answers-words",
        title="The mean answer for each word" if is_all else f"The words furthest from {right}",
        caption=f"The words whose right answer is least probable"
        f"{' before debiasing' if is_compared(record) else ''} come first. {_caption(record)}",
        description=_description(record, items, _word_name),
        chart=_chart(record, items, _word_name),
    )


def _group_name(item: Record) -> str:
    sides = [side for side in (item["premises"], item["hypotheses"]) if side]
    return shown(" → ".join(sides)) or "all words"


def _word_name(item: Record) -> str:
    other = item["hypotheses"] if item["side"] == "premise" else item["premises"]
    arrow = (
        f"{item['word']} → {other}" if item["side"] == "premise" else f"{other} → {item['word']}"
    )
    if other:
        return shown(arrow)
    group = item["premises"] if item["side"] == "premise" else item["hypotheses"]
    return shown(f"{item['word']} ({group})" if group else item["word"])


def _furthest(record: Record) -> list[Record]:
    """The answers of the words that are furthest from right, for every group of the other side.

    The words of the premise, such as occupations, where the hypotheses have groups to tell
    apart; else those of the hypothesis.
    """
    old = record["groups_before"] or record["groups"]
    has_groups = any(item["hypotheses"] for item in record["groups"])
    count = {side: len(_words(old, side)) for side in ("premise", "hypothesis")}
    side = "premise" if has_groups and count["premise"] > 1 else "hypothesis"
    if count[side] < 2:
        return []
    worst: dict[str, float] = {}
    for item in old:
        if item["side"] == side:
            worst[item["word"]] = min(worst.get(item["word"], 1.0), item["right"])
    bars = max(sum(item["word"] == word for item in old) for word in worst)
    kept = sorted(worst, key=lambda word: worst[word])[: max(1, _MOST_BARS // bars)]
    return [item for word in kept for item in record["groups"] if _is(item, side, word)]


def _words(items: Sequence[Record], side: str) -> set[str]:
    return {item["word"] for item in items if item["side"] == side}


def _is(item: Record, side: str, word: str) -> bool:
    return bool(item["side"] == side and item["word"] == word)


def _key(item: Record) -> tuple[str, ...]:
    return item["side"], item["word"], item["premises"], item["hypotheses"]


def _chart(record: Record, items: Sequence[Record], name: Any) -> Any:
    import altair as alt

    names = [name(item) for item in items]
    old = {_key(item): item for item in record["groups_before"]}
    if not old:
        alone = share_rows(items, names, _ALONE)
        return share_panel(alone, names, _ALONE, "", has_names=True)
    after = share_rows(items, names, _WIDTH)
    before = share_rows([old[_key(item)] for item in items], names, _WIDTH)
    return alt.hconcat(
        share_panel(before, names, _WIDTH, "before", has_names=True),
        share_panel(after, names, _WIDTH, "after debiasing", has_names=False),
        spacing=18,
    )


def _caption(record: Record) -> str:
    if record["set"]["family"] == "retention":
        right = (
            "A word of a group should entail one of the same group and contradict one of another."
        )
    else:
        right = "All of a bar should be neutral, and the bars of the groups alike."
    return (
        f"Shares are mean probabilities in percent, from the left of entailment, neutral and "
        f"contradiction. {right} They are averages: a mean says nothing of single pairs."
    )


def _description(record: Record, items: Sequence[Record], name: Any) -> str:
    old = {_key(item): item for item in record["groups_before"]}
    said = []
    for item in items[:8]:
        text = f"{name(item)}: {_in_words(item)}"
        if old:
            text += f"; before {_in_words(old[_key(item)])}"
        said.append(text)
    rest = f" And {counted(len(items) - 8, 'more bar')}." if len(items) > 8 else ""
    return ". ".join(said) + f".{rest}"


def _in_words(item: Record) -> str:
    return ", ".join(f"{100 * item[label]:.0f} % {label}" for label in LABELS)
