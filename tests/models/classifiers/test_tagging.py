"""Tagging on an encoder: first pieces carry tags, it learns, and its folder is a tagger."""

import json
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.command_line import unslant  # noqa: E402
from tests.language_models import data_folder, real_model  # noqa: E402
from tests.models.classifiers.made_pairs import encoder  # noqa: E402
from tests.models.classifiers.made_tags import sentences, write_tags  # noqa: E402
from unslant.concepts.name_table import DUTTA, NameTable, name_table  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.datasets.conll2003 import TaggedSentence, tagged_sentences  # noqa: E402
from unslant.measures.tag_scores import TagScores  # noqa: E402
from unslant.models.adversaries.settings import AdversarySettings  # noqa: E402
from unslant.models.classifiers.folder import write_fine_tuned  # noqa: E402
from unslant.models.classifiers.settings import FineTuning  # noqa: E402
from unslant.models.classifiers.tagged_examples import (  # noqa: E402
    NO_TAG,
    as_they_are,
    tagged_examples,
    with_drawn_names,
)
from unslant.models.classifiers.tagging import tagging_task, train_tagging  # noqa: E402
from unslant.models.classifiers.tagging_data import TaggingData  # noqa: E402
from unslant.models.classifiers.training import FineTuned, identity  # noqa: E402
from unslant.models.language.model import TransformerModel, load_transformer  # noqa: E402
from unslant.predictors.protocols import Tagger  # noqa: E402
from unslant.studies.at_places import fit_at_places  # noqa: E402

HOW = FineTuning(epochs=7, patience=7, batch=8, learning_rate=0.005, dropout=0.0, seed=1)
LABELS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
KINDS = ("bert", "roberta", "distilbert", "albert", "electra", "mpnet", "deberta-v2", "modernbert")
GROUPS = (("f", "x"), ("m", "x"), ("f", "y"), ("m", "y"))
NAMES = NameTable("four", ("gender", "race"), ("engineer", "here nurses", "sat", "down"), GROUPS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tags(tmp_path_factory.mktemp("tags"), 400)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> TransformerModel:
    return encoder(tmp_path_factory.mktemp("encoders") / "bert")


@pytest.fixture(scope="module")
def tuned(bert: TransformerModel, folder: Path) -> FineTuned:
    return train_tagging(bert, TaggingData(folder), HOW)


def test_an_encoder_learns_a_rule_and_the_record_says_how_well(tuned: FineTuned) -> None:
    record = tuned.record
    assert record["dev_span_f1"] > 0.8  # where one begins after another is the hard part
    assert record["test_span_f1"] > 0.7
    assert record["test_accuracy_without_majority"] > 0.8
    assert record["best_epoch"] == 1 + int(
        np.argmax([epoch["dev_span_f1"] for epoch in record["epochs"]])
    )
    assert record["labels"] == list(LABELS)
    assert record["data"]["train"]["count"] == 400
    assert record["data"]["test"]["file"] == "eng.testb"
    assert len(record["data"]["test"]["sha256"]) == 64


def test_the_scores_are_those_of_the_written_tagger(
    tuned: FineTuned, tmp_path: Path, folder: Path
) -> None:
    tagger = load_transformer(write_fine_tuned(tuned, tmp_path / "out")).predictor(Tagger)
    scores = TagScores()
    for sentence in tagged_sentences(folder, "testb"):  # one at a time, without padding
        scores.add(sentence.tags, tagger.tag([sentence.words])[0])
    assert scores.spans().f1 == pytest.approx(tuned.record["test_span_f1"], abs=0.01)
    assert scores.accuracy == pytest.approx(tuned.record["test_accuracy"], abs=0.005)


@pytest.mark.parametrize("kind", KINDS)
def test_the_written_folder_tags_as_plain_transformers_does(
    kind: str, tmp_path: Path, folder: Path
) -> None:
    model = encoder(tmp_path / kind, kind)
    tuned = train_tagging(model, TaggingData(folder, most=48), replace(HOW, epochs=1))
    target = write_fine_tuned(tuned, tmp_path / "tuned")
    plain, found = transformers.AutoModelForTokenClassification.from_pretrained(
        target, output_loading_info=True
    )
    assert not any(found[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert [plain.config.id2label[n] for n in range(5)] == list(LABELS)
    plain.eval()
    again = load_transformer(target)
    asked = [item.words for item in sentences(12, 9)]
    answers = again.predictor(Tagger).tag([*asked, *asked, ()])
    assert answers[:12] == answers[12:24]
    assert answers[24] == ()
    for words, tags in zip(asked, answers[:12], strict=True):
        item = again.tokens._backend.encode(" ".join(words))
        with torch.inference_mode():
            best = plain(input_ids=torch.tensor([item.ids])).logits[0].argmax(1).tolist()
        starts = [sum(len(word) + 1 for word in words[:n]) for n in range(len(words))]
        firsts = [
            next(n for n, (a, b) in enumerate(item.offsets) if a <= start < b) for start in starts
        ]
        assert tags == tuple(LABELS[best[place]] for place in firsts)


def test_only_first_pieces_carry_tags(bert: TransformerModel) -> None:
    sentence = TaggedSentence(("the", "nurses", "doctorer", "sat"), ("O", "I-PER", "B-PER", "O"))
    examples, counts = tagged_examples(bert, as_they_are([sentence]), LABELS, longest=30)
    pieces = bert.tokens._backend.encode("the nurses doctorer sat").tokens
    assert pieces == ["[CLS]", "the", "nurse", "##s", "doctor", "##er", "sat", "[SEP]"]
    assert examples.labels.tolist() == [NO_TAG, 0, 3, NO_TAG, 3, NO_TAG, 0, NO_TAG]
    assert counts == {"count": 1, "too_long": 0, "words_without_pieces": 0}


def test_a_word_that_the_tokenizer_drops_carries_no_tag_and_moves_no_other(
    bert: TransformerModel, tuned: FineTuned, tmp_path: Path
) -> None:
    dropped = TaggedSentence(("the", "\u00a0", "nurses", "\u00a0"), ("O", "O", "I-PER", "O"))
    [pieces] = bert.tokens.words([dropped.words])
    assert pieces.firsts == (1, -1, 2, -1)
    examples, counts = tagged_examples(bert, as_they_are([dropped]), LABELS, longest=30)
    assert examples.labels.tolist() == [NO_TAG, 0, 3, NO_TAG, NO_TAG]
    assert counts["words_without_pieces"] == 2
    tagger = load_transformer(write_fine_tuned(tuned, tmp_path / "out")).predictor(Tagger)
    [tags], [plain] = tagger.tag([dropped.words]), tagger.tag([("the", "nurses")])
    assert tags == (plain[0], "O", plain[1], "O")


def test_the_loss_is_the_mean_cross_entropy_of_the_words(
    bert: TransformerModel, folder: Path
) -> None:
    task, _ = tagging_task(bert, TaggingData(folder), HOW)
    torch.manual_seed(0)
    network = task.build_network().eval()
    _, batch = next(iter(task.batches(1, 0)))
    with torch.inference_mode():
        loss = float(task.loss(network, batch))
        losses = []
        for row in batch.rows.tolist():  # one sentence at a time, in plain Python
            ids = task.train.ids[task.train.ends[row] : task.train.ends[row + 1]].tolist()
            labels = task.train.labels[task.train.ends[row] : task.train.ends[row + 1]].tolist()
            said = network(input_ids=torch.tensor([ids])).logits[0].log_softmax(1)
            losses += [-float(said[n, tag]) for n, tag in enumerate(labels) if tag != NO_TAG]
    assert loss == pytest.approx(sum(losses) / len(losses), rel=1e-5)


def test_only_the_last_blocks_are_tuned(bert: TransformerModel, folder: Path) -> None:
    how = replace(HOW, tune="last:1", epochs=1)
    tuned = train_tagging(bert, TaggingData(folder, most=32), how)
    own = dict(bert.network.named_parameters())
    changed = {
        name
        for name, value in tuned.network.bert.named_parameters()
        if not torch.equal(value, own[name])
    }
    assert changed
    assert all(name.startswith("encoder.layer.2.") for name in changed)


def test_what_the_training_depends_on_is_in_its_identity(
    bert: TransformerModel, folder: Path
) -> None:
    def identified(data: TaggingData, how: FineTuning = HOW) -> str:
        return identity(tagging_task(bert, data, how)[0])

    first = identified(TaggingData(folder))
    assert first == identified(TaggingData(folder))
    others = [
        identified(TaggingData(folder, most=100)),
        identified(TaggingData(folder, NAMES)),
        identified(TaggingData(folder, NAMES, 2)),
        identified(TaggingData(folder), replace(HOW, seed=2)),
    ]
    assert len({first, *others}) == 5


def test_a_killed_training_ends_as_one_that_was_not(
    bert: TransformerModel, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how, data = replace(HOW, epochs=2, tune="last:1"), TaggingData(folder, most=64)
    whole = train_tagging(bert, data, how)
    kept = tmp_path / "kept"
    with monkeypatch.context() as patch:
        scored = TagScores.to_dict
        seen: list[int] = []

        def killed(self: TagScores) -> Any:
            seen.append(1)
            if len(seen) == 2:
                raise KeyboardInterrupt
            return scored(self)

        patch.setattr(TagScores, "to_dict", killed)
        with pytest.raises(KeyboardInterrupt):
            train_tagging(bert, data, how, checkpoint=kept)
    assert kept.exists()
    resumed = train_tagging(bert, data, how, checkpoint=kept)
    mine, theirs = whole.network.state_dict(), resumed.network.state_dict()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_every_person_gets_a_drawn_name_and_nothing_else_changes() -> None:
    table = name_table(DUTTA)
    corpus = [
        TaggedSentence(("Ann", "Lee", "met", "BOB", "."), ("I-PER", "I-PER", "O", "I-PER", "O")),
        TaggedSentence(("Ann", "Bob", "ran"), ("I-PER", "B-PER", "O")),
        TaggedSentence(("Rome", "is", "old"), ("I-LOC", "O", "O")),
    ]
    found = list(with_drawn_names(corpus, table, np.random.default_rng(0), copies=3))
    assert len(found) == 7
    assert found[6].sentence == corpus[2]
    assert found[6].names == {}
    used: Counter[str] = Counter()
    for number, item in enumerate(found[:6]):
        persons = item.sentence.spans("PER")
        assert len(persons) == 2
        assert sorted(item.names) == [first for first, _, _ in persons]
        assert len(set(item.names.values())) == 2
        for place, name in item.names.items():
            assert item.sentence.words[place].lower() == name.lower()
            used[name] += 1
        assert item.sentence.words[1 if number < 3 else 2] == ("met" if number < 3 else "ran")
    assert found[0].sentence.words[2].isupper()
    assert set(used) <= set(table.names)
    both = list(with_drawn_names(corpus, table, np.random.default_rng(0), with_own=True))
    assert [item.sentence == corpus[n // 2] and not item.names for n, item in enumerate(both)] == [
        *(True, False, True, False, True)
    ]


def test_words_of_names_carry_their_groups(bert: TransformerModel) -> None:
    corpus = sentences(30, 3)
    rng = np.random.default_rng(1)
    named = list(with_drawn_names(corpus, NAMES, rng))
    examples, _ = tagged_examples(bert, named, LABELS, longest=30, table=NAMES)
    batch = examples.batch(np.arange(30))
    from unslant.models.classifiers.tagging import TaggingTask

    task = TaggingTask(
        bert,
        LABELS,
        HOW,
        examples,
        examples,
        attributes={"gender": ("f", "m"), "race": ("x", "y")},
    )
    torch.manual_seed(0)
    outputs = task.outputs(task.build_network().eval(), batch)
    words = [(item, place) for item in named for place in range(len(item.sentence.words))]
    assert len(outputs.labels) == len(outputs.logits) == len(words)
    values = dict(zip(NAMES.names, NAMES.values, strict=True))
    expected = Counter(
        values[item.names[place]] if place in item.names else ("", "") for item, place in words
    )
    genders, races = ({-1: "", 0: a, 1: b} for a, b in (("f", "m"), ("x", "y")))
    pairs = zip(
        outputs.protected["gender"].tolist(), outputs.protected["race"].tolist(), strict=True
    )
    assert Counter((genders[g], races[r]) for g, r in pairs) == expected
    persons = outputs.protected["gender"] >= 0
    assert {LABELS[n] for n in outputs.labels[persons].tolist()} == {"B-PER", "I-PER"}
    assert set(outputs.clusters[persons].tolist()) == {0, 1, 2, 3}


def test_the_command_writes_a_folder_with_its_record(
    bert: TransformerModel, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    few = ["--epochs", "1", "--most", "32", "--learning-rate", "0.01"]
    start = ["train", "ner", str(bert.folder.path), "--data", str(folder), "-o", str(out)]
    names = tmp_path / "names.csv"
    names.write_text("name,gender\nhere,f\nthere,m\n")
    more = ["--tune", "last:1", "--names", str(names), "--copies", "2"]
    ran = unslant(*start, *few, *more, cwd=tmp_path)
    assert "span F1" in ran.stdout
    record = json.loads((out / "training.json").read_text())
    assert record["settings"]["tune"] == "last:1"
    assert record["data"]["train"]["names"] == "names.csv"
    assert record["data"]["train"]["drawn"] == 32
    assert not (tmp_path / "out.checkpoint").exists()
    assert load_transformer(out).predictor(Tagger).tag([("the", "nurse")])
    assert "already exists" in unslant(*start, *few, cwd=tmp_path, code=2).stderr
    other = [*start[:-1], str(tmp_path / "other")]
    for more, said in (
        (["--concept", "gender"], "--concept does nothing without --with"),
        (["--adversary-alpha", "2"], "--adversary-alpha does nothing without --adversary"),
        (["--copies", "2"], "--copies does nothing without --names"),
        (["--with-own"], "--with-own does nothing without --names"),
        (["--tune", "last:9"], "the last 9 cannot be tuned"),
        (["--data", str(tmp_path)], "contains no train part"),
    ):
        refused = unslant(*other, *few, *more, cwd=tmp_path, code=2)
        assert said in " ".join(refused.stderr.split())
        assert not (tmp_path / "other").exists()


def test_adversaries_read_the_tags_of_names_and_are_judged(
    bert: TransformerModel, folder: Path
) -> None:
    data, how = TaggingData(folder, NAMES), replace(HOW, epochs=2)
    settings = AdversarySettings(attributes=("gender", "race"), width=8)
    with pytest.raises(UnslantError, match="need persons whose groups are known"):
        train_tagging(bert, TaggingData(folder), how, adversaries=settings)
    with pytest.raises(UnslantError, match='No protected attribute is called "age"'):
        train_tagging(bert, data, how, adversaries=AdversarySettings(attributes=("age",)))
    opposed = train_tagging(bert, data, how, adversaries=settings)
    plain = train_tagging(bert, data, how)
    found = opposed.record["adversaries"]["judged"]
    assert set(found) == {"gender", "race"}
    words = opposed.record["data"]["dev_with_names"]["count"]
    assert words == plain.record["data"]["dev"]["count"]
    assert list(found["gender"]["groups"]) == ["f", "m"]
    assert found["gender"]["examples"] > 30
    mine, theirs = opposed.network.state_dict(), plain.network.state_dict()
    assert any(not torch.equal(mine[name], theirs[name]) for name in mine)
    # Without adversaries the best epoch is kept, with them the last one unless asked otherwise.
    watched = replace(settings, projection="none", alpha="0", keep="best")
    same = train_tagging(bert, data, how, adversaries=watched).network.state_dict()
    assert all(torch.equal(same[name], theirs[name]) for name in same)


def test_interventions_of_training_stay_in_the_folder(
    bert: TransformerModel, folder: Path, tmp_path: Path
) -> None:
    intervention = fit_at_places("linear@wordpieces", bert, "gender")
    changed = bert.intervened(intervention)
    tuned = train_tagging(changed, TaggingData(folder, most=64), replace(HOW, epochs=1))
    again = load_transformer(write_fine_tuned(tuned, tmp_path / "out"))
    assert again.intervention.expression == changed.intervention.expression
    assert again.predictor(Tagger).tag([("the", "nurse", "sat")])


def test_a_model_that_is_no_tagger_is_refused(
    tuned: FineTuned, bert: TransformerModel, tmp_path: Path
) -> None:
    with pytest.raises(UnslantError, match="unslant train ner MODEL"):
        bert.predictor(Tagger)
    target = write_fine_tuned(tuned, tmp_path / "out")
    config = json.loads((target / "config.json").read_text())
    config["id2label"] = {str(number): f"LABEL_{number}" for number in range(5)}
    (target / "config.json").write_text(json.dumps(config))
    with pytest.raises(UnslantError, match="is no tagger of entities"):
        load_transformer(target).predictor(Tagger)
    long = ("the",) * 60
    target = write_fine_tuned(tuned, tmp_path / "again")
    with pytest.raises(UnslantError, match=r"has 62 pieces; again reads at most 40"):
        load_transformer(target).predictor(Tagger).tag([long])


def test_tags_that_the_training_part_never_has_are_named(
    bert: TransformerModel, folder: Path, tmp_path: Path
) -> None:
    copy = write_tags(tmp_path / "tags", 20, 5)
    (copy / "eng.testa").write_text("the X O\nnurse X I-MISC\n")
    with pytest.raises(UnslantError, match="Line 1 has the tag B-MISC"):
        tagging_task(bert, TaggingData(copy), HOW)
    (copy / "eng.train").write_text("the X O\n")
    with pytest.raises(UnslantError, match="has no entities in its training part"):
        tagging_task(bert, TaggingData(copy), HOW)


def test_first_pieces_are_those_that_transformers_finds_in_real_sentences() -> None:
    model = real_model("minilm")
    assert isinstance(model, TransformerModel)
    tokenizer = transformers.AutoTokenizer.from_pretrained(model.folder.path)
    some = list(islice(tagged_sentences(data_folder("ner/conll2003"), "testa"), 400))
    found = model.tokens.words([item.words for item in some])
    given = tokenizer([list(item.words) for item in some], is_split_into_words=True)
    for number, (item, pieces) in enumerate(zip(some, found, strict=True)):
        assert list(pieces.ids) == given["input_ids"][number]
        words = given.word_ids(number)
        assert pieces.firsts == tuple(words.index(n) for n in range(len(item.words)))


def test_minilm_learns_something_from_60_real_sentences(tmp_path: Path) -> None:
    source = data_folder("ner/conll2003")
    for part, count in (("train", 60), ("testa", 30)):
        lines = []
        for item in islice(tagged_sentences(source, part), 100, 100 + count):  # type: ignore[arg-type]
            lines += [f"{w} {t}" for w, t in zip(item.words, item.tags, strict=True)] + [""]
        (tmp_path / f"eng.{part}").write_text("\n".join(lines) + "\n")
    model = real_model("minilm")
    assert isinstance(model, TransformerModel)
    how = FineTuning(tune="last:2", epochs=3, batch=4, learning_rate=1e-3)
    tuned = train_tagging(model, TaggingData(tmp_path), how)
    assert tuned.record["dev_span_f1"] > 0.15
    assert tuned.record["dev_accuracy"] > tuned.record["dev_majority_baseline"]
    assert "test_span_f1" not in tuned.record
