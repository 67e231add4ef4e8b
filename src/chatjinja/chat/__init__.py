"""The chat layer: the prompt that a llama.cpp server builds from a chat request."""

from chatjinja.chat.capabilities import Capabilities
from chatjinja.chat.families import FAMILIES, Family
from chatjinja.chat.probes.records import Evidence
from chatjinja.chat.prompt import Change, ChatPrompt, Step
from chatjinja.chat.template import ChatTemplate
from chatjinja.chat.workarounds import WORKAROUNDS, Workaround

__all__ = [
    "FAMILIES",
    "WORKAROUNDS",
    "Capabilities",
    "Change",
    "ChatPrompt",
    "ChatTemplate",
    "Evidence",
    "Family",
    "Step",
    "Workaround",
]
