"""Where the user wants to go from an answer."""

from __future__ import annotations

from textual.message import Message

from geekagent_tui.ui import ev


class OpenCitation(Message):
    """The user wants to read the passage that an answer cites."""

    def __init__(self, citation: ev.Citation) -> None:
        super().__init__()
        self.citation = citation


class OpenUrl(Message):
    """The user wants to follow a link in an answer."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
