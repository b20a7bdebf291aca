"""The reference of ``import unslant as us``: every public name, from its docstring."""

import inspect

import unslant

_ABOUT = """# Python

```python
import unslant as us
```

What `us` has, in two parts: what it does, and what that gives. Components (measures, methods, \
probes, estimators) are named in texts, such as `"weat(ddof=0)"` or `"hard | misp"`; their pages \
list their parameters, and `us.list()` finds them.
"""


def reference_page() -> str:
    """All public names, functions first, as mkdocstrings reads them."""
    names = [name for name in unslant.__all__ if not name.startswith("_")]
    functions = [name for name in names if inspect.isfunction(getattr(unslant, name))]
    classes = [name for name in names if inspect.isclass(getattr(unslant, name))]
    modules = [name for name in names if inspect.ismodule(getattr(unslant, name))]
    parts = [_ABOUT, *map(_entry, functions), *map(_module, modules), *map(_entry, classes)]
    return "\n".join(parts)


def _entry(name: str) -> str:
    """One name, read where it is defined and headed by what it is called here."""
    found = getattr(unslant, name)
    options = f"      heading: us.{name}\n      toc_label: {name}\n"
    return f"::: {found.__module__}.{found.__qualname__}\n    options:\n{options}"


def _module(name: str) -> str:
    return f"::: {getattr(unslant, name).__name__}\n    options:\n      heading: us.{name}\n"
