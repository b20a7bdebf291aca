"""The bundled word lists are what their publications say, and the concepts find all of them."""

import csv
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "src" / "unslant" / "concepts" / "data"
SOURCES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted((DATA / "lists").glob("*.toml"))
}
CONCEPTS: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted((DATA / "concepts").glob("*.toml"))
}
LISTS: dict[str, dict[str, Any]] = {
    f"{key}/{name}": entry
    for key, source in SOURCES.items()
    for name, entry in source["lists"].items()
}

# Lists that no concept names because a probe or a method asks for them by name.
FOR_PROBES = {
    "zhao-2018/sembias",
    "zhao-2018a/gender-swaps",
    "dutta/aceat-names",
    "dawkins-2021/gendered-nouns",
    "dawkins-2021/gendered-pronouns",
    "hu-liu-2004/positive-words",
    "hu-liu-2004/negative-words",
    *(f"dawkins-2023/{sex}-occupations" for sex in ("female", "male")),
    *(f"dawkins-2023/{sign}-female-adjectives" for sign in ("positive", "negative")),
    *(f"dev-2020/{kind}-verbs" for kind in ("commerce", "interaction", "driving", "eating")),
    *(f"dev-2020/{kind}-adjectives" for kind in ("ability", "class", "hair", "physical")),
    *(f"dev-2020/polarised-{kind}" for kind in ("adjectives", "nouns")),
    *(f"dev-2020/{kind}" for kind in ("verbs", "things", "person-hyponyms", "rulers")),
    *(f"dev-2020/{kind}" for kind in ("clothes", "farm-animals", "foods", "furniture")),
    *(f"dev-2020/{kind}" for kind in ("household", "vehicles")),
}

# fmt: off
COUNTS = {
    "bolukbasi-2016": {"definitional-pairs": 10, "equalise-pairs": 52, "gender-specific": 1441,
                       "gender-specific-seed": 218, "professions": 320},
    "zhao-2018": {"gendered-pairs": 222, "sembias": 440},
    "zhao-2018a": {"female-occupations": 20, "male-occupations": 20, "gender-swaps": 104,
                   "extra-gendered-pairs": 92},
    "kaneko-2019": {"neutral-words": 1031, "stereotype-pairs": 84},
    "caliskan-2017": {"flowers": 25, "insects": 25, "instruments": 25, "weapons": 25,
                      "pleasant": 25, "unpleasant": 25, "unpleasant-for-names": 25,
                      "european-american-names-32": 32, "african-american-names-32": 32,
                      "european-american-names-16": 16, "african-american-names-16": 16,
                      "career": 8, "family": 8, "math": 8, "science": 8, "mental-disease": 6,
                      "physical-disease": 6, "temporary": 7, "permanent": 7, "young-names": 8},
    "may-2019": {"european-american-terms": 15, "african-american-terms": 15},
    "bertrand-2004": {"european-american-names": 18, "african-american-names": 18},
    "dev-2020": {"occupations": 164, "gendered-words": 6, "gendered-full": 18,
                 "demonyms-train": 8, "demonyms-test": 32, "countries": 39,
                 "adherents-train": 8, "adherents-test": 17, "polarity": 26, "verbs": 27,
                 "commerce-verbs": 10, "interaction-verbs": 10, "driving-verbs": 2,
                 "eating-verbs": 5, "things": 95, "foods": 22, "vehicles": 9,
                 "person-hyponyms": 23, "rulers": 66},
    "dev-2021": {"female-names": 700, "male-names": 700, "definitional-pairs": 59},
    "dawkins-2021": {"gendered-nouns": 3, "gendered-pronouns": 1, "female-names-32": 32,
                     "male-names-32": 32, "female-names-100": 100, "male-names-100": 100,
                     "female-occupations": 16, "male-occupations": 16},
    "dawkins-2023": {"female-occupations": 16, "male-occupations": 16,
                     "positive-female-adjectives": 16, "negative-female-adjectives": 16,
                     "female-definitional": 8, "male-definitional": 8},
    "dutta": {"aceat-names": 40, "female-names": 20, "male-names": 20,
              "african-american-names": 20, "european-names": 20},
    "cheung-ip": {"gender-extreme-occupations": 17, "race-extreme-occupations": 18},
    "manzini-2019": {"gender-sets": 7, "race-sets": 6, "religion-sets": 5,
                     "religion-specific": 45},
    "meade-2022": {"gender-pairs": 57, "religion-sets": 6},
    "hu-liu-2004": {"positive-words": 2006, "negative-words": 4783},
}
# fmt: on


def entries(reference: str) -> list[Any]:
    """The words, the rows, or one column of a list, as a concept file would name it."""
    name, _, column = reference.partition(".")
    entry = LISTS[name]
    if not column:
        return list(entry["words"] if "words" in entry else entry["rows"])
    position = entry["columns"].index(column)
    return [row[position] for row in entry["rows"]]


def words_of(entry: dict[str, Any]) -> list[str]:
    """Every string of a list, of all columns."""
    cells = entry["words"] if "words" in entry else chain.from_iterable(entry["rows"])
    return [cell for cell in cells if isinstance(cell, str)]


def references(concept: dict[str, Any]) -> Iterator[str]:
    """Every reference to a bundled list in a concept."""
    for section in ("words", "names", "sets", "neutral", "specific", "lists"):
        yield from (value for value in concept.get(section, {}).values() if isinstance(value, str))
    for test in concept.get("tests", {}).values():
        yield from chain(test["targets"].values(), test["attributes"].values())


@pytest.mark.parametrize(
    ("name", "count"),
    [(f"{key}/{name}", n) for key, lists in COUNTS.items() for name, n in lists.items()],
)
def test_a_list_has_as_many_entries_as_published(name: str, count: int) -> None:
    assert len(entries(name)) == count


@pytest.mark.parametrize("key", SOURCES)
def test_a_source_says_who_when_where_and_on_what_terms(key: str) -> None:
    source = SOURCES[key]["source"]
    assert set(source) == {"authors", "year", "title", "venue", "licence", "version"}
    assert isinstance(source["year"], int)
    assert all(source.values())


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_explained_and_has_either_words_or_rows(name: str) -> None:
    entry = LISTS[name]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*", name)
    assert entry["about"].endswith(".")
    assert set(entry) - {"about", "note"} in ({"words"}, {"columns", "rows"})
    for row in entry.get("rows", ()):
        assert len(row) == len(entry["columns"])


@pytest.mark.parametrize("name", LISTS)
def test_no_word_is_empty_or_carries_stray_whitespace_or_commas(name: str) -> None:
    words = words_of(LISTS[name])
    assert words
    faulty = [word for word in words if not word or word != " ".join(word.split()) or "," in word]
    assert faulty == []


@pytest.mark.parametrize("concept", CONCEPTS)
def test_every_reference_of_a_concept_finds_its_list(concept: str) -> None:
    for reference in references(CONCEPTS[concept]):
        name, _, column = reference.partition(".")
        assert name in LISTS, reference
        assert not column or column in LISTS[name]["columns"], reference
    words = chain.from_iterable(
        CONCEPTS[concept].get(section, {}).values()
        for section in ("words", "names", "neutral", "specific", "lists")
    )
    for value in words:
        assert not isinstance(value, str) or isinstance(entries(value)[0], str), value


@pytest.mark.parametrize("concept", CONCEPTS)
def test_groups_words_names_and_sets_of_a_concept_agree(concept: str) -> None:
    parts = CONCEPTS[concept]
    assert parts["name"] == concept
    assert parts["caveats"]
    for section in ("words", "names"):
        assert list(parts.get(section, parts["groups"])) == parts["groups"]
    for reference in parts.get("sets", {}).values():
        assert sorted(LISTS[reference]["columns"]) == sorted(parts["groups"]), reference


@pytest.mark.parametrize("concept", [name for name in CONCEPTS if CONCEPTS[name]["groups"]])
def test_the_default_direction_names_things_the_concept_has(concept: str) -> None:
    parts = CONCEPTS[concept]
    form = re.fullmatch(
        r"(pair-difference|pair-pca|two-means|set-pca)\((.+?)(, k=[1-9])?\)", parts["direction"]
    )
    assert form is not None
    if form[1] == "pair-difference":
        pair = form[2].split(", ")
        assert any(pair in (row, row[::-1]) for row in entries(parts["sets"]["definitional"]))
    else:
        known = {"names"} & set(parts) | set(parts.get("sets", {})) | set(parts.get("lists", {}))
        assert form[2] in known


@pytest.mark.parametrize("concept", CONCEPTS)
def test_association_tests_have_two_equal_targets_and_two_equal_attributes(concept: str) -> None:
    for test in CONCEPTS[concept].get("tests", {}).values():
        for side in (test["targets"], test["attributes"]):
            first, second = (entries(reference) for reference in side.values())
            assert len(first) == len(second)
            assert not set(first) & set(second)


def test_every_list_is_used_by_a_concept_or_meant_for_a_probe() -> None:
    named = {ref.partition(".")[0] for parts in CONCEPTS.values() for ref in references(parts)}
    assert named | FOR_PROBES == set(LISTS)
    assert not named & FOR_PROBES


def test_the_gender_specific_words_of_two_papers_make_the_1622_that_dawkins_counts() -> None:
    specific = set(entries("bolukbasi-2016/gender-specific"))
    assert specific >= set(entries("bolukbasi-2016/gender-specific-seed"))
    assert len(specific | set(words_of(LISTS["zhao-2018/gendered-pairs"]))) == 1622


def test_the_template_slots_multiply_to_the_published_number_of_sentence_pairs() -> None:
    size = {name: len(entries(f"dev-2020/{name}")) for name in SOURCES["dev-2020"]["lists"]}
    people = {*entries("dev-2020/person-hyponyms"), *entries("dev-2020/rulers")}
    objects = (
        size["commerce-verbs"] * size["things"]
        + size["interaction-verbs"] * len(people)
        + size["driving-verbs"] * size["vehicles"]
        + size["eating-verbs"] * size["foods"]
    )
    assert len(people) == 89
    assert objects == 1968
    assert size["occupations"] * size["gendered-words"] * objects == 1_936_512
    everything = size["polarity"] * size["verbs"] * size["things"]
    assert everything * size["demonyms-test"] == 2_134_080
    assert everything * size["adherents-test"] == 1_133_730
    assert len(set(entries("dev-2020/polarity"))) == 25


def test_whole_lists_are_the_union_of_their_parts() -> None:
    def union(*names: str) -> list[str]:
        return sorted(chain.from_iterable(entries(f"dev-2020/{name}") for name in names))

    kinds = ("clothes", "farm-animals", "foods", "furniture", "household", "vehicles")
    verbs = ("commerce-verbs", "interaction-verbs", "driving-verbs", "eating-verbs")
    assert union(*kinds) == union("things")
    assert union(*verbs) == union("verbs")
    for kind in ("demonyms", "adherents"):
        assert union(f"{kind}-train", f"{kind}-test") == union(kind)
        assert len(set(union(kind))) == len(union(kind))
    assert sorted(map(str.lower, union("nationality-adjectives"))) == union("demonyms")
    assert union("gendered-full") == sorted(words_of(LISTS["dev-2020/gendered-pairs"]))


def test_reconstructed_lists_say_so_and_follow_their_stated_rule() -> None:
    female, male = entries("dev-2021/female-names"), entries("dev-2021/male-names")
    shared = set(female) & set(male)
    assert len(shared) == 55
    for sex, names in (("female", female), ("male", male)):
        own = [name for name in names if name not in shared]
        assert entries(f"dawkins-2021/{sex}-names-100") == own[:100]
        assert entries(f"dawkins-2021/{sex}-names-32") == own[:32]
        for kind in ("names-100", "names-32", "occupations"):
            assert LISTS[f"dawkins-2021/{sex}-{kind}"]["note"].startswith("Reconstruction")
    assert {"doctor", "engineer", "boss"} <= set(entries("dawkins-2021/male-occupations"))
    assert {"nurse", "maid", "homemaker"} <= set(entries("dawkins-2021/female-occupations"))


def test_the_bundled_data_stays_small() -> None:
    languages = sum(path.stat().st_size for path in DATA.glob("weathub/*.toml"))
    assert languages < 220_000
    assert sum(path.stat().st_size for path in DATA.rglob("*.toml")) - languages < 400_000


def lines(name: str, comment: str = ";") -> Callable[[Path], list[Any]]:
    """Reads one word a line; released files end some lines with a comma."""

    def read(data: Path) -> list[Any]:
        raw = (line.strip() for line in (data / name).read_text(encoding="utf-8").splitlines())
        return [line.rstrip(",") for line in raw if line and not line.startswith(comment)]

    return read


def fields(name: str) -> Callable[[Path], list[Any]]:
    """Reads tab-separated rows."""
    return lambda data: [[cell.strip() for cell in row.split("\t")] for row in lines(name)(data)]


def beside(left: str, right: str) -> Callable[[Path], list[Any]]:
    """Reads two files of which line i belongs to line i."""
    return lambda data: [
        list(pair) for pair in zip(lines(left)(data), lines(right)(data), strict=True)
    ]


def parsed(name: str, *keys: str) -> Callable[[Path], list[Any]]:
    """Reads a part of a JSON file."""

    def read(data: Path) -> list[Any]:
        value = json.loads((data / name).read_text(encoding="utf-8"))
        for key in keys:
            value = value[key]
        return list(value)

    return read


def aceat(data: Path) -> list[Any]:
    with (data / "wordlists/names/aceat_names.csv").open(encoding="utf-8") as handle:
        return [[row["Person"], row["Gender"], row["Race"]] for row in csv.DictReader(handle)]


NLI, NAMES, OPINION = "wordlists/nli", "wordlists/names", "wordlists/opinion/opinion_lexicon"
# fmt: off
RAW: dict[str, Callable[[Path], list[Any]]] = {
    **{f"bolukbasi-2016/{name}": parsed(f"wordlists/debiaswe/{file}.json") for name, file in {
        "definitional-pairs": "definitional_pairs", "equalise-pairs": "equalize_pairs",
        "gender-specific": "gender_specific_full", "gender-specific-seed": "gender_specific_seed",
        "professions": "professions"}.items()},
    "zhao-2018/sembias": fields("wordlists/gn_glove/SemBias.txt"),
    "zhao-2018/gendered-pairs": beside("wordlists/gn_glove/female_word_file.txt",
                                       "wordlists/gn_glove/male_word_file.txt"),
    "zhao-2018a/female-occupations": lines("winobias/female_occupations.txt"),
    "zhao-2018a/male-occupations": lines("winobias/male_occupations.txt"),
    "zhao-2018a/gender-swaps": fields("winobias/generalized_swaps.txt"),
    "zhao-2018a/extra-gendered-pairs": fields("winobias/extra_gendered_words.txt"),
    "kaneko-2019/neutral-words": lines("wordlists/gp_debias/no_gender_list.tsv"),
    "kaneko-2019/stereotype-pairs": fields("wordlists/gp_debias/stereotype_list.tsv"),
    **{f"dev-2020/{name}": lines(f"{NLI}/{file}.txt") for name, file in {
        **{f"{kind}-verbs": f"verbs__{kind}_verbs"
           for kind in ("commerce", "interaction", "driving", "eating")},
        **{kind: f"nouns__objects__{kind}"
           for kind in ("clothes", "furniture", "household", "vehicles")},
        "farm-animals": "nouns__objects__farm_animals", "foods": "nouns__objects__food",
        "occupations": "nouns__people__occupations", "rulers": "nouns__people__rulers",
        "person-hyponyms": "nouns__people__person_hyponyms",
        "polarised-nouns": "nouns__people__polarized_nouns",
        "country-demonyms": "nouns__people__country_demonyms",
        "religion-demonyms": "nouns__people__religion_demonyms",
        "polarised-adjectives": "adjectives__polarized_adjectives",
        "nationality-adjectives": "adjectives__countries",
        "religion-adjectives": "adjectives__religions", "ethnicities": "adjectives__ethnicities",
        "colour-adjectives": "adjectives__color", "class-adjectives": "adjectives__class",
        "ability-adjectives": "adjectives__able_adjectives",
        **{f"{kind}-adjectives": f"adjectives__{kind}_adjectives"
           for kind in ("age", "hair", "physical")}}.items()},
    "dev-2021/female-names": lines(f"{NAMES}/gendered_female_names.txt"),
    "dev-2021/male-names": lines(f"{NAMES}/gendered_male_names.txt"),
    "dev-2021/definitional-pairs": beside(f"{NAMES}/definitional_female.txt",
                                          f"{NAMES}/definitional_male.txt"),
    "hu-liu-2004/positive-words": lines(f"{OPINION}/positive-words.txt"),
    "hu-liu-2004/negative-words": lines(f"{OPINION}/negative-words.txt"),
    "dutta/aceat-names": aceat,
    **{f"dawkins-2023/{name}": parsed("wordlists/sowinobias.json", key) for name, key in {
        "female-occupations": "F_occ", "male-occupations": "M_occ",
        "positive-female-adjectives": "F_adj_positive",
        "negative-female-adjectives": "F_adj_negative",
        "female-definitional": "F_def", "male-definitional": "M_def"}.items()},
}
# The released rows in which the sexes stand in the wrong order; ours are turned.
TURNED = {
    "bolukbasi-2016/equalise-pairs": [["wives", "husbands"], ["ex_girlfriend", "ex_boyfriend"]],
    "zhao-2018a/extra-gendered-pairs": [["camerawomen", "cameramen"]],
}
WEAT = [*(("caliskan", key, str(number)) for number, key in enumerate(
            CONCEPTS["caliskan"]["tests"], start=1)),
        ("race", "terms-pleasant", "3b"), ("race", "terms-pleasant-short", "5b"),
        ("gender", "career-family-terms", "6b"), ("gender", "math-arts-names", "7b"),
        ("gender", "science-arts-names", "8b")]
# fmt: on


@pytest.fixture(scope="module")
def data() -> Path:
    folder = os.environ.get("UNSLANT_DATA")
    if not folder:
        pytest.skip("UNSLANT_DATA is not set: the released files to compare with are not here")
    return Path(folder)


@pytest.mark.parametrize("name", RAW)
def test_a_list_equals_the_released_file_word_for_word(name: str, data: Path) -> None:
    turned = TURNED.get(name, [])
    assert entries(name) == [row[::-1] if row in turned else row for row in RAW[name](data)]


@pytest.mark.parametrize(("concept", "key", "number"), WEAT)
def test_an_association_test_equals_the_released_one_in_words_and_orientation(
    concept: str, key: str, number: str, data: Path
) -> None:
    test = CONCEPTS[concept]["tests"][key]
    ours = [*test["targets"].values(), *test["attributes"].values()]
    released = f"wordlists/weat/weat{number}.jsonl"
    for reference, part in zip(ours, ("targ1", "targ2", "attr1", "attr2"), strict=True):
        assert entries(reference) == parsed(released, part, "examples")(data)


def test_the_margins_of_the_aceat_names_come_from_the_table(data: Path) -> None:
    table = aceat(data)
    for name, column, value in (
        ("female-names", 1, "female"),
        ("male-names", 1, "male"),
        ("african-american-names", 2, "African-American"),
        ("european-names", 2, "European"),
    ):
        assert entries(f"dutta/{name}") == [row[0] for row in table if row[column] == value]
