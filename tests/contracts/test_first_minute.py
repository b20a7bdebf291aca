"""The calls that somebody tries first: each works, or is answered with one sentence."""

import csv
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors

import unslant as us
from unslant.probes.export import export
from unslant.probes.nli.sets import pair_set
from unslant.reports.page import page
from unslant.vectors import WordVectors

JOBS: list[Any] = [("direct-bias(neutral=occupations)", us.concept("gender"))]


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return us.load(limit=12_000)


@pytest.fixture(scope="module")
def path(vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return us.save(vectors, tmp_path_factory.mktemp("first") / "mine.safetensors")


@pytest.fixture(scope="module")
def keyed(vectors: WordVectors) -> KeyedVectors:
    made = KeyedVectors(vectors.dim)
    packed = vectors.words.packed
    words = [packed[place].decode() for place in range(len(vectors))]
    made.add_vectors(words, np.array(vectors.matrix))
    return made


def test_a_path_and_a_name_do_what_vectors_and_a_concept_do(
    vectors: WordVectors, path: Path, keyed: KeyedVectors, tmp_path: Path
) -> None:
    gender = us.concept("gender")
    for given in (path, str(path), keyed):
        for concept in ("gender", gender):
            found = us.audit(given, concept, baseline=given, jobs=JOBS).record
            assert found.resource is not None
            assert found.resource.sha256 == vectors.content_hash
            assert found.subject.name == "gender"
        assert us.measure("weat", given, gender.test("career-family")).value == pytest.approx(
            us.measure("weat", vectors, gender.test("career-family")).value
        )
        drop = us.WordPolicy(missing="drop")
        direct = us.measure("direct-bias(neutral=occupations)", given, "gender", drop)
        assert direct.value is not None
        fair = us.debias("linear", given, "gender")
        assert fair.content_hash == us.debias("linear", vectors, gender).content_hash
        assert us.debiased(given, us.fit("linear", given, "gender")).content_hash == (
            fair.content_hash
        )
        assert us.estimate(None, given, "gender").basis.shape[1] == vectors.dim
        saved = us.save(given, tmp_path / "again.safetensors")
        assert us.load(saved).content_hash == vectors.content_hash


def test_a_metric_of_a_test_names_the_tests_of_the_concept(vectors: WordVectors) -> None:
    with pytest.raises(us.UnslantError, match=r'us\.concept\("gender"\)\.test\(…\): .*career-fam'):
        us.measure("weat", vectors, "gender")


def test_keyed_vectors_are_copied_whole(keyed: KeyedVectors, vectors: WordVectors) -> None:
    loaded = us.load(keyed)
    assert loaded.content_hash == vectors.content_hash
    assert not np.shares_memory(loaded.matrix, keyed.vectors)
    assert len(us.load(keyed, limit=10)) == 10


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"vectors": np.ones((1, 3))}, "2 words and a matrix of shape"),
        ({"vectors": np.full((2, 3), np.nan)}, "not finite"),
        ({"vectors": np.full((2, 3), 1e39)}, "not finite"),
        ({"index_to_key": ["a", 5]}, "key 5"),
        ({"index_to_key": ["a", ""]}, "cannot have a vector"),
        ({"index_to_key": []}, "0 words"),
    ],
)
def test_keyed_vectors_are_checked_like_a_file(change: dict[str, Any], says: str) -> None:
    good = {"index_to_key": ["a", "b"], "vectors": np.ones((2, 3))}
    assert len(us.load(SimpleNamespace(**good))) == 2
    with pytest.raises(us.UnslantError, match=says):
        us.load(SimpleNamespace(**good | change))


GENDER = us.concept("gender")
SWAPPED: list[tuple[Callable[[WordVectors], object], str]] = [
    (lambda v: us.audit(GENDER, v), "vectors come before the concept"),  # type: ignore[arg-type]
    (lambda v: us.audit("gender", v), "vectors come before the concept"),  # type: ignore[arg-type]
    (lambda v: us.audit(v, v), "Expected a concept"),  # type: ignore[arg-type]
    (lambda v: us.audit(None, GENDER), "Expected word vectors"),  # type: ignore[arg-type]
    (lambda v: us.measure(v, "weat", GENDER), "Name the metric first"),  # type: ignore[arg-type]
    (lambda v: us.measure("direct-bias", GENDER, v), "Expected a concept"),  # type: ignore[arg-type]
    (lambda v: us.debias(v, "hard", GENDER), "Expected a method expression"),  # type: ignore[call-overload]
    (lambda v: us.debias("hard", GENDER, v), "Expected a concept"),  # type: ignore[call-overload]
    (lambda v: us.debiased(v, "hard"), "us.debias"),  # type: ignore[arg-type]
    (lambda v: us.estimate(None, GENDER, v), "Expected a concept"),  # type: ignore[arg-type]
    (lambda v: us.load(limit="x"), "at least 1 word"),
    (lambda v: us.save(v, 5), "path of a file to write"),  # type: ignore[arg-type]
    (lambda v: us.concept("gender").test(5), "No test of gender"),  # type: ignore[arg-type]
    (lambda v: us.estimate(5, v, GENDER), "Name the estimator first"),  # type: ignore[arg-type]
    (lambda v: us.Eraser.load(5), "path of an eraser file"),  # type: ignore[arg-type]
    (lambda v: us.measure("direct-bias", v, GENDER, "drop"), "such as us.WordPolicy"),  # type: ignore[arg-type]
    (lambda v: us.load(5), "not int"),
    (lambda v: us.load(SimpleNamespace(wv=1)), r"us\.load\(model\.wv\)"),
    (lambda v: us.probe("nli"), "Name the vectors"),
    (lambda v: us.probe("nli", v, model=5), "int has none"),
    (lambda v: us.probe("nli", GENDER), "Expected word vectors"),
    (lambda v: us.probe(v, "nli"), "Name the probe first"),  # type: ignore[arg-type]
    (lambda v: us.measure("nli", v), "nli is a probe"),
    (lambda v: us.audit(v, GENDER, "drop"), r"us\.WordPolicy"),  # type: ignore[arg-type]
    (lambda v: us.audit(v, GENDER, jobs=["weat"]), "jobs takes pairs"),  # type: ignore[list-item]
    (lambda v: us.probe("nli", v, questions=5), "Expected a set of questions"),
    (lambda v: us.probe("nli", v, controls="x"), "at least 0, not 'x'"),  # type: ignore[arg-type]
    (lambda v: us.probe("nli", v, scores=5), "path of a file of answers"),  # type: ignore[arg-type]
    (lambda v: us.probe("nli", v, retraining=5), "training data"),  # type: ignore[arg-type]
    (lambda v: us.probe("nli", v, policy="drop"), r"us\.WordPolicy"),  # type: ignore[arg-type]
    (lambda v: us.study(v), "path of a plan"),  # type: ignore[arg-type]
    (lambda v: us.list([]), "No kind of list"),  # type: ignore[arg-type]
    (lambda v: us.concept(["he", "she"]), r"at least two groups.*us\.test"),
    (lambda v: us.concept({"a": ["he"]}), r"at least two groups.*us\.test"),
    (lambda v: us.measure("WEATS", v, GENDER), 'Did you mean "weat"'),
    (lambda v: us.fit("hard-debias", v, GENDER), 'Did you mean "hard"'),
    (lambda v: us.fit("Hard_Debias", v, GENDER), 'Did you mean "hard"'),
    (lambda v: us.estimate("PAIR_PCAS", v, GENDER), 'Did you mean "pair-pca"'),
    (lambda v: us.probe("STEREOSETS", v), 'Did you mean "stereoset"'),
    (lambda v: us.concept("GENDERS"), 'Did you mean "gender"'),
    (lambda v: us.concept("x" * 100_000), 'is called "x{100}…"'),
    (lambda v: us.load("org/model"), "fetch it first with: hf download org/model --local-dir"),
    (lambda v: us.load("no-such-model"), "hf download no-such-model --local-dir DIR"),
    (lambda v: us.load("org/model@layer:-1"), "hf download org/model --local-dir DIR"),
    (lambda v: us.load("hf://org/model"), r"There is no file or folder hf://org/model\..*hf down"),
    (lambda v: us.load("https://example.org/v.txt"), "no file https://example.org/v.txt. Download"),
    (lambda v: us.load("org/vectors.txt"), r"There is no file org/vectors\.txt\. Check"),
]


@pytest.mark.parametrize(("call", "says"), SWAPPED)
def test_what_cannot_work_is_answered_with_one_sentence(
    vectors: WordVectors, call: Callable[[WordVectors], object], says: str
) -> None:
    with pytest.raises(us.UnslantError, match=says):
        call(vectors)


class ByLength:
    """A model of one's own: the longer the premise, the more neutral."""

    def __init__(self) -> None:
        self.asked = 0

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Any:
        self.asked += len(premises)
        neutral = np.array([1 - 1 / len(premise) for premise in premises])
        return np.stack([(1 - neutral) / 2, neutral, (1 - neutral) / 2], axis=1)


def test_any_object_with_predict_is_an_inference_model(
    vectors: WordVectors, tmp_path: Path
) -> None:
    pairs = pair_set("gender-occupation", contexts=3, seed=1)
    model = ByLength()
    expression = "nli(contexts=3, seed=1, resamples=20)"
    probe = us.probe(expression, model)
    record: Any = probe.record
    assert model.asked == len(pairs) == record.subject.facts["pairs"]
    by_hand = np.mean([1 - 1 / len(premise) for premise, _ in pairs.grid.pairs()])
    assert probe.measurements[0].value == pytest.approx(float(by_hand), abs=1e-6)
    assert (record.resource.name, record.resource.kind) == ("ByLength", "model")
    assert probe.measurements[0].inputs["model"] == "ByLength"
    assert f"We asked ByLength {len(pairs):,} pairs of sentences" in page(probe.record)
    assert "ByLength" in repr(probe)
    assert probe.save(tmp_path / "probe.json").exists()

    fewer: Any = us.probe(expression, vectors.head(3_000), model=model).record
    assert fewer.subject.facts["missing-premises"]
    assert fewer.resource.name == "ByLength", "the vectors only say which words are asked"


@pytest.mark.parametrize("more", [{"method": "hard"}, {"method": "hard", "compare": True}])
def test_a_model_that_reads_no_vectors_cannot_show_debiasing(
    vectors: WordVectors, more: dict[str, Any]
) -> None:
    with pytest.raises(us.UnslantError, match="does not read the vectors"):
        us.probe("nli", vectors, model=ByLength(), **more)


def test_answers_made_elsewhere_give_what_the_model_gives(tmp_path: Path) -> None:
    questions = pair_set("sirt", contexts=2)
    export(questions, tmp_path / "asked.csv")
    with (tmp_path / "asked.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    found = ByLength().predict(
        [row["premise"] for row in rows], [row["hypothesis"] for row in rows]
    )
    with (tmp_path / "answered.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*rows[0], "entailment", "neutral", "contradiction"])
        writer.writerows(
            [*row.values(), *answer] for row, answer in zip(rows, found.tolist(), strict=True)
        )
    expression = "nli(set=sirt, contexts=2, resamples=5)"
    given: Any = us.probe(expression, scores=tmp_path / "answered.csv").record
    asked: Any = us.probe(expression, ByLength()).record
    assert [item.now.value for item in given.results] == [item.now.value for item in asked.results]
    assert (given.resource.kind, given.resource.name) == ("scores", "answered.csv")


def test_gensim_gets_the_vectors_back(vectors: WordVectors) -> None:
    keyed = vectors.to_gensim()
    assert keyed.index_to_key == list(vectors.words)
    assert np.array_equal(keyed["she"], vectors["she"])
    assert us.load(keyed).content_hash == vectors.content_hash


def test_a_study_runs_from_python_and_opens_again(tmp_path: Path) -> None:
    plan = tmp_path / "small.toml"
    plan.write_text(
        '[resources]\nslice = { path = "builtin", limit = 8000 }\n'
        '[methods]\noriginal = ""\nlinear = "linear"\n'
        '[measures]\nDB = "direct-bias(neutral=occupations)"\n'
        '[[matrix]]\nconcept = "gender"\n'
    )
    done = us.study(plan)
    assert done.record.study is not None
    assert done.record.study.status.is_complete
    assert us.study(tmp_path / "small").record == done.record


def test_without_a_kind_the_kinds_are_listed() -> None:
    assert [len(us.list(kind)) > 0 for kind in us.list()] == [True] * 8


def test_a_list_that_is_looked_for_as_a_function_is_named() -> None:
    code = "import unslant as us\ntry: us.metrics()\nexcept AttributeError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "unslant has no 'metrics'. To list the metrics: us.list('metrics')\n"
