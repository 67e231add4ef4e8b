"""Reports as files."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from chatjinja import Report, compare
from chatjinja.analysis import CATALOGUE
from chatjinja.analysis.output.html import to_html
from chatjinja.analysis.output.junit import to_junit
from chatjinja.analysis.output.sarif import to_sarif
from chatjinja.analysis.output.summary import headline, plain, shortened

EVIL = "<script>alert(1)</script> & \x00 \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")
MESSAGES = [{"role": "user", "content": EVIL}]


def report() -> Report:
    """One conversation that agrees, and one for each kind of difference."""
    template = (
        "{{ messages[0].content }}\n{% if a %}{{ x }}{{ messages[0].content }}{% endif %}"
        "{% if b %}{{ x.y }}{% endif %}{% if c %}{{ raise_exception('<' ~ x) }}{% endif %}"
        "{% if d %}{{ messages|length > 0 and strftime_now }}{% endif %}"
    )
    flags = {name: {"messages": MESSAGES, "x": None, name: True} for name in "abcd"}
    flags["b"]["x"] = {}
    flags["b"].pop("x")
    return compare(template, {"same": {"messages": MESSAGES}, **flags})


def test_kinds() -> None:
    found = report()
    assert [difference.kind for difference in found.differences] == ["text", "raises", "message", "text"]
    lines = [headline(difference) for difference in found.differences]
    assert lines[0].startswith("llama.cpp and transformers differ from byte ")
    assert lines[1] == "transformers raises, llama.cpp does not: 'x' is undefined"
    assert lines[2] == "llama.cpp and transformers raise different messages"
    assert "no known cause" in plain(found.differences[3])
    assert "none-printed, line 2" in plain(found.differences[0])


def test_shortened() -> None:
    assert shortened("a\nb") == "a↵b"
    assert shortened("x" * 200) == "x" * 99 + "…"


def test_junit() -> None:
    suite = ET.fromstring(to_junit(report(), "chat.jinja"))
    assert suite.attrib["tests"] == "5"
    assert suite.attrib["failures"] == "4"
    kinds = {case.attrib["name"]: [failure.attrib["type"] for failure in case] for case in suite}
    assert kinds["same"] == []
    assert kinds["a"] == ["none-printed"]
    assert kinds["d"] == ["unknown"]


def test_junit_of_two_templates() -> None:
    found = compare("a", [MESSAGES], ("llama.cpp", "transformers"), other="b")
    suite = ET.fromstring(to_junit(found, "a"))
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "2")


def test_sarif() -> None:
    log = json.loads(to_sarif(report(), "a folder/chat.jinja", "1.0"))
    (run,) = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert rules == {cause.id for cause in CATALOGUE} | {"unknown-cause"}
    found = {result["ruleId"]: result for result in run["results"]}
    assert set(found) == {"none-printed", "access-of-undefined", "none-in-text", "unknown-cause"}
    place = found["none-printed"]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%20folder/chat.jinja"}, "region": {"startLine": 2}}
    assert all(result["ruleId"] in rules and result["message"]["text"] for result in run["results"])


def without_places(found: Report) -> Report:
    """A report in which nobody knows lines."""
    differences = [
        replace(
            difference,
            lineno=None,
            findings=tuple(replace(finding, lineno=None, rewrite=None) for finding in difference.findings),
        )
        for difference in found.differences
    ]
    return replace(found, differences=tuple(differences))


def test_without_places() -> None:
    found = without_places(report())
    text = plain(found.differences[0])
    assert "none-printed: None is printed" in text
    assert "Say what None shall look like" in text
    assert "line 2" not in text
    assert "none-printed: None" in to_html(found, "a")
    results = json.loads(to_sarif(found, "a", "1"))["runs"][0]["results"]
    assert all("region" not in result["locations"][0]["physicalLocation"] for result in results)


def test_data_of_failures() -> None:
    data = report().differences[1].to_dict()
    assert "before" not in data["left"]
    assert data["right"]["failure"] == "'x' is undefined"


def test_sarif_without_a_line() -> None:
    (result,) = json.loads(to_sarif(compare("a", [MESSAGES], ("llama.cpp",), other=""), "a", "1"))["runs"][0]["results"]
    assert "artifactLocation" in result["locations"][0]["physicalLocation"]


class Reader(HTMLParser):
    """Collects tags and text, and checks that tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html() -> None:
    reader = Reader()
    reader.feed(to_html(report(), "<chat>.jinja"))
    assert reader.open == []
    assert "script" not in reader.tags
    assert reader.tags.count("mark") == 4
    for text in ("<chat>.jinja: 4 differences", "<script>alert(1)</script>", "none-printed", "'x' is undefined"):
        assert text in reader.text.replace("·", " "), text
    assert "no known cause" in reader.text


def test_html_of_one_difference_and_of_none() -> None:
    assert "1 difference<" in to_html(compare("{{ x }}", [{"messages": MESSAGES, "x": None}]), "a")
    assert "no difference" in to_html(compare("a", [MESSAGES]), "a")
    long = compare("{{ 'x' * 1000 }}{{ x }}{{ 'y' * 1000 }}", [{"messages": MESSAGES, "x": None}])
    page = to_html(long, "a")
    assert page.count("…") >= 3
    assert "(nothing)" in page
