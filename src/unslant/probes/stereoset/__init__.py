"""StereoSet: does a language model prefer stereotypes, and does gender change what it expects?"""

from unslant.probes.stereoset.probe import StereoSet
from unslant.probes.stereoset.questions import StereoSetQuestions, questions_from

__all__ = ["StereoSet", "StereoSetQuestions", "questions_from"]
