"""Templates made for these tests, in the manner of real families, and what is found out about them."""

from __future__ import annotations

from chatjinja import ChatTemplate
from chatjinja.chat import Capabilities


def probe(source: str) -> Capabilities:
    return ChatTemplate.from_string(source).capabilities


def lines(*parts: str) -> str:
    """Parts of a template, each on a line of its own that prints no newline."""
    return "\n".join(part.replace("{{", "{{-").replace("{%", "{%-") for part in parts)


CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""Any role, content as text."""

ALTERNATING = lines(
    "{{ bos_token }}",
    "{% if messages[0].role == 'system' %}{% set system = messages[0].content ~ ' ' %}{% set rest = messages[1:] %}",
    "{% else %}{% set system = '' %}{% set rest = messages %}{% endif %}",
    "{% for m in rest %}",
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}",
    "{% if m.role == 'user' %}{{ '[INST]' ~ (system if loop.first else '') ~ m.content ~ '[/INST]' }}",
    "{% else %}{{ ' ' ~ m.content ~ eos_token }}{% endif %}",
    "{% endfor %}",
)
"""Strict order, the system message within the first question, no generation prompt of its own."""

PARTS_ONLY = lines(
    "{% for m in messages %}{{ m.role ~ ': ' }}",
    "{% for p in m.content %}{% if p.type == 'image' %}{{ '<image>' }}{% else %}{{ p.text }}{% endif %}{% endfor %}",
    "{{ '</s>' }}{% endfor %}",
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}",
)
"""Content as a list of parts."""

BOTH_FORMS = lines(
    "{% macro shown(content) %}",
    "{% if content is string %}{{ content }}{% else %}",
    "{% for p in content %}",
    "{% if p.type == 'text' %}{{ p.text ~ '|' }}",
    "{% elif p.type in ['image', 'image_url'] %}{{ '<img>' }}",
    "{% elif p.type == 'audio' %}{{ raise_exception('no audio') }}",
    "{% else %}{{ '<?>' }}{% endif %}",
    "{% endfor %}{% endif %}",
    "{% endmacro %}",
    "{% for m in messages %}{{ '<' ~ m.role ~ '>' ~ shown(m.content) ~ '</>' }}{% endfor %}",
)
"""Text and parts; images, and a mark for what it does not know."""

TOOLS = lines(
    "{% if tools %}{{ 'Tools:' }}{% for t in tools %}{{ t.function | tojson }}{% endfor %}{% endif %}",
    "{% for m in messages %}",
    "{% if m.role == 'tool' %}{{ '<result ' ~ m.tool_call_id ~ ' ' ~ m.name ~ '>' ~ m.content }}",
    "{% else %}{{ '<' ~ m.role ~ '>' ~ m.content }}{% endif %}",
    "{% for c in m.tool_calls or [] %}",
    "{{ '<call ' ~ c.id ~ '>' ~ c.function.name ~ ' ' ~ c.function.arguments | tojson }}",
    "{% endfor %}{% endfor %}",
)
"""Tools as JSON, calls with arguments as JSON, results with ids."""

XML_TOOLS = lines(
    "{% for m in messages %}{{ '<' ~ m.role ~ '>' ~ m.content }}",
    "{% for c in m.tool_calls or [] %}{{ '<function=' ~ c.function.name ~ '>' }}",
    "{% for key, value in c.function.arguments | items %}{{ '<' ~ key ~ '>' ~ value }}{% endfor %}",
    "{% endfor %}{% endfor %}",
)
"""Arguments as elements, so that they must be an object."""

TEXT_ARGUMENTS = lines(
    "{% for m in messages %}{{ '<' ~ m.role ~ '>' ~ m.content }}",
    "{% for c in m.tool_calls or [] %}{{ c.function.name ~ '(' ~ c.function.arguments ~ ')' }}{% endfor %}",
    "{% endfor %}",
)
"""Arguments printed as they are: right for text only."""

THINKING = lines(
    "{% set ns = namespace(last=-1) %}",
    "{% for m in messages %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}",
    "{% for m in messages %}",
    "{{ '<|im_start|>' ~ m.role ~ '\\n' }}",
    "{% set content = m.content %}",
    "{% set reasoning = m.reasoning_content or '' %}",
    "{% if m.role == 'assistant' and not reasoning and '</think>' in content %}",
    "{% set reasoning = content.split('</think>')[0].split('<think>')[-1].strip() %}",
    "{% set content = content.split('</think>')[-1].strip() %}",
    "{% endif %}",
    "{% if m.role == 'assistant' and (loop.index0 > ns.last or preserve_thinking) %}",
    "{{ '<think>\\n' ~ reasoning ~ '\\n</think>\\n\\n' }}",
    "{% endif %}",
    "{{ content ~ '<|im_end|>\\n' }}",
    "{% endfor %}",
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}",
    "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}",
    "{% endif %}",
)
"""Reasoning after the last question only, by a key or within the text."""
