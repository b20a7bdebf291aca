"""Where an erased attribute re-emerges: constructed networks, and a real one."""

import json

import numpy as np
import pytest

import unslant as us
from tests.language_models import real_model
from tests.made_erasers import made_of
from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.core.read_record import record_from
from unslant.erasers import EachVector
from unslant.erasers.linear import LowRank
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.reports.figures.of_record import figures_of
from unslant.studies.re_emergence import re_emergence

torch = pytest.importorskip("torch")

from tests.tiny_network import tiny_concept, tiny_model  # noqa: E402

SEEDS = 100


def test_an_attribute_that_a_later_block_recomputes_is_flagged_for_every_seed() -> None:
    concept = tiny_concept()
    for seed in range(SEEDS):
        model = tiny_model(seed, recomputes=True)
        found = re_emergence(model, concept, contexts="plain", controls=1)
        linear = found.flagged("linear")
        assert Place("layer", 2, tokens="word") in linear, seed
        assert Place("layer", 3, tokens="word") in linear, seed
        # A curved classifier finds the second copy where the first was erased.
        assert Place("layer", 1, tokens="word") in found.flagged("curved"), seed


def test_a_network_that_does_not_recompute_is_flagged_in_at_most_five_of_a_hundred() -> None:
    concept = tiny_concept()
    flagged = sum(
        bool(
            re_emergence(
                tiny_model(seed, recomputes=False), concept, contexts="plain", controls=1
            ).flagged()
        )
        for seed in range(SEEDS)
    )
    assert flagged <= 5


def test_the_place_of_the_intervention_itself_is_linearly_empty() -> None:
    found = re_emergence(tiny_model(0, recomputes=True), tiny_concept(), contexts="plain")
    first = next(item for item in found.found if item.kind == "linear")
    assert first.place == Place("layer", 1, tokens="word")
    assert first.low < 0.5 < first.high
    assert not first.re_emerges


def test_without_an_intervention_there_is_nothing_to_come_back() -> None:
    with pytest.raises(UnslantError, match="no intervention"):
        re_emergence(tiny_model(0, recomputes=True, erased=False), tiny_concept())


def test_the_record_can_be_read_again_and_is_drawn_as_one_figure() -> None:
    found = re_emergence(tiny_model(3, recomputes=True), tiny_concept(), contexts="plain")
    record = record_from(json.loads(json.dumps(found.to_dict())))
    assert record.exhibits == found.record.exhibits
    [figure] = [figure for figure in figures_of(record) if figure.name == "re-emergence"]
    spec = figure.spec()
    assert {"area", "line", "point", "rule", "text"} == {
        layer["mark"]["type"] if isinstance(layer["mark"], dict) else layer["mark"]
        for layer in spec["layer"]
    }
    figure.chart.to_dict()  # validates against the schema of Vega-Lite
    assert "by a linear classifier: 2, 3" in figure.description
    assert "recovered" in found._repr_html_()


def test_gender_comes_back_in_a_real_model_after_one_direction_is_removed() -> None:
    model = real_model("minilm")
    rows = model.vectors(["This is [[she]].", "This is [[he]]."], ["layer:4[word]"])
    [pair] = rows.values()
    axis = (pair[0] - pair[1]).astype(np.float64)[None]
    axis /= np.linalg.norm(axis)
    eraser = made_of(EachVector(LowRank(axis, axis)), name="he-she")
    after = model.intervened(Intervention((AtPlace(Place("layer", 4), eraser),)))
    found = re_emergence(after, us.concept("gender"), of="names", contexts="plain", controls=1)
    assert [str(item.place) for item in found.found[:3]] == [
        "layer:4[word]", "layer:5[word]", "layer:6[word]",
    ]  # fmt: skip
    assert found.flagged("linear") == [item.place for item in found.found[:3]]
