import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.errors import ExpressionError
from unslant.core.expression import Call, parse_call

values = st.one_of(
    st.text(st.characters(blacklist_characters='"', blacklist_categories=["Cs", "Cc"]), max_size=9),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: float(repr(x))),
    st.booleans(),
)
names = st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True)


@given(names, st.lists(values, max_size=3), st.dictionaries(names, values, max_size=3))
def test_what_is_printed_reads_back(
    name: str, args: list[object], kwargs: dict[str, object]
) -> None:
    call = Call(name, tuple(args), tuple(kwargs.items()))  # type: ignore[arg-type]
    assert parse_call(str(call)) == call


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
    with pytest.raises(ExpressionError, match="third call"):
        parse_call("a(b(c(d)))")
