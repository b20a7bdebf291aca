"""Fitted erasers: what they are made of, how they act and how they are kept."""

from unslant.debias.erasers.eraser import Eraser, Stage
from unslant.debias.erasers.linear import Dense, LowRank, linear_map, projection
from unslant.debias.erasers.network import Network
from unslant.debias.erasers.rotation import GradedRotation
from unslant.debias.erasers.steps import EachVector, Step, TheseWords
from unslant.debias.erasers.unit_length import UnitLength

__all__ = [
    "Dense",
    "EachVector",
    "Eraser",
    "GradedRotation",
    "LowRank",
    "Network",
    "Stage",
    "Step",
    "TheseWords",
    "UnitLength",
    "linear_map",
    "projection",
]
