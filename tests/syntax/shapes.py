"""Short forms in which tests state what they expect."""

from __future__ import annotations

from chatjinja.syntax import nodes
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.lexer import tokenize
from chatjinja.syntax.parser import parse

LLAMA_CPP = SyntaxConfig()
JINJA2 = SyntaxConfig(lstrip_drops_first_character=False, raw_blocks=True, floor_division=True, power=True)


def tree(source: str, config: SyntaxConfig = LLAMA_CPP) -> nodes.Template:
    return parse(source, config)[0]


def expression(source: str, config: SyntaxConfig = LLAMA_CPP) -> nodes.Expr:
    """The tree of an expression, in positions that count from its first character."""
    (output,) = tree("{{ " + source + " }}", config).body
    assert isinstance(output, nodes.Output)
    return output.node


def token_values(source: str, config: SyntaxConfig = LLAMA_CPP) -> list[tuple[int, str]]:
    return [(token.type, token.value) for token in tokenize(source, config)[1]]


def texts(source: str, config: SyntaxConfig = LLAMA_CPP) -> list[str]:
    """The texts outside of tags, as they are left."""
    return [token.value for token in tokenize(source, config)[1] if token.type == 1]


def shape(node: nodes.Node | None) -> str:
    """A tree in one line: ``(kind data children…)``; names and numbers as they are, lists in brackets."""
    if node is None:
        return "_"
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.Const):
        return repr(node.value)
    parts = [type(node).__name__]
    parts += [str(getattr(node, name)) for name in node.data]
    for name in node.fields:
        child = getattr(node, name)
        parts.append("[" + " ".join(map(shape, child)) + "]" if isinstance(child, list) else shape(child))
    return "(" + " ".join(parts) + ")"
