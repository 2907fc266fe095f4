"""A line to type into that shows nothing a terminal would obey."""

from __future__ import annotations

from textual.widgets import Input

from geekagent_tui.sanitize import clean


class LineInput(Input):
    """An input whose text is clean, also when it was pasted."""

    def validate_value(self, value: str) -> str:
        """Take what can be shown; the length stays."""
        if clean(value) == value and "\n" not in value:
            return value
        return "".join(c if clean(c) == c and c != "\n" else " " for c in value)
