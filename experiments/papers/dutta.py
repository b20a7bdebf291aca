"""Dutta (2019): ACEAT before and after training for entities, and the accuracies of adversaries."""

import json
from collections.abc import Mapping
from typing import Any

from experiments.papers.promises import Promise
from experiments.papers.tables import RESULTS, markdown, number, p_value, published, rows_of

DOCUMENT = "Dutta"
RESULT = RESULTS / "aceat.csv"
CONDITIONS = {"pretrained": "pretrained", "ner": "after NER", "debiased": "after debiased NER"}
TAGGERS = {"no debiasing": "ner-watched", "with debiasing": "ner-adversary"}
ALPHA = 0.05


def tables() -> dict[str, str]:
    """The tables of docs/papers/dutta.md."""
    return {
        "table-1": _aceat("gender", "1"),
        "table-2": _aceat("race", "2"),
        "table-3": _accuracies(),
    }


def _aceat(attribute: str, table: str) -> str:
    ours, theirs = _found(attribute), published("dutta")
    rows = []
    for condition, printed in CONDITIONS.items():
        row = ours[condition]
        d, low, high, p = (float(row[name]) for name in ("value", "low", "high", "p"))
        rows.append(
            [
                printed,
                number(theirs[table, printed, "d"], 4),
                number(theirs[table, printed, "p"], 5),
                f"{number(d)} [{number(low)}, {number(high)}]",
                p_value(p),
                p_value(float(row["p_greater"])),
                _agreement(
                    d, p, theirs[table, printed, "d"] or 0.0, theirs[table, printed, "p"] or 0.0
                ),
            ]
        )
    head = [
        "embeddings",
        "d, published",
        "p, published",
        "d, ours",
        "p, two-sided",
        "p, one-sided",
        "same finding?",
    ]
    return markdown(head, rows)


def _found(attribute: str) -> Mapping[str, Mapping[str, str]]:
    return {
        row["condition"]: row for row in rows_of(RESULT) if row["score"] == f"aceat-{attribute}"
    }


def _agreement(d: float, p: float, their_d: float, their_p: float) -> str:
    """Whether both show an effect of the same direction, or neither shows one, at .05.

    The document's p is one-sided in the direction of its effect; ours is two-sided.
    """
    ours, theirs = p < ALPHA, their_p < ALPHA
    if ours and theirs:
        return "yes" if d * their_d > 0 else "no: other direction"
    if ours == theirs:
        return "yes: none shown"
    return "no: only ours" if ours else "no: only theirs"


def _accuracies() -> str:
    theirs = published("dutta")
    columns = ("accuracy", "without majority", "gender", "race")
    rows = [
        [f"{row}, published", *(number(theirs["3", row, column], 2) for column in columns), "", ""]
        for row in ("baseline", "no debiasing", "with debiasing")
    ]
    for row, name in TAGGERS.items():
        record = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        last, watched = record["epochs"][-1], record["adversaries"]["accuracy_in_training"]
        guessed = [number(watched[key], 2) for key in ("gender", "race")]
        rows.append([f"{row}, ours", number(last["right_share"]), "–", *guessed, *_judged(record)])
        if row == "no debiasing":
            rows.insert(
                -1, ["baseline, ours", number(last["majority_share"]), "–", ".50", ".50", "", ""]
            )
    head = ["", *columns, "gender, fresh adversary", "race, fresh adversary"]
    return markdown(head, rows)


def _judged(record: Mapping[str, Any]) -> list[str]:
    found = (record["adversaries"]["judged"][name] for name in ("gender", "race"))
    return [
        f"{number(item['accuracy'])} [{number(item['interval'][0])}, {number(item['interval'][1])}]"
        for item in found
    ]


def promises() -> list[Promise]:
    """That every condition of Tables 1 and 2 has a number."""
    numbers = sum(len(_found(attribute)) for attribute in ("gender", "race"))
    return [Promise(DOCUMENT, "6 numbers for Tables 1 and 2", f"{numbers} found", numbers == 6)]
