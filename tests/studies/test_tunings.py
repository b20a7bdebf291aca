"""Methods that train on the same footing as erasers: in chains, verbs, probes, and studies."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import unslant as us  # noqa: E402
from tests.command_line import json_of, unslant  # noqa: E402
from tests.models.debias_training.setups import sides, written_text  # noqa: E402
from tests.models.language.folders import save  # noqa: E402
from tests.studies.run.test_language_models import results  # noqa: E402
from unslant.concepts import Concept  # noqa: E402
from unslant.core.errors import UnslantError  # noqa: E402
from unslant.models.debias_training import training as training_module  # noqa: E402
from unslant.models.language.base import LanguageModel  # noqa: E402
from unslant.studies.answers import table  # noqa: E402
from unslant.studies.answers.pivot import stored_rows  # noqa: E402
from unslant.studies.plan.cells import PlanError  # noqa: E402
from unslant.studies.plan.reading import read_plan  # noqa: E402
from unslant.studies.probe import probe  # noqa: E402
from unslant.studies.run import model_spaces  # noqa: E402
from unslant.studies.run.identity import FileHashes, inputs_of  # noqa: E402
from unslant.studies.run.run import run  # noqa: E402
from unslant.studies.run.store import Store  # noqa: E402
from unslant.studies.treated_model import treated_model  # noqa: E402
from unslant.web.chains import checked, checked_in  # noqa: E402

SMALL = "rounds=1, steps=4, batch=8, learning_rate=0.003, longest=30"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tunings")
    save(made / "bert", "bert")
    save(made / "headless", "bert", head=False)
    written_text(made / "text.txt")
    sides(made)
    return made


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSLANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def model(folder: Path) -> LanguageModel:
    found: LanguageModel = us.load(folder / "bert")
    return found


@pytest.fixture
def about(folder: Path) -> Concept:
    return us.concept(folder / "sides.toml")


def method(folder: Path, name: str, more: str = "") -> str:
    return f'{name}(text="{folder / "text.txt"}", {SMALL}{more})'


def test_a_chain_trains_first_and_fits_erasers_on_the_trained_model(
    folder: Path, model: LanguageModel, about: Concept
) -> None:
    first = method(folder, "context-debias")
    trained = us.debias(first, model, about)
    both = us.debias(f"{first} | leace@layer:-1", model, about)
    assert both.weights_sha256 == trained.weights_sha256 != model.weights_sha256
    by_hand = us.debias("leace@layer:-1", trained, about)
    assert both.content_hash == by_hand.content_hash
    other = us.fit("leace@layer:-1", model, about)
    assert not _same(both.intervention.steps[0], other.steps[0])
    assert both.name == by_hand.name == f"{trained.name}.leace@layer:-1"
    assert trained.name.startswith("bert.context-debias(text=sha256:")


def _same(one: Any, other: Any) -> bool:
    return bool((one.eraser.affine[0] == other.eraser.affine[0]).all())


@pytest.mark.parametrize(
    ("chain", "says"),
    [
        ("leace@layer:-1 | {cda}", "comes before methods at places"),
        ("{cda}@layer:-1", "acts at no place"),
        ("{leace-in-training}", "Say where"),
        ("{leace-in-training}@layer:-1[word]", "the loss does not read it"),
        ("{leace-in-training}@layer:9", "has no place layer:9"),
        ("context-debias", 'needs a value for "text"'),
        ("context-debias(text=x, alpha=-1)", "must be at least 0"),
        ("cda(text=nowhere.txt)", "is not a text file"),
        ("{control} | leace@layer:9", "has no place layer:9"),
    ],
)
def test_a_chain_that_cannot_be_is_refused_before_training(
    folder: Path, model: LanguageModel, about: Concept, chain: str, says: str
) -> None:
    for name in ("cda", "leace-in-training", "control"):
        chain = chain.replace(f"{{{name}}}", method(folder, name, ", seed=99"))
    with pytest.raises(UnslantError, match=says):
        us.debias(chain, model, about)


@pytest.mark.parametrize("name", ["control", "cda", "dropout", "debias-bert"])
def test_a_model_without_a_head_is_told_how_to_get_one(
    folder: Path, about: Concept, name: str
) -> None:
    says = "headless has none.*unslant train heads MODEL --text TEXT -o OUT"
    with pytest.raises(UnslantError, match=says):
        us.debias(method(folder, name), us.load(folder / "headless"), about)
    trained = us.debias(method(folder, "context-debias"), us.load(folder / "headless"), about)
    assert trained.weights_sha256 != us.load(folder / "headless").weights_sha256


def test_decoders_and_models_with_erasers_and_vectors_are_refused_by_name(
    folder: Path, model: LanguageModel, about: Concept, tmp_path: Path
) -> None:
    decoder = us.load(save(tmp_path / "gpt2", "gpt2"))
    with pytest.raises(UnslantError, match="gpt2 is a decoder"):
        us.debias(method(folder, "debias-bert"), decoder, about)
    erased = us.debias("leace@layer:-1", model, about)
    with pytest.raises(UnslantError, match="has erasers in effect"):
        us.debias(method(folder, "cda"), erased, about)
    with pytest.raises(UnslantError, match=r"trains a language model, and .* has only vectors"):
        us.debias(method(folder, "cda"), us.load(limit=1000), "gender")
    with pytest.raises(UnslantError, match="it is no eraser that could be fitted"):
        us.fit(method(folder, "cda"), model, about)
    with pytest.raises(UnslantError, match="has only vectors"):
        checked("cda(text=a.txt)")
    with pytest.raises(UnslantError, match="takes too long for a page"):
        checked_in("cda(text=a.txt)", model, model.default_place)


def test_a_probe_compares_with_the_same_training_without_its_term(
    folder: Path, model: LanguageModel, about: Concept
) -> None:
    chain = f"{method(folder, 'debias-bert', ', seed=3')} | leace@layer:-1"
    (folder / "few.txt").write_text("\n".join((folder / "text.txt").read_text().split("\n")[:30]))
    asked = f'masked-accuracy(text="{folder / "few.txt"}", seed=0)'
    done = probe(asked, model, method=chain, concept=about, compare=True)
    treated = treated_model(chain, model, about)
    [control] = treated.controls(1, 0)
    plain = us.debias(method(folder, "control", ", seed=3"), model, about)
    assert control.weights_sha256 == plain.weights_sha256
    assert control.intervention.expression == "random(seed=0, k=1)@layer:-1"
    record = done.record
    result = record.results[0]
    assert result.control is not None
    assert result.control.values == (probe(asked, control).measurements[0].value,)
    assert "without its debiasing term (control(" in result.control.instead
    assert result.before is not None
    assert result.before.value == probe(asked, model).measurements[0].value
    assert result.now.value == probe(asked, treated.after).measurements[0].value
    assert record.treatment is not None
    assert record.treatment.is_retrained
    assert record.treatment.expression == f"{treated.trainings[0]} | leace@layer:-1"
    first, second = record.treatment.stages
    assert first.cites == "garimella-2021"
    assert not first.guarantees
    assert second.guarantees
    assert first.details["held-out equalising term after"] is not None
    from unslant.reports.page import page
    from unslant.reports.results import name_of

    assert name_of(record, result.now)
    assert "without its debiasing term" in page(record)


PLAN = """
[resources]
last = "bert"
[methods]
original = ""
leace = "leace@layer:-1"
context = "context-debias(text=text.txt, {small})"
control = "control(text=text.txt, {small})"
both = "context-debias(text=text.txt, {small}) | leace@layer:-1"
[measures]
WEAT = {{ measure = "weat(resamples=20)", test = "jobs" }}
DB = "direct-bias(neutral=jobs)"
MA = {{ probe = "masked-accuracy", text = "{text}", measure = "masked-accuracy" }}
[[matrix]]
concept = "sides.toml"
"""


def test_a_study_has_erasers_trainings_and_the_control_in_one_table(
    folder: Path,
    model: LanguageModel,
    about: Concept,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))
    model_spaces._trained.cache_clear()
    (folder / "plan.toml").write_text(PLAN.format(small=SMALL, text=folder / "text.txt"))
    done: list[Path] = []
    made = training_module._trained

    def counted(how: Any, on: Any, target: Path, *more: Any, **named: Any) -> None:
        done.append(target)
        made(how, on, target, *more, **named)

    monkeypatch.setattr(training_module, "_trained", counted)
    plan, store = read_plan(folder / "plan.toml"), Store(tmp_path / "study")
    outcome = run(plan, store)
    assert (outcome.planned, outcome.done, outcome.failed) == (15, 15, 0)
    assert len(done) == 2  # once for all cells of context and both, once for control
    values = {(row.method, row.measure): row.value for row in stored_rows(store)}
    grid = table(stored_rows(store))
    assert {row.key[1] for row in grid.rows} == {"original", "leace", "context", "control", "both"}
    assert len({values[name, "WEAT"] for name in ("original", "leace", "context", "control")}) == 4
    after = us.debias(method(folder, "context-debias"), model, about)
    direct = us.measure(
        "direct-bias(neutral=jobs)", after, about, us.WordPolicy(missing="drop"), baseline=model
    )
    assert values["context", "DB"] == pytest.approx(direct.value, abs=1e-7)
    again = Store(tmp_path / "again")
    model_spaces._trained.cache_clear()
    run(plan, again)
    assert results(again) == results(store)


def test_the_id_of_a_cell_has_the_text_by_content_and_the_seed(
    folder: Path, tmp_path: Path
) -> None:
    plan = PLAN.format(small=SMALL, text=folder / "text.txt")
    (folder / "plan.toml").write_text(plan)
    (folder / "copy.txt").write_bytes((folder / "text.txt").read_bytes())
    (folder / "moved.toml").write_text(
        plan.replace("context-debias(text=text", "context-debias(text=copy")
    )
    first, second = (
        next(c for c in read_plan(folder / name).cells if c.method_label == "context")
        for name in ("plan.toml", "moved.toml")
    )
    assert first.method != second.method
    assert inputs_of(first, FileHashes())["method"] == inputs_of(second, FileHashes())["method"]
    (folder / "copy.txt").write_text("other")
    assert inputs_of(first, FileHashes())["method"] != inputs_of(second, FileHashes())["method"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "control(text=text.txt",
            "control(text=nowhere.txt",
            r"line 8.*nowhere\.txt is not a text",
        ),
        ("control(text", "contrl(text", 'Did you mean "control"'),
        ("control(text=text.txt", "control(text=text.txt, stps=3", 'Did you mean "steps"'),
        ('"bert"', '"headless"', "needs a language-model head, and headless has none"),
    ],
)
def test_a_plan_that_cannot_train_is_refused_with_its_line(
    folder: Path, old: str, new: str, says: str
) -> None:
    (folder / "bad.toml").write_text(
        PLAN.format(small=SMALL, text=folder / "text.txt").replace(old, new)
    )
    with pytest.raises(PlanError, match=says):
        read_plan(folder / "bad.toml")


def test_the_command_writes_a_folder_that_plain_transformers_loads(
    folder: Path, model: LanguageModel, tmp_path: Path
) -> None:
    before = (folder / "bert/model.safetensors").read_bytes()
    with_it = ("--with", method(folder, "context-debias"), "-c", str(folder / "sides.toml"))
    record = json_of("debias", str(folder / "bert"), *with_it, "-o", "fair", "--json", cwd=tmp_path)
    [stage] = record["treatment"]["stages"]
    assert stage["details"]["held-out regulariser before"] == 0
    assert record["baseline"]["name"].startswith("bert")
    ids = torch.tensor([[1, 5, 6, 7, 2]])
    plain = transformers.AutoModel.from_pretrained(tmp_path / "fair").eval()
    ours = us.debias(method(folder, "context-debias"), model, folder / "sides.toml")
    with torch.inference_mode():
        theirs = plain(input_ids=ids).last_hidden_state
        torch.testing.assert_close(theirs, ours.network(input_ids=ids).last_hidden_state)
        assert (theirs - model.network(input_ids=ids).last_hidden_state).abs().max() > 1e-3
    assert (folder / "bert/model.safetensors").read_bytes() == before
    card = (tmp_path / "fair/README.md").read_text()
    assert "Trained with Unslant" in card
    assert "Measured for" in card
    assert us.load(tmp_path / "fair").name == "fair"
    wrong = unslant(
        "debias", str(folder / "headless"), "--with", method(folder, "cda"), cwd=tmp_path, code=2
    )
    assert "train one: unslant train heads" in " ".join(wrong.stderr.split())
