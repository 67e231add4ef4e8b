"""Content parts that are not text."""

from __future__ import annotations

from chatjinja.chat import Evidence
from chatjinja.chat.probes.media import PARTS
from tests.chat.probes.support import ALTERNATING, BOTH_FORMS, CHATML, PARTS_ONLY, lines, probe


def test_known_and_unknown_parts() -> None:
    found = probe(BOTH_FORMS).media
    assert list(found) == list(PARTS)
    assert {name for name, media in found.items() if media.known.answer == "yes"} == {"image", "image_url"}
    assert found["image"].text == found["image_url"].text == "<img>"
    assert found["image"].known == Evidence("yes", "'<img>' appears")
    assert found["audio"].known == Evidence("no", 'refused: "no audio"', 6)
    assert found["video"].known == Evidence("no", "the same appears as for any unknown part: '<?>'")
    assert found["video"].text == "<?>"


def test_parts_that_are_left_out() -> None:
    assert probe(PARTS_ONLY).media["video"].known == Evidence("no", "nothing appears")


def test_text_only() -> None:
    assert probe(CHATML).media["image"].known == Evidence("no", "a list as content does not appear")
    failed = probe("{% for m in messages %}{{ m.content.strip() }}{% endfor %}").media["image"].known
    assert failed.answer == "no"
    assert failed.why.startswith("a list as content: raises an error: ")


def test_printed_as_data() -> None:
    found = probe("{% for m in messages %}{{ m.content ~ '' }}{% endfor %}").media
    assert {media.known for media in found.values()} == {Evidence("no", "it is printed as data")}


def test_placeholders_in_front() -> None:
    source = lines(
        "{% for m in messages %}{% for p in m.content if p.type == 'image' %}{{ '<image>\\n' }}{% endfor %}",
        "{% for p in m.content if p.type == 'text' %}{{ p.text }}{% endfor %}{% endfor %}",
    )
    assert probe(source).media["image"].text == "<image>\n"


def test_parts_known_by_their_key() -> None:
    source = PARTS_ONLY.replace("p.type == 'image'", "p.image_url is defined")
    found = probe(source).media
    assert (found["image_url"].known.answer, found["image"].known.answer) == ("yes", "no")


def test_lists_in_a_strict_order() -> None:
    assert {media.known.answer for media in probe(ALTERNATING).media.values()} == {"no"}
