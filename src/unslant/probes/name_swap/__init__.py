"""Name swap: does a tagger find a person less often if the name suggests another group?"""

from unslant.probes.name_swap.probe import NameSwap
from unslant.probes.name_swap.questions import NameSwapSet

__all__ = ["NameSwap", "NameSwapSet"]
