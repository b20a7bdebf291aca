"""Whether an object is the model that a probe needs: it has the one method, whatever its class."""

import inspect
from pathlib import PurePath
from typing import Any

from unslant.core.errors import UnslantError


def method_of(need: type[Any]) -> str:
    """The name of a protocol's one method.

    >>> from unslant.predictors.nli import NliModel
    >>> method_of(NliModel)
    'predict'
    """
    [name] = [name for name, item in vars(need).items() if name[0] != "_" and callable(item)]
    return str(name)


def has_method(model: object, need: type[Any]) -> bool:
    """Whether an object has the method of a protocol; classes and paths are no models.

    A path has a method ``resolve`` of its own, which resolves no pronoun.
    """
    if isinstance(model, type | PurePath):
        return False
    return callable(getattr(model, method_of(need), None))


def accepted(model: Any, need: type[Any]) -> Any:
    """The model, or one sentence that names the method it lacks."""
    if has_method(model, need):
        return model
    name = method_of(need)
    method = getattr(need, name)
    takes = ", ".join(list(inspect.signature(method).parameters)[1:])
    if isinstance(model, type):
        raise UnslantError(
            f"{model.__name__} is a class. Give an instance of it, which has a method "
            f"{name}({takes})."
        )
    gives = (inspect.getdoc(method) or "").split("\n")[0]
    raise UnslantError(
        f"A model needs a method {name}({takes}); {type(model).__name__} has none. Wrap it in a "
        f"class with that method, which gives: {gives}"
    )
