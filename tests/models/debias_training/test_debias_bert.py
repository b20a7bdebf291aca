"""DebiasBERT-style training: its terms against plain log-probabilities, and what falls."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.models.debias_training.setups import FAST, setup, written_text  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.models.debias_training.debias_bert import DebiasBert  # noqa: E402
from unslant.models.debias_training.equalising_task import EqualisingTask  # noqa: E402
from unslant.models.training.trainer import train  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("equal")
    written_text(made / "text.txt")
    return made


def task_of(folder: Path, **given: Any) -> EqualisingTask:
    how = DebiasBert(text=str(folder / "text.txt"), **{**FAST, **given})
    return EqualisingTask(how, setup(folder))


def log_probabilities(folder: Path, ids: Any, place: int) -> Any:
    """Of every piece at one place of one masked sentence, by plain transformers."""
    network = transformers.AutoModelForMaskedLM.from_pretrained(folder / "bert").eval()
    with torch.inference_mode():
        logits = network(input_ids=torch.tensor([ids])).logits[0, place].double()
    return torch.log_softmax(logits, dim=0).numpy()


def test_the_terms_are_those_of_a_plain_loop(folder: Path) -> None:
    task = task_of(folder, clusters="one+other", weight=2, decluster=0.5)
    network = task.build_network().eval()
    _, batch = next(iter(task.batches(1, 0)))
    known = task.on.model.tokens.vocabulary
    pairs = [("she", "he"), ("nurse", "engineer")]
    equal: list[float] = []
    apart: list[float] = []
    for gaps, into in ((batch.prone, equal), (batch.clustered, apart)):
        for row in range(len(gaps)):
            place = int(gaps.at[1][row])
            ids = gaps.shown.ids[row][gaps.shown.is_piece[row]].tolist()
            assert ids[place] == known["[MASK]"]
            found = log_probabilities(folder, ids, place)
            if into is equal:
                into += [abs(found[known[a]] - found[known[b]]) for a, b in pairs]
            else:
                sides = (("doctor", "here", "sat"), ("programmer", "there", "down"))
                sums = [np.log(np.exp(found[[known[w] for w in side]]).sum()) for side in sides]
                into.append(abs(sums[0] - sums[1]))
    with torch.no_grad():
        own = float(super(EqualisingTask, task).loss(network, batch.asked))
        assert float(task.equalising(network, batch.prone)) == pytest.approx(
            np.mean(equal), rel=1e-4
        )
        assert float(task.declustering(network, batch.clustered)) == pytest.approx(
            np.mean(apart), rel=1e-4
        )
        expected = own + 2 * np.mean(equal) + 0.5 * np.mean(apart)
        assert float(task.loss(network, batch)) == pytest.approx(expected, rel=1e-4)


def test_gaps_are_the_only_group_word_beside_a_target_word(folder: Path) -> None:
    task = task_of(folder)
    pieces = {number: piece for piece, number in task.on.model.tokens.vocabulary.items()}
    groups, targets = {"she", "nurse", "he", "engineer"}, {"doctor", "programmer", "here", "sat"}
    trained = {each.pieces.ids for each in task.prone.train}
    held_out = {each.pieces.ids for each in task.prone.held_out}
    assert not trained & held_out
    for each in (*task.prone.train, *task.prone.held_out):
        words = [pieces[number] for number in each.pieces.ids]
        assert [word for word in words if word in groups] == [words[each.pieces.word[0]]]
        assert set(words) & targets


def test_the_equalising_term_falls_and_the_language_loss_guards(folder: Path) -> None:
    found = {}
    for weight in (3.0, 0.0):
        task = task_of(folder, weight=weight, rounds=3, steps=15)
        with torch.inference_mode():
            before = task.evaluate_dev(task.build_network().eval())
        after = train(task, task.how.schedule()).rounds[-1]
        found[weight] = after["equalising"] / before["equalising"]
        assert after["language_loss"] < before["language_loss"]
    assert found[3.0] < 0.5
    assert found[3.0] < 0.6 * found[0.0]


def test_what_cannot_be_equalised_is_refused(folder: Path) -> None:
    with pytest.raises(UnslantError, match="must name two lists"):
        task_of(folder, clusters="one")
    on = setup(folder)
    table = replace(on.concept.table("definitional"), rows=(("unworks", "unworker"),))
    on = replace(on, concept=replace(on.concept, sets={"definitional": table}))
    with pytest.raises(UnslantError, match=r"No pair of .* two single pieces"):
        EqualisingTask(DebiasBert(text=str(folder / "text.txt"), **FAST), on)
