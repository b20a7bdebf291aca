"""``unslant probe coref-scores``: files and folders compared, and what does not fit refused."""

from pathlib import Path

import pytest

from tests.command_line import json_of, unslant
from tests.language_models import data_folder

KEY = """#begin document (a); part 000
a 0 0 She (1)
a 0 1 lost -
a 0 2 her (1)
a 0 3 keys (2)
#end document
"""


def saved(folder: Path, name: str, text: str) -> str:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return name


def test_a_response_is_scored_and_singletons_are_stated(tmp_path: Path) -> None:
    key = saved(tmp_path, "key.conll", KEY)
    response = saved(tmp_path, "said.conll", KEY.replace("keys (2)", "keys (1)"))
    found = json_of("probe", "coref-scores", key, response, "--json", cwd=tmp_path)
    assert found["muc"] == {"recall": 1, "precision": 0.5, "f1": pytest.approx(2 / 3)}
    assert found["singletons"] == "kept"
    assert found["b_cubed"]["recall"] == 1
    shown = unslant(
        "probe", "coref-scores", key, response, "--without-singletons", cwd=tmp_path
    ).stdout
    assert "Singletons: dropped on both sides." in shown
    assert "CEAFφ4" in shown
    assert "1 documents, 2 true and 3 predicted mentions" in shown


def test_folders_are_compared_document_by_document(tmp_path: Path) -> None:
    for side in ("key", "said"):
        saved(tmp_path, f"{side}/a.conll", KEY)
        saved(tmp_path, f"{side}/b.conll", KEY.replace("(a)", "(b)"))
    found = json_of("probe", "coref-scores", "key", "said", "--json", cwd=tmp_path)
    assert (found["documents"], found["conll_f1"]) == (2, 1)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(a)", "(b)", "The response has no document a"),
        ("a 0 3 keys (2)\n", "", "has 4 words in the key and 3 in the response"),
        ("keys (2)", "keys 2)", "line 5: '2)' ends a mention that never began"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    key = saved(tmp_path, "key.conll", KEY)
    response = saved(tmp_path, "said.conll", KEY.replace(old, new))
    shown = unslant("probe", "coref-scores", key, response, cwd=tmp_path, code=2)
    assert says in " ".join(shown.stderr.split())


def test_a_key_without_mentions_has_no_score(tmp_path: Path) -> None:
    key = saved(tmp_path, "key.conll", KEY.replace("(1)", "-").replace("(2)", "-"))
    shown = unslant(
        "probe", "coref-scores", key, saved(tmp_path, "said.conll", KEY), cwd=tmp_path, code=2
    )
    assert "nothing to score" in shown.stderr


def test_a_case_of_the_reference_scorer_is_scored(tmp_path: Path) -> None:
    folder = data_folder("golden/conll")
    files = (str(folder / "TC-A.key"), str(folder / "TC-A-2.response"))
    found = json_of("probe", "coref-scores", *files, "--json", cwd=tmp_path)
    assert found["b_cubed"]["f1"] == pytest.approx(0.56, abs=5e-5)
