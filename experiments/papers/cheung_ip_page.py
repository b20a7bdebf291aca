"""Cheung and Ip: the tables of docs/papers/cheung-ip.md, and what it promises."""

from collections.abc import Mapping

from experiments.papers import study
from experiments.papers.cheung_ip import GENDER, RACE, RESULT, TESTS
from experiments.papers.promises import Promise, close
from experiments.papers.tables import markdown, number, published, rows_of, signed
from unslant.concepts.wordlists import wordlist

DOCUMENT = "Cheung and Ip"
LIBRARY = (
    ("career-family", "before", "original", "gender", "WEAT 6"),
    ("names-pleasant", "before", "original", "race", "race, 18 names"),
    ("names-pleasant", "after, all words", "linear, unit means", "race", "race, 18 names"),
)
SIX_DIGITS = 5e-7


def results() -> Mapping[tuple[str, str, str], float]:
    """What was computed last, by table, row and column."""
    return {(r["table"], r["row"], r["column"]): float(r["value"]) for r in rows_of(RESULT)}


def tables() -> dict[str, str]:
    """The tables of docs/papers/cheung-ip.md."""
    ours, weat = results(), published("cheung-ip")
    he_she = []
    for word, he, she in wordlist(GENDER).rows:
        pair = [ours["he/she", str(word), column] for column in ("he", "she")]
        he_she.append(
            [
                str(word),
                _six(pair[0]),
                _six(float(he)),
                _six(pair[1]),
                _six(float(she)),
                "he" if pair[0] > pair[1] else "she",
                "he" if float(he) > float(she) else "she",
            ]
        )
    return {
        "he-she": markdown(
            ["", "he", "published", "she", "published", "nearer to", "published"], he_she
        ),
        "weat": markdown(
            [
                "test",
                "Caliskan et al.",
                "published",
                "ours",
                "difference",
                "published, after",
                "ours, after",
                "difference",
                "ours, if all words change",
            ],
            [_weat_row(ours, weat, name) for name in TESTS],
        ),
        "spread": markdown(
            ["test", "before", "after", "after, all words"],
            [
                [
                    f"{name}, ddof {ddof}",
                    *(
                        number(ours["WEAT", name, f"{when}, ddof {ddof}"], 4)
                        for when in ("before", "after", "after, all words")
                    ),
                ]
                for name in TESTS
                for ddof in (1, 0)
            ],
        ),
        "names": markdown(
            ["", "European American", "published", "African American", "published"],
            [
                [str(word), *_names_row(ours, str(word), (float(e), float(a)))]
                for word, e, a in wordlist(RACE).rows
            ],
        ),
        "names-found": markdown(
            ["of 18 names", "as printed", "with lower case"],
            [
                [
                    name,
                    *(
                        f"{ours['words', name, column]:.0f}"
                        for column in ("as printed", "with lower case")
                    ),
                ]
                for name in ("European American names", "African American names")
            ],
        ),
        "diagonal": markdown(
            ["direction removed", "largest distance between cos(he) and cos(she), 14 occupations"],
            [
                [name, _tiny(ours["diagonal", name, "largest distance"])]
                for name in ("unit he − unit she", "he − she")
            ],
        ),
    }


def _weat_row(
    ours: Mapping[tuple[str, str, str], float],
    theirs: Mapping[tuple[str, str, str], float | None],
    name: str,
) -> list[str]:
    row = [name, number(theirs["WEAT", name, "Caliskan"], 2)]
    for when in ("before", "after"):
        found, printed = ours["WEAT", name, f"{when}, ddof 1"], theirs["WEAT", name, when] or 0.0
        row += [number(printed, 4), number(found, 4), signed(found - printed, 4)]
    return [*row, number(ours["WEAT", name, "after, all words, ddof 1"], 4)]


def _names_row(
    ours: Mapping[tuple[str, str, str], float], word: str, theirs: tuple[float, float]
) -> list[str]:
    row = []
    for column, printed in zip(("european-american", "african-american"), theirs, strict=True):
        found = ours.get(("names", word, column))
        row += ["–" if found is None else _six(found), _six(printed)]
    return row


def _tiny(value: float) -> str:
    """A number, or that it is no more than rounding."""
    return number(value) if value >= 1e-9 else "below 1e-9"


def _six(value: float) -> str:
    return number(value, 6)


def promises() -> list[Promise]:
    """That the printed cosines come out, and the WEATs if the names are there as printed."""
    ours, weat = results(), published("cheung-ip")
    cosines = [
        (round(ours["he/she", str(word), column], 6), float(value))
        for word, *values in wordlist(GENDER).rows
        for column, value in zip(("he", "she"), values, strict=True)
    ]
    found = [close(DOCUMENT, "34 cosines with he and she, to six digits", cosines, SIX_DIGITS)]
    axis = ours["diagonal", "unit he − unit she", "largest distance"]
    found.append(
        Promise(
            DOCUMENT,
            "debiased occupations lie on the diagonal, to 1e-6",
            f"largest distance {_tiny(axis)}",
            axis < 1e-6,
        )
    )
    library = study.results()
    both = [
        (
            ours["WEAT", name, f"{when}, ddof 1"],
            library["GloVe 840B", method, about, measure].value or 0.0,
        )
        for name, when, method, about, measure in LIBRARY
    ]
    found.append(
        close(DOCUMENT, "WEAT by the notebook's formulas and by the library, to 1e-6", both, 1e-6)
    )
    printed = sum(
        ours["words", f"{race} American names", "as printed"] for race in ("European", "African")
    )
    if printed < 36:
        why = f"the vectors have {printed:.0f} of the 36 names as printed"
        wanted = ("36 cosines with names, to six digits", "4 WEATs, to .0001")
        return [*found, *(Promise(DOCUMENT, promise, why, None) for promise in wanted)]
    names = [
        (round(ours["names", str(word), column], 6), float(value))
        for word, *values in wordlist(RACE).rows
        for column, value in zip(("european-american", "african-american"), values, strict=True)
        if ("names", str(word), column) in ours
    ]
    scores = [
        (ours["WEAT", name, f"{when}, ddof 1"], weat["WEAT", name, when] or 0.0)
        for name in TESTS
        for when in ("before", "after")
    ]
    return [
        *found,
        close(DOCUMENT, "36 cosines with names, to six digits", names, SIX_DIGITS),
        close(DOCUMENT, "4 WEATs, to .0001", scores, 1e-4),
    ]
