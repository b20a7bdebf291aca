"""The categorical bias score: how unevenly attributes go with many groups."""

from unslant.probes.cbs.probe import Cbs

__all__ = ["Cbs"]
