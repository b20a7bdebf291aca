"""The languages of the bundled concepts, and the WEATHub tests that each of them has.

The lists of a language are one file, in ``data/weathub``; which of them make a test is the same for
all and is in ``data/weathub.toml``. The names of the tests are WEATHub's numbers.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

WEATHUB = "weathub-"
"""Before the code of a language, the name of its concept: ``weathub-de``."""

_NEW = "-new"
_CAVEATS = (
    "A collection of tests, not an attribute: nothing can be debiased with it.",
    "Expressions of several words are missing from most vectors; the record lists them.",
    "Offensive words are part of some lists.",
)
_TRANSLATED = (
    "Words were translated from English and extended for the language: a word may have other "
    "meanings there, and some lists differ in length.",
    "In a language with grammatical gender, part of an effect is grammar.",
)


def language_name(code: str) -> str:
    """The English name of a language; an unknown code is returned unchanged.

    >>> language_name("ckb"), language_name("xx")
    ('Central Kurdish', 'xx')
    """
    return str(_content()["languages"].get(code, code))


def weathub_names() -> list[str]:
    """The names of the concepts with WEATHub's tests, one for each language."""
    return sorted(f"{WEATHUB}{code}" for code in _content()["languages"])


def weathub_code(name: str) -> str:
    """The language of a WEATHub concept, empty if ``name`` is not one.

    >>> weathub_code("weathub-de"), weathub_code("gender")
    ('de', '')
    """
    code = name.removeprefix(WEATHUB)
    return code if name.startswith(WEATHUB) and code in _content()["languages"] else ""


def weathub_lists(code: str) -> dict[str, dict[str, Any]]:
    """The lists of a language, by their names, as tables with ``words``.

    A word that both sides of a test have, such as a pronoun for every gender, cannot distinguish
    them and is left out of both; the note of the list says so.
    """
    lists, shared = _words(code), _on_both_sides(code)
    found: dict[str, dict[str, Any]] = {}
    for name, words in lists.items():
        gone = [word for word in words if name in shared.get(word, ())]
        note = f"Left out, as the other side has it too: {', '.join(gone)}." if gone else ""
        found[name] = {"words": [word for word in words if word not in gone], "note": note}
    return found


def weathub_source() -> dict[str, Any]:
    """The source of these lists, with the key of the publication."""
    return {"key": "mukherjee-2023", **_content()["source"]}


def weathub_table(code: str) -> dict[str, Any]:
    """The concept file of a language."""
    lists, language = _words(code), language_name(code)
    tests = {
        name: {
            "title": f"{test['title']} (WEATHub {name}, {language})",
            **{kind: _references(code, test[kind], lists) for kind in ("targets", "attributes")},
        }
        for name, test in _content()["tests"].items()
        if all(_own(key, lists) in lists for key in (*test["targets"], *test["attributes"]))
    }
    is_translated = "1" in tests
    about = (
        f"Association tests in {language} from WEATHub (Mukherjee et al. 2023): "
        + (
            "tests 1, 2 and 6 to 9 are Caliskan's, translated and with words added for the "
            "language (WEATHub's variant all); "
            if is_translated
            else ""
        )
        + "tests 11 to 15 are WEATHub's own (variant new)."
    )
    return {
        "name": f"{WEATHUB}{code}",
        "title": f"Association tests in {language} (WEATHub)",
        "version": "1",
        "language": code,
        "about": about,
        "caveats": [*_CAVEATS, *(_TRANSLATED if is_translated else ()), *_left_out(code)],
        "tests": tests,
    }


def _references(code: str, keys: list[str], lists: Mapping[str, Any]) -> dict[str, str]:
    return {
        key.removesuffix(_NEW).replace("-", " "): f"{WEATHUB}{code}/{_own(key, lists)}"
        for key in keys
    }


def _own(key: str, lists: Mapping[str, Any]) -> str:
    """The list of the new tests if a language has one of its own, or else that of the others."""
    return key if key in lists else key.removesuffix(_NEW)


def _left_out(code: str) -> list[str]:
    words = ", ".join(_on_both_sides(code))
    return [f"Left out, since both sides of a test have them: {words}."] if words else []


@cache
def _on_both_sides(code: str) -> dict[str, list[str]]:
    """The words that both sides of a test have, each with the lists that have it."""
    lists = _words(code)
    both: dict[str, list[str]] = {}
    for test in _content()["tests"].values():
        for kind in ("targets", "attributes"):
            one, other = (_own(key, lists) for key in test[kind])
            for word in lists.get(one, ()):
                if word in lists.get(other, ()):
                    both.setdefault(word, []).extend((one, other))
    return both


@cache
def _content() -> dict[str, Any]:
    path = files("unslant.concepts") / "data" / "weathub.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _words(code: str) -> dict[str, list[str]]:
    path = files("unslant.concepts") / "data" / "weathub" / f"{code}.toml"
    return dict(tomllib.loads(path.read_text(encoding="utf-8"))["lists"])
