"""AUL on models with known answers and on a tiny network."""

from pathlib import Path

import numpy as np
import pytest

from tests.language_models import data_folder
from tests.probes.likelihood.known_models import PAIRS, Known, plain, written_pairs
from unslant.core.errors import UnslantError
from unslant.probes.likelihood.pair_sets import pair_set
from unslant.studies.probe import probe


def test_it_marks_everything_and_asks_for_its_own_masking(tmp_path: Path) -> None:
    path = written_pairs(tmp_path)
    for weighting, masking in (
        ("none", "none"),
        ("attention", "attention"),
        ("published", "published-attention"),
    ):
        model = Known(lambda text: -float(len(plain(text))))
        found = probe(f'aul(pairs="{path}", weighting={weighting}, matched=0)', model).record
        assert model.maskings == {masking}
        assert "[[The poor are lazy.]]" in model.asked
        gaps = [len(less) - len(more) for more, less, *_ in PAIRS]
        assert found.results[0].now.value == pytest.approx(50 + 50 * np.mean(np.sign(gaps)))


def test_a_two_piece_span_is_scored_piece_by_piece(tmp_path: Path) -> None:
    """A k × k block of logarithms, each position with each piece, has another mean."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tests.models.language.with_heads import saved
    from unslant.models.language.model import load_transformer
    from unslant.predictors.protocols import Likelihood

    model = load_transformer(saved(tmp_path / "bert", "bert"))
    text = "she is [[herely]] ."
    pieces = model.tokens.of([text])[0]
    network = transformers.AutoModelForMaskedLM.from_pretrained(model.folder.path).eval()
    with torch.inference_mode():
        logs = network(input_ids=torch.tensor([pieces.ids])).logits[0].log_softmax(-1)
    places = [place for place, _ in pieces.marked]
    ids = [pieces.ids[place] for place in places]
    diagonal = float(logs[places, ids].mean())
    block = float(logs[places][:, ids].mean())
    [found] = model.predictor(Likelihood).log_likelihoods([text], "none")
    assert found == pytest.approx(diagonal, abs=1e-5)
    assert found != pytest.approx(block, abs=1e-2)


def test_stereoset_gives_pairs_rebuilt_from_its_contexts() -> None:
    data_folder("stereoset")
    found = pair_set("stereoset-intra", "gender")
    assert found.kinds == ("gender",)
    assert found.concept == "gender"
    assert all("BLANK" not in pair.more + pair.less for pair in found.pairs)
    assert len(pair_set("stereoset-intra")) + len(pair_set("stereoset-intra").left_out) == 2106


def test_a_set_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnslantError, match="cannot be read"):
        probe(f'aul(pairs="{tmp_path / "absent.csv"}")', Known(lambda text: -1.0))
