"""Documents with coreference after the swap: the same mentions, at the same words."""

from tests.language_models import data_folder
from unslant.concepts.swap import SwappedTokens, swap_of
from unslant.concepts.swap.swap import Swap
from unslant.datasets.coreference.conll2012 import read_documents
from unslant.datasets.coreference.document import CorefDocument
from unslant.models.coreference.data import doubled, swapped_document

GENDER = swap_of("gender")
DOCUMENT = CorefDocument(
    "d",
    (("Her", "uncle", "left", "."), ("He", "likes", "rain", ".")),
    (((0, 1),), ((0, 2), (4, 5))),
)


def test_words_change_and_clusters_stay() -> None:
    found = swapped_document(DOCUMENT, GENDER)
    assert found.document.sentences == (("His", "aunt", "left", "."), ("She", "likes", "rain", "."))
    assert found.document.clusters == DOCUMENT.clusters
    assert (found.document.name, found.count, found.ambiguous) == ("d_swapped", 3, 0)
    assert swapped_document(found.document, GENDER).document == DOCUMENT


def test_a_document_without_group_words_has_no_twin() -> None:
    plain = CorefDocument("p", (("Rain", "fell"),), (((0, 1),),))
    assert [one.name for one in doubled([DOCUMENT, plain], GENDER)] == ["d", "d_swapped", "p"]


class Longer(Swap):
    """Gives a counterpart of two words, which no table here has."""

    def tokens(self, tokens):  # type: ignore[no-untyped-def]
        new = tuple("young uncle" if one == "uncle" else one for one in tokens)
        return SwappedTokens(new, tuple(None for _ in new))


def test_a_counterpart_of_two_words_moves_the_spans_after_it() -> None:
    swap = Longer(GENDER.concept, GENDER.table, GENDER.names)
    found = swapped_document(DOCUMENT, swap).document
    assert found.words[:4] == ("Her", "young", "uncle", "left")
    assert found.clusters == (((0, 1),), ((0, 3), (5, 6)))
    assert [found.text(span) for span in found.clusters[1]] == ["Her young uncle", "He"]


def test_real_documents_keep_every_mention_and_certain_sentences_come_back() -> None:
    folder = data_folder("coref/litbank")
    changed = certain = 0
    for name in ("514_little_women", "45_anne_of_green_gables", "2489_moby_dick"):
        (document,) = read_documents(folder / f"{name}_brat.conll")
        found = swapped_document(document, GENDER)
        back = swapped_document(found.document, GENDER).document
        assert found.document.clusters == back.clusters == document.clusters
        changed += found.count
        rows = zip(document.sentences, found.document.sentences, back.sentences, strict=True)
        for old, new, again in rows:
            assert len(old) == len(new)
            if GENDER.tokens(old).is_certain:
                certain += old != new
                assert again == old
    assert changed > 250
    assert certain > 50
