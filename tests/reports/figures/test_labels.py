"""Labels: nothing is covered, nothing leaves the frame, and the most important come first."""

from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.reports.figures.labels import box_of, overlap, placed, text_width

FRAME = (300.0, 200.0)
POINTS = st.lists(
    st.tuples(st.floats(0, FRAME[0]), st.floats(0, FRAME[1])), min_size=1, max_size=60
)
WORDS = st.text(alphabet="abcmil WÄ漢.", min_size=1, max_size=18)


@settings(max_examples=150, deadline=None)
@given(points=POINTS, data=st.data())
def test_no_label_covers_a_label_or_a_point_or_leaves_the_frame(points, data) -> None:  # type: ignore[no-untyped-def]
    texts = {place: data.draw(WORDS) for place in range(len(points))}
    taken = [(100.0, 50.0, 160.0, 80.0)]
    done = placed(points, texts, FRAME, size=11, radius=3, taken=taken)
    boxes = [box_of(points[label.place], label, texts[label.place], 11) for label in done]
    marks = [(x - 3, y - 3, x + 3, y + 3) for x, y in points]
    for number, box in enumerate(boxes):
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= FRAME[0]
        assert box[3] <= FRAME[1]
        assert not any(overlap(box, other) for other in (*boxes[:number], *marks, *taken))
    assert len({label.place for label in done}) == len(done)
    assert done == placed(points, texts, FRAME, size=11, radius=3, taken=taken)


@given(
    st.lists(st.sampled_from(range(12)), min_size=1, max_size=12, unique=True),
    st.integers(1, 12),
)
def test_where_there_is_room_the_most_important_are_labelled(order: list[int], most: int) -> None:
    points = [(40.0 + 90 * (place % 3), 25.0 + 45 * (place // 3)) for place in range(12)]
    done = placed(points, {place: f"w{place}" for place in order}, FRAME, most=most)
    assert [label.place for label in done] == order[:most]


def test_of_two_that_cannot_both_be_named_the_first_is() -> None:
    points = [(12.0, 10.0), (13.0, 10.0)]
    frame = (60.0, 20.0)
    for order in ((0, 1), (1, 0)):
        done = placed(points, dict.fromkeys(order, "longish"), frame)
        assert [label.place for label in done] == [order[0]]


def test_a_lone_point_has_its_label_at_its_right_and_at_the_right_edge_at_its_left() -> None:
    [label] = placed([(50.0, 50.0)], {0: "word"}, FRAME)
    assert (label.align, label.dy) == ("left", 0)
    assert label.dx > 0
    [label] = placed([(298.0, 50.0)], {0: "word"}, FRAME)
    assert (label.align, label.dy) == ("right", 0)
    assert label.dx < 0


def test_a_text_longer_than_the_plot_is_left_out() -> None:
    assert placed([(150.0, 100.0)], {0: "w" * 200}, FRAME) == []


def test_the_width_of_a_text_grows_with_every_character_and_with_its_size() -> None:
    assert text_width("", 11) == 0
    assert text_width("ab", 11) < text_width("abi", 11) < text_width("abim", 11)
    assert text_width("nurse", 22) == 2 * text_width("nurse", 11)
    # The advance widths of Liberation Sans, in thousandths of the size.
    true = {"nurse": 556 + 556 + 333 + 500 + 556, "mill": 833 + 3 * 222, "WWW": 3 * 944}
    for word, width in true.items():
        assert width / 1000 <= text_width(word, 1) <= 1.6 * width / 1000
