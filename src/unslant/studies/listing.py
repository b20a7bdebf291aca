"""Lists of available components, by name, for Python users."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from unslant.concepts import bundled_concepts, concept
from unslant.concepts.wordlists import bundled_lists
from unslant.core.errors import UnknownNameError
from unslant.core.extras import frame
from unslant.core.registry import Entry
from unslant.core.visible import visible

Row = tuple[str, str]


@dataclass(frozen=True)
class Listing(Sequence[str]):
    """Names, each with one line about it; a sequence of the names."""

    kind: str
    rows: tuple[Row, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return [name for name, _ in self.rows][place]

    def __repr__(self) -> str:
        width = max((len(name) for name, _ in self.rows), default=0)
        return "\n".join(f"{name:{width}}  {visible(about)}" for name, about in self.rows)

    def _repr_html_(self) -> str:
        lines = "".join(
            f'<tr><th scope="row">{_safe(name)}</th><td>{_safe(about)}</td></tr>'
            for name, about in self.rows
        )
        return f"<table><caption>{_safe(self.kind)}</caption><tbody>{lines}</tbody></table>"

    def to_frame(self) -> Any:
        """The names as a pandas DataFrame."""
        rows = [{"name": name, "about": about} for name, about in self.rows]
        return frame(rows, f"There are no {self.kind}")


_KINDS = {
    "metrics": "measure bias and quality: us.measure",
    "methods": "remove bias: us.debias, us.fit",
    "probes": "query models: us.probe",
    "concepts": "what bias is about: us.concept",
    "tests": 'association tests of a concept: us.list("tests", "gender")',
    "directions": "estimate a bias direction: us.estimate",
    "words": "bundled word lists: unslant list words NAME",
    "data": "public benchmark files: unslant files fetch",
}


def list_of(kind: str | None = None, of: str | None = None) -> Listing:
    """The names of a kind: metrics, methods, probes, concepts, tests, directions, words or data.

    Without a kind, these kinds. Tests are those of a concept: ``us.list("tests", "gender")``.

    >>> import unslant as us
    >>> us.list()[:3]
    ['metrics', 'methods', 'probes']
    >>> "weat" in us.list("metrics"), us.list("tests", "age")[0]
    (True, 'young-old-pleasant')
    """
    kinds: Mapping[str, Callable[[], Iterable[Row]]] = {
        "methods": _methods,
        "metrics": lambda: _measures(are_probes=False),
        "probes": lambda: _measures(are_probes=True),
        "concepts": lambda: ((name, concept(name).title) for name in bundled_concepts()),
        "tests": lambda: _tests(of or "gender"),
        "directions": _directions,
        "words": lambda: ((name, item.about) for name, item in bundled_lists().items()),
        "data": _datasets,
    }
    if kind is None:
        return Listing("kinds", tuple(_KINDS.items()))
    if not isinstance(kind, str) or kind.lower() not in kinds:
        raise UnknownNameError("kind of list", str(kind), kinds)
    return Listing(kind.lower(), tuple(kinds[kind.lower()]()))


def _methods() -> Iterator[Row]:
    from unslant.methods.method import DEBIASERS
    from unslant.models.debias_training.registry import TUNINGS

    return _entries([*DEBIASERS, *TUNINGS])


def _measures(*, are_probes: bool) -> Iterator[Row]:
    from unslant.measures.registry import metrics, probes

    return _entries(probes() if are_probes else metrics())


def _entries(entries: Iterable[Entry[Any]]) -> Iterator[Row]:
    return ((entry.name, entry.summary) for entry in entries)


def _tests(of: str) -> Iterator[Row]:
    return ((name, test.title) for name, test in concept(of).tests.items())


def _datasets() -> Iterator[Row]:
    from unslant.datasets.registry import datasets

    return ((name, item.cite) for name, item in datasets().items())


def _directions() -> Iterator[Row]:
    from unslant.subspaces.estimator import ESTIMATORS

    return _entries(ESTIMATORS)


def _safe(text: str) -> str:
    return escape(visible(text), quote=True)
