"""The places of an ELMo: which there are, how wide, and what the spaces at them hold."""

from pathlib import Path

import numpy as np
import pytest

from tests.models.elmo.made_elmo import OPTIONS, random_arrays, write_elmo
from unslant.core.errors import UnslantError
from unslant.core.places import parse_place
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import load_model


def test_the_same_entry_point_reads_an_elmo(made_folder: Path) -> None:
    model = load_model(made_folder)
    assert isinstance(model, ElmoModel)
    assert isinstance(model, LanguageModel)
    assert model.name == "small-elmo"
    assert model.modules is None
    assert str(model) == "<ElmoModel small-elmo (elmo, 2 layers × 12)>"


def test_places_have_the_widths_that_the_options_say(elmo: ElmoModel) -> None:
    widths = {str(place): elmo.site(place).width for place in elmo.layout.places()}
    assert widths == {
        "chars": 6,
        **dict.fromkeys(("lstm:1", "lstm:2", "output:0", "output:1", "output:2", "all"), 12),
    }
    rows = elmo.vectors(["she is here"], list(widths))
    assert {str(place): found.shape[1] for place, found in rows.items()} == widths


def test_negative_numbers_count_from_the_end(elmo: ElmoModel) -> None:
    for negative, positive in (("lstm:-1", "lstm:2"), ("lstm:-2", "lstm:1")):
        same = elmo.vectors(["she is here"], [negative, positive]).values()
        assert len({rows.tobytes() for rows in same}) == 1


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("lstm:0", "called chars"),
        ("lstm:3", "1 to 2"),
        ("lstm:-3", "1 to 2"),
        ("layer:1", "chars, lstm:1, lstm:2, output:0, output:1, output:2, all"),
        ("wordpieces", "chars, lstm:1, lstm:2, output:0, output:1, output:2, all"),
        ("output:3", "outputs are 0 to 2"),
        ("output:-4", "outputs are 0 to 2"),
        ("lstm:1[cls]", r"no \[CLS\]"),
    ],
)
def test_a_place_that_it_does_not_have_is_refused_in_one_sentence(
    place: str, says: str, elmo: ElmoModel
) -> None:
    with pytest.raises(UnslantError, match=says):
        elmo.at(place)


def test_all_is_the_mean_of_the_layers_with_the_characters_twice(elmo: ElmoModel) -> None:
    texts = ["she is here", "a nurse said so ."]
    chars, first, second, mean = elmo.vectors(texts, ["chars", "lstm:1", "lstm:2", "all"]).values()
    expected = (np.hstack([chars, chars]) + first + second) / 3
    np.testing.assert_allclose(mean, expected, rtol=0, atol=1e-6)
    assert (elmo.encode(texts) == mean).all()


def test_the_layer_of_characters_knows_no_context(elmo: ElmoModel) -> None:
    texts = ["[[nurse]]", "she is a [[nurse]] here"]
    static, contextual = elmo.vectors(texts, ["chars[word]", "lstm:1[word]"]).values()
    np.testing.assert_allclose(static[0], static[1], rtol=0, atol=5e-6)
    assert np.abs(contextual[0] - contextual[1]).max() > 1e-3


def test_words_in_contexts_are_a_space(elmo: ElmoModel) -> None:
    space = elmo.at("lstm:2[word]", "bleached")
    rows = space.rows(["nurse", "king"])
    assert rows.shape == (2, 12)
    assert np.abs(rows[0] - rows[1]).max() > 1e-3
    assert elmo.at("chars[word]", "bleached").content_hash != space.content_hash


def test_the_hash_changes_with_one_bit_of_a_weight(made_folder: Path, tmp_path: Path) -> None:
    arrays = random_arrays(OPTIONS)
    write_elmo(tmp_path / "same", OPTIONS, arrays)
    arrays["CNN_proj/b_proj"].view(np.uint32)[0] ^= 1
    write_elmo(tmp_path / "other", OPTIONS, arrays)
    hashes = [
        load_elmo(folder).weights_sha256
        for folder in (made_folder, tmp_path / "same", tmp_path / "other")
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_nothing_claims_to_fold(elmo: ElmoModel) -> None:
    assert all(elmo.site(place).why_not_folded for place in elmo.layout.places())


def test_heads_are_refused(elmo: ElmoModel) -> None:
    with pytest.raises(UnslantError, match="no masked head"):
        elmo.head("masked")


def test_places_are_in_the_order_of_the_pass(elmo: ElmoModel) -> None:
    depths = [elmo.site(parse_place(text)).depth for text in ("chars", "lstm:1", "lstm:2", "all")]
    assert depths == sorted(set(depths))
