"""WinoBias: is a pronoun resolved less often if its gender goes against a stereotype?"""

from unslant.probes.winobias.probe import WinoBias

__all__ = ["WinoBias"]
