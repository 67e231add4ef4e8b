"""JUnit XML: one test case for each conversation and pair of sides."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from chatjinja.analysis.output.summary import headline, plain
from chatjinja.analysis.report import Report

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Report, name: str) -> str:
    """The report as the text of an XML file; `name` is that of the template."""
    sides = list(dict.fromkeys(result.side for result in report.results))
    failed = {(item.conversation, item.right): item for item in report.differences}
    against = sides[1:] if not sides[0].template else [side for side in sides if side.template != sides[0].template]
    suite = ET.Element(
        "testsuite",
        name=_xml(f"chatjinja compare {name}"),
        tests=str(len(report.conversations) * len(against)),
        failures=str(len(report.differences)),
        errors="0",
        skipped="0",
    )
    for conversation in report.conversations:
        for side in against:
            case = ET.SubElement(suite, "testcase", classname=_xml(f"{name}.{side}"), name=_xml(conversation))
            difference = failed.get((conversation, side))
            if difference is not None:
                kind = difference.findings[0].cause if difference.findings else "unknown"
                failure = ET.SubElement(case, "failure", type=kind, message=_xml(headline(difference)))
                failure.text = _xml(plain(difference))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Without characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
