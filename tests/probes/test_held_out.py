"""Held-out text: exact for models made by hand, alike from Python and the command line."""

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.command_line import json_of, unslant
from tests.real_models import real_model
from unslant.core.errors import FileFormatError, UnslantError
from unslant.core.record import Record
from unslant.measures.setting import Setting
from unslant.predictors.protocols import MASK
from unslant.probes.held_out.masked_accuracy import MaskedAccuracy
from unslant.probes.held_out.perplexity import Perplexity
from unslant.probes.held_out.text import HeldOutText, held_out
from unslant.reports.page import page

TEXT = HeldOutText(name="by-hand", sentences=("a b", "a b b", "b a"))
BIGRAMS = {("", "a"): 0.5, ("", "b"): 0.25, ("a", "b"): 0.5, ("b", "b"): 0.125, ("b", "a"): 0.25}


class Bigram:
    """p(word | the word before it), from a table."""

    def __init__(self, table: dict[tuple[str, str], float]) -> None:
        self.table = table

    def log_likelihood(self, texts: Sequence[str]) -> list[float]:
        found = []
        for text in texts:
            words = ["", *text.split()]
            found.append(sum(math.log(self.table[pair]) for pair in pairwise(words)))
        return found

    def pieces(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class Uniform:
    """Every word is one of so many that are equally likely."""

    def __init__(self, size: int) -> None:
        self.size = size

    def log_likelihood(self, texts: Sequence[str]) -> list[float]:
        return [-len(text.split()) * math.log(self.size) for text in texts]


class Knows:
    """Recovers the words it knows."""

    def __init__(self, *words: str) -> None:
        self.words, self.asked = words, list[tuple[str, str]]()

    def recovers(self, texts: Sequence[str], fillers: Sequence[str]) -> list[float]:
        self.asked += zip(texts, fillers, strict=True)
        return [float(word.lower() in self.words) for word in fillers]


def values(record: Record) -> dict[str, float | None]:
    return {item.now.metric: item.now.value for item in record.results}


def test_a_bigram_model_has_the_perplexity_worked_by_hand() -> None:
    # a b: 1/2 · 1/2; a b b: 1/2 · 1/2 · 1/8; b a: 1/4 · 1/4: together 2^-11 over 7 words.
    record = us.probe("perplexity", Bigram(BIGRAMS), questions=TEXT).record
    assert values(record)["perplexity"] == pytest.approx(2 ** (11 / 7), rel=1e-12)
    assert values(record)["perplexity-per-word"] == pytest.approx(2 ** (11 / 7), rel=1e-12)
    [now, _] = (item.now for item in record.results)
    assert now.details["log-likelihood"] == pytest.approx(-11 * math.log(2))
    assert now.details["pieces"] == 7
    assert now.better == "smaller"


@pytest.mark.parametrize("size", [2, 50, 30_000])
def test_equal_chances_have_their_number_as_perplexity(size: int) -> None:
    record = us.probe("perplexity", Uniform(size)).record
    assert values(record)["perplexity-per-word"] == pytest.approx(size, rel=1e-9)
    [per_piece] = [item.now for item in record.results if item.now.metric == "perplexity"]
    assert per_piece.value is None
    assert "does not say how many pieces" in per_piece.why_undefined


def test_a_worse_model_is_worse_with_an_interval_on_the_same_sentences() -> None:
    class Noisy(Uniform):
        def log_likelihood(self, texts: Sequence[str]) -> list[float]:
            plain = super().log_likelihood(texts)
            return [
                value - 0.5 - 0.01 * len(text) for value, text in zip(plain, texts, strict=True)
            ]

    record = us.probe("perplexity", Noisy(50), baseline=Uniform(50)).record
    [result] = [item for item in record.results if item.now.metric == "perplexity-per-word"]
    assert result.before is not None
    assert result.before.value == pytest.approx(50)
    assert result.change is not None
    assert result.change.interval is not None
    assert result.change.interval.low > 0
    assert result.change.verdict == "worse"
    assert record.baseline is not None
    assert record.baseline.name == "Uniform"


def test_a_baseline_is_for_models_only() -> None:
    with pytest.raises(UnslantError, match="A baseline is a model to compare a model with"):
        us.probe("nli", us.load(limit=100), baseline=Uniform(2))


def test_the_order_of_sentences_does_not_matter() -> None:
    turned = HeldOutText(name="by-hand", sentences=TEXT.sentences[::-1])
    found = [
        values(us.probe("perplexity", Bigram(BIGRAMS), questions=text).record)["perplexity"]
        for text in (TEXT, turned)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_masked_accuracy_is_the_share_of_recovered_words() -> None:
    text = HeldOutText(name="by-hand", sentences=("The dog barks.", "The cat, the dog!"))
    model = Knows("the", "dog")
    record = us.probe("masked-accuracy(words=9)", model, questions=text).record
    assert values(record) == {"masked-accuracy": pytest.approx(5 / 7)}
    assert model.asked[0] == (f"{MASK} dog barks.", "The")
    assert model.asked[4] == (f"The {MASK}, the dog!", "cat")
    assert len(model.asked) == 7


def test_masks_are_drawn_by_the_seed_and_the_sentence_alone() -> None:
    one, other = MaskedAccuracy(), MaskedAccuracy(seed=1)
    sentences = held_out("plain-english").sentences
    drawn = [one.gaps(sentence) for sentence in sentences]
    assert drawn == [MaskedAccuracy().gaps(sentence) for sentence in sentences[::-1]][::-1]
    assert drawn != [other.gaps(sentence) for sentence in sentences]
    for sentence, gaps in zip(sentences, drawn, strict=True):
        assert len(gaps) == 4
        assert all(text.replace(MASK, word) == sentence for text, word in gaps)


def test_sentences_of_one_length_are_masked_in_different_places() -> None:
    made = MaskedAccuracy(words=1)
    gaps = [made.gaps(f"One two three four five {word}.") for word in ("six", "ten", "cat", "dog")]
    assert len({gap[0][1] for gap in gaps}) > 1


def test_words_keep_their_apostrophes_and_hyphens() -> None:
    gaps = MaskedAccuracy(words=9).gaps("Don't eat 3 well-known naïve pies_!")
    assert [word for _, word in gaps] == ["Don't", "eat", "well-known", "naïve", "pies"]


def test_the_bundled_text_is_sixty_different_sentences() -> None:
    text = held_out("plain-english")
    assert len(set(text.sentences)) == len(text) == 60
    assert all(sentence[0].isupper() and sentence[-1] == "." for sentence in text.sentences)


def test_a_file_of_the_user_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("One line.\n\n  Another line here. \n", encoding="utf-8")
    assert held_out(str(path)).sentences == ("One line.", "Another line here.")
    record = us.probe(f'perplexity(text="{path}")', Uniform(7)).record
    assert record.subject.name == "mine.txt"
    assert values(record)["perplexity-per-word"] == pytest.approx(7)


@pytest.mark.parametrize("content", [None, b"", b"Only one.\n", b"\xff\xfe\n\n"])
def test_a_text_that_cannot_be_used_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "mine.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"mine\.txt (cannot be read|has [01] sentences)"):
        held_out(str(path))


@pytest.mark.parametrize("answer", [[0.5] * 60, [-1.0], [math.nan] * 60, [-math.inf] * 60])
def test_answers_that_are_no_logarithms_are_refused(answer: list[float]) -> None:
    class Wrong:
        def log_likelihood(self, texts: Sequence[str]) -> list[float]:
            return answer

    with pytest.raises(UnslantError, match=r"Wrong\.log_likelihood gave"):
        us.probe("perplexity", Wrong())


def test_controls_need_values_only() -> None:
    found = Perplexity().run(Bigram(BIGRAMS), TEXT, Setting(values_only=True))
    assert found.measurements[0].value == pytest.approx(2 ** (11 / 7))
    assert found.measurements[0].draws is None
    [share] = MaskedAccuracy().run(Knows("a"), TEXT, Setting(values_only=True)).measurements
    assert share.value == pytest.approx(3 / 7)


def test_answers_made_elsewhere_give_the_same_from_the_command_line(tmp_path: Path) -> None:
    unslant("probe", "perplexity", "--export", "asked.csv", cwd=tmp_path)
    lines = (tmp_path / "asked.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 61
    scored = [f"{lines[0]},log_likelihood"]
    for line in lines[1:]:
        scored.append(f"{line},{-len(line.strip(chr(34)).split()) * math.log(9)!r}")
    (tmp_path / "answers.csv").write_text("\n".join(scored), encoding="utf-8")
    record = json_of("probe", "perplexity", "--scores", "answers.csv", "--json", cwd=tmp_path)
    found = {item["now"]["metric"]: item["now"]["value"] for item in record["results"]}
    assert found["perplexity-per-word"] == pytest.approx(9)


def test_a_page_can_be_drawn_of_it() -> None:
    record = us.probe("masked-accuracy", Knows("the", "a", "of")).record
    assert "Masked words of plain-english guessed" in page(record)


def test_a_model_without_its_head_gives_no_score_and_fails(tmp_path: Path) -> None:
    folder = str(real_model("minilm"))
    for name, said in (("masked-accuracy", "no masked head"), ("perplexity", "no causal head")):
        done = unslant("probe", name, folder, "--record", "r.json", "--json", cwd=tmp_path, code=2)
        assert said in done.stderr
        assert done.stdout == ""
        assert not (tmp_path / "r.json").exists()


def test_a_study_asks_the_model_in_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from tests.models.language.with_heads import saved

    saved(tmp_path / "llama", "llama")
    (tmp_path / "few.txt").write_text("the nurse sat down .\nhe was here .\n", encoding="utf-8")
    text = tmp_path / "few.txt"
    asked = f'probe = "perplexity", measure = "perplexity", text = "{text}", model = "llama"'
    plan = f'name = "p"\n[resources]\nslice = "builtin"\n[measures]\nPPL = {{ {asked} }}\n'
    plan += '[[matrix]]\nconcept = "gender"\nresources = ["slice"]\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    unslant("study", "run", "plan.toml", "-o", "out", cwd=tmp_path)
    shown = unslant("export", "table", "out", cwd=tmp_path).stdout
    record = us.probe(f'perplexity(text="{text}")', tmp_path / "llama").record
    assert f"{values(record)['perplexity']:.1f}" in shown


def test_a_method_acts_in_a_language_model_that_is_probed(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from tests.models.language.with_heads import saved

    folder = saved(tmp_path / "llama", "llama")
    (tmp_path / "few.txt").write_text("she is a nurse .\nhe was here .\n", encoding="utf-8")
    asked = f'perplexity(text="{tmp_path / "few.txt"}")'
    found = us.probe(asked, folder, method="linear@layer:-1", concept="gender", compare=True)
    change = found.record.results[0].change
    assert change is not None
    assert change.difference
    with pytest.raises(UnslantError, match="Say where"):
        us.probe(asked, folder, method="linear", concept="gender")


def test_a_bert_with_its_head_is_asked_from_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from tests.models.language.with_heads import saved

    saved(tmp_path / "bert", "bert")
    (tmp_path / "few.txt").write_text("the nurse sat down .\nhe was here .\n", encoding="utf-8")
    how = ("--text", "few.txt", "--baseline", "bert", "--json")
    record = json_of("probe", "masked-accuracy", "bert", *how, cwd=tmp_path)
    [result] = record["results"]
    assert 0 <= result["now"]["value"] <= 1
    assert result["change"]["difference"] == 0
    assert record["resource"]["facts"]["head"] == "masked"
    done = unslant("probe", "perplexity", "bert", cwd=tmp_path, code=2)
    assert "reads a text in both directions" in done.stderr


def test_smollm2_is_measured_before_and_after_and_an_empty_eraser_changes_nothing(
    tmp_path: Path,
) -> None:
    from tests.models.language.with_heads import without_direction, without_nothing

    path = tmp_path / "few.txt"
    path.write_text("\n".join(held_out("plain-english").sentences[:6]), encoding="utf-8")
    model = us.load(real_model("smollm2"))
    expression = f'perplexity(text="{path}")'
    before = us.probe(expression, model).record
    same = us.probe(expression, without_nothing(model, "layer:-1")).record
    assert values(same) == values(before)
    changed = us.probe(expression, without_direction(model, "layer:-1"), baseline=model).record
    for result in changed.results:
        assert result.before is not None
        assert result.before.value == values(before)[result.now.metric]
        assert result.now.value != result.before.value
        assert result.change is not None
        assert result.change.interval is not None
    assert changed.resource is not None
    assert changed.resource.facts["head"] == "causal"
    value = values(before)["perplexity"]
    assert value is not None
    assert 1 < value < np.exp(8)
