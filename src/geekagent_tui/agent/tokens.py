"""How long texts and messages are in tokens, before a server has counted them."""

from __future__ import annotations

import math
import string
from collections.abc import Iterable

from geekagent_tui.agent.messages import (
    AssistantMessage,
    Message,
    SummaryMessage,
    ToolMessage,
    UserMessage,
)

_LETTERS = (string.ascii_letters + string.whitespace).encode()
_PER_LETTER = 0.18
"""And per white space, ASCII."""
_PER_MARK = 0.75
"""Digits and punctuation, ASCII."""
_PER_NARROW = 0.4
"""Latin with marks, Greek, Cyrillic, Arabic: two bytes in UTF-8."""
_PER_WIDE = 0.78
"""Chinese, Japanese, Korean and whatever else has more bytes."""
_MESSAGE_OVERHEAD = 4
"""Tokens that roles and separators cost per message (OpenAI's cookbook counts 3 to 4)."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has.

    Fitted to the vocabularies of GPT-4o, Qwen and DeepSeek on running text in passages of 2,000 characters.
    Estimate / real, lowest and highest of the three: Chinese Wikipedia 0.90–1.20, English 0.93–0.98,
    Russian 1.10–1.42, Arabic 0.96–1.16, Thai 1.27–1.82, Python 1.01–1.07, Markdown 0.90–0.95, JSON with
    Chinese 0.90–1.08. DeepSeek's rule of thumb (0.3 per English, 0.6 per Chinese character): 0.68–0.93 for
    Chinese, 1.36–1.44 for English.
    """
    ascii_part = text.encode("ascii", "ignore")
    marks = len(ascii_part.translate(None, _LETTERS))
    others = len(text) - len(ascii_part)
    beyond_two_bytes = max(0, len(text.encode("utf-8", "replace")) - len(ascii_part) - 2 * others)
    wide = min(others, beyond_two_bytes)
    return math.ceil(
        _PER_LETTER * (len(ascii_part) - marks)
        + _PER_MARK * marks
        + _PER_NARROW * (others - wide)
        + _PER_WIDE * wide
    )


def message_tokens(message: Message) -> int:
    """About how many tokens a message has in a request; reasoning is not sent back as a rule."""
    match message:
        case UserMessage():
            words = estimate_tokens(message.text) + estimate_tokens(message.recalled)
        case AssistantMessage():
            calls = sum(estimate_tokens(call.name + call.arguments) for call in message.tool_calls)
            words = estimate_tokens(message.text) + calls
        case ToolMessage():
            words = estimate_tokens(message.content)
        case SummaryMessage():
            words = sum(map(estimate_tokens, message.parts))
    return words + _MESSAGE_OVERHEAD


def total_tokens(messages: Iterable[Message]) -> int:
    """About how many tokens messages have together."""
    return sum(map(message_tokens, messages))
