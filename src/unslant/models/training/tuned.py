"""Which weights of an encoder are trained beside its head."""

import re
from dataclasses import dataclass

from unslant.core.errors import UnslantError

_TEXT = re.compile(r"(all|none|last|adapters)(?::(\d+))?")
_FORMS = "all, none, last:2 (blocks) or adapters:16 (their rank)"


@dataclass(frozen=True)
class Tuned:
    """``all`` weights, ``none``, the ``last`` blocks, or low-rank ``adapters`` in every block.

    Adapters come with the norms, which are small. ``number`` is how many blocks, or the rank.

    >>> Tuned.of("adapters:16"), str(Tuned.of("last:2"))
    (Tuned(kind='adapters', number=16), 'last:2')
    """

    kind: str
    number: int = 0

    @classmethod
    def of(cls, text: str) -> "Tuned":
        """Read what is tuned."""
        match = _TEXT.fullmatch(text)
        if match is None or (match[1] in ("last", "adapters")) != bool(match[2]):
            raise UnslantError(f'What is tuned must be {_FORMS}, not "{text}".')
        number = int(match[2] or 0)
        if match[2] and not 1 <= number <= 1_024:
            raise UnslantError(f'The number in "{text}" must be from 1 to 1,024.')
        return cls(match[1], number)

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}" if self.number else self.kind
