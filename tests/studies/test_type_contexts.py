"""Words as averages over a corpus, wherever contexts go: spaces, fits, probes, plans, commands."""

from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.command_line import json_of, unslant
from tests.models.elmo.made_elmo import OPTIONS, random_arrays, write_elmo
from tests.studies.language_models import CONCEPT
from unslant.concepts import concept
from unslant.concepts.contexts import TypeContexts, any_contexts_from, contexts_from
from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.language.averages import type_averages, type_averages_at
from unslant.models.language.shared import spaces_at
from unslant.studies.at_places import chain_at_places, fit_at_places
from unslant.studies.plan.cells import Cell, PlanError
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.compute import compute
from unslant.studies.run.identity import FileHashes, cell_id, inputs_of
from unslant.studies.run.task import Task
from unslant.vectors import WordVectors

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("h5py", reason="h5py is not installed")

SENTENCES = [
    "she is a nurse here .",
    "the engineer sat there , and he wept .",
    "he is a doctor .",
    "a programmer sat down ; she left .",
    "the nurse and the doctor are there .",
    "he is no engineer .",
    "she sat here .",
    "the programmer is down .",
]
PLAN = """
[resources]
types = { path = "elmo", place = "lstm:1", contexts = "types(text.txt, least=1)", \
fit_contexts = "types(text.txt, least=1)" }
everyday = { path = "elmo", place = "lstm:1", contexts = "types(text.txt, least=1)" }
[methods]
original = ""
layers = "elmo-layers"
inner = "linear@lstm:1"
[measures]
WEAT = { measure = "weat(resamples=20)", test = "jobs" }
[[matrix]]
concept = "sides.toml"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("types")
    write_elmo(made / "elmo", OPTIONS, random_arrays(OPTIONS))
    (made / "text.txt").write_text("\n".join(SENTENCES))
    (made / "sides.toml").write_text(CONCEPT)
    (made / "plan.toml").write_text(PLAN)
    return made


@pytest.fixture(scope="module")
def elmo(folder: Path) -> ElmoModel:
    return load_elmo(folder / "elmo")


def types(folder: Path) -> str:
    return f"types({folder / 'text.txt'}, least=1)"


def test_a_place_in_a_corpus_is_the_space_of_the_averages(elmo: ElmoModel, folder: Path) -> None:
    found = elmo.at("lstm:2[word]", types(folder))
    expected = type_averages(elmo, "lstm:2", SENTENCES, least=1)
    assert isinstance(found, WordVectors)
    assert list(found.words) == list(expected.words)
    assert (found.rows(["she", "nurse"]) == expected.rows(["she", "nurse"])).all()
    often = elmo.at("lstm:2", f"types({folder / 'text.txt'}, least=3)")
    assert isinstance(often, WordVectors)
    assert "doctor" not in set(often.words)
    assert "she" in set(often.words)


def test_several_places_take_one_pass_and_give_the_same(
    elmo: ElmoModel, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = ["chars", "output:1", "lstm:2"]
    apart = [type_averages(elmo, place, SENTENCES, least=1) for place in places]
    passes = []
    really = elmo.network.forward

    def counted(input_ids: object) -> object:
        passes.append(1)
        return really(input_ids)

    monkeypatch.setattr(elmo.network, "forward", counted)
    together = type_averages_at(elmo, places, SENTENCES, least=1)
    in_one = len(passes)
    type_averages(elmo, "lstm:2", SENTENCES, least=1)
    assert len(passes) == 2 * in_one
    shared = spaces_at(elmo, places, types(folder))
    for one, other, third in zip(apart, together, shared, strict=True):
        assert (one.rows(list(one.words)) == other.rows(list(one.words))).all()
        assert one.name == other.name == third.name


def test_the_recipe_fits_each_layer_by_itself_exactly(elmo: ElmoModel, folder: Path) -> None:
    """By hand: for each layer the direction of its averages, taken from what is given out."""
    chain = chain_at_places("elmo-layers", elmo)
    assert str(chain) == "linear@output:0 | linear@output:1 | linear@output:2"
    method = 'linear(subspace="pair-difference(she, he)")'
    given = " | ".join(f"{method}@output:{n}" for n in range(3))
    fitted = fit_at_places(given, elmo, folder / "sides.toml", contexts=types(folder))
    removed = []
    for step, number in zip(fitted.steps, range(3), strict=True):
        averages = type_averages(elmo, f"output:{number}", SENTENCES, least=1)
        wanted = averages["she"].astype(float) - averages["he"]
        wanted /= np.linalg.norm(wanted)
        [basis] = [stage.removed for stage in step.eraser.stages]
        assert basis is not None
        assert abs(float(basis[0] @ wanted)) == pytest.approx(1, abs=1e-5)
        removed.append(basis[0])
        assert step.place == Place("output", number)
    assert abs(removed[1] @ removed[2]) < 0.999, "one direction for all would be another recipe"
    after = elmo.intervened(fitted)
    before, now = (m.vectors(["he left"], ["output:1", "lstm:1"]) for m in (elmo, after))
    (old, inner), (new, same) = before.values(), now.values()
    np.testing.assert_allclose(new, old - (old @ removed[1])[:, None] * removed[1], atol=1e-5)
    assert (inner == same).all()


def test_the_recipe_for_layers_is_for_an_elmo_alone(elmo: ElmoModel) -> None:
    with pytest.raises(UnslantError, match="The recipe subword is for a transformer"):
        chain_at_places("subword", elmo)


def test_public_verbs_take_them(folder: Path, elmo: ElmoModel) -> None:
    test = concept(folder / "sides.toml").test("jobs")
    found = us.measure("weat(resamples=20)", elmo.at("lstm:1", types(folder)), test)
    named = us.measure(
        "weat(resamples=20)", f"{folder / 'elmo'}@lstm:1", test, contexts=types(folder)
    )
    assert found.value == named.value
    after = us.debias("linear@lstm:1", elmo, folder / "sides.toml", contexts=types(folder))
    assert after.intervention.steps[0].eraser.stages[0].inputs["vectors"].endswith("lstm:1")
    with pytest.raises(UnslantError, match="two ways to fit"):
        us.fit("linear@lstm:1", elmo, folder / "sides.toml", contexts=types(folder), corpus=["x"])


def test_commands_take_them(folder: Path) -> None:
    where = f"{folder / 'elmo'}@output:1"
    common = ("--concept", "sides.toml", "--contexts", "types(text.txt, least=1)", "--json")
    by = ("--direction", "pair-difference(she, he)")
    found = json_of("inspect", "subspace", where, *common, *by, cwd=folder)
    assert len(found["basis"][0]) == 12
    averages = type_averages(load_elmo(folder / "elmo"), "output:1", SENTENCES, least=1)
    wanted = averages["she"].astype(float) - averages["he"]
    cosine = np.array(found["basis"][0]) @ wanted / np.linalg.norm(wanted)
    assert abs(cosine) == pytest.approx(1, abs=1e-5)
    said = unslant(
        "inspect", "subspace", where, *common[:2], "--contexts", "types(no.txt)", cwd=folder, code=2
    )
    assert "does not exist" in said.stderr


def test_static_words_have_a_stability_at_the_characters(folder: Path) -> None:
    """What Table 12 asks: by hand from the vectors of the words alone."""
    found = json_of(
        *("inspect", "subspace", f"{folder / 'elmo'}@chars[word]"),
        *("-c", "nationality", "--contexts", "plain", "--json"),
        cwd=folder,
    )
    elmo, nations = load_elmo(folder / "elmo"), concept("nationality")
    lists = (nations.list(name).all_words for name in ("demonyms-train", "demonyms"))
    rows = [elmo.vectors(list(words), ["chars"])[Place("chars")].astype(float) for words in lists]
    axes = [np.linalg.svd(each - each.mean(axis=0))[1:] for each in rows]
    stable = found["stability"][0]
    expected = axes[1][0][1:4] / axes[1][0][0]
    np.testing.assert_allclose(stable["ratios"], expected, rtol=1e-3)
    assert stable["cosine"] == pytest.approx(abs(axes[0][1][0] @ axes[1][1][0]), abs=1e-3)


def test_a_plan_measures_and_fits_in_them(folder: Path) -> None:
    plan = read_plan(folder / "plan.toml")
    resource = plan.cells[0].resource
    assert resource.contexts == f"types({folder / 'text.txt'}, least=1)"
    values = {}
    for cell in plan.cells:
        values[cell.resource.label, cell.method] = _computed(cell)
    by_hand = us.measure(
        "weat(resamples=20)",
        us.debias(
            "linear@lstm:1", load_elmo(folder / "elmo"), folder / "sides.toml",
            contexts=types(folder),
        ).at("lstm:1", types(folder)),
        concept(folder / "sides.toml").test("jobs"),
    )  # fmt: skip
    assert values["types", "linear@lstm:1"] == pytest.approx(by_hand.value)
    assert values["types", ""] == values["everyday", ""]
    assert values["types", "linear@lstm:1"] != values["everyday", "linear@lstm:1"]
    assert values["types", "elmo-layers"] == values["types", ""]  # outputs leave lstm:1 alone


def _computed(cell: Cell) -> float:
    inputs = inputs_of(cell, FileHashes())
    found = compute(Task(cell=cell, id=cell_id(inputs), inputs=inputs))
    return float(found["measurement"]["value"])


def test_the_identity_of_a_cell_has_the_bytes_of_the_corpus(folder: Path) -> None:
    cells = {
        (cell.resource.label, cell.method): cell for cell in read_plan(folder / "plan.toml").cells
    }
    cell = cells["types", "linear@lstm:1"]
    before = inputs_of(cell, FileHashes())["resource"]
    assert "fit_contexts" not in inputs_of(cells["everyday", "linear@lstm:1"], FileHashes())
    text = folder / "text.txt"
    try:
        text.write_text("\n".join([*SENTENCES, "she is here ."]))
        after = inputs_of(cell, FileHashes())["resource"]
    finally:
        text.write_text("\n".join(SENTENCES))
    assert before["contexts"] != after["contexts"]
    assert before["fit_contexts"] != after["fit_contexts"]
    assert inputs_of(cell, FileHashes())["resource"] == before


def test_a_plan_with_a_corpus_that_is_not_there_is_refused_with_its_line(folder: Path) -> None:
    (folder / "bad.toml").write_text(PLAN.replace("text.txt", "none.txt"))
    with pytest.raises(PlanError, match=r"bad\.toml line 3.*types\(none\.txt"):
        read_plan(folder / "bad.toml")


@pytest.mark.parametrize("text", ["types(a b.txt)", "types( a b.txt , least = 3 )"])
def test_they_are_written_as_they_are_read(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b.txt").write_text("she\n")
    found = any_contexts_from(text)
    assert found == TypeContexts(Path("a b.txt"), 3 if "least" in text else 5)
    assert any_contexts_from(str(found)) == found


def test_where_a_slot_is_needed_they_are_refused_in_one_sentence(folder: Path) -> None:
    for given in (types(folder), TypeContexts(folder / "text.txt")):
        with pytest.raises(UnslantError, match="sentences with a slot are needed"):
            contexts_from(given)
    with pytest.raises(UnslantError, match=r"least in .* must be at least 1"):
        any_contexts_from(f"types({folder / 'text.txt'}, least=0)")
