"""Layer maps: one measure at every layer, every text encoded once for all places."""

import json

import numpy as np
import pytest

import unslant as us
from tests.language_models import real_model
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Curves, Grid
from unslant.core.read_record import record_from
from unslant.models.language import passes, shared
from unslant.models.language.shared import SharedSpace, spaces_at
from unslant.reports.figures.of_record import figures_of
from unslant.studies.layer_map import layer_map

torch = pytest.importorskip("torch")

from tests.tiny_network import tiny_concept, tiny_model  # noqa: E402


def test_spaces_of_one_model_share_their_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, int]] = []

    def counted(model, texts, places, progress=None):  # type: ignore[no-untyped-def]
        calls.append((len(texts), len(places)))
        return passes.vectors(model, texts, places, progress)

    monkeypatch.setattr(shared, "vectors", counted)
    model = tiny_model(0, recomputes=True)
    spaces = spaces_at(model, ["embeddings[word]", "layer:1[word]", "layer:3[word]"])
    rows = [space.rows(["[[a1]]", "[[b2]]", "[[a1]]"]) for space in spaces]
    assert calls == [(2, 3)]
    for space, found in zip(spaces, rows, strict=True):
        assert isinstance(space, SharedSpace)
        alone = model.at(space.place).rows(["[[a1]]", "[[b2]]", "[[a1]]"])
        assert np.array_equal(found, alone)
        assert space.content_hash == model.at(space.place).content_hash


def test_a_map_has_the_value_of_each_layer_measured_alone() -> None:
    model, concept = tiny_model(1, recomputes=True), tiny_concept()
    expression = 'probing(contexts="plain", controls=1)'
    found = layer_map(expression, model, concept)
    places = ["embeddings[word]", "layer:1[word]", "layer:2[word]", "layer:3[word]"]
    assert [item.parameters["place"] for item in found.measurements] == places
    for place, item in zip(places, found.measurements, strict=True):
        alone = us.measure(expression, model.at(place), concept)
        assert item.value == alone.value
        assert item.interval == alone.interval
    values = [item.value for item in found.measurements]
    assert values[0] is not None
    assert values[1] is not None
    assert values[2] is not None
    assert values[0] > 0.95
    assert values[1] < 0.7
    assert values[2] > 0.95
    [curves] = [item for item in found.record.exhibits if isinstance(item, Curves)]
    assert [point.label for point in curves.points] == ["embeddings", "1", "2", "3"]
    assert curves.level == 0.5


def test_a_measure_that_needs_a_vocabulary_is_refused() -> None:
    with pytest.raises(UnslantError, match="needs more than a space"):
        layer_map("gipe", tiny_model(1, recomputes=True), tiny_concept())


def test_a_map_of_a_real_model_is_one_figure_with_intervals() -> None:
    model = real_model("minilm")
    found = layer_map("weat", model, us.concept("seat").test("6"))
    assert len(found.measurements) == 7
    record = record_from(json.loads(json.dumps(found.to_dict())))
    assert record == found.record
    [figure] = [figure for figure in figures_of(record) if figure.name == "layers"]
    figure.chart.to_dict()
    marks = [layer["mark"] for layer in figure.spec()["layer"]]
    assert {mark["type"] for mark in marks} == {"area", "line", "point", "rule"}
    assert all(item.corrected is not None for item in record.results)


def test_words_in_contexts_are_weat_as_kurita_asks_it() -> None:
    """Words in sentences, read at their own pieces: the same as model.at(place, contexts)."""
    model, test = real_model("minilm"), us.concept("gender").test("career-family")
    contexts = ["{} is a programmer.", "This is {}."]
    found = layer_map("weat", model, test, contexts=contexts, places=["layer:-1[word]"])
    alone = us.measure("weat", model.at("layer:-1[word]", contexts), test)
    assert found.measurements[0].value == pytest.approx(alone.value, abs=1e-9)
    marked = [["[[{}]] is a programmer.", "This is [[{}]]."], [0, 1]]
    sets = [*test.targets.values(), *test.attributes.values()]
    means = []
    for item in sets:
        texts = [template.format(word) for word in item.words for template in marked[0]]  # type: ignore[attr-defined]
        [rows] = model.vectors(texts, ["layer:-1[word]"]).values()
        mean = rows.reshape(len(item.words), 2, -1).astype(np.float64).mean(axis=1)
        means.append(mean / np.linalg.norm(mean, axis=1, keepdims=True))
    x, y, a, b = means
    s = [(t @ a.T).mean(1) - (t @ b.T).mean(1) for t in (x, y)]
    d = (s[0].mean() - s[1].mean()) / np.concatenate(s).std(ddof=1)
    assert alone.value == pytest.approx(d, abs=1e-5)


def test_heads_are_drawn_as_a_heat_map() -> None:
    model, test = real_model("minilm"), us.concept("gender").test("career-family")
    found = layer_map("weat(random_lists=0)", model, test, contexts="plain", component="value")
    [grid] = [item for item in found.record.exhibits if isinstance(item, Grid)]
    assert len(grid.rows) == 6
    assert len(grid.columns) == 12
    assert grid.values[2][5] == next(
        item.value
        for item in found.measurements
        if item.parameters["place"] == "layer:3.value:5[word]"
    )
    [figure] = [figure for figure in figures_of(found.record) if figure.name == "heads"]
    figure.chart.to_dict()
    assert [f.name for f in figures_of(found.record)] == ["heads"]  # and no forest of 72 rows
