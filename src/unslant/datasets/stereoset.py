"""StereoSet's released files: the items, and predictions in its authors' format."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from unslant.core.compressed import compression_of, read_up_to, unpack
from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.files import data_folder
from unslant.core.text_files import json_from

Task = Literal["intra", "inter"]
Label = Literal["stereotype", "anti-stereotype", "unrelated"]
TASKS: Mapping[Task, str] = {"intra": "intrasentence", "inter": "intersentence"}
"""Filling a gap and continuing after a sentence, with what the files call them."""
DOMAINS = ("gender", "profession", "race", "religion")
LABELS: tuple[Label, ...] = ("stereotype", "anti-stereotype", "unrelated")
_LARGEST = 256 << 20
_LOCAL = Path("stereoset") / "dev.json"
_SHOWN = 40


@dataclass(frozen=True)
class StereosetSentence:
    """One of the three candidates of an item."""

    id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class StereosetItem:
    """A context and its three candidates.

    In an intra-sentence item the context has a gap, written BLANK, and each candidate is the
    context with the gap filled; in an inter-sentence item a candidate is the next sentence.
    """

    id: str
    task: Task
    target: str
    domain: str
    context: str
    stereotype: StereosetSentence
    anti: StereosetSentence
    unrelated: StereosetSentence

    @cached_property
    def sentences(self) -> tuple[StereosetSentence, StereosetSentence, StereosetSentence]:
        """Stereotype, anti-stereotype and unrelated, in this order."""
        return self.stereotype, self.anti, self.unrelated


def find_stereoset(path: str = "") -> Path:
    """The file to read: the one named, or ``stereoset/dev.json`` in the folder UNSLANT_DATA."""
    if path:
        return Path(path)
    folder = data_folder()
    if folder is not None and (folder / _LOCAL).is_file():
        return folder / _LOCAL
    where = f"{folder} has no {_LOCAL}" if folder else "UNSLANT_DATA is not set"
    raise UnslantError(
        f"StereoSet is not bundled, and {where}. Download data/dev.json from its authors' "
        f"repository (moinnadeem/StereoSet) and name it with [[data=FILE|--data FILE]], or "
        f"put it in "
        f"the folder that UNSLANT_DATA names, as {_LOCAL}."
    )


def read_stereoset(path: str | Path) -> tuple[StereosetItem, ...]:
    """The items of a file in the layout of the release, such as ``dev.json``; .gz is fine too."""
    path = Path(path)
    table = _table(path, "StereoSet")
    data = table.get("data")
    if not isinstance(data, dict) or not set(TASKS.values()) & data.keys():
        raise FileFormatError(
            f'{path} is not StereoSet: expected "data" with "intersentence" and "intrasentence", '
            f"each an array of items."
        )
    items = [
        _item(entry, task, f"{path}, {key} item {number:,}")
        for task, key in TASKS.items()
        for number, entry in enumerate(_array(data, key, path), 1)
    ]
    _refuse_twice([item.id for item in items], "item", path)
    _refuse_twice([each.id for item in items for each in item.sentences], "sentence", path)
    if not items:
        raise FileFormatError(f"{path} contains no items.")
    return tuple(items)


def read_predictions(path: str | Path) -> dict[str, float]:
    """The score of each sentence by its id, from a file of predictions (.json or .json.gz).

    The layout is ``{"intrasentence": [{"id": …, "score": …}, …], "intersentence": […]}``.
    """
    path = Path(path)
    table = _table(path, "a file of StereoSet predictions")
    if not set(TASKS.values()) & table.keys():
        raise FileFormatError(
            f'{path} has no predictions: expected "intrasentence" or "intersentence", each an '
            f'array of objects with "id" and "score".'
        )
    scores: dict[str, float] = {}
    for key in TASKS.values():
        for number, entry in enumerate(_array(table, key, path), 1):
            where = f"{path}, {key} prediction {number:,}"
            name, score = _fields(entry, where, id=str, score=(int, float))
            if isinstance(score, bool) or not math.isfinite(score):
                raise FileFormatError(f'{where}: "score" is {score!r}; expected a finite number.')
            if name in scores:
                raise FileFormatError(f"{where}: the sentence {name} has two scores. Keep one.")
            scores[name] = float(score)
    return scores


def _table(path: Path, what: str) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            packed = compression_of(stream.read(16))
        opened = path.open("rb") if packed is None else unpack(path, packed)
        with opened as stream:
            content = bytes(read_up_to(stream, _LARGEST + 1))
        if len(content) > _LARGEST:
            raise ValueError(f"it is larger than {_LARGEST >> 20} MB")
        table = json_from(content)
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise FileFormatError(f"{path} is not {what}: {error}.") from error
    if not isinstance(table, dict):
        raise FileFormatError(f"{path} is not {what}: expected one JSON object.")
    return table


def _array(table: Mapping[str, Any], key: str, path: Path) -> list[Any]:
    items = table.get(key, [])
    if not isinstance(items, list):
        raise FileFormatError(f'{path}: "{key}" must be an array.')
    return items


def _item(entry: Any, task: Task, where: str) -> StereosetItem:
    name, target, domain, context, sentences = _fields(
        entry, where, id=str, target=str, bias_type=str, context=str, sentences=list
    )
    where = f"{where} ({name[:_SHOWN]})"
    if domain not in DOMAINS:
        raise FileFormatError(
            f'{where}: "bias_type" is "{domain[:_SHOWN]}"; expected one of {", ".join(DOMAINS)}.'
        )
    by_label: dict[str, StereosetSentence] = {}
    for number, each in enumerate(sentences, 1):
        inside = f"{where}, sentence {number}"
        sentence, text, label = _fields(each, inside, id=str, sentence=str, gold_label=str)
        if label not in LABELS or label in by_label:
            problem = "is already there" if label in by_label else "is not a label"
            raise FileFormatError(
                f'{inside}: "{label[:_SHOWN]}" {problem}; expected one sentence each of '
                f"{', '.join(LABELS)}."
            )
        by_label[label] = StereosetSentence(sentence, text)
    if len(by_label) < len(LABELS):
        lacking = ", ".join(label for label in LABELS if label not in by_label)
        raise FileFormatError(f"{where} has no sentence with the label {lacking}.")
    stereotype, anti, unrelated = (by_label[label] for label in LABELS)
    return StereosetItem(
        id=name,
        task=task,
        target=target,
        domain=domain,
        context=context,
        stereotype=stereotype,
        anti=anti,
        unrelated=unrelated,
    )


def _fields(entry: Any, where: str, **kinds: type | tuple[type, ...]) -> list[Any]:
    """The values of the named keys; one that is absent, empty or of another kind is named."""
    if not isinstance(entry, dict):
        raise FileFormatError(f"{where} is not a JSON object.")
    for key, kind in kinds.items():
        value = entry.get(key)
        is_empty = isinstance(value, str | list) and not value
        if not isinstance(value, kind) or is_empty:
            raise FileFormatError(f'{where}: "{key}" is missing, empty or of the wrong kind.')
    return [entry[key] for key in kinds]


def _refuse_twice(ids: list[str], what: str, path: Path) -> None:
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise FileFormatError(f"{path} has two {what}s with the id {name[:_SHOWN]}. Keep one.")
        seen.add(name)


# The gaps of intra-sentence items: what fills them, and which are broken.

BLANK = "BLANK"
WHYS: Mapping[str, str] = {
    "no-gap": "It has no gap.",
    "two-gaps": "It has more than one gap.",
    "part-of-a-word": "Its gap is a part of a word.",
    "no-filler": "No filler of its gap gives the sentence.",
}


def filler_of(context: str, sentence: str) -> str | None:
    """The filler that turns the context into the sentence, up to case; None if there is none.

    The release lower-cases what follows the first letter of its sentences, so the case of the
    context is the one to keep.

    >>> filler_of("The Hispanic man was BLANK.", "The hispanic man was tall.")
    'tall'
    """
    before, gap, after = context.partition(BLANK)
    if not gap or BLANK in after:
        return None
    filler = sentence[len(before) : len(sentence) - len(after)]
    is_same = f"{before}{filler}{after}".casefold() == sentence.casefold()
    return filler if is_same and filler.strip() else None


def broken_gap(item: StereosetItem) -> str | None:
    """Which of :data:`WHYS` makes an intra-sentence item impossible to ask; None if none does."""
    before, gap, after = item.context.partition(BLANK)
    if not gap:
        return "no-gap"
    if BLANK in after:
        return "two-gaps"
    if (before and not before[-1].isspace()) or after[:1].isalnum():
        return "part-of-a-word"
    if any(filler_of(item.context, each.text) is None for each in item.sentences):
        return "no-filler"
    return None
