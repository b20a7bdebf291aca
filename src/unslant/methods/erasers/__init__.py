"""Fitted erasers: what they are made of, how they act and how they are kept."""

from unslant.methods.erasers.eraser import Eraser, Stage
from unslant.methods.erasers.linear import Dense, LowRank, linear_map, projection
from unslant.methods.erasers.network import Network
from unslant.methods.erasers.rotation import GradedRotation
from unslant.methods.erasers.steps import EachVector, Step, TheseWords
from unslant.methods.erasers.unit_length import UnitLength

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
