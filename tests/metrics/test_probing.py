"""Probing: words held out, control tasks, code lengths."""

import numpy as np
import pytest

import unslant as us
from tests.language_models import real_model
from tests.spaces import space
from unslant.concepts import Concept, WordPolicy
from unslant.concepts.read import parse_concept
from unslant.core.types import Array
from unslant.metrics.held_out import group_texts, held_out_shares, online_bits
from unslant.vectors import WordVectors

N = 40


def sides(groups: int = 2, n: int = N) -> Concept:
    names = "abc"[:groups]
    lists = "\n".join(
        f"{g} = [{', '.join(repr(f'{g}{i}') for i in range(n))}]".replace("'", '"') for g in names
    )
    listed = ", ".join(f'"{g}"' for g in names)
    return parse_concept(f'name = "sides"\ngroups = [{listed}]\n[words]\n{lists}\n', "sides.toml")


def made(rows: Array, groups: int = 2, n: int = N) -> WordVectors:
    return space([f"{g}{i}" for g in "abc"[:groups] for i in range(n)], rows)


def noise(seed: int, groups: int = 2, width: int = 12, n: int = N) -> Array:
    return np.random.default_rng(seed).normal(size=(groups * n, width))


def test_a_group_in_one_direction_is_recovered_and_noise_is_not() -> None:
    clear = noise(0)
    clear[:N, 3] += 6
    found = us.measure("probing", made(clear), sides())
    assert found.value is not None
    assert found.value > 0.97
    assert found.interval is not None
    assert found.interval.low > 0.9
    assert float(found.details["compression"] or 0) > 2
    assert float(found.details["selectivity"] or 0) > 0.3
    nothing = us.measure("probing", made(noise(1)), sides())
    assert nothing.interval is not None
    assert nothing.interval.low < 0.5 < nothing.interval.high
    assert float(nothing.details["compression"] or 0) < 1.15


def test_intervals_of_pure_noise_contain_chance_about_as_often_as_they_say() -> None:
    missed = 0
    for seed in range(60):
        found = us.measure("probing(controls=0)", made(noise(seed)), sides())
        assert found.interval is not None
        missed += not found.interval.low <= 0.5 <= found.interval.high
    assert missed <= 9  # 3 are expected if words were independent; training makes it a little more


def test_a_product_of_signs_is_seen_by_a_curved_classifier_only() -> None:
    rows = 0.3 * noise(2, width=4)
    signs = np.random.default_rng(3).choice([-1.0, 1.0], 2 * N)
    rows[:, 0], rows[:, 1] = signs, signs * np.repeat([1, -1], N)
    linear = us.measure("probing", made(rows), sides())
    curved = us.measure("probing(classifier=rbf-svm)", made(rows), sides())
    assert linear.value is not None
    assert curved.value is not None
    assert linear.value < 0.65
    assert curved.value > 0.9


def test_three_groups_have_their_own_chance() -> None:
    rows = noise(4, 3)
    for group in range(3):
        rows[group * N : (group + 1) * N, group] += 6
    found = us.measure("probing(controls=1)", made(rows, 3), sides(3))
    assert found.details["chance"] == pytest.approx(1 / 3)
    assert found.value is not None
    assert found.value > 0.95


def test_no_word_is_in_training_and_test() -> None:
    """Each word has its own large random vector, the same in all contexts: memory is of no use."""

    def encode(texts: list[str]) -> Array:
        words = [text.replace(".", "").split() for text in texts]
        key = [next(w for w in text if w[1:].isdigit()) for text in words]
        return np.stack([np.random.default_rng([*k.encode()]).normal(size=120) for k in key])

    found = us.measure("probing", us.space(encode, name="own"), sides())
    assert found.details["texts-of-each-word"] == 7
    assert found.value is not None
    assert 0.3 < found.value < 0.7
    # On known words in other contexts the control task is solved by memory alone.
    assert float(found.details["control-accuracy-on-known-words"] or 0) > 0.95
    assert abs(float(found.details["selectivity-on-known-words"] or 0)) < 0.05


def test_shares_equal_a_slow_second_implementation() -> None:
    from sklearn.linear_model import LogisticRegression

    rows = noise(5)
    rows[:N, 0] += 1.5
    data = group_texts(made(rows), sides(), WordPolicy(), "all", "plain")
    found = held_out_shares(data, data.labels, 5, "logistic", 1.0, np.random.default_rng(9))
    rng = np.random.default_rng(9)
    fold = np.zeros(2 * N, int)
    for group in (0, 1):
        order = rng.permutation(np.arange(N) + group * N)
        for place, word in enumerate(order):
            fold[word] = place % 5
    x = data.rows[:, 0]
    for number in range(5):
        train, test = x[fold != number], x[fold == number]
        mean = train.mean(0)
        scale = np.sqrt(12) / np.sqrt(((train - mean) ** 2).sum(1).mean())
        probe = LogisticRegression(C=1 / 12, max_iter=1000)
        probe.fit((train - mean) * scale, data.labels[fold != number])
        right = probe.predict((test - mean) * scale) == data.labels[fold == number]
        assert found[fold == number].tolist() == right.astype(float).tolist()


def test_a_code_never_costs_much_more_than_the_uniform_one_and_less_if_groups_differ() -> None:
    data = group_texts(made(noise(6)), sides(), WordPolicy(), "all", "plain")
    bits = online_bits(data, data.labels, 1.0, np.random.default_rng(0))
    assert 0.8 * 2 * N < bits < 1.5 * 2 * N
    clear = noise(6)
    clear[:N] += 5
    data = group_texts(made(clear), sides(), WordPolicy(), "all", "plain")
    # The first 16 words cost a bit each, whatever follows.
    assert 16 <= online_bits(data, data.labels, 1.0, np.random.default_rng(0)) < 30


def test_too_few_words_give_no_number() -> None:
    found = us.measure("probing", made(noise(0, n=6), n=6), sides(n=6))
    assert found.value is None
    assert "at least 10" in found.why_undefined


def test_gender_is_recovered_from_built_in_vectors_and_from_a_model() -> None:
    gender = us.concept("gender")
    drop = WordPolicy(missing="drop")
    words = us.measure("probing(controls=1)", us.load(), gender, drop)
    assert words.value is not None
    assert words.value > 0.85
    model = real_model("minilm")
    for contexts in (None, "plain"):
        place = model.at("layer:-1[word]", contexts)
        expression = 'probing(controls=1, of=names, contexts="plain")'
        found = us.measure(expression, place, gender, drop)
        assert found.value is not None
        assert found.value > 0.85
        assert found.details["texts-of-each-word"] == 1
