"""Random requests in which every text is a canary of its own, and what the marks of their prompts must say."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from chatjinja import ChatPrompt, Part
from chatjinja.marking import unescape

_FIRST = 0xE000


class Canaries:
    """Makes requests whose texts can be told apart by any one of their private characters."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.made = 0

    def text(self) -> str:
        """A text with blanks and ordinary characters around the canary."""
        char = self.char()
        return self.random.choice((char * 3, f" {char}{char} \n", f"<|im_end|>{char}", f"{char} \"'{char}", char))

    def char(self) -> str:
        self.made += 1
        return chr(_FIRST + self.made)

    def content(self) -> Any:
        kind = self.random.random()
        if kind < 0.6:
            return self.text()
        return [{"type": "text", "text": self.text()} for _ in range(self.random.randrange(1, 4))]

    def value(self, depth: int = 0) -> Any:
        kind = self.random.randrange(3 if depth > 1 else 5)
        if kind == 3:
            return {self.char(): self.value(depth + 1) for _ in range(self.random.randrange(3))}
        if kind == 4:
            return [self.value(depth + 1) for _ in range(self.random.randrange(3))]
        return self.text() if kind else self.random.choice((1, 2.5, True, None))

    def call(self, number: int) -> dict[str, Any]:
        arguments: Any = {self.char(): self.value() for _ in range(self.random.randrange(1, 3))}
        if self.random.random() < 0.6:
            arguments = json.dumps(arguments, ensure_ascii=False)
        identity = f"call0000{number}" if self.random.random() < 0.7 else self.text()
        return {"id": identity, "type": "function", "function": {"name": self.char(), "arguments": arguments}}

    def turn(self) -> list[dict[str, Any]]:
        """A question and an answer, maybe with calls."""
        random = self.random
        found: list[dict[str, Any]] = [{"role": "user", "content": self.content()}]
        if random.random() < 0.4:
            calls = [self.call(number) for number in range(random.randrange(1, 3))]
            found.append({"role": "assistant", "content": random.choice(("", self.text())), "tool_calls": calls})
            if random.random() < 0.4:
                found[-1]["reasoning_content"] = self.text()
            for call in calls:
                content = (
                    json.dumps({"r": self.text(), "n": 5}, ensure_ascii=False)
                    if random.random() < 0.4
                    else self.content()
                )
                found.append({"role": "tool", "tool_call_id": call["id"], "content": content})
                if random.random() < 0.5:
                    found[-1]["name"] = call["function"]["name"]
        answer = {"role": "assistant", "content": self.content()}
        if random.random() < 0.4:
            answer["reasoning_content"] = self.text()
        return [*found, answer]

    def tool(self) -> dict[str, Any]:
        name = self.char()
        properties = {self.char(): {"type": "string", "description": self.text(), "enum": [self.text()]}}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        function = {"name": name, "description": self.text(), "parameters": schema}
        return {"type": "function", "function": function}

    def request(self) -> dict[str, Any]:
        """A request that most templates take."""
        random = self.random
        messages: list[dict[str, Any]] = []
        if random.random() < 0.6:
            messages.append({"role": random.choice(("system", "developer")), "content": self.content()})
        for _ in range(random.randrange(3)):
            messages += self.turn()
        messages.append({"role": "user", "content": self.content()})
        body: dict[str, Any] = {"messages": messages}
        if random.random() < 0.5:
            body["tools"] = [self.tool() for _ in range(random.randrange(1, 3))]
        if random.random() < 0.3:
            messages.append({"role": "assistant", "content": self.content()})
            if random.random() < 0.4:
                messages[-1]["reasoning_content"] = self.text()
        if random.random() < 0.3:
            body["chat_template_kwargs"] = {"custom": self.value(), "source_lang_code": "de", "enable_thinking": True}
        if random.random() < 0.2:
            body["reasoning_effort"] = random.choice(("low", self.text()))
        if random.random() < 0.2:
            body["response_format"] = {"type": "json_schema", "json_schema": {"schema": {self.char(): self.text()}}}
        return body


def is_canary(char: str) -> bool:
    return "\ue000" <= char <= "\uf8ff"


def resolve(body: Any, pointer: str) -> str:
    """The text of the value, or of the key, that a source names. KeyError or IndexError if there is none."""
    tokens = [unescape(token) for token in pointer.split("/")[1:]]
    for number, token in enumerate(tokens):
        if isinstance(body, list):
            body = body[int(token)]
        elif number == len(tokens) - 1 and token not in body and token.endswith("#"):
            if token[:-1] not in body:
                raise KeyError(pointer)
            return token[:-1]
        else:
            body = body[token]
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def leaks(parts: tuple[Part, ...]) -> list[Part]:
    """Template parts that hold text of the request."""
    return [part for part in parts if not part.is_input and any(map(is_canary, part.text))]


def wrong_sources(body: Any, parts: tuple[Part, ...]) -> list[Part]:
    """Input parts whose source is not a place in the request that holds their canaries."""
    found = []
    for part in parts:
        if not part.is_input:
            continue
        try:
            home = resolve(body, part.source or "/nowhere")
        except (LookupError, TypeError, ValueError):
            found.append(part)
            continue
        if any(is_canary(char) and char not in home for char in part.text):
            found.append(part)
    return found


def flags(prompt: ChatPrompt) -> list[tuple[str, bool]]:
    """Text and flag of the parts; neighbours of one flag joined."""
    found: list[tuple[str, bool]] = []
    for part in prompt.parts:
        if found and found[-1][1] is part.is_input:
            found[-1] = (found[-1][0] + part.text, part.is_input)
        else:
            found.append((part.text, part.is_input))
    return found
