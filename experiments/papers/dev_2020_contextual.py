"""Dev et al. (2020), Tables 11 to 17: ELMo and BERT, from the results of their own pages."""

from collections.abc import Callable, Sequence

import numpy as np

from experiments.papers.dev_2020 import MEASURES
from experiments.papers.tables import RESULTS, Printed, beside, markdown, number, published, rows_of

ELMO = RESULTS / "elmo-nli.csv"
ENCODERS = RESULTS / "encoder-nli.csv"
STABLE = ("2nd", "3rd", "4th", "cosine")


def tables() -> dict[str, str]:
    """The tables on contextual models in docs/papers/dev-2020.md."""
    theirs = published("dev-2020")
    return {
        "elmo": markdown(["", *MEASURES], _elmo(theirs)),
        "table-12": markdown(["", *STABLE], _stable(theirs)),
        "bert": markdown(["", *MEASURES], _encoder(theirs)),
        "accuracies": markdown(["", "dev", "test"], _accuracies(theirs)),
    }


def _beside(
    ours: Callable[[str], float | None], theirs: Printed, where: tuple[str, str]
) -> list[str]:
    """One row: ours with the published number in brackets, if there is one."""
    cells = []
    for measure in MEASURES:
        found = ours(measure)
        shown = "–" if found is None else number(found)
        key = (*where, measure)
        cells.append(beside(shown, theirs[key]) if key in theirs else shown)
    return cells


def _elmo(theirs: Printed) -> list[list[str]]:
    lines = [line for line in rows_of(ELMO) if line["active"] == "train and test" and line["set"]]

    def of(setting: str, about: str) -> Callable[[str], float | None]:
        def value(measure: str) -> float | None:
            name = MEASURES[measure].removeprefix("nli-")
            found = [
                float(line["value"])
                for line in lines
                if line["setting"].startswith(setting)
                and (line["set"], line["measure"]) == (about, name)
            ]
            return float(np.mean(found)) if found else None

        return value

    rows: Sequence[tuple[str, str, str, tuple[str, str]]] = (
        ("Table 1, gender, no projection", "orig", "gender", ("1", "ELMo")),
        ("Table 11, all layers", "gen(all)", "gender", ("11", "projected")),
        ("Table 11, random", "rand(all)", "gender", ("11", "random")),
        ("Table 13, layer 1", "gen(1)", "gender", ("13", "projected")),
        ("Table 13, random", "rand(1)", "gender", ("13", "random")),
        ("Table 3, nationality, no projection", "orig", "nationality", ("3", "ELMo")),
        ("Table 14, nationality, layer 1", "nat(1)", "nationality", ("14", "nationality")),
        ("Table 5, religion, no projection", "orig", "religion", ("5", "ELMo")),
        ("Table 14, religion, layer 1", "rel(1)", "religion", ("14", "religion")),
    )
    return [
        [title, *_beside(of(setting, about), theirs, where)]
        for title, setting, about, where in rows
    ]


def _stable(theirs: Printed) -> list[list[str]]:
    ours = {
        (line["setting"], line["measure"]): float(line["value"])
        for line in rows_of(ELMO)
        if line["table"] == "12"
    }
    return [
        [
            name,
            *(
                beside(number(ours[name, column], 2), theirs["12", name, column], 2)
                for column in STABLE
            ),
        ]
        for name in ("gender", "nationality", "religion")
    ]


def _encoder(theirs: Printed) -> list[list[str]]:
    lines = [line for line in rows_of(ENCODERS) if line["model"] == "minilm"]

    def of(training: str, test: str) -> Callable[[str], float | None]:
        def value(measure: str) -> float | None:
            found = [
                float(line[measure])
                for line in lines
                if _starts(line["in training"], training) and _starts(line["at test"], test)
            ]
            return float(np.mean(found)) if found else None

        return value

    rows = (
        ("no projection", "", "", "no projection"),
        ("at test", "", "subword", "at test"),
        ("random at test", "", "random", "random at test"),
        ("in training and test", "subword", "", "train and test"),
        ("random in training and test", "random", "", "random"),
    )
    return [[title, *_beside(of(*which), theirs, ("15", row))] for title, *which, row in rows]


def _starts(text: str, beginning: str) -> bool:
    return text.startswith(beginning) if beginning else not text


def _accuracies(theirs: Printed) -> list[list[str]]:
    """Tables 16 and 17."""
    ours = {
        line["setting"]: float(line["value"])
        for line in rows_of(ELMO)
        if line["measure"] == "dev" and line["seed"] == "0"
    }
    names = {
        "orig": "original",
        "gen(all)": "gender, all layers",
        "gen(1)": "gender, layer 1",
        "nat(1)": "nationality",
        "rel(1)": "religion",
    }
    rows = [
        [
            f"ELMo, {name}",
            _share(ours.get(key), theirs.get(("16", "dev", name))),
            _share(None, theirs.get(("16", "test", name))),
        ]
        for key, name in names.items()
    ]
    encoder = {
        line["in training"]: line["dev accuracy"]
        for line in rows_of(ENCODERS)
        if line["model"] == "minilm" and line["dev accuracy"]
    }
    for training, name in (("", "BERT, not projected"), ("subword", "BERT")):
        parts = [theirs["17", name, part] for part in ("dev", "test")]
        title = name if training == "" else "BERT, he − she projected"
        rows.append([title, _share(float(encoder[training]), parts[0]), _share(None, parts[1])])
    return rows


def _share(ours: float | None, theirs: float | None) -> str:
    shown = "–" if ours is None else number(ours)
    return shown if theirs is None else f"{shown} ({number(theirs / 100)})"
