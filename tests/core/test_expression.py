import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from unslant.core.errors import ExpressionError
from unslant.core.expression import Call, Chain, Step, parse_call, parse_chain
from unslant.core.places import COMPONENTS, PARTS, TOKENS, Place, parse_place

values = st.one_of(
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=9),
    st.text('"(),=|@ ab', max_size=6),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: float(repr(x))),
    st.booleans(),
)
names = st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True)
calls = st.builds(
    lambda name, args, kwargs: Call(name, tuple(args), tuple(kwargs.items())),
    names,
    st.lists(values | st.builds(str, st.builds(Call, names, st.tuples(values))), max_size=3),
    st.dictionaries(names, values, max_size=3),
)
counts = st.none() | st.integers(-9999, 9999)


@st.composite
def places(draw: st.DrawFn) -> Place:
    """Every kind of place that there can be, and now and then one that there cannot."""
    of = (draw(st.none() | st.sampled_from(known)) for known in (COMPONENTS, TOKENS))
    component, tokens = of
    try:
        return Place(draw(st.sampled_from(PARTS)), draw(counts), component, draw(counts), tokens)
    except ExpressionError:
        reject()


@given(calls)
def test_what_is_printed_reads_back(call: Call) -> None:
    assert parse_call(str(call)) == call


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(places())
def test_a_place_reads_back_as_it_was_printed(place: Place) -> None:
    assert parse_place(str(place)) == place


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.lists(st.builds(Step, calls, st.none() | places()), min_size=1, max_size=3))
def test_a_chain_at_places_reads_back_as_it_was_printed(steps: list[Step]) -> None:
    chain = Chain(tuple(steps))
    assert parse_chain(str(chain)) == chain


def test_a_chain_at_places_by_hand() -> None:
    first, second = parse_chain('misp( names(k=2) )@layer:-2.query:3[word] | linear("a@b") @pooled')
    assert first == Step(Call("misp", ("names(k=2)",)), Place("layer", -2, "query", 3, "word"))
    assert second == Step(Call("linear", ("a@b",)), Place("pooled"))


@pytest.mark.parametrize(
    "text",
    ["wordpieces", "embeddings", "layer:-2", "layer:11", "layer:0", "layer:-1[cls]", "pooled",
     "layer:-2.query:3", "layer:-2.key", "layer:-2.value", "layer:-2.attention[all]", "chars",
     "lstm:1", "lstm:1[word]", "sentence", "all", "all[cls]"],
)  # fmt: skip
def test_these_are_places(text: str) -> None:
    assert str(parse_place(text)) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not written as part:number"),
        ("layer", '"layer" needs a number'),
        ("pooled:2", '"pooled" takes no number'),
        ("layers:2", 'no part "layers"'),
        ("layer:01", "is not written as"),
        ("layer:-0", "is not written as"),
        ("layer:2.5", "is not written as"),
        ("layer:2.keys", 'no component "keys"'),
        ("lstm:1.key", 'only a layer has a "key"'),
        ("layer:2.key:-1", "is not written as"),
        ("layer:2[sep]", r"\[cls\], \[all\], \[word\], \[last\], not \[sep\]"),
        ("pooled[cls]", "no tokens"),
        ("layer:2[cls]\n", "is not written as"),
        ("x" * 500, 'x…" is not a place'),
    ],
)
def test_what_is_no_place_is_told_in_a_sentence_with_examples(text: str, says: str) -> None:
    with pytest.raises(ExpressionError, match=f"{says}.*Write layer:-2, layer") as caught:
        parse_place(text)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", ["a@layer:1@pooled", "a@layer:1(k=2)", "@pooled", "a@", "a@b | c"])
def test_a_place_ends_a_method_and_is_one(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_chain(text)


def test_a_place_belongs_to_a_chain() -> None:
    with pytest.raises(ExpressionError, match=r"@pooled\) belongs to a method of a chain"):
        parse_call("weat@pooled")


def test_arguments_keep_their_types() -> None:
    call = parse_call('f(she, 2, 0.5, true, "a b", k=-3, deep=false)')
    assert call.args == ("she", 2, 0.5, True, "a b")
    assert call.kwargs == (("k", -3), ("deep", False))


@pytest.mark.parametrize(
    "text",
    ["", "f(", "f)", "f(a", "f(a,,b)", "f(k=)", "f(=1)", "f(k=1, 2)", "f(k=1, k=2)", 'f("a)', "(a)",
     "f(a)(b)", "f a", "f(a b)"],
)  # fmt: skip
def test_what_cannot_be_read_is_one_sentence_with_an_example(text: str) -> None:
    with pytest.raises(ExpressionError, match="Example: pair-pca"):
        parse_call(text)


def test_nothing_is_evaluated() -> None:
    call = parse_call("f(__import__)")
    assert call.args == ("__import__",)


def test_a_call_within_a_call_needs_no_quotes_and_means_the_same() -> None:
    bare = parse_call("linear(subspace=pair-pca(definitional, k=2), k=1)")
    assert bare == parse_call('linear(subspace="pair-pca(definitional, k=2)", k=1)')
    assert parse_call(str(bare)) == bare
    assert parse_call("linear(two-means(names))").args == ("two-means(names)",)
    deep = parse_call('a(b("c d"), k=e(f(g)))')
    assert deep == Call("a", ('b("c d")',), (("k", 'e("f(g)")'),))
    assert parse_call(str(deep)) == deep
    with pytest.raises(ExpressionError, match="nested more than 5 deep"):
        parse_call("a(b(c(d(e(f(g))))))")
