"""How well predicted clusters agree with true ones, over any number of documents.

Counts are added over documents before shares are taken, as the reference scorer does (Pradhan et
al. 2014). The CoNLL score is the mean F1 of MUC, B³ and CEAFφ4. Singletons count unless they are
dropped, which is always done on both sides: in corpora without annotated singletons (OntoNotes) a
response that has them loses precision, in those with them (LitBank) they are a large share of the
clusters, so scores with and without them do not compare.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from unslant.core.errors import UnknownNameError
from unslant.measures.cluster_scores import (
    Blanc,
    ClusterCounts,
    ClustersLike,
    CorefScore,
    Overlap,
    b_cubed,
    ceaf_e,
    ceaf_m,
    lea,
    muc,
)

_BY_NAME = {"muc": muc, "b_cubed": b_cubed, "ceaf_e": ceaf_e, "ceaf_m": ceaf_m, "lea": lea}
CONLL = ("muc", "b_cubed", "ceaf_e")
NAMES = ("muc", "b_cubed", "ceaf_e", "ceaf_m", "blanc", "lea", "mentions")


@dataclass
class CorefScores:
    """Counts of documents added one at a time.

    >>> scores = CorefScores()
    >>> scores.add([[(0, 1), (1, 2)]], [[(0, 1), (1, 2), (2, 3)]])
    >>> float(scores["muc"].recall), float(scores["muc"].precision)
    (1.0, 0.5)
    """

    singletons: bool = True
    documents: int = 0
    counts: dict[str, ClusterCounts] = field(default_factory=dict)
    blanc: Blanc = field(default_factory=Blanc)

    def add(self, key: ClustersLike, response: ClustersLike) -> None:
        """Count one document: its true clusters, and the predicted ones."""
        overlap = Overlap.of(key, response, singletons=self.singletons)
        self.documents += 1
        for name, measure in _BY_NAME.items():
            self.counts[name] = self.counts.get(name, ClusterCounts()) + measure(overlap)
        self.blanc += Blanc.of(overlap)

    def __getitem__(self, name: str) -> CorefScore:
        """A score by its name (``NAMES``)."""
        if name == "blanc":
            return self.blanc.score
        if name == "mentions":
            found = Fraction(self.blanc.shared_mentions)
            return ClusterCounts(
                found, Fraction(self.key_mentions), found, Fraction(self.response_mentions)
            ).score
        if name not in _BY_NAME:
            raise UnknownNameError("coreference score", name, NAMES)
        return self.counts.get(name, ClusterCounts()).score

    @property
    def conll(self) -> float:
        """The mean F1 of MUC, B³ and CEAFφ4."""
        return float(sum((self[name].f1 for name in CONLL), Fraction(0)) / len(CONLL))

    @property
    def key_mentions(self) -> int:
        """The number of true mentions; without any there is nothing to find."""
        return self.blanc.key_mentions

    @property
    def response_mentions(self) -> int:
        """The number of predicted mentions."""
        return self.blanc.response_mentions

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name, for records."""
        return {
            "conll_f1": self.conll,
            **{name: self[name].to_dict() for name in NAMES},
            "documents": self.documents,
            "key_mentions": self.key_mentions,
            "response_mentions": self.response_mentions,
            "singletons": "kept" if self.singletons else "dropped on both sides",
        }
