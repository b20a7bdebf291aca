"""Language models on the page: audited and measured at a place, with methods at that place."""

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

import unslant as us
from tests.studies.language_models import CONCEPT, real_model, tiny_bert
from tests.web.serving import Page, guarded
from unslant.core.errors import UnslantError
from unslant.core.places import parse_place
from unslant.core.wording import number
from unslant.web.jobs import CancelledError
from unslant.web.models import Models, places_of
from unslant.web.opened import sorted_out

ASKED = {"vectors": "m1", "concept": "own-1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("page")
    tiny_bert(made / "bert")
    (made / "sides.toml").write_text(CONCEPT)
    return made


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Page:
    files = tmp_path_factory.mktemp("files")
    return Page(guarded(files, [str(folder / "bert")], [str(folder / "sides.toml")]))


def cells(shown: dict[str, Any]) -> set[Any]:
    return {cell for table in shown["tables"] for row in table["rows"] for cell in row}


def test_a_model_is_offered_with_its_places_and_comes_first(page: Page) -> None:
    start = page.get("/api/start").json()
    assert start["first"]["vectors"] == "m1"
    model = start["vectors"][-1]
    assert (model["id"], model["name"], model["note"]) == ("m1", "bert", "language model")
    assert {"wordpieces", "layer:3", "layer:2[cls]", "layer:1[word]", "layer:1.query"} <= set(
        model["places"]
    )
    assert model["place"] == "layer:3"
    assert "/bert" not in str(start)  # no path leaves the server


def test_every_place_that_is_offered_can_be_measured(folder: Path) -> None:
    model = us.load(folder / "bert")
    for place in places_of(model):
        assert model.site(parse_place(place)).width in (4, 8, 16)


def test_the_chosen_place_is_what_is_measured(page: Page, folder: Path) -> None:
    sides, model = us.concept(folder / "sides.toml"), us.load(folder / "bert")
    values = []
    for place in ("layer:2[cls]", "layer:3"):
        shown = page.result(kind="measure", name="weat", test="jobs", place=place, **ASKED)
        value = us.measure("weat", model.at(place, "bleached"), sides.test("jobs")).value
        assert value is not None
        assert number(value) in cells(shown)
        values.append(value)
    assert values[0] != values[1]


def test_a_model_is_audited_and_what_needs_a_vocabulary_is_said_in_one_note(page: Page) -> None:
    assert page.result(kind="look", **ASKED)["figures"]
    shown = page.result(kind="audit", **ASKED)
    [note] = [note for note in shown["notes"] if "need a vocabulary" in note]
    assert "MODEL@wordpieces" in note
    record = page.get(f"/api/jobs/{shown['id']}/record.json").json()
    assert record["resource"]["kind"] == "model"


def test_a_method_acts_at_the_place_that_is_measured(page: Page) -> None:
    told = page.get("/api/check", "vectors=m1&place=layer:2[word]&method=leace").json()
    assert told == {"runs": "leace@layer:2"}
    chains = {
        "linear|leace@layer:1": "linear@layer:3[cls] | leace@layer:1",
        "layerwise": "layerwise",
    }
    for typed, runs in chains.items():
        query = f"vectors=m1&place=layer:3[cls]&method={typed}"
        assert page.get("/api/check", query).json() == {"runs": runs}
    for kind in ("debias", "tables"):
        shown = page.result(kind=kind, place="layer:3", method="leace", **ASKED)
        record = page.get(f"/api/jobs/{shown['id']}/record.json").json()
        assert record["treatment"]["expression"] == "leace@layer:3"
        assert record["baseline"]["name"] == "bert@layer:3 in bleached contexts"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"kind": "look", "place": "layer:9"}, 'No place in bert is called "layer:9"'),
        ({"kind": "look", "place": "../../etc/passwd"}, "No place in bert is called"),
        ({"kind": "look", "vectors": "m2"}, 'No set of vectors is called "m2"'),
        ({"kind": "look", "vectors": "/bert"}, "No set of vectors is called"),
        ({"kind": "debias", "method": "hard"}, "hard cannot act at layer:3"),
        ({"kind": "debias", "method": ""}, "must begin with a name"),
        ({"kind": "debias", "method": "linear(subspace=../x)"}, "looks like the name of a file"),
        ({"kind": "measure", "name": "gipe"}, "gipe needs a vocabulary ranked by frequency"),
        ({"kind": "probe", "name": "name-swap"}, "made from a corpus, which a page cannot name"),
        ({"kind": "file", "method": "leace", "format": "word2vec"}, "is a language model"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    page: Page, asked: dict[str, Any], said: str
) -> None:
    told = page.job(**{**ASKED, **asked})
    assert said in told["mistake"]
    assert "/bert" not in told["mistake"] or asked.get("vectors") == "/bert"


def test_own_words_and_comparisons_ask_for_vectors(page: Page) -> None:
    groups = [{"name": name, "words": [name]} for name in ("he", "she")]
    told = page.post("/api/association", {**ASKED, "words": ["nurse"], "groups": groups}).json()
    assert "needs word vectors, and bert is a language model" in told["mistake"]
    left, right = {"vectors": "m1"}, {"vectors": "v0"}
    told = page.job(kind="compare", concept="gender", sides=[left, right])
    assert "Comparing spaces needs word vectors" in told["mistake"]


def test_jobs_on_models_wait_for_their_turn_and_can_be_cancelled_meanwhile() -> None:
    models, said = Models(), []

    def cancelled(doing: str, done: int, total: int) -> None:
        said.append(doing)
        raise CancelledError

    with models.in_turn(lambda *_: None):
        found: list[BaseException] = []

        def other() -> None:
            try:
                with models.in_turn(cancelled):
                    pass
            except CancelledError as error:
                found.append(error)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join(10)
    assert said == ["Waiting for other work on a model to end"]
    assert len(found) == 1


def test_a_damaged_model_or_another_folder_is_refused_at_the_start(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(UnslantError, match="holds no study"):
        sorted_out([str(tmp_path)])
    cut = tmp_path / "cut"
    shutil.copytree(folder / "bert", cut)
    (cut / "model.safetensors").write_bytes((cut / "model.safetensors").read_bytes()[:-10])
    with pytest.raises(UnslantError, match="not a whole safetensors file"):
        sorted_out([str(cut)])


def test_a_real_sentence_encoder_is_looked_at(tmp_path: Path) -> None:
    served = Page(guarded(tmp_path, [str(real_model("minilm"))]))
    start = served.get("/api/start").json()
    assert start["vectors"][-1]["place"] == "sentence"
    asked = {"vectors": "m1", "concept": "gender", "place": "sentence"}
    shown = served.result(
        kind="measure", name="weat", test="career-family", method="leace", **asked
    )
    assert shown["tables"]
