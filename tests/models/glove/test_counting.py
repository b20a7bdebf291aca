"""Co-occurrence counts against their definition, in any memory and on any number of threads."""

import os
from fractions import Fraction
from itertools import chain, groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.glove.made import by_hand
from unslant.core.errors import UnslantError
from unslant.datasets.corpora import lines_of
from unslant.datasets.nli.text import tokenise
from unslant.models.glove import counting
from unslant.models.glove.counting import counted, ranked_text, write_run
from unslant.models.glove.settings import CountSettings

pytest.importorskip("numba")

WORDS = st.sampled_from(["a", "b", "c", "d", "ee", "f", "g", "h"])
LINES = st.lists(st.lists(WORDS, max_size=14), min_size=1, max_size=12)


def counts(
    path: Path, how: CountSettings, folder: Path, threads: int = 1
) -> dict[tuple[str, str], float]:
    text = ranked_text([path], how, folder)
    found = {}
    for keys, x in counted(text, how, folder, threads):
        for key, value in zip(keys.tolist(), x.tolist(), strict=True):
            i, j = text.words[key >> 32], text.words[key & 0xFFFFFFFF]
            assert (i, j) not in found, "each pair comes once"
            found[i, j] = found[j, i] = value
    return found


def lines_text(lines: list[list[str]]) -> str:
    return "\n".join(map(" ".join, lines)) + "\n"


@settings(max_examples=60)
@given(
    lines=LINES,
    window=st.integers(1, 9),
    minimum=st.integers(1, 4),
    threads=st.integers(1, 3),
    slots=st.sampled_from([64, 1 << 12]),
    boundary=st.sampled_from(["line", "paragraph", "file"]),
)
def test_counts_are_those_of_the_definition_in_any_memory_and_on_any_threads(
    lines: list[list[str]], window: int, minimum: int, threads: int, slots: int, boundary: str
) -> None:
    documents = {
        "line": lines,
        "paragraph": [
            list(chain.from_iterable(part)) for full, part in groupby(lines, bool) if full
        ],
        "file": [list(chain.from_iterable(lines))],
    }[boundary]
    how = CountSettings(window=window, minimum=minimum, boundary=boundary)
    expected = by_hand(documents, window, minimum)
    with TemporaryDirectory() as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_slots", lambda *_: slots)
        path = Path(made) / "text.txt"
        path.write_text(lines_text(lines))
        try:
            found = counts(path, how, Path(made), threads)
        except UnslantError:
            words = {word for document in documents for word in document}
            often = [sum(d.count(word) for d in documents) for word in words]
            assert sum(n >= minimum for n in often) < 2
            return
    # Each x is the nearest number to its fraction: the sum itself is exact.
    assert found == {pair: float(x) for pair, x in expected.items()}


def test_little_memory_spills_many_runs_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    names = [chr(97 + n // 26) + chr(97 + n % 26) for n in range(400)]
    lines = [[names[n] for n in rng.integers(400, size=60)] for _ in range(100)]
    path = tmp_path / "text.txt"
    path.write_text(lines_text(lines))
    written: list[int] = []
    whole = write_run

    def noted(target: Path, keys: np.ndarray, units: np.ndarray) -> None:
        written.append(len(keys))
        whole(target, keys, units)

    monkeypatch.setattr(counting, "write_run", noted)
    one = counts(path, CountSettings(window=10), tmp_path)
    assert len(written) == 1
    written.clear()
    monkeypatch.setattr(counting, "_slots", lambda *_: 1 << 10)
    # A piece of the merge then holds far less than all runs.
    monkeypatch.setattr(counting, "PAIR_BYTES", 1 << 18)
    many = counts(path, CountSettings(window=10, memory=64), tmp_path, threads=2)
    assert len(written) > 50
    assert max(written) <= 1 << 10
    assert many == one
    assert not list(tmp_path.glob("run-*")), "runs are removed"


def test_windows_too_wide_for_whole_units_are_right_to_nine_digits(tmp_path: Path) -> None:
    words = ["ab"[n % 2] + "xyz"[n % 3] for n in range(80)]
    path = tmp_path / "text.txt"
    path.write_text(" ".join(words))
    found = counts(path, CountSettings(window=60, minimum=1), tmp_path)
    expected = by_hand([words], 60, 1)
    assert found.keys() == expected.keys()
    for pair, x in expected.items():
        assert found[pair] == pytest.approx(float(x), rel=1e-8)


def test_a_word_beside_itself_counts_in_both_directions(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("no no no\nyes")
    found = counts(path, CountSettings(window=2, minimum=1), tmp_path)
    assert found == {("no", "no"): float(2 * (1 + 1 + Fraction(1, 2)))}


@pytest.mark.skipif("UNSLANT_DATA" not in os.environ, reason="needs the novels in UNSLANT_DATA")
def test_counts_of_real_text_are_those_of_the_definition(tmp_path: Path) -> None:
    novels = Path(os.environ["UNSLANT_DATA"]) / "corpus" / "100-english-novels.txt.xz"
    lines = [line for line, _ in zip(lines_of(novels), range(300), strict=False)]
    path = tmp_path / "text.txt"
    path.write_bytes(b"\n".join(lines))
    documents = [tokenise(line.decode()) for line in lines]
    found = counts(path, CountSettings(window=10, minimum=3), tmp_path, threads=2)
    expected = by_hand(documents, 10, 3)
    assert len(expected) > 50_000
    assert found == {pair: float(x) for pair, x in expected.items()}
