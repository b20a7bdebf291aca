"""How many analogies a : b = c : d the vectors solve."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.core.example import Example
from unslant.core.files import sha256_of_file
from unslant.core.measurement import Measurement
from unslant.core.parameters import Benchmark, at_least
from unslant.core.score import LARGER, Range, Score
from unslant.core.types import Array, Mask
from unslant.datasets.benchmarks import AnalogyQuestion, benchmark_file, read_questions
from unslant.measures.registry import VOCABULARY, metric
from unslant.measures.setting import Setting
from unslant.metrics.benchmark_words import BenchmarkWords, benchmark_words
from unslant.metrics.uncertainty import Spread, over_pairs
from unslant.numerics.bootstrap import Indices
from unslant.numerics.neighbours import best_fourth_words
from unslant.vectors import WordVectors


@metric(
    "analogy",
    cites="mikolov-2013",
    example=Example(data="analogy/google"),
    takes="vectors",
    needs=VOCABULARY,
    score=Score(
        better=LARGER,
        tells="quality",
        tolerated=0.02,
        range=Range(0, 1),
        misleads="The question's own words are not allowed as answers; without that rule most "
        "answers would be one of them (Linzen 2016). Questions with a missing word are dropped,"
        " so accuracies are comparable only at equal coverage and vocabulary limit.",
    ),
)
class Analogy:
    """Share of questions a : b = c : ? whose best-scoring word is the expected one.

        3cosadd: d = argmax cos(d, b) − cos(d, a) + cos(d, c)
        3cosmul: d = argmax cos(d, b) cos(d, c) / (cos(d, a) + 0.001), cosines shifted to 0…1
        accuracy = share of questions a : b = c : ? in which d is the expected word

    3cosmul is by Levy and Goldberg (2014). d is never a, b or c. ``dataset`` is google, msr or a
    file in either layout. Questions and answers use only the first ``restrict`` words of the
    vectors (0 for all). ``case`` is ``ignore`` (words that are equal in upper case are one word) or
    ``exact``.
    """

    dataset: Annotated[str, Benchmark("analogy")] = "google"
    method: Literal["3cosadd", "3cosmul"] = "3cosadd"
    restrict: Annotated[int, at_least(0)] = 300_000
    case: Literal["ignore", "exact"] = "ignore"
    seed: Annotated[int, at_least(0)] = 0

    def run(self, vectors: WordVectors, subject: object, setting: Setting) -> Measurement:
        """The share of correct answers, in total and by section."""
        path = benchmark_file("analogy", self.dataset)
        every = read_questions(path)
        benchmark = benchmark_words(
            vectors,
            [word for q in every for word in (q.a, q.b, q.c, q.d)],
            name=self.dataset,
            restrict=self.restrict,
            case=self.case,
        )
        rows = benchmark.rows([(q.a, q.b, q.c, q.d) for q in every])
        is_covered = (rows >= 0).all(axis=1)
        questions = [every[number] for number in np.flatnonzero(is_covered).tolist()]
        is_right = self._solve(benchmark, rows[is_covered], setting)
        sections = _sections(every, questions, is_right)
        interval, draws = self._interval(questions, is_right) if questions else (None, None)
        return Measurement(
            title=f"Analogies of {self.dataset} solved by {self.method}",
            value=float(is_right.mean()) if questions else None,
            why_undefined="" if questions else "no question has all four words in the vectors",
            interval=interval,
            draws=draws,
            details={
                "questions": len(every),
                "questions-answered": len(questions),
                "questions-skipped": len(every) - len(questions),
                **_kinds(questions, is_right),
                **{f"section-{item['section']}": item.get("accuracy") for item in sections},
                "vocabulary": len(benchmark.vectors),
                "dataset-sha256": sha256_of_file(path),
            },
            words=(benchmark.use,),
            points=tuple(sections),
            warnings=benchmark.warnings,
        )

    def _solve(self, found: BenchmarkWords, rows: NDArray[np.int64], setting: Setting) -> Mask:
        if not len(rows):
            return np.zeros(0, dtype=bool)
        report = setting.progress

        def progress(done: int, total: int) -> None:
            if report:
                report("Solving analogies", done, total)

        answers = best_fourth_words(
            found.vectors.matrix, rows[:, :3], found.same_word, self.method, progress
        )
        return np.asarray((answers >= 0) & (found.same_word[answers] == rows[:, 3]))

    def _interval(self, questions: Sequence[AnalogyQuestion], is_right: Mask) -> Spread:
        """BCa over the pairs (a, b): questions that share a pair are not independent."""
        numbers: dict[tuple[str, str, str], int] = {}
        pair = [numbers.setdefault((q.section, q.a, q.b), len(numbers)) for q in questions]
        totals = np.bincount(pair).astype(float)
        right = np.bincount(pair, weights=is_right)

        def share(samples: tuple[Indices, ...]) -> Array:
            [drawn] = samples
            return np.asarray(right[drawn].sum(axis=1) / totals[drawn].sum(axis=1))

        purpose = ("analogy", self.dataset)
        return over_pairs(
            share, [len(numbers)], seed=self.seed, purpose=purpose, over="pairs (a, b)"
        )[:2]


def _kinds(questions: Sequence[AnalogyQuestion], is_right: Mask) -> dict[str, float | None]:
    """Semantic and syntactic accuracy, if the sections distinguish them as Google's do."""
    is_grammar = np.array([q.section.startswith("gram") for q in questions], dtype=bool)
    if is_grammar.all() or not is_grammar.any():
        return {}
    return {
        "semantic": float(is_right[~is_grammar].mean()),
        "syntactic": float(is_right[is_grammar].mean()),
    }


def _sections(
    every: Sequence[AnalogyQuestion], questions: Sequence[AnalogyQuestion], is_right: Mask
) -> list[dict[str, float | str]]:
    """The result of each section, in file order; a section without answers has no share."""
    totals = Counter(question.section for question in every)
    answered = Counter(question.section for question in questions)
    right = Counter(q.section for q, ok in zip(questions, is_right, strict=True) if ok)
    rows: list[dict[str, float | str]] = []
    for section, count in totals.items():
        facts = {"right": right[section], "answered": answered[section], "questions": count}
        share = {"accuracy": right[section] / answered[section]} if answered[section] else {}
        rows.append({"section": section, **facts, **share})
    return rows
