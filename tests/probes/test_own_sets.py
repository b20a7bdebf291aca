"""Sets of one's own: templates, files and concepts, and the mistakes in them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.probes.small_sets import small_set
from unslant.concepts import concept, wordlist
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.predictors.protocols import Context, PairGrid
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.sentences import TemplateError, bundled_pairings, sentence_from
from unslant.probes.nli.sets import bundled_sets, pair_set, pair_set_of
from unslant.probes.nli.subsets import restricted, unknown_words, with_known_words
from unslant.probes.nli.templates import expand, parse_template
from unslant.vectors import WordVectors

MINE = """
name = "mine"
sentence = "I met {determiner} {subject} at {article} {place} ."
premise = ["nurse", "actor"]
[hypothesis]
words = ["man", "she"]
bare = ["she"]
[[activities]]
place = ["airport", "SUV"]
[[activities]]
place = ["SUV", "old church"]
"""


def mine(**changes: tuple[str, str]) -> PairSet:
    text = MINE
    for old, new in changes.values():
        text = text.replace(old, new)
    return expand(parse_template(text, "mine.toml"))


def test_a_sentence_of_ones_own_puts_articles_and_capitals_where_they_belong() -> None:
    item = mine()
    assert item.context_slots == ("place",)
    assert item.context_words == (("airport",), ("SUV",), ("old church",))
    assert [pair[1:3] for pair in item.pairs()][:4] == [
        ("I met the nurse at an airport .", "I met the man at an airport ."),
        ("I met the nurse at a SUV .", "I met the man at a SUV ."),
        ("I met the nurse at an old church .", "I met the man at an old church ."),
        ("I met the nurse at an airport .", "I met she at an airport ."),
    ]
    indefinite = mine(d=('name = "mine"', 'name = "mine"\ndeterminer = "A"'))
    assert indefinite.grid.pair(1, 0, 0)[0] == "I met an actor at an airport ."


def test_a_sentence_may_have_no_other_slot_and_letters_joined_to_the_subject() -> None:
    sentence = sentence_from("{determiner} {subject}'s cat slept .")
    assert sentence.filler("nurse", determiner="The") == "The nurse's"
    assert sentence.filler("emma", determiner="The", is_bare=True) == "Emma's"
    alone = expand(
        parse_template(
            'name = "x"\nsentence = "{subject} slept ."\npremise = ["i"]\nhypothesis = ["you"]', "x"
        )
    )
    assert list(alone.grid.pairs()) == [("I slept .", "You slept .")]
    assert alone.context_words == ((),)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name =", "name ", "not valid TOML"),
        ('"mine"', '"My set"', "small letters, digits and hyphens"),
        ('"mine"', "3", '"name" must be a string'),
        ("premise =", "premises =", 'Did you mean "premise"'),
        ('premise = ["nurse", "actor"]', "", 'has no "premise"'),
        ('["nurse", "actor"]', "[]", '"premise" is empty'),
        ('["nurse", "actor"]', "[3]", "must be an array of words"),
        ('["nurse", "actor"]', '"nurse"', "must be an array of words"),
        ('["nurse", "actor"]', '["nurse", "nurse"]', 'has "nurse" more than once'),
        ('["nurse", "actor"]', '[" nurse"]', "is not a word"),
        ('["nurse", "actor"]', '["a\\nb"]', "is not a word"),
        ('["nurse", "actor"]', '["a\\u202eb"]', "is not a word"),
        ('["nurse", "actor"]', '"dev-2020/occupation"', 'Did you mean "occupations"'),
        ('["nurse", "actor"]', '"dev-2002/occupations"', "No source of word lists is called"),
        ('["nurse", "actor"]', '"dev-2020/polarity"', 'has "terrible" more than once'),
        ('bare = ["she"]', 'bear = ["she"]', 'Did you mean "bare"'),
        ('bare = ["she"]', 'bare = ["he"]', 'Did you mean "she"'),
        ('bare = ["she"]', "proper = 1", "proper must be true or false"),
        ('bare = ["she"]', "groups = 1", "must be a table of named lists"),
        ('bare = ["she"]', 'groups = { a = ["mann"] }', 'Did you mean "man"'),
        ('bare = ["she"]', 'groups = { a = ["man"], b = ["man"] }', "is in two groups"),
        ('words = ["man", "she"]\nbare = ["she"]', "", '"hypothesis" has no words'),
        ("{subject}", "{person}", "must have {subject} exactly once"),
        ("{subject} at", "{subject} at {subject}", "It has it 2 times"),
        ("{place}", "{place", "a brace without its partner"),
        ("{place}", "{Place}", 'a slot called "Place"'),
        ("{place}", "{premise}", 'a slot called "premise"'),
        ("{place} .", "{place} {time} .", "activities 1 has no words for the slot {time}"),
        ("{article} {place} .", "{place} {article}", "a word must follow"),
        ("{article} {place}", "{article}{place}", "a word must follow"),
        ("{subject} at", "{subject}{place} at", "joins {subject} to another slot"),
        ("place = [\"airport", "plaice = [\"airport", 'Did you mean "place"'),
        ('["airport", "SUV"]', "[]", 'line 9: "place" is empty'),
        ('premise =', 'cites = "x"\npremise =', "cites must be an array"),
        ('premise =', 'same_word = 0\npremise =', "same_word must be true or false"),
        ('premise =', 'determiner = "this"\npremise =', 'must be "The" or "A"'),
        ('premise =', 'family = "neutral"\npremise =', 'Did you mean "neutrality"'),
        ('premise =', 'family = "marked"\npremise =', "at least two"),
        ('premise =', 'family = "retention"\npremise =', "the same on both sides"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_template_is_named(old: str, new: str, message: str) -> None:
    assert old in MINE
    with pytest.raises(TemplateError, match=re.escape(message)):
        mine(change=(old, new))


def test_activities_by_name_and_their_mistakes() -> None:
    text = MINE[: MINE.index("[[")].replace("at {article} {place}", "who {verb} {article} {object}")
    with pytest.raises(TemplateError, match=r"has no activities, but its sentence has .*\{verb\}"):
        expand(parse_template(text, "mine"))
    named = text.replace("premise =", 'activities = "fitting"\npremise =')
    assert len(expand(parse_template(named, "mine"))) == 2 * 2 * 1_968
    with pytest.raises(TemplateError, match='Did you mean "fitting"'):
        parse_template(named.replace('"fitting"', '"fiting"'), "mine")
    with pytest.raises(TemplateError, match="must be the name of bundled ones"):
        parse_template(named.replace('"fitting"', "3"), "mine")
    with pytest.raises(UnknownNameError, match='Did you mean "all-things"'):
        pair_set("names", pairing="all-thing")


def test_a_set_that_is_too_large_is_refused_before_it_is_made() -> None:
    words = "[" + ", ".join(f'"w{n}"' for n in range(3_000)) + "]"
    with pytest.raises(TemplateError, match="makes 27,000,000 pairs, more than 20,000,000"):
        mine(
            a=('["nurse", "actor"]', words),
            b=('words = ["man", "she"]\nbare = ["she"]', f"words = {words}"),
        )
    with pytest.raises(TemplateError, match="9,000,002 sentences for each subject"):
        mine(
            a=("{place}", "{place} {time}"),
            b=('["airport", "SUV"]', f"{words}\ntime = {words}"),
            c=('"old church"]', '"x"]\ntime = ["noon"]'),
        )


def test_a_path_that_cannot_be_read_and_an_unknown_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "nationality"'):
        pair_set("nationalty")
    with pytest.raises(TemplateError, match="cannot be read: No such file"):
        pair_set(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(TemplateError, match="is not UTF-8"):
        pair_set(tmp_path / "latin.toml")


def test_words_that_do_not_match_the_grid_are_refused() -> None:
    with pytest.raises(UnslantError, match="do not match its grid"):
        PairSet(
            name="x", title="", about="", cites=(), family="neutrality",
            grid=PairGrid(("A",), ("B",), (Context("", "c"),)),
            premise_words=(), hypothesis_words=("b",), context_words=(("c",),),
        )  # fmt: skip


def test_any_concept_makes_a_set_from_its_neutral_words_to_its_groups() -> None:
    gender = pair_set_of("gender")
    assert gender.premise_words == wordlist("dev-2020/occupations").words
    assert {key: len(places) for key, places in gender.hypothesis_groups.items()} == {
        "female": 6, "male": 6,
    }  # fmt: skip
    assert gender.grid.hypotheses[:2] == ("The woman", "She")
    assert '"her", "herself", "his", "himself"' in gender.about
    assert len(gender) == 164 * 12 * 1_968
    names = pair_set_of("gender", premise=["nurse"], hypothesis="names", contexts=5)
    assert names.grid.hypotheses[0] == "Emma"
    assert len(names) == 200 * 5
    table = pair_set_of("religion", premise="polarity", hypothesis="definitional")
    assert list(table.hypothesis_groups) == list(concept("religion").groups)
    assert table.premise_words.count("terrible") == 1
    listed = pair_set_of("nationality", hypothesis="demonyms-test", premise=["person"])
    assert len(listed.hypothesis_words) == 32
    assert listed.hypothesis_groups == {}


def test_a_concept_of_ones_own_makes_a_set_too_and_what_is_missing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "pets.toml"
    path.write_text(
        'name = "pets"\ngroups = ["cat", "dog"]\n[words]\ncat = ["cat", "kitten"]\ndog = ["dog"]\n'
    )
    with pytest.raises(TemplateError, match='The concept "pets" has no neutral words'):
        pair_set_of(path)
    item = pair_set_of(
        path, premise=["animal"], sentence="{determiner} {subject} was {verb} {object} .",
    )  # fmt: skip
    assert item.hypothesis_groups == {"cat": (0, 1), "dog": (2,)}
    own = pair_set_of(path, premise=["animal"], hypothesis={"a": ["cat"], "b": ["she"]})
    assert own.grid.hypotheses == ("The cat", "She")
    with pytest.raises(UnknownNameError, match="No list of pets is called"):
        pair_set_of(path, premise="occupations")
    with pytest.raises(TemplateError, match="is in two groups"):
        pair_set_of(path, premise=["animal"], hypothesis={"a": ["cat"], "b": ["cat"]})
    with pytest.raises(TemplateError, match="64,550,400 pairs, more than"):
        pair_set_of("gender", hypothesis="names")


def test_every_word_of_every_set_but_the_article_is_in_the_built_in_vectors(
    glove: WordVectors,
) -> None:
    tokens: set[str] = set()
    for name in bundled_sets():
        for pairing in bundled_pairings():
            grid = pair_set(name, pairing=pairing).grid
            parts = [*grid.premises, *grid.hypotheses]
            parts += [text for item in grid.contexts for text in (item.before, item.after)]
            tokens |= {token for part in parts for token in part.lower().replace("-", " ").split()}
    missing = {token for token in tokens if token not in glove}
    assert missing == {"a"}


def test_the_page_on_adding_a_set_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "add-a-test-set.md").read_text(encoding="utf-8")
    [template] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(template, encoding="utf-8")
    names: dict[str, PairSet] = {}
    exec(code, names)
    shown = "('I met an accountant at an airport .', 'I met a woman at an airport .')"
    assert capsys.readouterr().out == f"{164 * 4 * 4} {shown}\n"
    assert len(names["small"]) == 10_824
    assert len(Path("pairs.csv").read_text(encoding="utf-8").splitlines()) == 164 * 4 * 4 + 1


def test_a_concept_is_a_bundled_name_or_a_file_beside_the_template(tmp_path: Path) -> None:
    (tmp_path / "pets.toml").write_text('name = "pets"\ngroups = ["cat", "dog"]\n')
    text = MINE.replace("premise =", 'concept = "pets.toml"\npremise =', 1)
    (tmp_path / "mine.toml").write_text(text)
    found = pair_set(tmp_path / "mine.toml")
    assert found.concept == str(tmp_path / "pets.toml")
    assert concept(found.concept).name == "pets"
    for name, message in (
        ("gendre", 'mine.toml line 4: .*Did you mean "gender"'),
        ("dogs.toml", r"mine.toml line 4: The concept file .*dogs\.toml cannot be read"),
    ):
        (tmp_path / "mine.toml").write_text(text.replace("pets.toml", name))
        with pytest.raises(TemplateError, match=message):
            pair_set(tmp_path / "mine.toml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("premise =", 'determiner = "this"\npremise ='),
        ("premise =", 'family = "neutral"\npremise ='),
        ("premise =", 'family = "marked"\npremise ='),
        ("premise =", 'family = "retention"\npremise ='),
        ("{article} {place} .", "night ."),
        ("{subject}", "{person}"),
        ('["nurse", "actor"]', f'["{"x" * 201}"]'),
    ],
)
def test_a_mistake_in_a_file_names_the_file_and_no_empty_list(
    old: str, new: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text(MINE.replace(old, new, 1))
    with pytest.raises(TemplateError) as refused:
        pair_set(tmp_path / "mine.toml")
    assert str(tmp_path / "mine.toml") in str(refused.value)
    assert "Available: ." not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_too_many_pairs_are_refused_without_a_word_of_python(tmp_path: Path) -> None:
    words = ", ".join(f'"w{n}"' for n in range(5000))
    text = MINE.replace('["nurse", "actor"]', f"[{words}]").replace('["man", "she"]', f"[{words}]")
    (tmp_path / "mine.toml").write_text(text.replace('bare = ["she"]', ""))
    with pytest.raises(TemplateError, match="more than 20,000,000") as refused:
        pair_set(tmp_path / "mine.toml")
    assert "=" not in str(refused.value).removeprefix(str(tmp_path))


def test_the_determiner_may_be_in_any_case_of_letters() -> None:
    for given in ("a", "A"):
        assert pair_set("sirt", determiner=given).grid.premises[0] == "A man"
    assert pair_set("marked-attribute", determiner="THE").grid.premises[0] == "The person"


def test_words_of_two_parts_need_both_and_shared_parts_do_not_count() -> None:
    words = ("old person", "young person", "the ill-fed person")
    pairs = replace(small_set(words, ("person",)), name="parts")
    known = {"old", "young", "ill", "person"}
    assert unknown_words(pairs, known.__contains__) == {"premises": ("the ill-fed person",)}
    assert unknown_words(pairs, {"old", "young", "ill", "fed"}.__contains__) == {
        "hypotheses": ("person",)
    }
    part = with_known_words(pairs, {"premises": ("old person",)})
    assert part.premise_words == words[1:]
    assert part.grid.premises[0] == "The young person"
    assert part.missing == {"premises": ("old person",)}
    assert with_known_words(pairs, {}) is pairs


def test_a_set_without_slots_says_so() -> None:
    pairs = expand(
        parse_template(
            'name = "x"\nsentence = "{subject} slept ."\npremise = ["he"]\nhypothesis = ["she"]',
            "x",
        )
    )
    with pytest.raises(UnslantError, match="has no slots"):
        restricted(pairs, contexts={"verb": ["ate"]})
