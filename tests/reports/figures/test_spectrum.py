"""The fall of the variance: the concept's words beside random ones."""

from tests.reports.figures.audits import audit_of, keeps_the_rules, rows_of
from unslant.reports.figures.spectrum import spectrum

ROW = {"estimator": "pair-pca(x)", "ratios": [0.5], "cosine": 0.7}


def test_shares_of_the_concept_and_of_random_words_are_drawn_by_axis() -> None:
    record = audit_of([])
    record["stability"] = [ROW | {"explained": [0.8, 0.2, 1e-30], "chance": [0.6, 0.4]}]
    figure = spectrum(record)
    assert figure is not None
    keeps_the_rules(figure)
    shares = [(row["of"], row["axis"], row["share"]) for row in rows_of(figure)]
    assert shares == [
        ("words of the concept", 1, 0.8), ("words of the concept", 2, 0.2),
        ("random words", 1, 0.6), ("random words", 2, 0.4),
    ]  # fmt: skip
    assert "the first axis holds 80 % of the variance, the second 20 %; random words 60 %" in (
        figure.description
    )


def test_the_direction_in_use_comes_first_and_estimates_of_one_axis_are_left_out() -> None:
    record = audit_of([])
    several = {"explained": [0.7, 0.3], "chance": []}
    record["direction"] = ROW | {"estimator": "in use"} | several
    record["stability"] = [ROW | several, ROW | {"estimator": "one", "explained": [], "chance": []}]
    figure = spectrum(record)
    assert figure is not None
    titles = [part["title"]["text"] for part in figure.spec()["concat"]]
    assert titles == ["in use", "pair-pca(x)"]


def test_an_older_record_has_no_such_figure() -> None:
    record = audit_of([])
    assert spectrum(record) is None
    record["stability"] = [ROW]
    assert spectrum(record) is None
    del record["stability"], record["direction"]
    assert spectrum(record) is None
