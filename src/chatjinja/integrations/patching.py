"""Tokenizers whose own `apply_chat_template` is this package's, so that programs need no change."""

from __future__ import annotations

import sys
from typing import Any, Literal

from chatjinja.environment import Now
from chatjinja.integrations.apply import Call, Settings, answer, settings
from chatjinja.integrations.errors import ApplyTypeError
from chatjinja.integrations.jinja_errors import caught_as_jinja2
from chatjinja.integrations.targets import target_of
from chatjinja.marking import TrustPolicy

_NAME = "apply_chat_template"


class PatchedMethod:
    """What stands on a patched tokenizer; takes what the method of the same name takes."""

    def __init__(self, tokenizer: Any, how: Settings, before: tuple[Any, ...]) -> None:
        self.tokenizer = tokenizer
        self.how = how
        self.before = before

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        names = self.how.version.parameters
        if len(args) > len(names):
            raise TypeError(f"{_NAME}() takes {len(names)} positional arguments, but {len(args)} were given")
        given = dict(zip(names, args, strict=False))
        for name in names:
            if name in kwargs:
                if name in given:
                    raise TypeError(f"{_NAME}() got two values for the argument {name!r}")
                given[name] = kwargs.pop(name)
        if "conversation" not in given:
            raise TypeError(f"{_NAME}() needs the argument 'conversation'")
        for name in ("tokenize", "return_dict"):  # None is no default there
            if name in given:
                given[name] = bool(given[name])
        with caught_as_jinja2():
            return answer(target_of(self.tokenizer), Call(**given, variables=kwargs), self.how)


class Patch:
    """A patch that is in force until `undo`, or to the end of a ``with`` block."""

    def __init__(self, tokenizer: Any, method: PatchedMethod) -> None:
        self._tokenizer = tokenizer
        self._method = method

    def undo(self) -> None:
        """Take the patch away; other patches of the tokenizer stay. Does nothing if it is gone already."""
        above = None
        current = vars(self._tokenizer).get(_NAME)
        while isinstance(current, PatchedMethod):
            if current is self._method:
                _remove(self._tokenizer, current, above)
                return
            above = current
            current = current.before[0] if current.before else None

    def __enter__(self) -> Any:
        """The tokenizer."""
        return self._tokenizer

    def __exit__(self, *_: object) -> None:
        self.undo()


def _remove(tokenizer: Any, method: PatchedMethod, above: PatchedMethod | None) -> None:
    if above is not None:
        above.before = method.before
    elif method.before:
        vars(tokenizer)[_NAME] = method.before[0]
    else:
        del vars(tokenizer)[_NAME]


def patch(
    tokenizer: Any,
    *,
    version: str | None = None,
    marking: Literal["sound"] | None = None,
    trust: TrustPolicy | None = None,
    now: Now = None,
) -> Patch:
    """Let ``tokenizer.apply_chat_template`` be this package's; everything else of the tokenizer stays as it is.

    Only this object is patched, not its class. Copies and pickles of it are patched as well. Its template errors are
    also Jinja2's, so existing handlers catch them.

    Args:
        tokenizer: a tokenizer of transformers. A processor cannot be patched.
        version, marking, trust, now: as for `apply_chat_template`. `version` is that of the installed transformers by
            default.

    Returns the patch, which is also a context manager that gives the tokenizer.
    """
    if hasattr(tokenizer, "tokenizer") or not hasattr(tokenizer, _NAME) or not hasattr(tokenizer, "__dict__"):
        raise ApplyTypeError(f"only a tokenizer of transformers can be patched, not {type(tokenizer).__name__}")
    how = settings(version or _installed_version(), marking, trust, now)
    attributes = vars(tokenizer)
    before = (attributes[_NAME],) if _NAME in attributes else ()
    method = attributes[_NAME] = PatchedMethod(tokenizer, how, before)
    return Patch(tokenizer, method)


def unpatch(tokenizer: Any) -> None:
    """Take all patches of a tokenizer away. Does nothing if there are none."""
    while isinstance(method := vars(tokenizer).get(_NAME), PatchedMethod):
        _remove(tokenizer, method, None)


def _installed_version() -> str:
    """The version to reproduce by default: 4.57 for all of 4."""
    installed = getattr(sys.modules.get("transformers"), "__version__", "5")
    return "4.57" if installed.startswith("4.") else "5"
