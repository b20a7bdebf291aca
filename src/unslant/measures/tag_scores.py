"""How well predicted tags agree with the true ones: exact entities, and single tags.

An entity counts as found if its first word, its last word and its kind are right, as in the shared
task of CoNLL-2003. Precision P, recall R and F1 = 2PR / (P + R) are over all entities and by
kind. Accuracy counts words, most of which are in no entity, so it is also given without the most
frequent tag: over the words whose true tag is another one (Dutta 2019, "non baseline").
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from unslant.datasets.conll2003 import TaggedSentence


@dataclass(frozen=True)
class SpanScore:
    """True entities, predicted ones, and those that are both."""

    true: int
    predicted: int
    right: int

    @property
    def precision(self) -> float | None:
        """The share of the predicted entities that are right; None if none was predicted."""
        return self.right / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """The share of the true entities that were found; None if there is none."""
        return self.right / self.true if self.true else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both, which is 2 · right / (true + predicted)."""
        total = self.true + self.predicted
        return 2 * self.right / total if total else None


@dataclass
class TagScores:
    """Counts of sentences added one at a time; both sides are compared in IOB2.

    >>> scores = TagScores()
    >>> scores.add(("I-PER", "I-PER", "O"), ("B-PER", "I-PER", "B-LOC"))
    >>> scores.spans().precision, scores.spans().recall, scores.accuracy
    (0.5, 1.0, 0.6666666666666666)
    """

    words: Counter[str] = field(default_factory=Counter)
    right_words: Counter[str] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    predicted: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)

    def add(self, true: Sequence[str], predicted: Sequence[str]) -> None:
        """Count the words and entities of one sentence."""
        words = ("",) * len(true)
        first, second = (TaggedSentence(words, tuple(tags)).iob2() for tags in (true, predicted))
        self.words.update(first.tags)
        pairs = zip(first.tags, second.tags, strict=True)
        self.right_words.update(mine for mine, theirs in pairs if mine == theirs)
        spans, guessed = first.spans(), set(second.spans())
        self.true.update(span.kind for span in spans)
        self.predicted.update(span.kind for span in guessed)
        self.right.update(span.kind for span in spans if span in guessed)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of entities, true or predicted, by name."""
        return tuple(sorted({*self.true, *self.predicted}))

    def spans(self, kind: str | None = None) -> SpanScore:
        """The entities of one kind, or all."""
        if kind is not None:
            return SpanScore(self.true[kind], self.predicted[kind], self.right[kind])
        return SpanScore(self.true.total(), self.predicted.total(), self.right.total())

    @property
    def majority(self) -> str:
        """The most frequent true tag; of equally frequent ones the first by name."""
        return max(sorted(self.words), key=self.words.__getitem__, default="")

    @property
    def accuracy(self) -> float | None:
        """The share of words with the right tag."""
        return _share(self.right_words.total(), self.words.total())

    @property
    def accuracy_without_majority(self) -> float | None:
        """The same over the words whose true tag is not the most frequent one."""
        most = self.majority
        right = self.right_words.total() - self.right_words[most]
        return _share(right, self.words.total() - self.words[most])

    @property
    def baselines(self) -> tuple[float | None, float | None]:
        """Both accuracies of always giving the most frequent tag allowed, as Dutta's baselines."""
        first, second = [*sorted(self.words.values(), reverse=True), 0, 0][:2]
        total = self.words.total()
        return _share(first, total), _share(second, total - first)

    def to_dict(self) -> dict[str, float | None]:
        """The numbers by name, for records."""
        whole = self.spans()
        found: dict[str, float | None] = {
            "span_f1": whole.f1,
            "span_precision": whole.precision,
            "span_recall": whole.recall,
            "accuracy": self.accuracy,
            "accuracy_without_majority": self.accuracy_without_majority,
            "majority_baseline": self.baselines[0],
            "baseline_without_majority": self.baselines[1],
        }
        return found | {f"span_f1_{kind}": self.spans(kind).f1 for kind in self.kinds}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
