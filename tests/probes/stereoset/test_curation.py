"""Our screening: every id is of the development set, every repair fits, every reason is used."""

import pytest

from tests.language_models import data_folder
from tests.probes.stereoset.made_items import inter
from unslant.core.errors import UnslantError
from unslant.datasets import stereoset
from unslant.datasets.stereoset import StereosetItem, broken_gap, read_stereoset
from unslant.probes.stereoset.probe import StereoSet
from unslant.probes.stereoset.questions import Repair, curation, repaired


def development() -> tuple[StereosetItem, ...]:
    return read_stereoset(data_folder("stereoset") / "dev.json")


def test_every_id_is_of_a_gender_item_and_every_reason_has_a_sentence() -> None:
    found = curation()
    gender = {i.id for i in development() if i.task == "inter" and i.domain == "gender"}
    used = found.inter.keys() | found.repairs.keys() | found.twins.keys() | found.confirmed.keys()
    assert used <= gender
    others = used - found.inter.keys()
    assert len(used) == len(found.inter) + len(others) == 87 + len(others)
    assert not found.inter.keys() & (found.repairs.keys() | found.confirmed.keys())
    assert {*found.inter.values(), *found.intra.values()} == found.whys.keys()
    assert all(why.endswith(".") for why in found.whys.values())


def test_the_items_whose_gap_is_broken_are_those_that_the_rule_finds() -> None:
    by_rule = {i.id: why for i in development() if i.task == "intra" and (why := broken_gap(i))}
    assert by_rule == dict(curation().intra)
    assert len(by_rule) == 4
    assert set(by_rule.values()) <= stereoset.WHYS.keys()


def test_only_the_case_tells_many_sentences_from_their_contexts() -> None:
    """As texts for a model they are not the same: peers ask decoders about the lower-cased ones."""
    items = [i for i in development() if i.task == "intra" and broken_gap(i) is None]
    differ = 0
    for item in items:
        filled = []
        for each in item.sentences:
            filler = stereoset.filler_of(item.context, each.text)
            assert filler is not None
            filled.append(item.context.replace("BLANK", filler) != each.text)
        differ += any(filled)
    assert differ == pytest.approx(795, abs=5)


def test_a_repair_is_of_one_fragment_and_anything_else_is_another_file() -> None:
    item = inter(1)
    fixed = repaired(
        item, [Repair("context", "came", "walked"), Repair("unrelated", "fell", "fel")]
    )
    assert (fixed.context, fixed.unrelated.text) == ("My mother walked in. 1", "Rain fel 1.")
    with pytest.raises(UnslantError, match=r'"went" 0 times; expected once. .*curated=false'):
        repaired(item, [Repair("context", "went", "walked")])


def test_every_item_stays_is_left_out_or_has_no_certain_twin() -> None:
    asked = StereoSet(data=str(data_folder("stereoset") / "dev.json")).questions()
    gender = [i.id for i in development() if i.task == "inter" and i.domain == "gender"]
    gone = [name for why, ids in asked.missing.items() if why not in stereoset.WHYS for name in ids]
    kept = [pair.item.id for pair in asked.pairs]
    assert sorted(gone + kept) == sorted(gender)
    assert len(kept) == 152
    assert set(curation().confirmed) <= set(kept), "a twin that was read is another one now"
    for pair in asked.pairs:
        assert pair.twin.context != pair.item.context
        assert pair.twin.unrelated == pair.item.unrelated
    everything = StereoSet(data=str(data_folder("stereoset") / "dev.json"), curated=False)
    assert len(everything.questions().pairs) > 200


def test_both_parts_have_every_domain_and_together_they_are_the_whole() -> None:
    data = str(data_folder("stereoset") / "dev.json")
    parts = [StereoSet(data=data, part=part).questions() for part in ("development", "held-out")]
    whole = StereoSet(data=data).questions()
    ids = [{item.id for item in part.items} for part in parts]
    assert not ids[0] & ids[1]
    assert ids[0] | ids[1] == {item.id for item in whole.items}
    for part in parts:
        assert {(item.task, item.domain) for item in part.items} == {
            (item.task, item.domain) for item in whole.items
        }
        assert 0.45 < len(part.items) / len(whole.items) < 0.55
