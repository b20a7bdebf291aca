"""JUnit XML as build servers read it."""

from xml.etree import ElementTree

from unslant.reports.gate.check import Check, Status, junit

HOSTILE = 'a<b>&"c"\x00\x1b]]>\ud800'


def test_counts_and_messages_come_back_from_a_parser_whatever_the_names_hold() -> None:
    statuses: tuple[Status, ...] = ("passed", "failed", "not judged", "skipped")
    checks = [
        Check(name=HOSTILE, asked="at most 1", status=status, says=HOSTILE) for status in statuses
    ]
    root = ElementTree.fromstring(junit(checks, HOSTILE).encode())
    counts = [root.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["4", "1", "1", "1"]
    cases = root.findall("testcase")
    assert [[part.tag for part in case] for case in cases] == [
        [],
        ["failure"],
        ["error"],
        ["skipped"],
    ]
    shown = 'a<b>&"c"\\x00\\x1b]]>\\ud800'
    assert cases[0].get("name") == f"{shown}: at most 1"
    assert cases[1][0].get("message") == shown
