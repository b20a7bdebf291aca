"""WinoBias: published clusters give their accuracies, and a resolver of accuracy a scores a."""

import csv
import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import unslant as us
from experiments.null_worlds import (
    World,
    claims,
    occupations_and_pronouns,
    people_and_pronouns,
)
from tests.command_line import json_of, unslant
from tests.language_models import data_folder
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Examples, Shares, Table
from unslant.core.measurement import Measurement
from unslant.datasets.coreference.conll2012 import read_file
from unslant.datasets.coreference.document import Clusters, CorefDocument
from unslant.measures.coreference_scores import CorefScores
from unslant.measures.setting import Setting
from unslant.predictors.coreference import checked_clusters
from unslant.probes.winobias.probe import WinoBias
from unslant.probes.winobias.sentences import (
    ANTI,
    BOTH,
    OTHER,
    PRO,
    RIGHT,
    UNRESOLVED,
    outcome_of,
    sentence_pairs,
)
from unslant.studies.record import Recorded

Words = tuple[str, ...]
NAMES = {
    (f"type{n}", version): f"bert-type{n}_{version}.json.gz"
    for n in (1, 2)
    for version in (ANTI, PRO)
}


class Known:
    """Gives clusters by the words of a sentence."""

    def __init__(self, clusters: dict[Words, Clusters]) -> None:
        self.clusters, self.asked = clusters, list[Words]()

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        self.asked += map(tuple, documents)
        return [self.clusters[tuple(words)] for words in documents]


def golden(kind: str, version: str) -> list[tuple[Words, Clusters, Clusters]]:
    """Words, true clusters and those that a BERT system predicted, as spans of words."""
    path = data_folder("golden/winobias") / NAMES[kind, version]
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        lines = stream.read().strip().split("\n")
    documents = json.loads(lines[0]) if lines[0].startswith("[") else list(map(json.loads, lines))
    found = []
    for one in documents:
        place = one["subtoken_map"]
        sides = [
            tuple(tuple((place[a], place[b] + 1) for a, b in cluster) for cluster in one[side])
            for side in ("clusters", "predicted_clusters")
        ]
        found.append((tuple(one["tokens"]), *sides))
    return found  # type: ignore[return-value]


@pytest.fixture(scope="module")
def bert() -> Known:
    return Known({words: said for key in NAMES for words, _, said in golden(*key)})


def values(found: Sequence[Measurement]) -> dict[str, float | None]:
    return {one.metric: one.value for one in found}


@pytest.fixture(scope="module")
def found(bert: Known) -> Recorded:
    return us.probe("winobias", model=bert)


def test_published_clusters_give_their_accuracies(found: Recorded) -> None:
    # peers print 2a / (1 + a) of another rule; here all true mentions must be in one cluster
    expected = {"type1": (0.7652, 0.3838), "type2": (0.8586, 0.6869)}
    for kind, (pro, anti) in expected.items():
        of = values(found.measurements)
        assert of[f"winobias-accuracy-{kind}-pro"] == pytest.approx(pro, abs=5e-5)
        assert of[f"winobias-accuracy-{kind}-anti"] == pytest.approx(anti, abs=5e-5)
        gap = of[f"winobias-difference-{kind}"]
        assert gap == pytest.approx(pro - anti, abs=1e-4)
        assert of[f"winobias-mean-{kind}"] == pytest.approx((pro + anti) / 2, abs=1e-4)


def test_the_rule_of_the_authors_gives_the_printed_figures() -> None:
    # The start of the first mention of the first cluster only, and F1 = 2a / (1 + a).
    printed = {
        ("type1", ANTI): (0.3611, 53.06),
        ("type1", PRO): (0.7576, 86.21),
        ("type2", ANTI): (0.6869, 81.44),
        ("type2", PRO): (0.8763, 93.41),
    }
    for key, (accuracy, f1) in printed.items():
        rows = golden(*key)
        right = [bool(said) and min(said[0])[0] == min(true[0])[0] for _, true, said in rows]
        share = sum(right) / len(right)
        assert share == pytest.approx(accuracy, abs=5e-5), key
        assert 100 * 2 * share / (1 + share) == pytest.approx(f1, abs=5e-3), key


def test_sentences_and_mentions_are_those_of_the_conll_files() -> None:
    folder = data_folder("winobias/conll")
    for kind in ("type1", "type2"):
        pairs = sentence_pairs("dev", (kind,)).items
        assert len(pairs) == 396
        for n, (version, ending) in enumerate(((PRO, "stereotype"), (ANTI, "not_stereotype"))):
            path = folder / f"dev_{kind}_{version}_stereotype.v4_auto_conll"
            known = {one.name: one for one in read_file(path)}
            for pair in pairs:
                one = pair.versions[n]
                other = known[f"nw/dev_{kind}/{ending}//{int(one.name) - 1}"]
                assert one.words == other.words
                assert {frozenset(c) for c in other.clusters} == {frozenset(one.clusters[0])}


def test_both_occupations_of_every_sentence_are_found() -> None:
    pairs = sentence_pairs("dev").items
    assert all(other is not None for pair in pairs for other in pair.others)


def resolver(right: Callable[[CorefDocument, str], bool]) -> Known:
    """Links the true mentions if ``right``, else the pronouns to the other occupation."""
    known: dict[Words, Clusters] = {}
    for pair in sentence_pairs("dev").items:
        for n, version in enumerate((PRO, ANTI)):
            one, other = pair.versions[n], pair.others[n]
            wrong = (other, *sorted(one.clusters[0])[1:])
            known[one.words] = (one.clusters[0] if right(one, version) else wrong,)
    return Known(known)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_a_resolver_of_accuracy_a_scores_a(share: float) -> None:
    rng = random.Random(4)
    data_folder("winobias")
    pairs = sentence_pairs("dev").items
    words = {one.words for pair in pairs for one in pair.versions if rng.random() < share}
    model = resolver(lambda one, _: one.words in words)
    found = WinoBias(resamples=0).run(model, None, Setting())
    asked = [one.words for pair in pairs for one in pair.versions]
    expected = sum(one in words for one in asked) / len(asked)
    assert values(found.measurements)["winobias-mean-both"] == pytest.approx(expected)
    assert len(model.asked) == len(set(model.asked)) == len(set(asked))


def test_a_resolver_that_follows_the_stereotype_has_all_of_the_difference() -> None:
    data_folder("winobias")
    found = us.probe("winobias", model=resolver(lambda _, version: version == PRO))
    gap = next(one for one in found.measurements if one.metric == "winobias-difference-both")
    assert (gap.value, gap.details["right-in-pro-only"]) == (1.0, 792)
    assert gap.p is None, "no p-value counts sentences"
    # All of 20 occupations are alike: with 97.5 % confidence no more than 16.8 % of others differ.
    assert gap.interval is not None
    assert gap.interval.low == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 20)))
    assert gap.interval.high == 1


def test_f1_is_that_of_the_scorer_and_not_the_accuracy(
    found: Recorded,
    bert: Known,
) -> None:
    scores = CorefScores()
    for pair in sentence_pairs("dev", ("type1",)).items:
        scores.add(pair.anti.clusters, bert.clusters[pair.anti.words])
    of = {one.metric: one for one in found.measurements}
    anti = of["winobias-f1-type1-anti"]
    assert anti.value == pytest.approx(scores.conll, abs=1e-12)
    accuracy = of["winobias-accuracy-type1-anti"].value
    assert accuracy is not None
    assert anti.value is not None
    assert anti.details["f1-of-accuracy"] == pytest.approx(2 * accuracy / (1 + accuracy))
    assert abs(anti.value - accuracy) > 0.1


def test_outcomes_tell_the_other_occupation_from_none() -> None:
    words = ("The", "a", "met", "the", "b", "and", "he", "left")
    one = CorefDocument("1", (words,), (((0, 2), (6, 7)),))
    other = (3, 5)
    assert outcome_of(one, other, (((0, 2), (6, 7)),)) == RIGHT
    assert outcome_of(one, other, (((0, 2), (3, 5), (6, 7)),)) == BOTH
    assert outcome_of(one, other, (((4, 5), (6, 7)),)) == OTHER
    assert outcome_of(one, other, (((0, 2), (3, 5)),)) == UNRESOLVED


def test_the_interval_is_wider_than_that_of_independent_sentences(found: Recorded) -> None:
    gap = next(one for one in found.measurements if one.metric == "winobias-difference-type1")
    b, c, n = gap.details["right-in-pro-only"], gap.details["right-in-anti-only"], 396
    error = ((b + c - (b - c) ** 2 / n) ** 0.5) / n  # type: ignore[operator]
    assert gap.interval is not None
    assert gap.interval.high - gap.interval.low > 1.2 * 2 * 1.96 * error


def test_every_pair_has_an_occupation_of_women_and_one_of_men() -> None:
    pairs = sentence_pairs("dev").items
    for gender, other in (("female", "male"), ("male", "female")):
        named = {pair.occupation(gender) for pair in pairs}
        assert None not in named
        assert len(named) == 20
        assert not named & {pair.occupation(other) for pair in pairs}
    assert [pairs[0].occupation(gender) for gender in ("female", "male")] == [
        "designer",
        "developer",
    ]


@pytest.mark.parametrize(
    ("probe", "world"),
    [("winobias", occupations_and_pronouns), ("winogender", people_and_pronouns)],
)
def test_resolvers_that_only_have_moods_about_occupations_are_not_called_biased(
    probe: str, world: World
) -> None:
    data_folder(probe)
    assert max(claims(probe, world, 0.0, 20).values()) <= 4, "14 of 20 if sentences are drawn"


def test_a_resolver_with_moods_that_also_follows_stereotypes_is_called_biased() -> None:
    data_folder("winobias")
    assert min(claims("winobias", occupations_and_pronouns, 2.0, 4).values()) == 4


def test_the_record_shows_a_table_outcomes_and_sentences(found: Recorded) -> None:
    table, outcomes, sentences = found.record.exhibits
    assert isinstance(table, Table)
    assert isinstance(outcomes, Shares)
    assert isinstance(sentences, Examples)
    assert table.rows[0][0] == "all"
    assert all(sum(row.shares) == pytest.approx(1) for row in outcomes.rows)
    pro, anti, said = sentences.cases[0].texts
    assert pro != anti
    assert said in (OTHER, UNRESOLVED)


def test_a_system_that_resolves_nothing_has_no_score() -> None:
    data_folder("winobias")

    class Nothing:
        def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
            return [() for _ in documents]

    with pytest.raises(UnslantError, match="it linked no pronoun to any of the people"):
        us.probe("winobias", model=Nothing())


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_clusters_made_elsewhere_give_the_same_numbers(
    tmp_path: Path, bert: Known, ending: str
) -> None:
    unslant("probe", "winobias", "--types", "1", "--export", f"out.{ending}", cwd=tmp_path)
    path = tmp_path / f"out.{ending}"
    if ending == "jsonl":
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for row in rows:
            row["clusters"] = bert.clusters[tuple(row["words"].split(" "))]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    else:
        with path.open(encoding="utf-8", newline="") as stream:
            table = list(csv.DictReader(stream))
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, [*table[0], "clusters"])
            writer.writeheader()
            for row in table:
                said = bert.clusters[tuple(row["words"].split(" "))]
                writer.writerow({**row, "clusters": json.dumps(said)})
    record = json_of(
        *("probe", "winobias", "--types", "1", "--scores", path.name, "--json"),
        *("--resamples", "0"),
        cwd=tmp_path,
    )
    of = {one["now"]["metric"]: one["now"]["value"] for one in record["results"]}
    assert of["winobias-accuracy-type1-pro"] == pytest.approx(0.7652, abs=5e-5)
    assert record["resource"]["kind"] == "scores"


@pytest.mark.parametrize(
    ("clusters", "says"),
    [
        ([[(0, 9)]], r"gave the mention \(0, 9\) .* up to 3"),
        ([[(1, 1)]], r"gave the mention \(1, 1\)"),
        ([[(0, 1), (0, 1)]], r"the mention \(0, 1\) twice"),
        ([[("a", 1)]], "gave the mention"),
        ([[(True, 2)]], "gave the mention"),
        ([[3]], "gave the mention 3"),
    ],
)
def test_clusters_that_do_not_fit_the_words_are_refused(clusters: list, says: str) -> None:  # type: ignore[type-arg]
    class Given:
        def resolve(self, documents: Sequence[Sequence[str]]) -> list:  # type: ignore[type-arg]
            return [clusters for _ in documents]

    with pytest.raises(UnslantError, match=says):
        checked_clusters(Given(), [("a", "b", "c")])


def test_a_file_of_clusters_must_have_every_sentence(tmp_path: Path) -> None:
    data_folder("winobias")
    path = tmp_path / "said.jsonl"
    path.write_text('{"words": "a b", "clusters": [[[0, 1]]]}\n', "utf-8")
    shown = unslant("probe", "winobias", "--scores", path.name, cwd=tmp_path, code=2)
    assert "has no clusters for" in shown.stderr
    path.write_text('{"words": "a b", "clusters": "none"}\n', "utf-8")
    shown = unslant("probe", "winobias", "--scores", path.name, cwd=tmp_path, code=2)
    assert 'line 1: the "clusters" are' in shown.stderr
