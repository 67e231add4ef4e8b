"""SARIF 2.1.0, as code-scanning services read it: one result for each cause and line."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from chatjinja.analysis.catalogue import CATALOGUE
from chatjinja.analysis.output.summary import headline, plain
from chatjinja.analysis.report import Difference, Report

UNKNOWN = "unknown-cause"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(report: Report, path: str, version: str) -> str:
    """The report as JSON text; `path` is that of the template, `version` that of chatjinja."""
    results: dict[tuple[str, int | None, str], dict[str, Any]] = {}
    for difference in report.differences:
        for rule, lineno, message in _messages(difference):
            key = (rule, lineno, str(difference.right))
            results.setdefault(key, _result(rule, lineno, message, path))
    rules = [
        {
            "id": cause.id,
            "shortDescription": {"text": cause.title},
            "help": {"text": cause.advice},
        }
        for cause in CATALOGUE
    ]
    rules.append({"id": UNKNOWN, "shortDescription": {"text": "engines differ"}, "help": {"text": "no known cause"}})
    driver = {"name": "chatjinja", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "results": list(results.values()), "columnKind": "unicodeCodePoints"}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _messages(difference: Difference) -> list[tuple[str, int | None, str]]:
    text = f"{headline(difference)} (conversation {difference.conversation!r}).\n{plain(difference)}"
    if not difference.findings:
        return [(UNKNOWN, difference.lineno, text)]
    return [
        (finding.cause, finding.lineno, f"{finding.title}\n{finding.advice}\n{text}") for finding in difference.findings
    ]


def _result(rule: str, lineno: int | None, message: str, path: str) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(path)}}
    if lineno is not None:
        location["region"] = {"startLine": lineno}
    message = message.encode("utf-8", "backslashreplace").decode()
    return {
        "ruleId": rule,
        "level": "warning",
        "message": {"text": message},
        "locations": [{"physicalLocation": location}],
    }
