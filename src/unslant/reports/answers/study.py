"""The answer of a study of many vectors, methods and measures."""

from collections.abc import Sequence

from unslant.reports.words import Record, counted, number, sentence

_MOST_NAMED = 4
_FEW = 20


def study_answer(record: Record) -> list[str]:
    """What was measured, what stands out and how sure it is."""
    return [_measured(record), _stands_out(record), _sure(record)]


def _measured(record: Record) -> str:
    plan = record["plan"]
    on = counted(len(plan["resources"]), "set of vectors", "sets of vectors")
    return (
        f"“{plan['name']}” planned {counted(len(plan['measures']), 'measure')} on {on} with "
        f"{counted(len(plan['methods']), 'method')}: {record['status']['says'].rstrip('.')}."
    )


def _stands_out(record: Record) -> str:
    front = record["front"]
    if front is None or not front["order"]:
        return "No two measures were there to rank the methods by."
    best = [f"“{item['name']}”" for item in front["order"] if item["front"] == 1]
    beaten = len(front["order"]) - len(best)
    said = [
        f"by {front['x']} and {front['y']} together, intervals aside, no row beats {_listed(best)}",
        f"{beaten} of {len(front['order'])} {'is' if beaten == 1 else 'are'} beaten",
    ]
    if any(any(item["other_words"]) for item in front["order"]):
        said.append("those marked ≠ used other words than most, so they do not compare")
    return sentence(said)


def _sure(record: Record) -> str:
    found = record["correlations"]
    pairs = [
        pair
        for pair in (found["pairs"] if found else ())
        if pair["kind"] == "spearman" and pair["value"] is not None
    ]
    if not pairs:
        return "Too few rows have values to say which measures go together."
    closest = max(pairs, key=lambda pair: abs(pair["value"]))
    clear = sum(pair["corrected"] is not None and pair["corrected"] <= 0.05 for pair in pairs)
    ends = ""
    if closest["low"] is not None:
        level = f"{100 * found['level']:.0f} % interval"
        ends = f", {level} {number(closest['low'], 2)} to {number(closest['high'], 2)}"
    caution = (
        "so few rows allow no more than a guess"
        if closest["n"] < _FEW
        else "rows that share vectors or words make this look surer than it is"
    )
    return (
        f"Of {counted(len(pairs), 'pair')} of measures {clear} {'has' if clear == 1 else 'have'} "
        f"an adjusted p ≤ .05; the closest are {closest['first']} and {closest['second']} "
        f"(Spearman’s ρ {number(closest['value'], 2)}{ends}, {counted(closest['n'], 'row')}); "
        f"{caution}."
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " or ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])
