"""Chains from a page name no files and ask for no more than the server can give."""

import sys
from dataclasses import fields
from typing import Any

import pytest

from unslant.core.errors import UnslantError
from unslant.core.expression import parse_chain
from unslant.methods.method import DEBIASERS
from unslant.subspaces.estimator import ESTIMATORS
from unslant.web.chains import LONGEST, checked

FILES = (
    "/etc/passwd", "../secret.txt", "..\\secret.txt", "~/secret", "C:\\secret", "//host/share",
    "file:///etc/passwd", "a/b",
)  # fmt: skip

OPENED: list[str] = []
WATCHING: list[bool] = []


def _watch(event: str, given: tuple[Any, ...]) -> None:
    if WATCHING and event == "open":
        OPENED.append(str(given[0]))


sys.addaudithook(_watch)


@pytest.mark.parametrize("file", FILES)
def test_no_text_parameter_of_any_method_takes_a_path(file: str) -> None:
    tried = 0
    for entry in DEBIASERS:
        for field in fields(entry.component):
            if field.type in (str, "str"):
                tried += 1
                with pytest.raises(UnslantError):
                    checked(f'{entry.name}({field.name}="{file}")')
                with pytest.raises(UnslantError):
                    checked(f'linear | {entry.name}({field.name}="{file}")')
    assert tried >= 20


def test_a_file_of_the_working_folder_is_no_dataset(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "mine").write_text(": section\na b c d\n")
    monkeypatch.chdir(tmp_path)
    checked("adversarial(analogies=google)")
    OPENED.clear()
    WATCHING.append(True)
    try:
        for text in ("adversarial(analogies=mine)", "adversarial(mine)"):
            with pytest.raises(UnslantError, match="Available: google, msr"):
                checked(text)
    finally:
        WATCHING.clear()
    assert OPENED == []


def test_paths_within_calls_within_calls_are_found() -> None:
    for estimator in ESTIMATORS:
        with pytest.raises(UnslantError):
            checked(f"linear({estimator.name}(../x))")
        with pytest.raises(UnslantError):
            checked(f'linear(subspace="{estimator.name}(a, /etc/passwd)")')


def test_whole_numbers_are_bounded_by_what_a_method_does_by_default() -> None:
    tried = 0
    for entry in DEBIASERS:
        for field in fields(entry.component):
            if isinstance(field.default, int) and not isinstance(field.default, bool):
                if field.name == "seed":
                    continue
                tried += 1
                most = max(64, 4 * field.default)
                checked(f"{entry.name}({field.name}={most})")
                with pytest.raises(UnslantError, match="may be at most"):
                    checked(f"{entry.name}({field.name}={most + 1})")
    assert tried >= 15
    checked("random(seed=123456789)")
    with pytest.raises(UnslantError, match=r"k.*pair-pca may be at most 64"):
        checked("linear(pair-pca(k=65))")


def test_whole_numbers_within_calls_are_whole_and_seeds_are_no_endless_numbers() -> None:
    with pytest.raises(UnslantError, match=r"k.*pair-pca is a whole number"):
        checked("linear(pair-pca(k=1e99))")
    with pytest.raises(UnslantError, match="at most 18 digits"):
        checked(f"random(seed={10**300})")
    for seed, says in ((2**32 + 1, "A seed may be at most"), (-1, "must be at least 0")):
        with pytest.raises(UnslantError, match=says):
            checked(f"random(seed={seed})")


def test_chains_are_bounded_in_length_and_number() -> None:
    with pytest.raises(UnslantError, match="at most 400"):
        checked("hard" + " " * LONGEST)
    with pytest.raises(UnslantError, match="at most 6 run here"):
        checked(" | ".join(["hard"] * 7))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hadr", 'Did you mean "hard"'),
        ("hard |", "a bar must separate two methods"),
        ("hard(equalize=x)", 'Did you mean "equalise"'),
        ("linear(two-meens(names))", 'Did you mean "two-means"'),
        ("", "must begin with a name"),
    ],
)
def test_mistakes_are_told_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UnslantError, match=sentence.replace("(", r"\(")):
        checked(text)


@pytest.mark.parametrize("text", ["hard|misp", "linear( pair-difference(he,she) )", "inlp(60)"])
def test_what_is_checked_reads_back_to_the_same_chain(text: str) -> None:
    assert parse_chain(checked(text)) == parse_chain(text)
    assert checked(checked(text)) == checked(text)
