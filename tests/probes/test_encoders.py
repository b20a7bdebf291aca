"""The NLI probe on models that read every pair by themselves, and how right they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unslant as us
from tests.language_models import data_folder
from unslant.core.errors import UnslantError
from unslant.datasets.nli.pairs import LABELS
from unslant.measures.registry import measure_from
from unslant.models.nli.trained import builtin_nli
from unslant.probes.nli.probe import PAIRS_WITHIN_REACH
from unslant.studies.probe import probe

SECONDS = {"entailment": "she is", "neutral": "this is", "contradiction": "he is"}


class Reader:
    """An inference model that reads pairs one by one, and counts them; answers depend on them."""

    name = "reader"
    reads_pairs = True

    def __init__(self) -> None:
        self.asked = 0

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Any:
        self.asked += len(premises)
        lean = np.array([len(text) % 5 / 10 for text in premises])
        lean += np.array([("woman" in text) / 10 for text in hypotheses])
        return np.stack([lean, 0.9 - lean, np.full(len(lean), 0.1)], axis=1)


class Quick(Reader):
    """The same, but it shares work between pairs."""

    reads_pairs = False


def write_dev(folder: Path, count: int) -> Path:
    """Labelled pairs whose second sentence decides the label."""
    folder.mkdir()
    chosen = np.random.default_rng(0).choice(LABELS, count)
    lines = {
        "s1": [f"this is pair {n}" for n in range(count)],
        "s2": [SECONDS[label] for label in chosen],
        "labels": list(chosen),
    }
    for name, values in lines.items():
        (folder / f"{name}.dev").write_text("\n".join(values))
    return folder


def test_a_sample_of_the_size_in_the_thesis_is_asked_and_said() -> None:
    reader = Reader()
    record = probe("nli(resamples=50)", reader).record
    assert reader.asked == PAIRS_WITHIN_REACH == 164 * 6 * 11
    assert any("10,824 pairs were asked: 11 contexts" in text for text in record.warnings)
    neutral = next(item.now for item in record.results if item.now.metric == "nli-net-neutral")
    assert neutral.value is not None
    assert neutral.interval is not None
    assert neutral.interval.low < neutral.value < neutral.interval.high


def test_the_number_that_was_asked_for_is_asked() -> None:
    reader = Reader()
    record = probe("nli(contexts=2, resamples=0)", reader).record
    assert reader.asked == 164 * 6 * 2
    assert not any("drawn with seed" in text for text in record.warnings)


def test_a_model_that_shares_work_is_asked_the_whole_set() -> None:
    made: Any = measure_from("nli")
    asked = made.questions()
    assert made.subsample(asked, Quick()) is asked
    assert made.subsample(asked, Reader()).grid.shape == (164, 6, 11)


def test_the_accuracy_is_the_share_of_right_labels(tmp_path: Path) -> None:
    folder = write_dev(tmp_path / "pairs", 60)

    class Knows:
        def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Any:
            right = [list(SECONDS.values()).index(text) for text in hypotheses]
            wrong = [int(text.split()[-1]) % 4 == 0 for text in premises]
            return np.eye(3)[[(n + miss) % 3 for n, miss in zip(right, wrong, strict=True)]]

    [result] = probe(f'nli-accuracy(data="{folder}")', Knows()).record.results
    assert result.now.value == pytest.approx(45 / 60)
    assert result.now.interval is not None
    assert result.now.interval.low < 0.75 < result.now.interval.high
    few = probe(f'nli-accuracy(data="{folder}", most=20)', Knows()).record
    assert few.subject is not None
    assert few.subject.facts["pairs"] == 20


def test_a_folder_without_the_split_and_wrong_answers_are_refused(tmp_path: Path) -> None:
    folder = write_dev(tmp_path / "pairs", 6)

    class Broken:
        def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Any:
            return np.full((len(premises), 3), np.nan)

    with pytest.raises(UnslantError, match="no test data"):
        probe(f'nli-accuracy(data="{folder}", split=test)', Broken())
    with pytest.raises(UnslantError, match="3 finite probabilities"):
        probe(f'nli-accuracy(data="{folder}")', Broken())


def test_a_model_on_vectors_is_as_right_as_its_training_says(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from unslant.datasets.nli import read_corpus
    from unslant.models.nli.retrain import train_to
    from unslant.models.nli.settings import NliTraining

    folder = write_dev(tmp_path / "pairs", 60)
    for name in ("s1", "s2", "labels"):
        lines = (folder / f"{name}.dev").read_text().replace("pair", "other pair")
        (folder / f"{name}.train").write_text(lines)
    pairs = read_corpus(folder)
    how = NliTraining(hidden=8, epochs=2, batch=16)
    trained = train_to(tmp_path / "nli.safetensors", us.load(), pairs, how)
    [result] = probe(
        f'nli-accuracy(data="{folder}")', us.load(), model=tmp_path / "nli.safetensors"
    ).record.results
    assert result.now.value == pytest.approx(trained.record["dev_accuracy"], abs=1e-12)
    assert 0 < trained.record["dev_accuracy"] < 1


def test_the_model_in_the_package_knows_what_follows_from_what(tmp_path: Path) -> None:
    (folder := tmp_path / "pairs").mkdir()
    rows = [
        ("A man is sleeping.", "Nobody is asleep.", "contradiction"),
        ("A woman plays a guitar on stage.", "A woman plays an instrument.", "entailment"),
        ("Two dogs run in the snow.", "Animals are outside.", "entailment"),
        ("A boy is swimming.", "The boy is sleeping in bed.", "contradiction"),
    ]
    for name, values in zip(("s1", "s2", "labels"), zip(*rows, strict=True), strict=True):
        (folder / f"{name}.dev").write_text("\n".join(values))
    [result] = probe(f'nli-accuracy(data="{folder}")', us.load()).record.results
    assert result.now.value is not None
    assert result.now.value >= 0.75


def test_on_snli_the_model_in_the_package_is_as_right_as_its_record_says() -> None:
    folder = data_folder("nli/snli")
    [result] = probe(f'nli-accuracy(data="{folder}")', us.load()).record.results
    assert result.now.value == pytest.approx(builtin_nli().record["dev_accuracy"], abs=0.002)


def test_a_model_that_is_always_right_is_not_surely_so(tmp_path: Path) -> None:
    folder = write_dev(tmp_path / "pairs", 60)
    labels = (folder / "labels.dev").read_text().split()

    class Right:
        def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Any:
            numbers = [int(text.split()[-1]) for text in premises]
            return np.eye(3)[[LABELS.index(labels[number]) for number in numbers]]

    [result] = probe(f'nli-accuracy(data="{folder}")', Right()).record.results
    assert result.now.value == 1
    assert result.now.interval is not None
    # by hand: n / (n + z²)
    assert result.now.interval.low == pytest.approx(60 / (60 + 1.959964**2), abs=1e-6)
