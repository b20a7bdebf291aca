"""Winogender and WinoPron: is a pronoun resolved differently if only its gender changes?"""

from unslant.probes.winogender.probe import Winogender
from unslant.probes.winogender.winopron import WinoPron

__all__ = ["WinoPron", "Winogender"]
