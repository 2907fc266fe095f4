"""Splitting a typed line into sources."""

from __future__ import annotations

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」"}


def split_words(line: str) -> list[str]:
    """The words of a line such as `a.md "my notes.md" 'x y'`, in order.

    A quote counts only where a word begins, and only when a matching one ends a word later on, so that lone
    apostrophes and backslashes in names stay. In a word that begins with `/` or `~` a backslash before a
    space keeps the word together (terminals write dragged files so); the backslash itself stays, see
    `sources.resolve`.
    """
    words: list[str] = []
    position = 0
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        closing = _closing_quote(line, position)
        if closing:
            words.append(line[position + 1 : closing])
            position = closing + 1
        else:
            end = _word_end(line, position)
            words.append(line[position:end])
            position = end
    return [word for word in words if word.strip()]


def _closing_quote(line: str, start: int) -> int:
    """Where the quote that opens at `start` closes; 0 when there is none."""
    quote = _QUOTES.get(line[start])
    if quote is None:
        return 0
    end = line.find(quote, start + 1)
    while end != -1 and end + 1 < len(line) and not line[end + 1].isspace():
        end = line.find(quote, end + 1)
    return max(end, 0)


def _word_end(line: str, start: int) -> int:
    dragged = line[start] in "/~"
    end = start
    while end < len(line) and (not line[end].isspace() or (dragged and line[end - 1] == "\\")):
        end += 1
    return end
