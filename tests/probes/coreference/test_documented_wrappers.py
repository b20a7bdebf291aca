"""The wrappers in docs/coreference.md work with what fastcoref and spaCy give."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import unslant as us
from unslant.datasets.coreference.document import word_clusters

PAGE = Path(__file__).parents[3] / "docs" / "coreference.md"


@pytest.fixture(scope="module")
def wrappers() -> dict[str, Any]:
    text = PAGE.read_text(encoding="utf-8")
    [code] = [one for one in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Spacy" in one]
    names: dict[str, Any] = {"__name__": "pasted"}
    exec(code, names)
    return names


class Result:
    """What fastcoref's predict gives for each text: clusters as characters, or as strings."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_clusters(self, as_strings: bool = True) -> list[list[Any]]:
        second, they = (re.search(p, self.text) for p in (r"the \w+", "they"))
        assert second is not None
        assert they is not None
        if as_strings:
            return [[second[0], they[0]]]
        return [[second.span(), they.span()]]


class FakeFCoref:
    """fastcoref.FCoref: predict(texts) with texts as strings."""

    def predict(self, texts: list[str]) -> list[Result]:
        return [Result(text) for text in texts]


def test_fastcoref_is_probed(wrappers: dict[str, Any]) -> None:
    found = us.probe("sowinobias(sample=true)", model=wrappers["FastCoref"](FakeFCoref()))
    of = {one.metric: one.value for one in found.measurements}
    assert of["sowinobias-mean-all"] == 1


def test_a_spacy_pipeline_with_coreference_is_probed(wrappers: dict[str, Any]) -> None:
    spacy = pytest.importorskip("spacy")
    name = "coreference_of_these_tests"
    if not spacy.Language.has_factory(name):

        def component(doc: Any) -> Any:
            doc.spans["coref_clusters_1"] = [doc[0:2], doc[6:7]]
            doc.spans["other"] = [doc[3:5], doc[6:7]]
            return doc

        spacy.Language.component(name, func=component)

    nlp = spacy.blank("en")
    nlp.add_pipe(name)
    model = wrappers["SpacyCoref"](nlp)
    words = ["The", "cook", "liked", "the", "maid", "because", "they", "were", "fair", "."]
    assert model.resolve([words]) == [[[(0, 2), (6, 7)]]]


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        ([[(0, 7), (14, 17)]], (((0, 2), (3, 4)),)),
        ([[(1, 3), (4, 6)]], (((0, 1), (1, 2)),)),
        ([[(0, 3), (1, 3)], [(2, 3)]], (((0, 1),),)),
        ([[(0, 8)]], (((0, 2),),)),
    ],
)
def test_characters_become_words(clusters: Sequence[Any], expected: object) -> None:
    # "Ann" 0 to 3, "Lee" 4 to 7, "lost" 8 to 12 …
    words = ("Ann", "Lee", "sells", "her")
    assert word_clusters(words, clusters) == expected
