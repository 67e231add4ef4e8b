"""What happens when a template goes through several engines."""

from chatjinja.analysis.catalogue import CATALOGUE, Cause
from chatjinja.analysis.compare import DEFAULT_ENGINES, compare
from chatjinja.analysis.conversations import Conversation, built_in_conversations, parse_conversations
from chatjinja.analysis.engines import ENGINES, EngineError
from chatjinja.analysis.report import Difference, Finding, Report, Result, Side

__all__ = [
    "CATALOGUE",
    "DEFAULT_ENGINES",
    "ENGINES",
    "Cause",
    "Conversation",
    "Difference",
    "EngineError",
    "Finding",
    "Report",
    "Result",
    "Side",
    "built_in_conversations",
    "compare",
    "parse_conversations",
]
