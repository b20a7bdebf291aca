"""Context-debias against a plain loop over words, and what it does to held-out sentences."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.debias_training.setups import FAST, setup, written_text  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.models.debias_training.context_debias import ContextDebias  # noqa: E402
from unslant.models.debias_training.context_task import ContextBatch, ContextTask, batch_of  # noqa: E402
from unslant.models.debias_training.word_sentences import (  # noqa: E402
    is_held_out,
    padded,
)
from unslant.models.training.trainer import train  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("context")
    written_text(made / "text.txt")
    return made


def task_of(folder: Path, **given: Any) -> ContextTask:
    how = ContextDebias(text=str(folder / "text.txt"), **{**FAST, **given})
    return ContextTask(how, setup(folder))


def moved(task: ContextTask) -> Any:
    """The task's network, away from the original."""
    network = task.build_network()
    torch.manual_seed(1)
    with torch.no_grad():
        for value in network.parameters():
            value.add_(0.05 * torch.randn_like(value))
    return network.eval()


def states_of(network: Any, sentence: Any) -> list[Any]:
    """What each layer gives for one sentence alone, pieces × width."""
    with torch.no_grad():
        found = network(input_ids=torch.tensor([sentence.pieces.ids]), output_hidden_states=True)
    return [each[0].double().numpy() for each in found.hidden_states]


def chosen(states: list[Any], layers: str) -> list[Any]:
    return {"all": states, "first": states[:1], "last": states[-1:]}[layers]


@pytest.mark.parametrize(
    ("layers", "level", "attributes"),
    [
        ("all", "token", "words"),
        ("last", "token", "groups"),
        ("first", "sentence", "words"),
        ("all", "sentence", "groups"),
    ],
)
def test_the_loss_is_that_of_a_plain_loop(
    folder: Path, layers: Any, level: Any, attributes: Any
) -> None:
    task = task_of(folder, layers=layers, level=level, attributes=attributes)
    network, original = moved(task), task.on.model.network
    members = {w: g for g, item in task.on.concept.members.items() for w in item.all_words}
    by_key: dict[str, list[list[Any]]] = {}
    for sentence in task.attributes:
        key = sentence.word if attributes == "words" else members[sentence.word]
        places = list(sentence.pieces.word)
        rows = [s[places].mean(axis=0) for s in chosen(states_of(network, sentence), layers)]
        by_key.setdefault(key, []).append(rows)
    vectors = [np.mean(rows, axis=0) for rows in by_key.values()]
    assert len(vectors) == (4 if attributes == "words" else 2)

    targets, kept = task.targets[:5], task.attributes[:7]
    squares = []
    for sentence in targets:
        states = chosen(states_of(network, sentence), layers)
        places = list(sentence.pieces.word)
        for vector in vectors:
            for number, state in enumerate(states):
                rows = [state[places].mean(axis=0)] if level == "token" else list(state)
                squares.append(np.mean([(row @ vector[number]) ** 2 for row in rows]))
    distances = []
    for sentence in kept:
        pairs = zip(states_of(network, sentence), states_of(original, sentence), strict=True)
        layered = [((now - old) ** 2).sum(axis=1) for now, old in pairs]
        distances += list(np.mean(layered, axis=0))  # one for each piece
    expected = 0.2 * np.mean(squares) + 0.8 * np.mean(distances)

    batch = ContextBatch(1, batch_of(targets), batch_of(kept))
    assert {len(each.pieces.ids) for each in (*targets, *kept)} != {len(targets[0].pieces.ids)}
    assert float(task.loss(network, batch).detach()) == pytest.approx(expected, rel=2e-5)


def test_a_word_of_several_pieces_counts_as_their_mean(folder: Path, tmp_path: Path) -> None:
    on = setup(folder)
    words = on.model.tokens.of(["the [[doctors]] sat", "the [[doctor]] sat"])
    assert [len(each.word) for each in words] == [2, 1]
    weights = padded([each.ids for each in words], [each.word for each in words]).word
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_allclose(weights[0, list(words[0].word)], 0.5)


def test_the_bias_term_falls_on_held_out_sentences_and_the_regulariser_keeps_vectors_near(
    folder: Path,
) -> None:
    found = {}
    for beta in (0.8, 0.0):
        task = task_of(folder, beta=beta, alpha=0.2, rounds=3, steps=12)
        network = task.build_network().eval()
        with torch.inference_mode():
            before = task.evaluate_dev(network)
        assert before["regulariser"] == 0
        last = train(task, task.how.schedule()).rounds[-1]
        assert last["bias"] < 0.7 * before["bias"]
        found[beta] = last["regulariser"]
    assert found[0.8] < 0.5 * found[0.0]


def test_the_control_has_no_bias_term(folder: Path) -> None:
    how = ContextDebias(text=str(folder / "text.txt"), **FAST)
    control = how.control(3)
    assert (control.alpha, control.beta, control.seed) == (0.0, 0.8, 3)  # type: ignore[attr-defined]
    task = ContextTask(control, setup(folder))  # type: ignore[arg-type]
    network = moved(task)
    _, batch = next(iter(task.batches(1, 0)))
    with torch.no_grad():
        kept = task.regulariser(network, batch.attributes)
        assert float(task.loss(network, batch)) == pytest.approx(0.8 * float(kept), rel=1e-6)


def test_no_sentence_is_held_out_and_trained_on_and_none_has_words_of_both_kinds(
    folder: Path,
) -> None:
    task = task_of(folder)
    trained = {each.pieces.ids for each in (*task.targets, *task.attributes)}
    held_out = {each.pieces.ids for each in (*task.dev_targets, *task.dev_attributes)}
    assert trained
    assert held_out
    assert not trained & held_out
    pieces = {number: piece for piece, number in task.on.model.tokens.vocabulary.items()}
    groups, targets = {"she", "nurse", "he", "engineer"}, {"doctor", "programmer", "here", "sat"}
    for ids in trained | held_out:
        words = {pieces[number] for number in ids}
        assert bool(words & groups) != bool(words & targets)
    texts = (folder / "text.txt").read_text().splitlines()
    share = np.mean([is_held_out(text) for text in texts])
    assert 0.1 < share < 0.3


def test_a_text_without_the_words_is_refused_with_counts(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("nothing of that kind is there\n" * 200)
    how = ContextDebias(text=str(tmp_path / "other.txt"), **FAST)
    with pytest.raises(UnslantError, match=r"0 with .* to train on and 0 to hold out"):
        ContextTask(how, setup(folder))


def test_target_lists_are_named_and_group_words_are_never_targets(folder: Path) -> None:
    task = task_of(folder, targets="jobs+she")
    assert {each.word for each in task.targets} <= {"doctor", "programmer", "here", "sat"}
    with pytest.raises(UnslantError, match="jbos"):
        task_of(folder, targets="jbos")
