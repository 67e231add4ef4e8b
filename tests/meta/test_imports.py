"""What ``import chatjinja`` offers and what it loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import chatjinja

SOURCE_FOLDER = Path(chatjinja.__file__).parents[1]
EXPORTS = {
    "ApplyError",
    "ApplyTypeError",
    "ChatJinjaError",
    "ChatPrompt",
    "ChatTemplate",
    "ContextError",
    "Difference",
    "DEFAULT_TRUST",
    "Environment",
    "LimitError",
    "Limits",
    "LoadError",
    "OperationError",
    "Part",
    "Patch",
    "Prompt",
    "RaisedError",
    "Report",
    "RequestError",
    "Span",
    "Template",
    "TemplateError",
    "TemplateSyntaxError",
    "TokenizedPrompt",
    "ToolSchemaError",
    "TrustPolicy",
    "UnknownNameError",
    "UnsupportedError",
    "apply_chat_template",
    "compare",
    "patch",
    "render",
    "tokenize",
    "unpatch",
}
HEAVY = (
    "asyncio",
    "concurrent.futures",
    "decimal",
    "doctest",
    "email",
    "html",
    "http",
    "importlib.metadata",
    "logging",
    "multiprocessing",
    "pdb",
    "pickle",
    "pydoc",
    "random",
    "shutil",
    "socket",
    "sqlite3",
    "ssl",
    "statistics",
    "subprocess",
    "tempfile",
    "unittest",
    "urllib.request",
    "xml",
    "zipfile",
)


def run_isolated(code: str) -> str:
    """Run code in a fresh interpreter that sees the standard library and this package, nothing else."""
    program = f"import sys\nsys.path.insert(0, {str(SOURCE_FOLDER)!r})\n{code}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_exports() -> None:
    assert set(chatjinja.__all__) == EXPORTS
    assert all(hasattr(chatjinja, name) for name in chatjinja.__all__)


def test_unknown_name() -> None:
    assert "render" in dir(chatjinja)
    with pytest.raises(AttributeError, match="module 'chatjinja' has no attribute 'nothing'"):
        _ = chatjinja.nothing


def test_chat_layer_is_imported_on_demand() -> None:
    loaded = run_isolated("""
import sys, chatjinja
print("chatjinja.chat" in sys.modules)
from chatjinja import ChatTemplate
print("chatjinja.chat" in sys.modules, hasattr(chatjinja, "nonsense"))
""")
    assert loaded.split() == ["False", "True", "False"]


def test_renders_without_any_installed_package() -> None:
    assert run_isolated("import chatjinja; print(chatjinja.render('{{ a|tojson }}', {'a': [1]}))") == "[1]\n"


def test_every_core_module_needs_only_the_standard_library() -> None:
    run_isolated("""
import importlib, pkgutil, chatjinja
for module in pkgutil.walk_packages(chatjinja.__path__, "chatjinja."):
    if not module.name.startswith(("chatjinja.cli", "chatjinja.__main__", "chatjinja.tokenization.adapters.")):
        importlib.import_module(module.name)
""")


def test_import_loads_no_heavy_module() -> None:
    loaded = run_isolated(
        "before = set(sys.modules); import chatjinja; chatjinja.render('x'); print(*(set(sys.modules) - before))"
    ).split()
    assert not [name for name in HEAVY if name in loaded]
