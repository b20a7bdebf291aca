"""An exported set is the set: whole, in order, with ids, and safe to open."""

import csv
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.core.errors import OutputError
from unslant.core.visible import safe_cell
from unslant.probes.export import export
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.sets import pair_set
from unslant.probes.nli.subsets import sampled
from unslant.probes.nli.templates import expand, parse_template

ATTACK = """
name = "attack"
sentence = "{subject} {verb} ."
premise = ["=1+1", "+nurse", "-x", "@SUM(A1)", "a, \\"b\\""]
hypothesis = ["<script>", "é"]
[[activities]]
verb = ["=cmd|' /C calc'!A0", "ran"]
"""


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def read_jsonl(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


READERS: dict[str, Callable[[Path], list[dict[str, str]]]] = {
    ".csv": read_csv,
    ".jsonl": read_jsonl,
}


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("name", ["sirt", "marked-attribute", "religion"])
def test_what_is_read_back_is_the_set(name: str, ending: str, tmp_path: Path) -> None:
    item = sampled(pair_set(name), contexts=7)
    path = tmp_path / f"pairs{ending}"
    assert export(item, path) == len(item)
    rows = READERS[ending](path)
    assert len({row["id"] for row in rows}) == len(rows) == len(item)
    places = [
        (p, h, c)
        for p, first in enumerate(item.premise_words)
        for h, second in enumerate(item.hypothesis_words)
        for c in range(7)
        if item.same_word or first != second
    ]
    for row, (p, h, c) in zip(rows, places, strict=True):
        assert row["id"] == f"{item.name}:{p}:{h}:{c}"
        assert (row["premise"], row["hypothesis"]) == item.grid.pair(p, h, c)
        assert row["premise_word"] == item.premise_words[p]
        assert row["hypothesis_word"] == item.hypothesis_words[h]
        assert (row["verb"], row["object"]) == item.context_words[c]
        assert row["label"] == item.label(p, h)
        group = row["hypothesis_group"]
        assert h in item.hypothesis_groups[group] if group else name == "religion"


def test_the_same_set_makes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "a.jsonl", "b.jsonl"):
        export(pair_set("names", contexts=8), tmp_path / name)
    for ending in READERS:
        first, second = (tmp_path / f"{name}{ending}" for name in "ab")
        assert first.read_bytes() == second.read_bytes()


def attack() -> PairSet:
    return expand(parse_template(ATTACK, "attack.toml"))


def test_no_cell_of_a_table_begins_like_a_formula(tmp_path: Path) -> None:
    export(attack(), tmp_path / "pairs.csv")
    rows = read_csv(tmp_path / "pairs.csv")
    assert not [cell for row in rows for cell in row.values() if cell[:1] in {"=", "+", "-", "@"}]
    assert rows[0]["premise_word"] == "'=1+1"
    assert rows[0]["premise"] == "'=1+1 =cmd|' /C calc'!A0 ."
    assert rows[-1]["premise_word"] == 'a, "b"'
    assert rows[-1]["hypothesis"] == "É ran ."
    assert safe_cell("\tx") == "'\tx"


def test_a_jsonl_file_has_every_text_as_it_is(tmp_path: Path) -> None:
    export(attack(), tmp_path / "pairs.jsonl")
    rows = read_jsonl(tmp_path / "pairs.jsonl")
    assert rows[0]["premise_word"] == "=1+1"
    assert rows[0]["verb"] == "=cmd|' /C calc'!A0"


def test_progress_ends_at_all_pairs(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    count = export(
        pair_set("gender-occupation", contexts=25),
        tmp_path / "pairs.csv",
        progress=lambda what, done, total: told.append((what, done, total)),
    )
    assert count == 984 * 25
    assert [done for _, done, _ in told] == [0, 20_000, count]
    assert {total for *_, total in told} == {count}
    assert len(read_csv(tmp_path / "pairs.csv")) == count


def test_an_export_holds_no_list_of_the_pairs(tmp_path: Path) -> None:
    item = pair_set("names", contexts=80)
    tracemalloc.start()
    export(item, tmp_path / "pairs.jsonl")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400_000  # a list of the rows takes 1.7 MB


def test_what_was_there_stays_when_an_export_breaks_off(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("before")

    def stop(_what: str, done: int, _total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(pair_set("names"), path, progress=stop)
    assert path.read_text() == "before"
    assert [item.name for item in tmp_path.glob(".*partial")] == []


def test_other_endings_and_other_folders_are_refused(tmp_path: Path) -> None:
    item = pair_set("names")
    with pytest.raises(OutputError, match=r"must end in \.csv or \.jsonl"):
        export(item, tmp_path / "pairs.xlsx")
    with pytest.raises(OutputError, match="Cannot write"):
        export(item, tmp_path / "absent" / "pairs.csv")
