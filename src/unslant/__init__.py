"""Measure and remove social bias in word embeddings and language models.

>>> import unslant as us
>>> vectors = us.load()                       # the built-in GloVe slice
>>> gender = us.concept("gender")
>>> result = us.measure("weat", vectors, gender.test("career-family"))
>>> f"{result.value:.2f}"
'1.72'
"""

import builtins
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unslant.core.version import __version__

if TYPE_CHECKING:
    from unslant import figures
    from unslant.concepts import Concept, WordPolicy, concept
    from unslant.concepts.read import inline_test as test
    from unslant.concepts.swap import swap_of
    from unslant.core.errors import UnslantError
    from unslant.core.measurement import Measurement
    from unslant.erasers import Eraser
    from unslant.methods.streaming import debiased
    from unslant.studies.audit import Audit, audit
    from unslant.studies.layer_map import layer_map
    from unslant.studies.listing import list_of as list
    from unslant.studies.probe import probe
    from unslant.studies.re_emergence import re_emergence
    from unslant.studies.recommendation.recommend import recommend
    from unslant.studies.resources import load
    from unslant.studies.study import study
    from unslant.studies.verbs import debias, fit, measure
    from unslant.subspaces.estimator import estimate
    from unslant.subspaces.subspace import Subspace
    from unslant.vectors import WordVectors
    from unslant.vectors.save import save
    from unslant.vectors.space import space

_HOMES = {
    "Audit": "unslant.studies.audit",
    "Concept": "unslant.concepts",
    "Eraser": "unslant.erasers",
    "Measurement": "unslant.core.measurement",
    "Subspace": "unslant.subspaces.subspace",
    "UnslantError": "unslant.core.errors",
    "WordPolicy": "unslant.concepts",
    "WordVectors": "unslant.vectors",
    "audit": "unslant.studies.audit",
    "re_emergence": "unslant.studies.re_emergence",
    "concept": "unslant.concepts",
    "debias": "unslant.studies.verbs",
    "debiased": "unslant.methods.streaming",
    "estimate": "unslant.subspaces.estimator",
    "figures": "unslant.figures",
    "fit": "unslant.studies.verbs",
    "head_map": "unslant.studies.head_map",
    "layer_map": "unslant.studies.layer_map",
    "list": "unslant.studies.listing",
    "load": "unslant.studies.resources",
    "measure": "unslant.studies.verbs",
    "probe": "unslant.studies.probe",
    "recommend": "unslant.studies.recommendation.recommend",
    "save": "unslant.vectors.save",
    "space": "unslant.vectors.space",
    "study": "unslant.studies.study",
    "swap_of": "unslant.concepts.swap",
    "test": "unslant.concepts.read",
}

_CALLED = {"list": "list_of", "test": "inline_test"}
"""What is called otherwise where it is defined, so as not to hide a built-in there."""

_LISTED = ("metrics", "methods", "probes", "concepts", "tests", "directions", "words", "data")

__all__ = [
    "Audit",
    "Concept",
    "Eraser",
    "Measurement",
    "Subspace",
    "UnslantError",
    "WordPolicy",
    "WordVectors",
    "__version__",
    "audit",
    "concept",
    "debias",
    "debiased",
    "estimate",
    "figures",
    "fit",
    "head_map",
    "layer_map",
    "list",
    "load",
    "measure",
    "probe",
    "re_emergence",
    "recommend",
    "save",
    "space",
    "study",
    "swap_of",
    "test",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that ``import unslant`` stays light."""
    if name in _LISTED:
        raise AttributeError(f"unslant has no {name!r}. To list the {name}: us.list({name!r})")
    if name not in _HOMES:
        raise AttributeError(f"module 'unslant' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return home if name == "figures" else getattr(home, _CALLED.get(name, name))


def __dir__() -> "builtins.list[str]":
    return sorted(__all__)
