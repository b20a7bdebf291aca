"""The heads that a contrast hangs on: found where one is planted, and as finite differences say."""

# ruff: noqa: E402
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.command_line import json_of, unslant
from tests.made_erasers import made_of
from tests.models.language.folders import save
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Grid
from unslant.core.places import Place
from unslant.core.read_record import read_record
from unslant.erasers import Dense, EachVector
from unslant.models.language.contrasts import Contrasts, TextScore, head_attribution, item_values
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.studies.head_map import head_map

LAYER, HEAD = 2, 1
ENDS = [
    "is a nurse .",
    "is an engineer and",
    "sat down .",
    "is there",
    "is a programmer",
    "is here",
]


def contrasts() -> Contrasts:
    """What follows "she" less the same after "he", in sentences that differ."""
    begins = ["", "the doctor and", "here", "this nurse and"]
    return Contrasts(
        "made up",
        tuple(
            {(f"{begin} she".strip(), end): 1.0, (f"{begin} he".strip(), end): -1.0}
            for begin, end in itertools.product(begins, ENDS)
        ),
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TransformerModel]:
    folder = tmp_path_factory.mktemp("heads")

    def model(kind: str) -> TransformerModel:
        if not (folder / kind).exists():
            save(folder / kind, kind)
        return load_transformer(folder / kind)

    return model


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT in which one head alone carries anything from one piece to another."""
    from safetensors.torch import load_file, save_file

    folder = save(tmp_path_factory.mktemp("planted") / "bert", "bert")
    arrays = load_file(folder / "model.safetensors")
    for name, value in arrays.items():
        if name.endswith("attention.output.dense.weight"):
            kept = value.clone()
            value.zero_()
            if f"layer.{LAYER - 1}." in name:
                columns = slice(4 * HEAD, 4 * HEAD + 4)
                value[:, columns] = 4 * kept[:, columns]
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def _biased(model: TransformerModel) -> Contrasts:
    """The contrasts with signs for which the model is biased in every item."""
    values = item_values(TextScore(model), contrasts())
    assert np.abs(values).min() > 1e-4
    items = zip(contrasts().items, np.sign(values).tolist(), strict=True)
    turned = tuple({q: sign * way for q, sign in item.items()} for item, way in items)
    return Contrasts("made up", turned)


def test_a_planted_head_is_found_and_no_other(planted: Path) -> None:
    model = load_transformer(planted)
    done = head_map(TextScore, model, _biased(model), check=12)
    clear = [
        result.now.parameters["place"]
        for result in done.record.results
        if result.corrected is not None and result.corrected.benjamini_hochberg <= 0.05
    ]
    assert clear == [f"layer:{LAYER}.attention:{HEAD}"]
    first = done.record.results[0]
    assert first.now.parameters["place"] == clear[0]  # the gradient puts it first
    # Without it no piece knows of another, so that nothing is left of the contrast.
    mean = done.record.settings["mean-contrast"]
    assert isinstance(mean, float)
    assert first.now.value == pytest.approx(-mean, abs=1e-5)
    for result in done.record.results[1:]:
        assert result.now.value == 0
        assert result.now.p is not None
        assert result.now.p.value == 1
    measured, predicted, _ = done.record.exhibits
    assert isinstance(measured, Grid)
    assert isinstance(predicted, Grid)
    assert clear[0] in measured.says
    slopes = np.array(predicted.values, dtype=np.float64)
    assert np.argwhere(slopes != 0).tolist() == [[LAYER - 1, HEAD]]


@pytest.mark.parametrize("kind", ["bert", "distilbert", "modernbert", "electra", "gpt2", "llama"])
@pytest.mark.parametrize("to_zero", [False, True])
def test_the_prediction_is_the_slope_of_a_gradual_ablation(
    made: Callable[[str], TransformerModel], kind: str, to_zero: bool
) -> None:
    """With x → (1 − ε) x + ε m at a head, the mean contrast changes by ε times the prediction."""
    model = made(kind)
    found = head_attribution(TextScore(model), contrasts(), to_zero=to_zero)
    width = model.layout.head_width
    slopes = []
    for layer, head in ((1, 0), (2, 3), (3, 2)):
        values = []
        for step in (-1e-2, 1e-2):
            shrunk = Dense((1 - step) * np.eye(width), step * found.means[layer - 1, head])
            place = Place("layer", layer, "attention", head)
            eraser = made_of(EachVector(shrunk))
            changed = model.intervened(Intervention((AtPlace(place, eraser),)))
            values.append(item_values(TextScore(changed), contrasts()).mean())
        slopes.append(((values[1] - values[0]) / 2e-2, found.predicted[layer - 1, head]))
    measured, predicted = np.array(slopes).T
    assert measured == pytest.approx(predicted, abs=2e-4 + 0.02 * np.abs(predicted).max())
    assert np.abs(predicted).max() > 1e-3


def test_items_are_chosen_by_one_half_and_checked_on_the_other() -> None:
    every = contrasts()
    first, second = every.halves()
    assert len(first.items) == len(second.items) == 12
    assert [item for item in every.items if item in first.items or item in second.items] == [
        *every.items
    ]
    assert every.halves(1)[0].items != first.items
    with pytest.raises(UnslantError, match="two halves need more"):
        Contrasts("one", every.items[:1]).halves()


def test_contrasts_are_sums_of_signed_scores(made: Callable[[str], TransformerModel]) -> None:
    model = made("llama")
    values = item_values(TextScore(model), contrasts())
    network = model.head("causal")
    [item] = contrasts().items[7:8]
    expected = 0.0
    for (context, text), sign in item.items():
        ids = [1, *(n for n in model.tokens.of([f"{context} {text}"])[0].ids if n != 1)]
        count = len(model.tokens.of([text])[0].ids) - 2  # without [CLS] and [SEP]
        with torch.inference_mode():
            logs = network(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
        places = range(len(ids) - 1 - count, len(ids) - 1)
        expected += sign * sum(float(logs[place - 1, ids[place]]) for place in places)
    assert values[7] == pytest.approx(expected, abs=1e-4)


def test_the_command_maps_pairs_of_ones_own(planted: Path) -> None:
    lines = [
        f"the nurse is here and {more} {end},the nurse is here and {less} {end},stereo,gender"
        for more, less in (("she", "he"), ("this", "an"))
        for end in ENDS[:4]
    ]
    folder = planted.parent
    table = "sent_more,sent_less,stereo_antistereo,bias_type\n" + "\n".join(lines)
    (folder / "pairs.csv").write_text(table)
    arguments = ("inspect", "heads", "bert", "--set", "pairs.csv", "--ablate", "3")
    found: dict[str, Any] = json_of(*arguments, "--json", cwd=folder)
    assert found["results"][0]["now"]["parameters"]["place"] == f"layer:{LAYER}.attention:{HEAD}"
    shown = unslant(*arguments, "--html", "heads.html", "--record", "heads.json", cwd=folder)
    assert "ablated heads" in shown.stdout
    assert "Effect of ablating a head" in (folder / "heads.html").read_text()
    assert len(read_record(folder / "heads.json").results) == 3
