"""LPBS and CBS: models with known probabilities, tiny networks, others' faults."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.command_line import unslant
from tests.probes.likelihood.known_models import Known, plain
from unslant.core.errors import UnslantError
from unslant.probes.cbs.probe import cbs_questions, cbs_sets
from unslant.probes.likelihood.asking import associations, filled
from unslant.probes.lpbs.probe import lpbs_questions
from unslant.studies.checks import NothingMeasuredError
from unslant.studies.probe import probe

TEST = lpbs_questions("gender/career-family")
(_, MEN), (_, WOMEN) = TEST.targets
(_, CAREER), (_, FAMILY) = TEST.attribute_sets


def words_of(text: str) -> set[str]:
    return set(plain(text).lower().replace(".", "").split())


def stereotyped(strength: float, frequent: float = 0.0) -> Known:
    """log p(name | attribute) − log p(name) is ``strength`` for the stereotype, else 0."""
    men, women = ({word.lower() for word in words} for words in (MEN, WOMEN))
    career, family = ({word.lower() for word in words} for words in (CAREER, FAMILY))

    def answer(text: str) -> float:
        here = words_of(text)
        is_man = bool(here & men)
        fits = (is_man and here & career) or (here & women and here & family)
        return -10 + (strength if fits else 0) + (frequent if is_man else 0)

    return Known(answer)


def test_the_marked_word_is_the_target_and_the_gap_is_the_attributes() -> None:
    template = "{target} likes {attribute}."
    assert filled(template, "he", "maths", "target") == "[[He]] likes maths."
    assert filled(template, "he", "[MASK]", "target") == "[[He]] likes [MASK]."
    assert filled(template, "he", "maths", "attribute") == "He likes [[maths]]."
    assert filled("The {target} is {attribute}.", "Muslim", "kind", "target").startswith("The [[")
    said_twice = filled(
        "{target} says that {target}".replace(" {target}", " he"), "he", "x", "target"
    )
    assert said_twice == "[[He]] says that he"


def test_the_association_is_the_logarithm_less_the_prior() -> None:
    logs = {
        "[[He]] likes maths.": -1.0, "[[She]] likes maths.": -3.0, "[[He]] likes art.": -2.0,
        "[[She]] likes art.": -2.5, "[[He]] likes [MASK].": -1.5, "[[She]] likes [MASK].": -2.25,
    }  # fmt: skip
    found = associations(
        Known(logs.__getitem__),
        ["{target} likes {attribute}."],
        ["he", "she"],
        ["maths", "art"],
        side="target",
        masking="words",
    )
    assert found[:, :, 0].tolist() == [[0.5, -0.5], [-0.75, -0.25]]


def test_lpbs_finds_the_planted_stereotype_and_ignores_frequency() -> None:
    for frequent in (0.0, 5.0):
        found = probe("lpbs", stereotyped(2.0, frequent - 5)).record
        by_name = {result.now.metric: result.now for result in found.results}
        assert by_name["lpbs"].details["difference"] == pytest.approx(4.0)
        assert by_name["lpbs-excess-career"].value == pytest.approx(2.0)
        assert by_name["lpbs-excess-family"].value == pytest.approx(-2.0)
        assert by_name["lpbs"].p is not None
        assert by_name["lpbs"].p.how == "exact"
        assert by_name["lpbs"].p.value < 0.001


def test_lpbs_is_the_standardised_difference() -> None:
    rng = np.random.default_rng(0)
    noise: dict[str, float] = {}

    def answer(text: str) -> float:
        return -20 + noise.setdefault(text, float(rng.normal()))

    model = Known(answer)
    found = probe("lpbs", model).record.results[0].now

    def score(attribute: str) -> float:
        means = [
            np.mean(
                [
                    noise[filled(template, name, attribute, "target")]
                    - noise[filled(template, name, "[MASK]", "target")]
                    for name in names
                    for template in TEST.templates
                ]
            )
            for names in (MEN, WOMEN)
        ]
        return float(means[0] - means[1])

    first, second = ([score(word) for word in words] for words in (CAREER, FAMILY))
    wanted = (np.mean(first) - np.mean(second)) / np.std([*first, *second], ddof=1)
    assert found.value == pytest.approx(wanted)
    assert found.interval is not None
    assert found.interval.low <= wanted <= found.interval.high


def test_a_decoder_scores_the_attribute_and_gets_the_same_differences() -> None:
    """A joint table of probabilities: Bayes' rule makes both ways one."""
    rng = np.random.default_rng(1)
    targets, attributes = ["He", "She"], ["maths", "art", "tea"]
    joint = rng.dirichlet(np.ones(6)).reshape(2, 3)

    def masked(text: str) -> float:
        t = next(n for n, target in enumerate(targets) if f"[[{target}]]" in text)
        known = [n for n, attribute in enumerate(attributes) if attribute in text]
        column = joint[:, known[0]] if known else joint.sum(axis=1)
        return math.log(column[t] / column.sum())

    def decoder(text: str) -> float:
        t = next(n for n, target in enumerate(targets) if text.startswith(target))
        a = next(n for n, attribute in enumerate(attributes) if attribute in text)
        return math.log(joint[t, a] / joint[t].sum())

    asked: dict[str, Any] = {
        "templates": ["{target} likes {attribute}."],
        "targets": targets,
        "attributes": attributes,
        "masking": "words",
    }
    one = associations(Known(masked), side="target", **asked)[:, :, 0]
    other = associations(Known(decoder), side="attribute", **asked)[:, :, 0]
    assert one[0] - one[1] == pytest.approx(other[0] - other[1])
    assert one.var(axis=0) == pytest.approx(other.var(axis=0))


def test_a_decoder_is_asked_without_gaps() -> None:
    rng = np.random.default_rng(2)
    noise: dict[str, float] = {}
    model = Known(lambda text: -9 + noise.setdefault(text, float(rng.normal())), is_causal=True)
    probe("lpbs", model)
    probe("cbs(groups=religion)", model)
    assert not any("[MASK]" in text for text in model.asked)
    assert all(text.endswith("]].") for text in model.asked)


def test_cbs_is_the_mean_variance_over_groups() -> None:
    rng = np.random.default_rng(3)
    asked = cbs_questions("religion")
    noise: dict[str, float] = {}

    def answer(text: str) -> float:
        return -9 + noise.setdefault(text, 0.1 * float(rng.normal()))

    found = {
        r.now.metric: r.now.value
        for r in probe("cbs(groups=religion)", Known(answer)).record.results
    }

    def variance(attribute: str) -> float:
        every = [
            np.var(
                [
                    noise[filled(template, group, attribute, "target")]
                    - noise[filled(template, group, "[MASK]", "target")]
                    for group in asked.groups
                ]
            )
            for template in asked.templates
        ]
        return float(np.mean(every))

    loaded, neutral = (
        np.mean([variance(a) for a in words]) for words in (asked.loaded, asked.neutral)
    )
    assert found["cbs"] == pytest.approx(loaded)
    assert found["cbs-control"] == pytest.approx(neutral)
    assert found["cbs-excess"] == pytest.approx(loaded - neutral)


def test_groups_that_are_merely_frequent_have_no_cbs() -> None:
    model = Known(lambda text: -9.0 - len(text.split("[[")[1].split("]]")[0]))
    with pytest.raises(NothingMeasuredError, match="same association with every attribute"):
        probe("cbs(groups=race)", model)


def test_a_group_of_several_pieces_counts_as_a_word_or_as_published() -> None:
    for scoring, masking in (("words", "words"), ("published", "span")):
        model = Known(lambda text: -9 - len(text) % 7)
        probe(f"cbs(groups=race, scoring={scoring})", model)
        probe(f"lpbs(scoring={scoring})", model)
        assert model.maskings == {masking}


def test_a_tiny_network_gives_what_plain_transformers_gives(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tests.models.language.with_heads import saved
    from unslant.models.language.model import load_transformer
    from unslant.predictors.protocols import Likelihood

    model = load_transformer(saved(tmp_path / "bert", "bert"))
    known = model.tokens.vocabulary
    network = transformers.AutoModelForMaskedLM.from_pretrained(model.folder.path).eval()

    def log(ids: list[int], place: int, piece: int) -> float:
        with torch.inference_mode():
            return float(
                network(input_ids=torch.tensor([ids])).logits[0, place].log_softmax(-1)[piece]
            )

    def by_hand(target: list[str], attribute: list[str]) -> float:
        pieces = [known[piece] for piece in target]
        rest = [known["was"], *(known.get(piece, 4) for piece in attribute), known["."], 2]
        logs = 0.0
        for n, piece in enumerate(pieces):
            hidden = [4] * (len(pieces) - n)
            logs += log([1, *pieces[:n], *hidden, *rest], 1 + n, piece)
        return logs

    found = associations(
        model.predictor(Likelihood),
        ["{target} was {attribute} ."],
        ["nurse", "doctorly", "he"],
        ["tired", "hereer"],
        side="target",
        masking="words",
    )[:, :, 0]
    wanted = [
        [
            by_hand(target, attribute) - by_hand(target, ["[MASK]"])
            for attribute in (["tired"], ["here", "##er"])
        ]
        for target in (["nurse"], ["doctor", "##ly"], ["he"])
    ]
    assert found == pytest.approx(np.array(wanted), abs=1e-5)


def test_tests_and_groups_are_found_by_name() -> None:
    assert set(cbs_sets()) == {"nationality", "religion", "race"}
    assert all(len(cbs_questions(name).groups) > 2 for name in cbs_sets())
    with pytest.raises(UnslantError, match="set of groups"):
        cbs_questions("height")
    with pytest.raises(UnslantError, match="Name a concept and one of its tests"):
        lpbs_questions("career-family")
    with pytest.raises(UnslantError, match="test of gender"):
        lpbs_questions("gender/height")


def test_the_commands_export_and_read_answers(tmp_path: Path) -> None:
    sheet, answers = tmp_path / "asked.jsonl", tmp_path / "answers.jsonl"
    unslant("probe", "lpbs", "--export", str(sheet), cwd=tmp_path)
    rows = [json.loads(line) for line in sheet.read_text(encoding="utf-8").splitlines()]
    model = stereotyped(1.0)
    lines = [{**row, "log_likelihood": model.answer(row["text"])} for row in rows]
    answers.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = unslant("probe", "lpbs", "--scores", str(answers), "--json", cwd=tmp_path)
    found = json.loads(done.stdout)["results"][0]["now"]
    assert found["details"]["difference"] == pytest.approx(2.0)
    unslant("list", "probes", "cbs", cwd=tmp_path)
    unslant("probe", "aul", "--help", cwd=tmp_path)
