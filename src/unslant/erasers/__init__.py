"""Fitted erasers: what they consist of, how they are applied and how they are stored."""

from unslant.erasers.eraser import Eraser, Stage
from unslant.erasers.linear import Constant, Dense, LowRank, UnitLength, linear_map, projection
from unslant.erasers.network import Network
from unslant.erasers.rotation import GradedRotation
from unslant.erasers.transform import Action, EachVector, TheseWords

__all__ = [
    "Action",
    "Constant",
    "Dense",
    "EachVector",
    "Eraser",
    "GradedRotation",
    "LowRank",
    "Network",
    "Stage",
    "TheseWords",
    "UnitLength",
    "linear_map",
    "projection",
]
