"""The log-probability bias score: does an attribute make one group likelier than another?"""

from unslant.probes.lpbs.probe import Lpbs

__all__ = ["Lpbs"]
