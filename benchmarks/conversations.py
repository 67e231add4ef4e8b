"""Made-up conversations of realistic lengths; the same ones in every run."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

Message = dict[str, Any]

SYSTEM = (
    "You are the assistant of a small software company. Answer in the language of the question, quote your "
    "sources, and ask back when a request can be read in more than one way.\nToday's shift: support, level 2."
)
QUESTIONS = (
    "Why does the nightly import stop after the third file?",
    "Can you shorten this paragraph without losing the numbers?",
    "The customer says the invoice is off by one cent. Where could that come from?",
    "Write a function that groups log lines by request id and keeps their order.",
    "Könntest du mir den Unterschied zwischen Fälligkeit und Verzug erklären?",
    "東京の天気を確認して、傘が必要かどうか教えてください。",
    "What changes if we move the cache in front of the parser?",
    "Résume la réunion d'hier en trois points, s'il te plaît.",
)
SENTENCES = (
    "The third file is larger than the buffer that the importer reserves when it starts.",
    "It reads the header first, and the header still names the old number of columns.",
    "You can see this in the log: the last line before the stop is cut in the middle of a word.",
    "I would first raise the limit for one night and compare the row counts in the morning.",
    "Rounding each position and then adding gives another total than adding and rounding once.",
    "That is a common cause of a difference of one cent, and both ways are correct by themselves.",
    "If the contract names a way, follow it; otherwise write down which one you chose.",
    "A cache in front of the parser saves the parsing, but then its key must hold every option.",
    "Die Fälligkeit ist der Tag, an dem gezahlt werden soll; der Verzug beginnt erst mit der Mahnung.",
    "明日の午後は雨の予報です。傘を持って行くことをお勧めします ☂️。",
    "Trois décisions ont été prises : le budget, le calendrier et le choix du prestataire — déjà signé.",
    "There is one more thing to check: “smart quotes” in the file name, as in ‘résumé’.",
)
CODE = """```python
def group_by_request(lines):
    groups = {}
    for line in lines:
        request, _, rest = line.partition(" ")
        groups.setdefault(request, []).append(rest)
    return groups
```"""


def _text(random: Random, sentences: int) -> str:
    text = " ".join(random.choice(SENTENCES) for _ in range(sentences))
    return f"{text}\n\n{CODE}\n\nShall I add a test?" if random.random() < 0.25 else text


def _question(random: Random) -> Message:
    extra = " ".join(random.choice(SENTENCES) for _ in range(random.randrange(3)))
    return {"role": "user", "content": f"{random.choice(QUESTIONS)} {extra}".rstrip()}


def _parameter(kind: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": description, **more}


def _tool(name: str, description: str, required: list[str], **parameters: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters, "required": required}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def tools() -> list[dict[str, Any]]:
    """Eight function schemas as OpenAI's API takes them."""
    text, whole = "string", "integer"
    unit = _parameter(text, "Unit of the answer.", enum=["celsius", "fahrenheit"])
    tags = {"type": "array", "items": {"type": text}, "description": "Only entries that carry all of these tags."}
    limit = _parameter(whole, "Largest number of results.", minimum=1, maximum=100)
    return [
        _tool("get_weather", "Current weather of a city.", ["city"], city=_parameter(text, "City name."), unit=unit),
        _tool("search_tickets", "Find tickets.", ["query"], query=_parameter(text, "Words to look for."), tags=tags),
        _tool("read_file", "Read a part of a file.", ["path"], path=_parameter(text, "Path."), lines=limit),
        _tool(
            "run_query",
            "Run a read-only SQL query on the reporting database and return its rows.",
            ["sql"],
            sql=_parameter(text, "One SELECT statement, without a semicolon."),
            limit=limit,
            timeout=_parameter("number", "Seconds; 2.5 if left out."),
        ),
        _tool(
            "send_mail",
            "Send a mail in the name of the support team. Ask the user first.",
            ["to", "body"],
            to=_parameter(text, "Address of the recipient."),
            body=_parameter(text, "Plain text, at most 4,000 characters."),
        ),
        _tool("list_events", "Entries of a calendar.", ["day"], day=_parameter(text, "ISO 8601 date."), tags=tags),
        _tool(
            "translate",
            "Translate a text; names and code stay as they are.",
            ["text", "to"],
            text=_parameter(text, "Text in any language."),
            to=_parameter(text, "Target language, such as “de” or “pt-BR”."),
        ),
        _tool("calculate", "Evaluate arithmetic.", ["expression"], expression=_parameter(text, "Such as 17*23.")),
    ]


ARGUMENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_weather", {"city": "東京", "unit": "celsius"}),
    ("search_tickets", {"query": "nightly import stops", "tags": ["import", "level 2"]}),
    ("read_file", {"path": "logs/import-2025-12-31.log", "lines": 40}),
    ("run_query", {"sql": "SELECT day, count(*) FROM rows WHERE file = 3 GROUP BY day", "limit": 20}),
    ("translate", {"text": "Die Rechnung ist fällig.", "to": "fr"}),
    ("calculate", {"expression": "0.1 + 0.2"}),
)
RESULTS = (
    {"temperature": 7, "sky": "雨", "wind": {"speed": 21, "from": "NW"}},
    {"tickets": [{"id": 4711, "title": "Import stops", "open": True}, {"id": 4712, "title": "Größe", "open": False}]},
    {"lines": ["02:00:01 start", "02:00:07 file 1 ok", "02:00:19 file 2 ok", "02:00:20 file 3: unexp"]},
    {"rows": [["2025-12-30", 10412], ["2025-12-31", 3377]], "truncated": False},
)


def _call_and_result(random: Random, number: int, arguments_as_text: bool) -> list[Message]:
    """One call and its result. Only one at a time, because some templates refuse more."""
    name, arguments = random.choice(ARGUMENTS)
    shown = json.dumps(arguments, ensure_ascii=False) if arguments_as_text else dict(arguments)
    # Nine letters and digits: Mistral's templates insist.
    call_id = f"call{number:05}"
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": shown}}
    result = json.dumps(random.choice(RESULTS), ensure_ascii=False)
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "name": name, "content": result},
    ]


def conversation(turns: int, *, with_calls: bool = False, arguments_as_text: bool = False) -> list[Message]:
    """A system message and `turns` pairs of question and answer; the last question is not answered yet."""
    random = Random(turns)
    messages: list[Message] = [{"role": "system", "content": SYSTEM}]
    for number in range(turns):
        messages.append(_question(random))
        if with_calls and number % 2 == 0:
            messages += _call_and_result(random, number, arguments_as_text)
        messages.append({"role": "assistant", "content": _text(random, random.randrange(2, 10))})
    return messages[:-1]


def context(turns: int, *, with_tools: bool = False, arguments_as_text: bool = False) -> dict[str, Any]:
    """What a server passes to a template."""
    values: dict[str, Any] = {
        "messages": conversation(turns, with_calls=with_tools, arguments_as_text=arguments_as_text),
        "add_generation_prompt": True,
        "bos_token": "<s>",
        "eos_token": "</s>",
    }
    if with_tools:
        values["tools"] = tools()
    # As from a parsed request: no object stands in two places.
    parsed: dict[str, Any] = json.loads(json.dumps(values))
    return parsed


CASES: dict[str, Callable[[bool], dict[str, Any]]] = {
    "2 turns": lambda as_text: context(2),
    "10 turns": lambda as_text: context(10),
    "10 turns, tools": lambda as_text: context(10, with_tools=True, arguments_as_text=as_text),
    "100 turns": lambda as_text: context(100),
}
"""Name of a conversation → its context; the argument says whether tool arguments are JSON text."""
