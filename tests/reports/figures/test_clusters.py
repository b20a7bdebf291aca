"""The picture of clusters: sides, clusters, and their names across panels."""

from tests.reports.figures.audits import audit_of, clustering, keeps_the_rules, rows_of, used
from unslant.reports.figures.clusters import clusters

FAR = [("a", "ups", "1", -1.0, 0.0), ("b", "ups", "1", -0.9, 0.1), ("c", "acrosses", "2", 1.0, 0.0)]


def test_a_word_has_its_place_its_side_and_its_cluster() -> None:
    figure = clusters(audit_of([clustering(FAR)]))
    assert figure is not None
    keeps_the_rules(figure)
    rows = {row["word"]: row for row in rows_of(figure) if "cluster" in row}
    assert (rows["a"]["x"], rows["a"]["side"]) == (-1.0, "ups")
    assert rows["a"]["cluster"] == rows["b"]["cluster"] != rows["c"]["cluster"]
    assert "of those that leaned to ups, 2 are in one cluster and 0 in the other" in (
        figure.description
    )
    assert figure.spec()["title"]["subtitle"] == "accuracy 0.90, V-measure 0.80"


def test_the_filled_cluster_is_that_of_the_first_side_whatever_its_number() -> None:
    turned = [
        (word, side, {"1": "2", "2": "1"}[cluster], x, y) for word, side, cluster, x, y in FAR
    ]
    figure = clusters(audit_of([clustering(turned)], [clustering(FAR)]))
    assert figure is not None
    keeps_the_rules(figure)
    filled = [row["cluster"] for row in rows_of(figure) if row["word"] == "a" and "cluster" in row]
    assert len(filled) == 2
    assert len(set(filled)) == 1


def test_other_words_before_are_told_in_the_caption() -> None:
    before = clustering(FAR) | {"words": [used("most biased words", ["a", "b"])]}
    figure = clusters(audit_of([clustering(FAR)], [clustering(FAR)]))
    assert figure is not None
    assert "≠" not in figure.caption
    figure = clusters(audit_of([clustering(FAR)], [before]))
    assert figure is not None
    assert "≠ Before and after do not compare fully" in figure.caption


def test_no_clustering_and_an_undefined_one_have_no_figure() -> None:
    assert clusters(audit_of([])) is None
    assert clusters(audit_of([clustering([])])) is None
