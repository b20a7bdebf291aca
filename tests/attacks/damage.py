"""Small files of vectors in every format, and the ways in which files get damaged."""

import io
import math
import random
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.core.lineage import Lineage
from unslant.vectors import Vocabulary, WordVectors

Draw = random.Random

TEXT = ("GloVe text", "word2vec text")
HEADED = ("word2vec text", "word2vec binary")
RECORDS = (*TEXT, "word2vec binary")
PACKED = ("npz", "safetensors")
ALL = (*RECORDS, *PACKED)

ROWS, DIM = 40, 6


@dataclass(frozen=True)
class Sample:
    """An undamaged file: its bytes as one, and as header and records where it has them."""

    form: str
    content: bytes
    header: bytes = b""
    records: tuple[bytes, ...] = ()


def vectors() -> WordVectors:
    """Vectors like those of GloVe: short words, some of them odd, and five decimals."""
    draw = np.random.default_rng(7)
    words = ["the", "of", "größe", "日本", "u.s.", "1990s", "0.5", "-", "''", ". . .", "New York"]
    words += [f"word{number}" for number in range(ROWS - len(words))]
    matrix = np.round(draw.normal(0, 0.5, (ROWS, DIM)), 5).astype(np.float32)
    return WordVectors(Vocabulary.of(words), matrix, Lineage("sample"))


def sample_vectors(form: str) -> WordVectors:
    """What the sample of a format holds; word2vec binary has no words with spaces."""
    whole = vectors()
    if form != "word2vec binary":
        return whole
    return whole.only([word for word in whole.words if " " not in word])


def sample(form: str, content: bytes) -> Sample:
    """The bytes of a file, taken apart."""
    header = content[: content.index(b"\n") + 1] if form in HEADED else b""
    body = content[len(header) :]
    if form in TEXT:
        return Sample(form, content, header, tuple(line + b"\n" for line in body.split(b"\n")[:-1]))
    return Sample(form, content, header, _records(body) if form in RECORDS else ())


def _records(body: bytes) -> tuple[bytes, ...]:
    found, start = [], 0
    while start < len(body):
        end = body.index(b" ", start) + 1 + 4 * DIM + 1
        found.append(body[start:end])
        start = end
    return tuple(found)


# Damage to bytes, whatever the format ----------------------------------------------------------


def bits_flipped(draw: Draw, sample: Sample) -> bytes:
    content = bytearray(sample.content)
    for _ in range(draw.randint(1, 8)):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    return bytes(content)


def cut(draw: Draw, sample: Sample) -> bytes:
    return sample.content[: draw.randrange(1, len(sample.content))]


def _run(draw: Draw, sample: Sample, shortest: int, longest: int) -> tuple[int, int]:
    size = draw.randint(shortest, longest)
    start = draw.randrange(len(sample.content) - size)
    return start, start + size


def run_zeroed(draw: Draw, sample: Sample) -> bytes:
    start, end = _run(draw, sample, 48, 256)
    return sample.content[:start] + bytes(end - start) + sample.content[end:]


def run_overwritten(draw: Draw, sample: Sample) -> bytes:
    start, end = _run(draw, sample, 48, 256)
    return sample.content[:start] + draw.randbytes(end - start) + sample.content[end:]


def run_lost(draw: Draw, sample: Sample) -> bytes:
    start, end = _run(draw, sample, 12, 36)
    return sample.content[:start] + sample.content[end:]


def bytes_inserted(draw: Draw, sample: Sample) -> bytes:
    at = draw.randrange(len(sample.content))
    return sample.content[:at] + draw.randbytes(draw.randint(8, 64)) + sample.content[at:]


def garbage_behind(draw: Draw, sample: Sample) -> bytes:
    return sample.content + draw.randbytes(draw.randint(1, 200))


def file_twice(draw: Draw, sample: Sample) -> bytes:
    return sample.content + sample.content


# Damage to records -----------------------------------------------------------------------------


def _joined(sample: Sample, records: list[bytes], header: bytes | None = None) -> bytes:
    return (sample.header if header is None else header) + b"".join(records)


def record_lost_or_doubled(draw: Draw, sample: Sample) -> bytes:
    records = list(sample.records)
    at = draw.randrange(len(records))
    records[at : at + 1] = records[at : at + 1] * draw.choice([0, 2])
    return _joined(sample, records)


def foreign_line_inserted(draw: Draw, sample: Sample) -> bytes:
    records = list(sample.records)
    line = draw.choice(
        [b"# a comment", b"<<<<<<< HEAD", b"x", b"400000 6", b"a 0.5 0.5", b"...", b"\f"]
    )
    records.insert(draw.randrange(len(records) + 1), line + b"\n")
    return _joined(sample, records)


def record_without_its_end(draw: Draw, sample: Sample) -> bytes:
    records = list(sample.records)
    at = draw.randrange(len(records) - 1)
    records[at] = records[at][: -draw.randint(5, 20)]
    return _joined(sample, records)


def line_broken_in_two(draw: Draw, sample: Sample) -> bytes:
    return _edited_line(
        draw, sample, lambda fields: [*fields[:3], fields[3] + b"\n" + fields[4], *fields[5:]]
    )


def word_repeated_with_another_vector(draw: Draw, sample: Sample) -> bytes:
    records = list(sample.records)
    one, other = draw.sample(range(len(records)), 2)
    tail = 4 * DIM + 1
    if sample.form in TEXT:
        words = [records[at].rsplit(b" ", DIM)[0] for at in (one, other)]
        records[other] = words[0] + records[other][len(words[1]) :]
    else:
        records[other] = records[one][:-tail] + records[other][-tail:]
    return _joined(sample, records)


def word_lost(draw: Draw, sample: Sample) -> bytes:
    records = list(sample.records)
    at = draw.randrange(len(records))
    tail = (
        records[at].rsplit(b" ", DIM)[1:] if sample.form in TEXT else [records[at][-4 * DIM - 1 :]]
    )
    records[at] = b" ".join(tail if draw.random() < 0.5 else [b"", *tail])
    return _joined(sample, records)


def byte_in_word(byte: bytes) -> Callable[[Draw, Sample], bytes]:
    def damage(draw: Draw, sample: Sample) -> bytes:
        records = list(sample.records)
        at = draw.randrange(len(records))
        word = records[at].split(b" ", 1)[0]
        place = draw.randrange(len(word) + 1)
        records[at] = word[:place] + byte + records[at][place:]
        return _joined(sample, records)

    return damage


# Damage to headers -----------------------------------------------------------------------------


def header_with(*, rows: bool, columns: bool) -> Callable[[Draw, Sample], bytes]:
    """A header with one or both figures wrong, by little or by far."""

    def damage(draw: Draw, sample: Sample) -> bytes:
        said = [int(figure) for figure in sample.header.split()]
        for place, is_wrong in enumerate((rows, columns)):
            if is_wrong:
                said[place] += draw.choice([-said[place], -1, 1, 10, 10**6, 10**12])
        return _joined(sample, list(sample.records), f"{said[0]} {said[1]}\n".encode())

    return damage


def header_swapped(draw: Draw, sample: Sample) -> bytes:
    rows, columns = sample.header.split()
    return _joined(sample, list(sample.records), columns + b" " + rows + b"\n")


def header_lost_or_doubled(draw: Draw, sample: Sample) -> bytes:
    return _joined(sample, list(sample.records), sample.header * draw.choice([0, 2]))


# Damage to the fields of a line ----------------------------------------------------------------


def _edited_line(
    draw: Draw, sample: Sample, edit: Callable[[list[bytes]], list[bytes]], ending: bytes = b"\n"
) -> bytes:
    records = list(sample.records)
    at = draw.randrange(len(records))
    fields = records[at].rstrip(b"\n").rsplit(b" ", DIM)
    records[at] = b" ".join(edit(fields)) + ending
    return _joined(sample, records)


def number(change: Callable[[Draw, bytes], bytes]) -> Callable[[Draw, Sample], bytes]:
    """One number of one line written otherwise."""

    def damage(draw: Draw, sample: Sample) -> bytes:
        at = draw.randint(1, DIM)
        return _edited_line(
            draw, sample, lambda fields: [*fields[:at], change(draw, fields[at]), *fields[at + 1 :]]
        )

    return damage


def number_lost(draw: Draw, sample: Sample) -> bytes:
    at = draw.randint(1, DIM)
    return _edited_line(draw, sample, lambda fields: fields[:at] + fields[at + 1 :])


def number_inserted(draw: Draw, sample: Sample) -> bytes:
    at = draw.randint(1, DIM + 1)
    return _edited_line(draw, sample, lambda fields: [*fields[:at], b"0.25", *fields[at:]])


def numbers_glued(draw: Draw, sample: Sample) -> bytes:
    at = draw.randint(1, DIM - 1)
    return _edited_line(
        draw, sample, lambda fields: [*fields[:at], fields[at] + fields[at + 1], *fields[at + 2 :]]
    )


def separator(other: bytes) -> Callable[[Draw, Sample], bytes]:
    """Another separator at one place between word and numbers."""

    def damage(draw: Draw, sample: Sample) -> bytes:
        at = draw.randint(0, DIM - 1)
        return _edited_line(
            draw,
            sample,
            lambda fields: [*fields[:at], fields[at] + other + fields[at + 1], *fields[at + 2 :]],
        )

    return damage


def around_line(before: bytes, behind: bytes) -> Callable[[Draw, Sample], bytes]:
    def damage(draw: Draw, sample: Sample) -> bytes:
        return _edited_line(
            draw, sample, lambda fields: [before + fields[0], *fields[1:]], behind + b"\n"
        )

    return damage


def line_ends_mixed(draw: Draw, sample: Sample) -> bytes:
    some = [line[:-1] + b"\r\n" if draw.random() < 0.3 else line for line in sample.records]
    return _joined(sample, some)


def last_number_cut(draw: Draw, sample: Sample) -> bytes:
    last = sample.records[-1].rsplit(b" ", 1)[1]
    return sample.content[: -draw.randint(1, len(last))]


def encoded_otherwise(draw: Draw, sample: Sample) -> bytes:
    encoding = draw.choice(["utf-16", "utf-16-be", "utf-32", "latin-1"])
    return sample.content.decode().encode(encoding, errors="replace")


# Damage to values in formats that are not text --------------------------------------------------


def value_not_finite(draw: Draw, sample: Sample) -> bytes:
    bad = draw.choice([math.nan, math.inf, -math.inf])
    if sample.form == "word2vec binary":
        records = list(sample.records)
        at, column = draw.randrange(len(records)), draw.randrange(DIM)
        start = len(records[at]) - 1 - 4 * (DIM - column)
        records[at] = records[at][:start] + struct.pack("<f", bad) + records[at][start + 4 :]
        return _joined(sample, records)
    return _npz_again(sample, lambda arrays: arrays["vectors"].__setitem__((3, 1), bad))


def npz_word_otherwise(draw: Draw, sample: Sample) -> bytes:
    word = draw.choice(["", "the", "a\tb", "a\x00b", "\ud800"])
    return _npz_again(sample, lambda arrays: arrays["words"].__setitem__(5, word))


def _npz_again(sample: Sample, change: Callable[[dict[str, NDArray[np.generic]]], None]) -> bytes:
    with np.load(io.BytesIO(sample.content), allow_pickle=False) as opened:
        arrays = {name: np.array(opened[name]) for name in opened.files}
    change(arrays)
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def npz_member_lost_or_cut(draw: Draw, sample: Sample) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(sample.content)) as old, zipfile.ZipFile(stream, "w") as new:
        chosen = draw.choice(old.namelist())
        for name in old.namelist():
            data = old.read(name)
            if name != chosen:
                new.writestr(name, data)
            elif draw.random() < 0.8:
                new.writestr(name, data[: draw.randrange(len(data))])
    return stream.getvalue()


KINDS: dict[str, tuple[tuple[str, ...], Callable[[Draw, Sample], bytes]]] = {
    "1 to 8 bits flipped": (ALL, bits_flipped),
    "cut at random": (ALL, cut),
    "run of bytes zeroed": (ALL, run_zeroed),
    "run of bytes overwritten": (ALL, run_overwritten),
    "run of bytes lost": (ALL, run_lost),
    "bytes inserted": (ALL, bytes_inserted),
    "garbage behind": (ALL, garbage_behind),
    "file twice": (ALL, file_twice),
    "line or record lost or doubled": (RECORDS, record_lost_or_doubled),
    "line or record without its end": (RECORDS, record_without_its_end),
    "word repeated with another vector": (RECORDS, word_repeated_with_another_vector),
    "word lost": (RECORDS, word_lost),
    "tab in a word": (RECORDS, byte_in_word(b"\t")),
    "NUL in a word": (RECORDS, byte_in_word(b"\x00")),
    "byte that is not UTF-8 in a word": (RECORDS, byte_in_word(b"\xff")),
    "byte order mark in the middle": (RECORDS, byte_in_word(b"\xef\xbb\xbf")),
    "header: wrong number of words": (HEADED, header_with(rows=True, columns=False)),
    "header: wrong number of numbers": (HEADED, header_with(rows=False, columns=True)),
    "header: both wrong": (HEADED, header_with(rows=True, columns=True)),
    "header: swapped": (HEADED, header_swapped),
    "header: lost or doubled": (HEADED, header_lost_or_doubled),
    "NaN or infinity in an array": (("word2vec binary", "npz"), value_not_finite),
    "npz: another word": (("npz",), npz_word_otherwise),
    "npz: array lost or cut": (("npz",), npz_member_lost_or_cut),
    "foreign line": (TEXT, foreign_line_inserted),
    "line broken in two": (TEXT, line_broken_in_two),
    "empty line": (TEXT, around_line(b"\n", b"")),
    "space before a line": (TEXT, around_line(b" ", b"")),
    "space behind a line": (TEXT, around_line(b"", b" ")),
    "some lines end with CR LF": (TEXT, line_ends_mixed),
    "last number cut": (TEXT, last_number_cut),
    "another encoding": (TEXT, encoded_otherwise),
    "number lost": (TEXT, number_lost),
    "number inserted": (TEXT, number_inserted),
    "two numbers glued": (TEXT, numbers_glued),
    "two spaces": (TEXT, separator(b"  ")),
    "tab for a space": (TEXT, separator(b"\t")),
    "NaN, inf or 1e39": (TEXT, number(lambda draw, _: draw.choice([b"nan", b"-inf", b"1e39"]))),
    "comma in a number": (
        TEXT,
        number(lambda draw, old: old.replace(b".", draw.choice([b",", b"1,234."]))),
    ),
    "hexadecimal number": (TEXT, number(lambda _, old: float(old).hex().encode())),
    "two points or signs": (
        TEXT,
        number(lambda draw, old: draw.choice([b"--0.5", b"0.5.5", b"0.5-"])),
    ),
    "word for a number": (
        TEXT,
        number(lambda draw, _: draw.choice([b"x", b"NULL", b"#DIV/0!", b"1e", b"-"])),
    ),
}
