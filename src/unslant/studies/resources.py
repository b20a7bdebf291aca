"""Resolve what to examine: a file, a folder, a place in a model, or an object."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from unslant.concepts import AssociationTest, Concept
from unslant.concepts.contexts import BLEACHED, GivenContexts
from unslant.core.errors import ExpressionError, UnslantError
from unslant.core.files import Progress
from unslant.core.places import Place, parse_place
from unslant.models.language.folder import is_model_folder, looks_like_hub_name
from unslant.vectors import GivenSpace, Space, WordVectors, space_from
from unslant.vectors import load as load_vectors

if TYPE_CHECKING:
    from unslant.models.language.base import LanguageModel

    Given = GivenSpace | LanguageModel
    """What the public verbs examine."""


@overload
def load(path: None = None, **options: Any) -> WordVectors: ...


@overload
def load(path: object, **options: Any) -> Any: ...


def load(path: object = None, **options: Any) -> Any:
    """Word vectors from a file, or a language model from a folder or the Hugging Face cache.

    Without a path, the built-in vectors. Nothing is downloaded, and nothing in a file is ever run.
    The options are those for word vectors (``limit``, ``only``, …).

    >>> load(limit=1000)
    <WordVectors glove.6B.100d.slice (1,000 words × 100)>
    """
    if isinstance(path, str | Path) and names_model(path):
        if options:
            raise UnslantError(
                f"{path} is a language model, which takes no {', '.join(options)}. Leave it out."
            )
        return _load_model(path)
    return load_vectors(path, **options)  # type: ignore[arg-type]


def names_model(path: str | Path) -> bool:
    """Whether a path or name is that of a language model."""
    return is_model_folder(path) or (
        isinstance(path, str) and not Path(path).exists() and looks_like_hub_name(path)
    )


def model_and_place(text: str) -> tuple[str, Place] | None:
    """The two parts of ``MODEL@PLACE``; None if the text is not written so.

    >>> model_and_place("glove.txt") is None
    True
    """
    name, sign, place = text.rpartition("@")
    if not sign or Path(text).exists() or not names_model(name):
        return None
    return name, parse_place(place)


def is_model(given: object) -> bool:
    """Whether something is a model, or names a model or a place in one."""
    if loaded_model(given) is not None:
        return True
    if not isinstance(given, str | Path):
        return False
    return names_model(given) or model_and_place(str(given)) is not None


def loaded_model(given: object) -> LanguageModel | None:
    """The object itself if it is a language model, otherwise None."""
    # Nothing can be a model before the module of models is imported, and vectors need none of it.
    module = sys.modules.get("unslant.models.language.base")
    return given if module is not None and isinstance(given, module.LanguageModel) else None


def _load_model(path: str | Path) -> LanguageModel:
    from unslant.models.language.model import load_model

    return load_model(path)


def model_from(given: object) -> LanguageModel:
    """A model as it is, or the one that a path names."""
    if (model := loaded_model(given)) is not None:
        return model
    if isinstance(given, str | Path):
        return _load_model(given)
    raise UnslantError(
        f"Expected a language model (from us.load, or the path of its folder), not "
        f"{type(given).__name__}."
    )


def space_of(
    given: Given,
    subject: Concept | AssociationTest | None = None,
    *,
    contexts: GivenContexts | None = None,
    place: Place | str | None = None,
    cache: bool = False,
    progress: Progress | None = None,
) -> Space:
    """The space that is meant: of a file, of a place in a model, or of its sentence vectors.

    Words of a concept are put into contexts, by default into bleached ones; a test whose items
    are sentences is used unchanged. With ``cache``, vectors of texts are kept on disk by the hash
    of the model, the place and the text.
    """
    if isinstance(given, str | Path) and (named := model_and_place(str(given))) is not None:
        given, place = _load_model(named[0]), named[1]
    elif isinstance(given, str | Path) and names_model(given):
        given = _load_model(given)
    if (model := loaded_model(given)) is None:
        if contexts is not None:
            raise ExpressionError("Contexts are for words in language models, not for vectors.")
        return space_from(cast("GivenSpace", given))
    if contexts is None and getattr(subject, "items", "words") != "sentences":
        contexts = BLEACHED
    return model.at(place or model.default_place, contexts, cache=cache, progress=progress)
