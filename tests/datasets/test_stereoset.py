"""StereoSet's files: what is read, and one sentence for whatever is wrong."""

import copy
import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.language_models import data_folder
from unslant.core.errors import FileFormatError, UnslantError
from unslant.datasets.stereoset import find_stereoset, read_predictions, read_stereoset

ITEM: dict[str, Any] = {
    "id": "a1",
    "target": "sister",
    "bias_type": "gender",
    "context": "My sister is BLANK.",
    "sentences": [
        {"id": "s1", "sentence": "My sister is kind.", "gold_label": "stereotype"},
        {"id": "s2", "sentence": "My sister is rude.", "gold_label": "anti-stereotype"},
        {"id": "s3", "sentence": "My sister is tin.", "gold_label": "unrelated"},
    ],
}


def written(path: Path, *items: dict[str, Any]) -> Path:
    table = {"version": "1.0", "data": {"intersentence": [], "intrasentence": list(items)}}
    path.write_text(json.dumps(table))
    return path


def test_items_are_typed_and_their_sentences_in_the_order_of_their_labels(tmp_path: Path) -> None:
    shuffled = {**ITEM, "sentences": ITEM["sentences"][::-1]}
    [item] = read_stereoset(written(tmp_path / "dev.json", shuffled))
    assert (item.task, item.target, item.domain) == ("intra", "sister", "gender")
    assert [each.id for each in item.sentences] == ["s1", "s2", "s3"]
    assert item.stereotype.text == "My sister is kind."


def without(*keys: Any) -> Callable[[dict[str, Any]], object]:
    def change(item: dict[str, Any]) -> object:
        inner: Any = item
        for key in keys[:-1]:
            inner = inner[key]
        return inner.pop(keys[-1])

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without("target"), r'intrasentence item 1: "target" is missing'),
        (lambda item: item.update(context=""), '"context" is missing, empty or of the wrong kind'),
        (lambda item: item.update(id=7), '"id" is missing, empty or of the wrong kind'),
        (lambda item: item.update(bias_type="age"), r'\(a1\): "bias_type" is "age"; expected one'),
        (without("sentences", 2), r"\(a1\) has no sentence with the label unrelated"),
        (
            lambda item: item["sentences"][1].update(gold_label="stereotype"),
            r'\(a1\), sentence 2: "stereotype" is already there',
        ),
        (
            lambda item: item["sentences"][1].update(gold_label="related"),
            'sentence 2: "related" is not a label',
        ),
        (lambda item: item["sentences"][1].update(id="s1"), "two sentences with the id s1"),
    ],
)
def test_a_malformed_item_is_named_in_one_sentence(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], says: str
) -> None:
    broken = copy.deepcopy(ITEM)
    change(broken)
    with pytest.raises(FileFormatError, match=says):
        read_stereoset(written(tmp_path / "dev.json", broken))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not StereoSet: "),
        ("[]", "expected one JSON object"),
        ('{"data": {}}', 'expected "data" with "intersentence" and "intrasentence"'),
        ('{"data": {"intersentence": {}}}', '"intersentence" must be an array'),
        ('{"data": {"intersentence": []}}', "contains no items"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=says):
        read_stereoset(path)
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_stereoset(tmp_path / "absent.json")


def test_an_item_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="two items with the id a1"):
        read_stereoset(written(tmp_path / "dev.json", ITEM, ITEM))


def test_predictions_are_read_packed_or_not(tmp_path: Path) -> None:
    text = json.dumps({"intrasentence": [{"id": "s1", "score": 0.5}, {"id": "s2", "score": 2}]})
    plain, packed = tmp_path / "p.json", tmp_path / "p.json.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_predictions(plain) == read_predictions(packed) == {"s1": 0.5, "s2": 2.0}


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ('{"id": "s1"}', 'intrasentence prediction 2: "score" is missing'),
        ('{"id": "s0", "score": 1}', "the sentence s0 has two scores"),
        ('{"id": "s1", "score": true}', '"score" is True; expected a finite number'),
        ('{"id": "s1", "score": NaN}', "it contains NaN, which is not JSON"),
        ('{"id": "s1", "score": [1.0]}', '"score" is missing, empty or of the wrong kind'),
        ("7", "is not a JSON object"),
    ],
)
def test_a_malformed_prediction_is_named(tmp_path: Path, entry: str, says: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(f'{{"intrasentence": [{{"id": "s0", "score": 1}}, {entry}]}}')
    with pytest.raises(FileFormatError, match=says):
        read_predictions(path)
    path.write_text("{}")
    with pytest.raises(FileFormatError, match="has no predictions"):
        read_predictions(path)


def test_without_a_file_one_sentence_says_where_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_DATA", str(tmp_path))
    with pytest.raises(UnslantError, match=r"Download data/dev\.json .*data=FILE"):
        find_stereoset()
    (tmp_path / "stereoset").mkdir()
    path = written(tmp_path / "stereoset" / "dev.json", ITEM)
    assert find_stereoset() == path
    assert find_stereoset("mine.json") == Path("mine.json")


def test_the_development_set_is_read_whole() -> None:
    items = read_stereoset(data_folder("stereoset") / "dev.json")
    assert Counter(item.task for item in items) == {"intra": 2_106, "inter": 2_123}
    counts = Counter((item.task, item.domain) for item in items)
    assert (counts["inter", "gender"], counts["intra", "gender"]) == (242, 255)
    assert len({item.target for item in items if item.task == "inter"}) == 79
