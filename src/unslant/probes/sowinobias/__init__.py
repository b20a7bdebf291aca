"""SoWinoBias: do stereotypes decide who "they" are, in sentences without any gender?"""

from unslant.probes.sowinobias.probe import SoWinoBias

__all__ = ["SoWinoBias"]
