"""The cells of a plan: every combination of each matrix, and the cells named one by one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from unslant.concepts import Concept, WordPolicy, bundled_concepts, concept
from unslant.concepts.wordsets import MISSING_POLICIES
from unslant.core.errors import UnslantError
from unslant.core.study_record import FAMILY, CellLabel
from unslant.core.toml_lines import Place
from unslant.core.toml_source import TomlSource, unknown
from unslant.studies.plan.cells import Cell, PlannedMeasure, PlannedResource
from unslant.studies.plan.expressions import Combinations
from unslant.studies.plan.measures import ALL_TESTS
from unslant.studies.plan.resources import check_label
from unslant.vectors import CASE_POLICIES

MOST_CELLS = 100_000
LARGEST_SEED = 2**32 - 1
"""The largest that every source of random numbers in use takes."""

_KINDS = ("resource", "method", "measure", "seed")
_SHARED = ("concept", "missing", "case")


def cells_of(
    source: TomlSource,
    resources: Mapping[str, PlannedResource],
    methods: Mapping[str, str],
    measures: Mapping[str, PlannedMeasure],
    *,
    trees: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Cell, ...]:
    """The cells in the order of the plan, each of them once.

    The name of one of the ``trees`` among the methods means the labels of all its settings.
    """
    reader = _Reader(source, resources, methods, measures, trees or {})
    for kind in ("matrix", "cell"):
        if source.has((kind,)) and not isinstance(source.table[kind], list):
            raise source.error((kind,), f'"{kind}" must be in double brackets: [[{kind}]].')
        for number, _ in enumerate(source.get((kind,), list, [])):
            source.get((kind, number), dict)
            reader.add((kind, number), is_matrix=kind == "matrix")
    if not (source.has(("matrix",)) or source.has(("cell",))) and source.has(("concepts",)):
        reader.add((), is_matrix=True)  # a plan without matrices is one
    elif source.has(("concepts",)):
        raise source.error(
            ("concepts",), "concepts stand in each [[matrix]], or here in a plan without any."
        )
    if not reader.cells:
        raise source.error(
            (),
            "it asks for nothing. Name resources and measures, and combine them with [[matrix]].",
        )
    return tuple(reader.cells.values())


@dataclass(frozen=True)
class _Reader:
    source: TomlSource
    resources: Mapping[str, PlannedResource]
    methods: Mapping[str, str]
    measures: Mapping[str, PlannedMeasure]
    trees: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cells: dict[CellLabel, Cell] = field(default_factory=dict)
    places: dict[CellLabel, Place] = field(default_factory=dict)
    concepts: dict[str, Concept] = field(default_factory=dict)
    combinations: Combinations = field(default_factory=Combinations)

    def add(self, place: Place, *, is_matrix: bool) -> None:
        """Every combination of what a matrix or a cell names."""
        ending = "s" if is_matrix else ""
        concepts = ("concepts",) if is_matrix else ()
        if place:  # a plan has other keys at its top level
            self.source.only(place, [*(f"{kind}{ending}" for kind in _KINDS), *concepts, *_SHARED])
        chosen = {
            kind: self._labels(place, kind, known, is_matrix=is_matrix)
            for kind, known in (
                ("resource", self.resources),
                ("method", self.methods),
                ("measure", self.measures),
            )
        }
        seeds = self._seeds(place, is_matrix=is_matrix)
        wanted = len(self.cells) + prod(map(len, chosen.values())) * len(seeds)
        if wanted > MOST_CELLS:
            raise self.source.error(
                place,
                f"with this the plan has {wanted:,} cells, and a plan has at most {MOST_CELLS:,}. "
                f"Split it into several.",
            )
        self._check_combinations(place, chosen, is_matrix=is_matrix)
        policy = self._policy(place)
        for about, about_label in self._concepts(place, is_matrix=is_matrix):
            self._check_tests(place, about, chosen["measure"], is_matrix=is_matrix)
            self._add_about(place, about, about_label, chosen, seeds, policy)

    def _add_about(
        self,
        place: Place,
        about: str,
        about_label: str,
        chosen: Mapping[str, Sequence[str]],
        seeds: Sequence[int],
        policy: WordPolicy,
    ) -> None:
        """The cells about one concept; a measure on all tests becomes one measure for each."""
        measures = [
            part for label in chosen["measure"] for part in self._on_tests(place, about, label)
        ]
        # Cells that need the same debiased vectors are adjacent, so that these are computed once.
        for resource, method, seed, measure in product(
            chosen["resource"], chosen["method"], seeds, measures
        ):
            self._put(
                place,
                Cell(
                    resource=self.resources[resource],
                    method=self.methods[method],
                    method_label=method,
                    measure=measure,
                    concept=about,
                    concept_label=about_label,
                    seed=seed,
                    missing=policy.missing,
                    case=policy.case,
                ),
            )

    def _on_tests(self, place: Place, about: str, label: str) -> list[PlannedMeasure]:
        planned = self.measures[label]
        if planned.test != ALL_TESTS:
            return [planned]
        known = self.concepts[about]
        if not known.tests:
            raise self.source.error(place, f'"{label}" is on all tests, and {about} has none.')
        return [replace(planned, label=f"{label}{FAMILY}{name}", test=name) for name in known.tests]

    def _concepts(self, place: Place, *, is_matrix: bool) -> list[tuple[str, str]]:
        """The concepts of a matrix or cell: one, or several of a matrix."""
        several = (*place, "concepts")
        if not self.source.has(several):
            return [self._concept((*place, "concept"))]
        if self.source.has((*place, "concept")):
            raise self.source.error(several, "name concept or concepts, not both.")
        names = self.source.texts(several)
        return [self._concept((*several, number)) for number in range(len(names))]

    def _put(self, place: Place, cell: Cell) -> None:
        label = cell.label
        if label in self.cells:
            shown = " · ".join(str(part) for part in label[:4])
            earlier = self.source.line(self.places[label])
            there = f" on line {earlier}" if earlier is not None else ""
            raise self.source.error(
                place, f"{shown} with seed {cell.seed} is already asked for{there}."
            )
        if len(self.cells) == MOST_CELLS:  # tests and concepts are counted only here
            raise self.source.error(
                place, f"a plan has at most {MOST_CELLS:,} cells. Split it into several."
            )
        self.cells[label] = cell
        self.places[label] = place

    def _labels(
        self, place: Place, kind: str, known: Iterable[str], *, is_matrix: bool
    ) -> Sequence[str]:
        if not is_matrix:
            label = self.source.get((*place, kind), str)
            self._check_known((*place, kind), kind, label, known)
            return [label]
        here = (*place, f"{kind}s")
        if not place or not self.source.has(here):
            if not known:
                raise self.source.error(place, f"there are no {kind}s: the plan needs [{kind}s].")
            return list(known)
        labels = self.source.texts(here)
        found: list[str] = []
        for number, label in enumerate(labels):
            if kind == "method" and label in self.trees:
                found += self.trees[label]
                continue
            self._check_known((*here, number), kind, label, known)
            found.append(label)
        return list(dict.fromkeys(found))

    def _check_known(self, place: Place, kind: str, label: str, known: Iterable[str]) -> None:
        if label not in known:
            raise self.source.error(place, unknown(f"label under [{kind}s]", label, known))

    def _seeds(self, place: Place, *, is_matrix: bool) -> list[int]:
        here = (*place, "seeds" if is_matrix else "seed")
        if not self.source.has(here):
            return [0]
        seeds = self.source.numbers(here) if is_matrix else [self.source.get(here, int)]
        for number, seed in enumerate(seeds):
            if not 0 <= seed <= LARGEST_SEED:
                raise self.source.error(
                    (*here, number), f"a seed is a number from 0 to {LARGEST_SEED:,}, not {seed:,}."
                )
        return seeds

    def _concept(self, here: Place) -> tuple[str, str]:
        """The concept's name or path, and as it is written; it is read to see that it can be."""
        name = written = self.source.get(here, str, "gender")
        if name not in bundled_concepts():
            if not name.endswith(".toml"):
                raise self.source.error(here, unknown("concept", name, bundled_concepts()))
            check_label(self.source, here, name)
            name = self.source.path(name, here)
        if name not in self.concepts:
            try:
                self.concepts[name] = concept(name)
            except UnslantError as error:
                raise self.source.error(here, str(error)) from error
        return name, written

    def _check_tests(
        self, place: Place, about: str, labels: Sequence[str], *, is_matrix: bool
    ) -> None:
        tests = self.concepts[about].tests
        for number, label in enumerate(labels):
            test = self.measures[label].test
            if test and test != ALL_TESTS and test not in tests:
                message = unknown(f"test of {self.concepts[about].name}", test, tests)
                here = _item(place, "measure", number, is_matrix)
                raise self.source.error(here, f'"{label}": {message}')

    def _check_combinations(
        self, place: Place, chosen: Mapping[str, Sequence[str]], *, is_matrix: bool
    ) -> None:
        """Refuse combinations that cannot run: silently leaving them out would go unnoticed."""
        fit = self.combinations
        for label in chosen["resource"]:
            resource = self.resources[label]
            if why := fit.why_no_place(resource):
                raise self.source.error(("resources", label, "place"), why)
            for number, method in enumerate(chosen["method"]):
                if why := fit.why_not_treated(resource, method, self.methods[method]):
                    raise self.source.error(_item(place, "method", number, is_matrix), why)
            for number, measure in enumerate(chosen["measure"]):
                if why := fit.why_not_measured(resource, self.measures[measure]):
                    raise self.source.error(_item(place, "measure", number, is_matrix), why)

    def _policy(self, place: Place) -> WordPolicy:
        chosen = {}
        for key, known, default in (
            ("missing", MISSING_POLICIES, "drop"),
            ("case", CASE_POLICIES, "lower"),
        ):
            chosen[key] = self.source.get((*place, key), str, default)
            if chosen[key] not in known:
                kind = "policy for missing words" if key == "missing" else "case policy"
                raise self.source.error((*place, key), unknown(kind, chosen[key], known))
        return WordPolicy(**chosen)


def _item(place: Place, kind: str, number: int, is_matrix: bool) -> Place:
    return (*place, f"{kind}s", number) if is_matrix else (*place, kind)
