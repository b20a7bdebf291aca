"""A damaged file is never half-read: it is refused, or what is odd is noted, or nothing is lost.

Without a hash of the original, no reader can see a digit that became another, or a line that is
gone from a file that does not say how many it has. Those are counted; with the hash none is left.
"""

import random
import re
import resource
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.attacks.damage import ALL, KINDS, Sample, sample, sample_vectors
from tests.tallies import Tally
from unslant.core.errors import UnslantError
from unslant.vectors import WordVectors, load
from unslant.vectors.save import save

PLACE = re.compile(
    r"(line|word) [\d,]+\b|header|/(words|vectors)\.npy|\bits (content|words)\b|no array"
)
WHOLE = re.compile(r"not a file of word vectors|format is unknown|complete|is a|is UTF-16|contains")
REMEDY = re.compile(
    r"\b(download|create|remove|correct|save|convert|expected|keep|rewrite|extract|name)\b", re.I
)

INVISIBLE = {  # without a hash
    "1 to 8 bits flipped": {"GloVe text", "word2vec text", "word2vec binary"},
    "cut at random": {"GloVe text"},
    "line or record lost or doubled": {"GloVe text"},
}
MOST_SILENT = 0.015
MOST_SECONDS = 2
MOST_MEBIBYTES = 300

Made = dict[str, tuple[Sample, WordVectors]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Each format's undamaged file, and what is read from it."""
    folder = tmp_path_factory.mktemp("samples")
    endings = (".txt", ".vec", ".bin", ".npz", ".safetensors")
    found = {}
    for form, ending in zip(ALL, endings, strict=True):
        path = save(sample_vectors(form), folder / f"sample{ending}")
        found[form] = sample(form, path.read_bytes()), load(path, cache=False)
    return found


def outcome(path: Path, original: WordVectors) -> tuple[str, str]:
    """What became of a damaged file, and what was said about it."""
    try:
        loaded = load(path, cache=False)
    except UnslantError as error:
        return "refused", str(error)
    is_same = loaded.words == original.words and (
        loaded.matrix.tobytes() == original.matrix.tobytes()
    )
    assert is_same == (loaded.content_hash == original.content_hash), "the hash tells them apart"
    if is_same:
        return "same", ""
    before, now = counted(original.notes), counted(loaded.notes)
    said = "; ".join(what for what, count in now.items() if count > before.get(what, 0))
    return ("noted", said) if said else ("silent", "")


def counted(notes: tuple[str, ...]) -> dict[str, int]:
    """What is noted, and how often: one odd word less is no note of a word that is lost."""
    parts = [re.fullmatch(r"(?:([\d,]+) )?(.*)", note) for note in notes]
    return {part[2]: int((part[1] or "1").replace(",", "")) for part in parts if part}


def table(counts: Counter[tuple[str, str]]) -> str:
    """Outcomes by kind, as a Markdown table."""
    columns = ("refused", "noted", "same", "silent")
    lines = ["| damage | files | refused | noted | nothing lost | silently wrong |",
             "|---|---:|---:|---:|---:|---:|"]  # fmt: skip
    for kind in KINDS:
        found = [counts[kind, column] for column in columns]
        lines.append(f"| {kind} | {sum(found):,} | " + " | ".join(f"{n:,}" for n in found) + " |")
    found = [sum(counts[kind, column] for kind in KINDS) for column in columns]
    lines.append(f"| **all** | {sum(found):,} | " + " | ".join(f"{n:,}" for n in found) + " |")
    return "\n".join(lines)


def try_all(
    made: Made, folder: Path, files: int, seed: int, slowest: list[float] | None = None
) -> Counter[tuple[str, str]]:
    """Damage as many files, each kind in turn, and hold every outcome against the promise.

    ``slowest`` gets the longest time of one file.
    """
    draw = random.Random(seed)
    counts: Counter[tuple[str, str]] = Counter()
    path = folder / "damaged.bin"
    kinds = list(KINDS)
    for number in range(files):
        kind = kinds[number % len(kinds)]
        forms, damage = KINDS[kind]
        form = draw.choice(forms)
        path.write_bytes(damage(draw, made[form][0]))
        begun = time.perf_counter()
        what, said = outcome(path, made[form][1])
        seconds = time.perf_counter() - begun
        counts[kind, what] += 1
        about = f"{kind} of {form} (number {number}): {what}, {said}"
        assert seconds < MOST_SECONDS, about
        if slowest is not None:
            slowest[0] = max(slowest[0], seconds)
        if what == "refused":
            rest = said.replace(str(path), "")
            assert said != rest, about
            assert PLACE.search(rest) or WHOLE.search(rest), about
            assert REMEDY.search(rest), about
            assert rest.isprintable(), about
        if what == "silent":
            assert form in INVISIBLE.get(kind, set()), about
    silent = sum(count for (_, what), count in counts.items() if what == "silent")
    assert silent <= MOST_SILENT * files, table(counts)
    return counts


def test_five_hundred_damaged_files_are_refused_noted_or_whole(made: Made, tmp_path: Path) -> None:
    counts = try_all(made, tmp_path, 500, seed=1)
    assert sum(counts.values()) == 500
    assert sum(count for (_, what), count in counts.items() if what == "refused") > 350


@pytest.mark.full
def test_ten_thousand_damaged_files_are_refused_noted_or_whole(
    made: Made, tmp_path: Path, tally: Tally
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest: list[float] = [0.0]
    counts = try_all(made, tmp_path, 10_000, seed=2, slowest=slowest)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < MOST_MEBIBYTES
    print("\n" + table(counts))
    silent = sum(count for (_, what), count in counts.items() if what == "silent")
    said = f"{silent} ({silent / 10_000:.2%}) bit flips and clean cuts are seen by the hash alone"
    tally(10_000, seconds=slowest[0], mebibytes=grown, said=said)


def test_there_are_kinds_enough_and_each_changes_every_format_it_is_for(made: Made) -> None:
    assert len(KINDS) >= 21
    draw = random.Random(0)
    for kind, (forms, damage) in KINDS.items():
        for form in forms:
            whole = made[form][0]
            assert any(damage(draw, whole) != whole.content for _ in range(5)), kind


@pytest.mark.parametrize("form", ALL)
def test_the_undamaged_sample_is_read_whole(made: Made, tmp_path: Path, form: str) -> None:
    whole, read = made[form]
    path = tmp_path / "whole.bin"
    path.write_bytes(whole.content)
    assert outcome(path, read) == ("same", "")
    assert read.content_hash == sample_vectors(form).content_hash


def test_a_silently_wrong_file_would_be_counted(made: Made, tmp_path: Path) -> None:
    whole, original = made["GloVe text"]
    path = tmp_path / "cut.txt"
    path.write_bytes(b"".join(whole.records[:-1]))
    assert outcome(path, original) == ("silent", "")
    assert load(path, cache=False).content_hash != original.content_hash
