"""Taggers that cannot be scored, answers in files, baselines, and a real tagger."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import unslant as us
from tests.language_models import data_folder
from tests.probes.name_swap.made import (
    CORPUS,
    GENDER,
    TABLE,
    Made,
    by_name,
    noisy,
    run,
)
from tests.real_models import real_model
from unslant.cli.verbs import app
from unslant.concepts.name_table import NameTable
from unslant.core.errors import UnslantError
from unslant.predictors.protocols import entity_tags
from unslant.probes.name_swap.probe import NameSwap
from unslant.probes.name_swap.tagging import NameSwapSet
from unslant.probes.person_mentions import source_of


def test_a_tagger_that_finds_no_person_has_no_score(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(UnslantError, match=r"has no score: it found no PER or PERSON in any of"):
        us.probe(f"name-swap(corpus={path})", Made(lambda *_: ""))
    with pytest.raises(UnslantError, match=r"it took persons for LOC\. Name its kind for persons"):
        us.probe(f"name-swap(corpus={path})", Made(lambda *_: "LOC"))
    found = us.probe(f"name-swap(corpus={path}, person=LOC)", Made(lambda *_: "LOC"))
    assert found.record.results[0].now.value == 0


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        (lambda words: ["NN"] * len(words), "gave the tag 'NN'"),
        (lambda words: ["O"], "gave 1 tags for the 7 words"),
        (lambda words: [None] * len(words), "gave the tag None"),
    ],
)
def test_what_is_no_tag_is_named(tags: Callable[[list[str]], list[str]], said: str) -> None:
    class Odd:
        def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
            return [tags(list(words)) for words in sentences]

    with pytest.raises(UnslantError, match=said):
        run(Odd())


def test_tags_that_mark_ends_are_read() -> None:
    class Bilou(Made):
        def _tags(self, words: list[str]) -> list[str]:
            return [tag.replace("B-", "U-") for tag in super()._tags(words)]

    assert by_name(run(Bilou(lambda *_: "PER")))["recall-female"].value == 1

    class Ends:
        def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
            return [["B-PER", "L-PER", "U-PER", "S-PER", "B-LOC", "E-LOC", "O"] for _ in sentences]

    [tags] = entity_tags(Ends(), [("w",) * 7])
    assert tags == ("B-PER", "I-PER", "B-PER", "B-PER", "B-LOC", "I-LOC", "O")


def test_groups_that_cannot_be_compared_are_refused_before_tagging() -> None:
    alike = NameTable("alike", ("gender",), ("Ann", "Eve"), (("female",), ("female",)))
    made = Made(lambda *_: "PER")
    with pytest.raises(UnslantError, match="has one group by gender"):
        run(made, table=alike)
    assert made.asked == []
    single = NameTable("single", ("gender",), ("Alonzo", "Ebony", "Tia"), (("m",), ("f",), ("f",)))
    found = by_name(run(made, table=single))
    gap = found["gap-f-m"]
    assert gap.interval is None
    assert gap.warnings == ("no interval: a group has one name, and other names would differ",)


def written(folder: Path) -> Path:
    path = folder / "small.conll"
    lines = ["\n".join(f"{w} {t}" for w, t in zip(s.words, s.tags, strict=True)) for s in CORPUS]
    path.write_text("\n\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_exported_sentences_with_tags_give_the_same_scores(tmp_path: Path, form: str) -> None:
    path, kind = written(tmp_path), noisy(3)
    direct = us.probe(f"name-swap(corpus={path}, resamples=100)", Made(kind)).record
    sheet = tmp_path / f"sheet.{form}"
    command = ["probe", "name-swap", "--corpus", str(path), "--export", str(sheet)]
    assert CliRunner().invoke(app, command).exit_code == 0
    answers = tmp_path / "answers.csv"
    with answers.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["words", "tags"])
        for row in _rows(sheet):
            [tags] = Made(kind).tag([row["words"].split(" ")])
            writer.writerow([row["words"], " ".join(tags)])
    read = us.probe(f"name-swap(corpus={path}, resamples=100)", scores=answers).record
    assert read.resource is not None
    assert read.resource.kind == "scores"
    mine, theirs = ([each.now.value for each in one.results] for one in (direct, read))
    assert mine == theirs
    lines = answers.read_text().splitlines()
    answers.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(UnslantError, match="has no tags for"):
        us.probe(f"name-swap(corpus={path})", scores=answers)
    answers.write_text("words,tags\nAnn ran,O\n")
    with pytest.raises(UnslantError, match="line 2: 1 tags for 2 words"):
        us.probe(f"name-swap(corpus={path})", scores=answers)
    answers.write_text("words,tags\nAnn,O\nAnn,B-PER\n")
    with pytest.raises(UnslantError, match="gives other tags to the sentence of line 2"):
        us.probe(f"name-swap(corpus={path})", scores=answers)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        if path.suffix == ".csv":
            return list(csv.DictReader(stream))
        return [json.loads(line) for line in stream]


def test_a_baseline_gives_changes_with_intervals(tmp_path: Path) -> None:
    def before(name: str, _: str) -> str:
        return "" if GENDER.get(name) == "female" else "PER"

    path = written(tmp_path)
    found = us.probe(
        f"name-swap(corpus={path}, resamples=200)",
        Made(lambda *_: "PER"),
        baseline=Made(before),
    )
    first = found.record.results[0]
    assert first.now.metric == "name-swap-gap-female-male"
    assert first.change is not None
    assert first.change.difference == 1
    assert first.change.verdict == "better"
    assert list(NameSwap().score_names(NameSwapSet(source=source_of(CORPUS), names=TABLE))) == [
        each.now.metric for each in found.record.results
    ]


def test_spacy_on_testb_finds_persons_and_its_folder_is_a_tagger_at_the_command_line() -> None:
    pytest.importorskip("spacy")
    folder, corpus = real_model("spacy-md"), data_folder("ner/conll2003")
    command = ["probe", "name-swap", str(folder), "--corpus", str(corpus), "--sentences", "8"]
    ran = CliRunner().invoke(app, [*command, "--resamples", "100", "--json"])
    assert ran.exit_code == 0, ran.output
    record = json.loads(ran.output)
    assert record["resource"]["name"] == "en_core_web_md"
    assert record["resource"]["facts"]["components"] == "tok2vec, parser, ner"
    own = record["results"][-1]["now"]
    assert own["metric"] == "name-swap-own"
    assert 0.2 < own["value"] <= 1
