"""Swaps the words of two groups in running English text: she and he, names, roles, kin.

>>> from unslant.concepts.swap import swap_of
>>> swapped = swap_of("gender")("Her aunt told him that the duchess is his.")
>>> swapped.text
'His uncle told her that the duke is hers.'
>>> swapped.is_certain, swapped.count
(True, 5)
"""

from unslant.concepts.swap.swap import Swap, swap_of
from unslant.concepts.swap.tokens import Status, Swapped, SwappedTokens, SwappedWord

__all__ = ["Status", "Swap", "Swapped", "SwappedTokens", "SwappedWord", "swap_of"]
