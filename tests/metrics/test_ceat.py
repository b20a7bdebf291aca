"""CEAT: random contexts, random effects, and an interval over words instead of draws."""

from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.language_models import data_folder, real_model
from unslant.concepts import AssociationTest, WordPolicy
from unslant.concepts.contexts import BLEACHED
from unslant.concepts.read import parse_concept
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.types import Array
from unslant.metrics.ceat import combined
from unslant.vectors import SentenceSpace

N = 8


def toy(n: int = N) -> AssociationTest:
    sets = [", ".join(f'"{side}{i}"' for i in range(n)) for side in "xyab"]
    text = (
        f'name = "t"\n[tests.one]\ntargets = {{ x = [{sets[0]}], y = [{sets[1]}] }}\n'
        f"attributes = {{ a = [{sets[2]}], b = [{sets[3]}] }}\n"
    )
    return parse_concept(text, "t.toml").test("one")


def encoder(seed: int, bias: float = 0.0, spread: float = 0.3) -> SentenceSpace:
    """Words with a vector of their own, a little different in each context."""

    def encode(texts: list[str]) -> Array:
        rows = []
        for text in texts:
            word = next(w.strip(".") for w in text.split() if w.strip(".")[1:].isdigit())
            row = np.random.default_rng([seed, *word.encode()]).normal(size=10)
            row[0] += bias * (word[0] in "xa") - bias * (word[0] in "yb")
            rows.append(
                row + spread * np.random.default_rng([seed, *text.encode()]).normal(size=10)
            )
        return np.stack(rows)

    return us.space(encode, name="toy")


def slow(test: AssociationTest, texts: dict[str, list[str]], pages: SentenceSpace,
         picks: dict[str, Array]) -> list[tuple[float, float]]:  # fmt: skip
    """Effect size and spread of every draw, one pair of words after another."""
    found = []
    sets = {**test.targets, **test.attributes}
    for draw in range(len(picks["x"])):
        unit = {}
        for name, item in sets.items():
            for place, word in enumerate(item.words):
                row = pages.rows([texts[word][int(picks[name][draw, place])]])[0].astype(float)
                unit[word] = row / np.linalg.norm(row)
        s = [
            np.mean([unit[w] @ unit[v] for v in sets["a"].words])
            - np.mean([unit[w] @ unit[v] for v in sets["b"].words])
            for w in (*sets["x"].words, *sets["y"].words)
        ]
        sd = np.std(s, ddof=1)
        half = len(sets["x"].words)
        found.append(((np.mean(s[:half]) - np.mean(s[half:])) / sd, sd))
    return found


def dersimonian_laird(effects: list[float], variances: list[float]) -> tuple[float, float]:
    """The formulas of the paper, one at a time."""
    w = [1 / v for v in variances]
    q = sum(a * d * d for a, d in zip(w, effects, strict=True))
    q -= sum(a * d for a, d in zip(w, effects, strict=True)) ** 2 / sum(w)
    c = sum(w) - sum(a * a for a in w) / sum(w)
    tau = max(0.0, (q - (len(w) - 1)) / c)
    star = [1 / (v + tau) for v in variances]
    return sum(a * d for a, d in zip(star, effects, strict=True)) / sum(star), sum(star)


@pytest.mark.parametrize("variance", ["hedges", "published"])
def test_ceat_equals_a_slow_second_implementation(
    variance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unslant.metrics import ceat

    kept: dict[str, Array] = {}
    original = ceat.Ceat._picked

    def picked(self: ceat.Ceat, chosen: object, draws: int) -> dict[str, Array]:
        found = original(self, chosen, draws)  # type: ignore[arg-type]
        if draws == 40:
            kept.update(found)  # type: ignore[arg-type]
        return found  # type: ignore[return-value]

    monkeypatch.setattr(ceat.Ceat, "_picked", picked)
    test, pages = toy(), encoder(1, 0.8)
    found = us.measure(f"ceat(draws=40, variance={variance})", pages, test)
    templates = BLEACHED.templates
    words = [w for item in (*test.targets.values(), *test.attributes.values()) for w in item.words]
    texts = {word: [t.replace("{}", word) for t in templates] for word in words}
    draws = slow(test, texts, pages, kept)
    if variance == "published":
        variances = [sd**2 for _, sd in draws]
    else:
        variances = [2 / N + d * d / (4 * N) for d, _ in draws]
    value, weight = dersimonian_laird([d for d, _ in draws], variances)
    assert found.value == pytest.approx(value, abs=1e-6)
    if variance == "published":
        assert found.interval is not None
        half = (found.interval.high - found.interval.low) / 2
        assert half == pytest.approx(1.959964 / weight**0.5, rel=1e-5)


def test_random_effects_by_hand() -> None:
    # Two studies, 1 and 3, variance 1 each: Q = 2, τ² = (2 − 1) / (2 − 1) = 1, mean 2, Σw* = 1.
    found = combined(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    assert [float(v) for v in (found.effect, found.between, found.heterogeneity, found.weight)] == [
        2.0, 1.0, 2.0, 1.0,
    ]  # fmt: skip


def test_more_draws_do_not_make_our_interval_shorter_but_the_published_one() -> None:
    test, pages = toy(), encoder(2, 0.5)
    widths = {}
    for variance in ("hedges", "published"):
        for draws in (100, 1_600):
            found = us.measure(f"ceat(draws={draws}, variance={variance})", pages, test)
            assert found.interval is not None
            widths[variance, draws] = found.interval.high - found.interval.low
    assert widths["published", 1_600] < 0.4 * widths["published", 100]
    assert widths["hedges", 1_600] > 0.8 * widths["hedges", 100]


def test_the_published_p_claims_bias_in_noise_and_ours_does_not() -> None:
    ours = published = 0
    for seed in range(40):
        pages = encoder(seed)
        own = us.measure("ceat(draws=200)", pages, toy(5))
        theirs = us.measure("ceat(draws=200, variance=published)", pages, toy(5))
        assert own.p is not None
        assert theirs.p is not None
        assert own.p.value > 0
        assert theirs.p.value > 0
        ours += own.p.value <= 0.05
        # one-sided, so either sign would be claimed by one of the two questions
        published += min(theirs.p.value, 1 - theirs.p.value) <= 0.025
    assert ours <= 6  # 2 are expected
    assert published >= 32


def test_p_is_never_zero_even_if_the_published_one_underflows() -> None:
    found = us.measure("ceat(draws=2000, variance=published)", encoder(0, 3.0), toy())
    assert found.p is not None
    assert found.p.value > 0
    assert any("far too small" in text for text in found.warnings)


def test_contexts_come_from_a_corpus_and_words_without_any_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    words = [f"{side}{i}" for side in "xyab" for i in range(3)]
    lines = [f"It was {word} in the year {n}." for word in words for n in range(6)]
    path.write_text("\n".join(lines))
    found = us.measure(f'ceat(draws=50, corpus="{path}")', encoder(3), toy(3))
    assert found.details["fewest-contexts"] == 6
    with pytest.raises(MissingWordsError, match="x3"):
        us.measure(f'ceat(draws=50, corpus="{path}")', encoder(3), toy(4))
    policy = WordPolicy(missing="drop")
    fewer = us.measure(f'ceat(draws=50, corpus="{path}")', encoder(3), toy(4), policy)
    assert fewer.words[0].missing == ("x3",)
    assert fewer.value == pytest.approx(found.value)


def test_a_space_without_contexts_is_refused() -> None:
    with pytest.raises(UnslantError, match="whatever its context"):
        us.measure("ceat", us.load(), us.concept("gender").test("career-family"))


def test_ceat_of_a_real_model_with_sentences_of_novels() -> None:
    corpus = data_folder("corpus") / "100-english-novels.txt.xz"
    test = parse_concept(
        'name = "n"\n[tests.one]\ntargets = { kin = ["mother", "sister", "aunt", "daughter"], '
        'work = ["money", "business", "law", "trade"] }\n'
        'attributes = { she = ["she", "her", "woman"], he = ["he", "his", "man"] }\n',
        "n.toml",
    ).test("one")
    space = real_model("minilm").at("layer:2[word]")
    found = us.measure(f'ceat(draws=200, most=6, corpus="{corpus}")', space, test)
    assert found.value is not None
    assert found.value > 0.5
    assert found.details["fewest-contexts"] == 6
