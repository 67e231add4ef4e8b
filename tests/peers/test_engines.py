"""The adapters of `compare`, with the real engines behind them."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatjinja.analysis import CATALOGUE, ENGINES, EngineError, built_in_conversations, compare
from chatjinja.analysis.diagnosis import values_for
from chatjinja.analysis.engines import Engine, Outcome, get_engine, missing_engines
from chatjinja.analysis.engines import huggingface_jinja as node
from chatjinja.analysis.variables import ALL_HABITS
from tests.analysis.test_catalogue import MESSAGES

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
PINNED = "@huggingface/jinja@0.5.11"
EVERYTHING = "{% for m in messages %}<{{ m.role }}>{{ m.content if m.content is string }}{% endfor %}{{ bos_token }}"


@pytest.fixture(scope="session")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the npm package, fetched once for all tests."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    folder = tmp_path_factory.getbasetemp().parent / "npm"
    if not folder.is_dir():
        made = tmp_path_factory.mktemp("npm")
        command = ["npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", PINNED]
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"npm cannot fetch {PINNED}: {done.stderr.strip().splitlines()[-1:]}")
        with contextlib.suppress(OSError):  # another process of this run was faster
            made.rename(folder)
    return folder


@pytest.fixture
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The engine that a test is parametrised with."""
    if request.param == "huggingface.js":
        monkeypatch.setenv(node.FOLDER, str(request.getfixturevalue("node_folder")))
    found = ENGINES[request.param]
    missing = found.missing()
    if missing is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{found.name} is not installed: {missing}")
        pytest.skip(f"{found.name} is not installed: {missing}")
    return found


def render(engine: Engine, source: str, **context: object) -> Outcome:
    with engine.compile(source, MOMENT) as renderer:
        return renderer.render({"messages": MESSAGES, **context})


in_process = pytest.mark.parametrize("engine", ["jinja2", "transformers-library", "minijinja"], indirect=True)
everywhere = pytest.mark.parametrize(
    "engine", ["jinja2", "transformers-library", "minijinja", "huggingface.js", "llama-server"], indirect=True
)


@everywhere
def test_basics(engine: Engine) -> None:
    assert render(engine, EVERYTHING, bos_token="<é>").text == "<user>x<é>"
    assert render(engine, "{{ x }}", x=[1, "ä"]).failure is None
    assert engine.version()
    assert get_engine(engine.name) is engine


@everywhere
def test_failures(engine: Engine) -> None:
    raised = render(engine, "{% if stop %}a\n{{ raise_exception('No <b>.') }}{% endif %}", stop=True).failure
    assert raised is not None
    assert raised.message.startswith("No <b>.")
    assert raised.raised is (engine.name != "huggingface.js")
    wrong = render(engine, "a\n{% if stop %}{{ 1 + [] }}{% endif %}", stop=True)
    assert wrong.text is None
    assert wrong.failure is not None
    assert wrong.failure.message
    broken = render(engine, "a\n{% if %}")
    assert broken.text is None
    assert broken.failure is not None


@in_process
def test_lines_of_failures(engine: Engine) -> None:
    failure = render(engine, "a\nb{{ 1 + [] }}").failure
    assert failure is not None
    assert failure.lineno == 2


@pytest.mark.parametrize("engine", ["jinja2", "transformers-library"], indirect=True)
def test_generation_blocks(engine: Engine) -> None:
    assert render(engine, "{% generation %}{{ 'a' }}{% endgeneration %}").text == "a"


@pytest.mark.parametrize("engine", ["jinja2"], indirect=True)
def test_what_jinja2_cannot_compile(engine: Engine) -> None:
    failure = render(engine, "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}").failure
    assert failure is not None
    assert failure.message.startswith("RecursionError: ")


@pytest.mark.parametrize("engine", ["minijinja"], indirect=True)
def test_methods_of_python_in_minijinja(engine: Engine) -> None:
    failure = render(engine, "{{ strftime_now(1) }}").failure
    assert failure is not None
    assert failure.message.startswith("TypeError: ")


def catalogue_mismatches(engine: Engine) -> Iterator[str]:
    """Examples of the catalogue that give something else than it says."""
    for cause in CATALOGUE:
        example = cause.example
        context = values_for(
            engine, ALL_HABITS, {**example.context, "messages": example.context.get("messages") or MESSAGES}
        )
        for source, expected in (
            (example.template, example.result(engine)),
            (example.portable, example.portable_result),
        ):
            if source is not None:
                with engine.compile(source, MOMENT) as renderer:
                    outcome = renderer.render(context)
                if outcome.text != expected:
                    yield f"{cause.id}: {source!r} gives {outcome}, not {expected!r}"


@pytest.mark.parametrize("engine", ["jinja2", "transformers-library", "minijinja", "huggingface.js"], indirect=True)
def test_catalogue(engine: Engine) -> None:
    assert list(catalogue_mismatches(engine)) == []


# A server takes seconds to start when a template has odd results, so it gets the ones that hurt most.
SERVER_CASES = ("none-printed", "object-printed", "list-printed", "byte-length", "set-in-loop", "first-character")


@pytest.mark.parametrize("engine", ["llama-server"], indirect=True)
@pytest.mark.parametrize("name", SERVER_CASES)
def test_catalogue_in_the_server(engine: Engine, name: str) -> None:
    cause = next(cause for cause in CATALOGUE if cause.id == name)
    assert render(engine, cause.example.template, **cause.example.context).text == cause.example.result(engine)


@pytest.mark.parametrize("engine", ["llama-server"], indirect=True)
def test_server_is_compared(engine: Engine) -> None:
    conversations = built_in_conversations()[:2]
    template = "{% for m in messages %}{{ m.content }}{{ x }}{% endfor %}"
    talks = [conversation._replace(context={**conversation.context, "x": None}) for conversation in conversations]
    assert compare(template, talks, ("llama.cpp", "llama-server")).agrees
    report = compare(template, talks[:1], ("transformers", "llama-server"))
    assert report.differences[0].findings[0].cause == "none-printed"


@pytest.mark.parametrize("engine", ["transformers-library"], indirect=True)
def test_transformers_is_the_dialect(engine: Engine) -> None:
    template = "{{ tools is none }}{% for m in messages %}{{ m.keys()|list }}{% endfor %}{{ x }}"
    assert compare(template, None, ("transformers", "transformers-library")).agrees
    report = compare("{{ x }}", [{"messages": MESSAGES, "x": None}], ("llama.cpp", "transformers-library"))
    assert report.differences[0].findings[0].cause == "none-printed"


@pytest.mark.parametrize("engine", ["transformers-library"], indirect=True)
def test_an_engine_with_its_own_clock(engine: Engine) -> None:
    template = "{{ strftime_now('%Y') }}{{ x }}"
    report = compare(template, [{"messages": MESSAGES, "x": None}], ("llama.cpp", engine.name), now=0)
    assert [finding.cause for finding in report.differences[0].findings] == ["strftime-format", "none-printed"]


@pytest.mark.parametrize("engine", ["huggingface.js"], indirect=True)
def test_node_in_a_comparison(engine: Engine) -> None:
    report = compare("a{{ x }}", [{"messages": MESSAGES, "x": True}], ("llama.cpp", engine.name))
    (difference,) = report.differences
    assert difference.findings[0].cause == "boolean-printed"
    assert difference.expression == "{{ x }}"


def test_node_that_does_not_start(node_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "node_modules" / node.PACKAGE
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"version": "0"}')
    monkeypatch.setenv(node.FOLDER, str(tmp_path))
    assert ENGINES["huggingface.js"].missing() is None
    with pytest.raises(EngineError, match=r"Node\.js cannot run .*Cannot find module"):
        ENGINES["huggingface.js"].compile("", MOMENT)


def test_missing_engines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(node.FOLDER, str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    missing = dict(missing_engines())
    assert set(missing) == {"jinja2", "transformers-library", "minijinja", "huggingface.js", "llama-server"}
    assert missing["llama-server"] == "pip install xllamacpp gguf numpy"
    with pytest.raises(EngineError, match="the engine 'jinja2' is not installed here: pip install"):
        get_engine("jinja2")
    monkeypatch.setenv("PATH", "")
    assert "install Node.js" in dict(missing_engines())["huggingface.js"]
