"""The answer of an audit of one set of vectors."""

from collections.abc import Iterator

from unslant.reports import words
from unslant.reports.words import Record, counted, number, sentence


def audit_answer(record: Record) -> list[str]:
    """What was measured, what stands out and how sure it is."""
    tests = [item for item in words.of_metric(record, "weat") if item["value"] is not None]
    leans = [item for item in words.leans(record) if item["value"] is not None]
    return [_measured(record), _stands_out(tests, leans), _sure(record, tests, leans)]


def _measured(record: Record) -> str:
    vectors, tests = record["vectors"], words.of_metric(record, "weat")
    others = len(record["measurements"]) - len(tests)
    parts = [counted(len(tests), "association test")] if tests else []
    parts += [counted(others, "other measurement" if tests else "measurement")]
    said = [
        f"{vectors['name']} ({vectors['words']:,} words of {vectors['dim']} numbers) was measured "
        f"for “{record['concept']['title']}” with {' and '.join(parts)}",
    ]
    without = sum(item["value"] is None for item in record["measurements"])
    if without:
        said.append(f"{without} of these {'has' if without == 1 else 'have'} no value")
    said.append(_missing(record))
    if record["left_out"]:
        said.append("what could not be measured is named under “Every word”")
    return f"{'; '.join(said)}."  # a file keeps the first letter of its name


def _missing(record: Record) -> str:
    gone = len(words.missing_words(record))
    if not gone:
        return "all words of its lists are there"
    return f"{counted(gone, 'word')} of its lists {'is' if gone == 1 else 'are'} not there"


def _stands_out(tests: list[Record], leans: list[Record]) -> str:
    said = []
    if tests:
        strongest = max(tests, key=_size)
        what = "the strongest association is" if len(tests) > 1 else "the association test is"
        said.append(
            f"{what} “{strongest['title']}”, an effect of {number(strongest['value'], 2)} on a "
            f"scale of about ±2"
        )
    if leans:
        said.append(_lean(leans[0]))
    if not said:
        return "Neither an association test nor a lean of words could be measured."
    return sentence(said)


def _lean(item: Record) -> str:
    details = item["details"]
    positive, negative = words.extremes(item, 1)
    sides = details.get("positive side"), details.get("negative side")
    among = f"“{item['words'][0]['set']}”" if item["words"] else "the words"
    mean = f"the mean lean of {among} is {number(item['value'])} out of 1"
    if not all(sides) or not (positive and negative):
        return mean
    return (
        f"{mean}, from “{negative[0]['word']}” ({sides[1]}) to “{positive[0]['word']}” ({sides[0]})"
    )


def _sure(record: Record, tests: list[Record], leans: list[Record]) -> str:
    said = list(_tested(record, [item for item in tests if item["p"]]))
    if tests:
        what = "the strongest effect" if len(tests) > 1 else "the effect"
        said.append(_within(max(tests, key=_size), what, 2))
    if leans:
        said.append(_within(leans[0], "the mean lean", 3))
    return sentence([*said, "all of it holds for these words only"])


def _tested(record: Record, tests: list[Record]) -> Iterator[str]:
    if not tests:
        return
    if len(tests) == 1:
        yield f"the p of the test is {words.p_value(tests[0]['p'])}"
        return
    clear = sum(item["p"]["value"] <= 0.05 for item in tests)
    after = sum((words.corrected(record, item, "holm") or 1) <= 0.05 for item in tests)
    yield (
        f"{clear} of {len(tests)} tests {'has' if clear == 1 else 'have'} p ≤ .05 ({after} after "
        f"Holm’s correction for their number)"
    )


def _within(item: Record, what: str, digits: int) -> str:
    if not item["interval"]:
        return f"{what} has no interval"
    return f"the {words.level(item)} interval of {what} is {words.interval(item, digits)}"


def _size(item: Record) -> float:
    return abs(float(item["value"]))
