"""The methods that a recommendation compares, and the random controls that each has to beat.

They are those of docs/methods-table.md that changed real vectors more than random directions do,
one of each kind. ``oscar``, ``bam``, ``soft`` and ``isr`` are not among them: on GloVe and on
word2vec they stay close to the control or change only the test that they are fitted on.
"""

from dataclasses import dataclass

CONTROLS = 4
"""Random draws for either number of directions."""
MANY = 25
"""How many directions the control of a method that removes many takes out."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A method and how much it takes to use it: of two that do as well, the simpler is chosen.

    ``cost`` counts up: 1 is one fixed projection, 2 treats words by lists or rescales them, 3 is
    a chain or a regression, 4 repeats rounds of training, 5 moves every word by gradient descent.
    """

    expression: str
    cost: int
    removes_many: bool = False


CANDIDATES = (
    Candidate(expression="linear", cost=1),
    Candidate(expression="gbdd", cost=1),
    Candidate(expression="leace", cost=1),
    Candidate(expression="misp", cost=2),
    Candidate(expression="hard", cost=2),
    Candidate(expression="hard | misp", cost=3),
    Candidate(expression="double-hard", cost=3),
    Candidate(expression="half-sibling", cost=3),
    Candidate(expression="inlp", cost=4, removes_many=True),
    Candidate(expression="ran", cost=5),
)


def controls(dim: int) -> dict[str, tuple[str, bool]]:
    """Expressions of the random controls by label, and whether each removes many directions."""
    many = min(MANY, max(1, dim // 4))
    expressions = {}
    for removed, is_many in ((1, False), (many, True)):
        for seed in range(CONTROLS):
            named = f"random {removed}, draw {seed + 1}"
            expressions[named] = (f"random(seed={seed}, k={removed})", is_many)
    return expressions
