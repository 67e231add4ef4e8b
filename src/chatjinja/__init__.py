"""Chat templates, rendered exactly as llama.cpp and transformers render them.

>>> import chatjinja
>>> chatjinja.render("{{ messages[0].content }}", {"messages": [{"role": "user", "content": "Hi"}]})
'Hi'
"""

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from chatjinja.analysis import Difference, Report, compare
    from chatjinja.chat import ChatPrompt, ChatTemplate
    from chatjinja.environment import Environment, Template, render
    from chatjinja.errors import (
        ChatJinjaError,
        ContextError,
        LimitError,
        LoadError,
        OperationError,
        RaisedError,
        RequestError,
        TemplateError,
        TemplateSyntaxError,
        UnknownNameError,
        UnsupportedError,
    )
    from chatjinja.integrations import (
        ApplyError,
        ApplyTypeError,
        Patch,
        ToolSchemaError,
        apply_chat_template,
        patch,
        unpatch,
    )
    from chatjinja.marking import DEFAULT_TRUST, Part, Prompt, TrustPolicy
    from chatjinja.runtime.limits import Limits
    from chatjinja.source import Span
    from chatjinja.tokenization import TokenizedPrompt, tokenize

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_TRUST",
    "ApplyError",
    "ApplyTypeError",
    "ChatJinjaError",
    "ChatPrompt",
    "ChatTemplate",
    "ContextError",
    "Difference",
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
]

# Everything loads on first use: the import itself must not cost a program its start.
_HOMES = {
    "analysis": ("Difference", "Report", "compare"),
    "chat": ("ChatPrompt", "ChatTemplate"),
    "environment": ("Environment", "Template", "render"),
    "errors": (
        "ChatJinjaError",
        "ContextError",
        "LimitError",
        "LoadError",
        "OperationError",
        "RaisedError",
        "RequestError",
        "TemplateError",
        "TemplateSyntaxError",
        "UnknownNameError",
        "UnsupportedError",
    ),
    "integrations": (
        "ApplyError",
        "ApplyTypeError",
        "Patch",
        "ToolSchemaError",
        "apply_chat_template",
        "patch",
        "unpatch",
    ),
    "marking": ("DEFAULT_TRUST", "Part", "Prompt", "TrustPolicy"),
    "runtime.limits": ("Limits",),
    "source": ("Span",),
    "tokenization": ("TokenizedPrompt", "tokenize"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a public name from the module that it lives in."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
