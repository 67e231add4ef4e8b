"""``self``, its blocks, and other templates, of which there are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from chatjinja.errors import OperationError
from chatjinja.runtime.jinja.callables import ADDRESS, Function, Invocable
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import exceeded

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Block = Callable[["Runtime", dict[str, Any], list[Any]], None]


class TemplateReference:
    """The value of ``self``."""

    __slots__ = ("_blocks", "_context", "_text")

    def __init__(self, context: dict[str, Any], blocks: dict[str, Block], text: Callable[..., Any]) -> None:
        self._context = context
        self._blocks = blocks
        self._text = text

    def __getitem__(self, name: str) -> BlockReference:
        return BlockReference(name, self._blocks[name], self._context, self._text)

    def __repr__(self) -> str:
        return "<TemplateReference None>"


class BlockReference(Invocable):
    """A block as a value; called, it gives the block's text."""

    __slots__ = ("_block", "_context", "_text", "name")

    def __init__(self, name: str, block: Block, context: dict[str, Any], text: Callable[..., Any]) -> None:
        self.name = name
        self._block = block
        self._context = context
        self._text = text

    def invoke(self, rt: Runtime, /) -> Any:
        rt.depth += 1
        if rt.depth > rt.stop_depth:
            raise exceeded(rt.limits, "recursion")
        out: list[Any] = []
        self._block(rt, self._context, out)
        rt.depth -= 1
        return self._text(rt, out)

    def __repr__(self) -> str:
        return f"<jinja2.runtime.BlockReference object at {ADDRESS}>"


def derived(context: dict[str, Any], variables: dict[str, Any], unset: tuple[Any, ...]) -> dict[str, Any]:
    """What a scoped block sees: the context, and those variables that are not `unset`."""
    made = context.copy()
    made.update([item for item, nothing in zip(variables.items(), unset, strict=True) if item[1] is not nothing])
    return made


def _no_parent(rt: Runtime, block: BlockReference) -> Undefined:
    return Undefined(f"there is no parent block called {block.name!r}.", name="super")


BLOCK_ATTRIBUTES: Mapping[str, Function] = MappingProxyType({"name": lambda rt, block: block.name, "super": _no_parent})
"""What a template can ask a block for."""


# --- other templates ---------------------------------------------------------------------------------------


def get_template(rt: Runtime, name: Any) -> NoReturn:
    """There is nowhere to load a template from."""
    raise OperationError("no loader for this environment specified", code="no-loader")


def include(rt: Runtime, names: Any, ignore_missing: bool) -> None:
    """``include`` of one name or the first of several that exists: of none, none is missing."""
    if isinstance(names, str) or type(names) is Undefined or names or not ignore_missing:
        get_template(rt, names)
