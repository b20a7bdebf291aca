"""Checks as JUnit XML, which build servers read."""

from collections.abc import Sequence
from xml.etree import ElementTree

from unslant.core.visible import visible
from unslant.reports.gate.check import Check

_PARTS = {"failed": "failure", "not judged": "error", "skipped": "skipped"}


def junit(checks: Sequence[Check], suite: str) -> str:
    """One test case for each check; text is escaped, and control characters are written out."""
    counts = {status: sum(check.status == status for check in checks) for status in _PARTS}
    root = ElementTree.Element(
        "testsuite",
        name=visible(suite),
        tests=str(len(checks)),
        failures=str(counts["failed"]),
        errors=str(counts["not judged"]),
        skipped=str(counts["skipped"]),
    )
    for check in checks:
        name = f"{check.name}: {check.asked}"
        case = ElementTree.SubElement(root, "testcase", classname="unslant", name=visible(name))
        if part := _PARTS.get(check.status):
            ElementTree.SubElement(case, part, message=visible(check.says))
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
