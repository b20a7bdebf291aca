"""What counts as a model: any object with the one method, and a file of its answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import UnslantError
from unslant.predictors.answers import Scores, columns_for
from unslant.predictors.coreference import Coreference
from unslant.predictors.protocols import (
    CausalLM,
    MaskedLM,
    NextSentence,
    NliModel,
    Sentiment,
    Tagger,
    accepted,
    has_method,
    method_of,
)
from unslant.vectors import SentenceEncoder

PROTOCOLS: dict[type[Any], str] = {
    NliModel: "predict",
    MaskedLM: "log_probabilities",
    CausalLM: "log_likelihood",
    NextSentence: "score",
    SentenceEncoder: "encode",
    Tagger: "tag",
    Coreference: "resolve",
    Sentiment: "score",
}


@pytest.mark.parametrize(("need", "method"), PROTOCOLS.items())
def test_any_object_with_the_method_is_accepted_and_others_are_told_its_name(
    need: type[Any], method: str
) -> None:
    kind = type("Mine", (), {method: lambda self, *texts: None})
    mine = kind()
    assert method_of(need) == method
    assert accepted(mine, need) is mine
    with pytest.raises(UnslantError, match=rf"needs a method {method}\(.*\); int has none"):
        accepted(5, need)
    with pytest.raises(UnslantError, match="Mine is a class"):
        accepted(kind, need)
    assert not has_method(type("Odd", (), {method: 5})(), need)


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = [",".join(map(str, row.values())) for row in rows]
        path.write_text("\n".join([",".join(rows[0]), *lines]) + "\n")
    return path


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_answers_made_elsewhere_are_looked_up_by_their_texts(ending: str, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"premise": "A", "id": 1, "hypothesis": "B", "entailment": 0.5, "neutral": 0.25}
        | {"contradiction": 0.25},
        {"premise": "A", "id": 2, "hypothesis": "C", "entailment": 0, "neutral": 1}
        | {"contradiction": 0},
    ]
    made: Any = Scores(written(tmp_path / f"a.{ending}", rows), NliModel)
    assert accepted(made, NliModel) is made
    found = made.predict(["A", "A", "A"], ["C", "B", "C"])
    assert found.tolist() == [[0, 1, 0], [0.5, 0.25, 0.25], [0, 1, 0]]
    with pytest.raises(UnslantError, match=r'has no answer to "B" / "A"\. Write the texts with'):
        made.predict(["B"], ["A"])


def test_one_answer_column_gives_one_number_for_each_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,score\n'=1+1,0.5\nplain,-1\n")
    made: Any = Scores(path, Sentiment)
    assert made.score(["plain", "=1+1"]).tolist() == [-1, 0.5], "as the export made it safe"


def test_a_text_may_be_answered_twice_but_not_in_two_ways(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,score\na,0.5\nb,1\na,0.5\n")
    Scores(path, Sentiment)
    path.write_text("text,score\na,0.5\nb,1\na,0.6\n")
    with pytest.raises(
        UnslantError, match=r"a\.csv line 4 gives another answer to the text of line 2"
    ):
        Scores(path, Sentiment)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "text,score\na,\n", r'a\.csv line 2 has no "score"'),
        ("a.csv", "text\na\n", r'a\.csv line 2 has no "score"'),
        ("a.csv", "text,score\na,1\nb,nan\n", r"a\.csv line 3: \"score\" is 'nan'; expected a fin"),
        ("a.csv", "text,score\na,much\n", r"line 2: \"score\" is 'much'"),
        ("a.jsonl", '{"text": "a", "score": 1}\n{"text": "b"}\n', r'line 2 has no "score"'),
        ("a.jsonl", '{"text": "a", "score": NaN}\n', r"a\.jsonl line 1 is not JSON: it .*NaN"),
        ("a.jsonl", "[1]\n", "line 1 is not a JSON object"),
        ("a.txt", "", r"ends in \.csv or \.jsonl"),
    ],
)
def test_bad_rows_are_named_with_file_and_line(
    name: str, content: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(UnslantError, match=says):
        Scores(tmp_path / name, Sentiment)


def test_a_missing_file_and_answers_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnslantError, match="cannot be read: No such file"):
        Scores(tmp_path / "none.csv", Sentiment)
    with pytest.raises(UnslantError, match="Give a model with the method tag"):
        columns_for(Tagger)
