"""Markdown files: kept as they are, but for their front matter."""

from __future__ import annotations

import re

_FRONT_MATTER = re.compile(
    r"\A(?:---[ \t]*\n(.*?)\n(?:---|\.\.\.)|\+\+\+[ \t]*\n(.*?)\n\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
_TITLE = re.compile(
    r"""^title\s*[:=]\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|(.*?))\s*$""", re.MULTILINE | re.IGNORECASE
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")


def extract_markdown(text: str) -> tuple[str, str]:
    """Title (may be empty) and text: the front matter's title, else the first heading."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return first_heading(text), text
    title = _front_title(match.group(1) or match.group(2) or "")
    text = text[match.end() :]
    return title or first_heading(text), text


def first_heading(text: str) -> str:
    """The words of the first heading outside code, or an empty string."""
    fence = previous = ""
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            if opening and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if opening:
            fence = opening.group(1)
        elif match := _HEADING.match(line):
            if match.group(1).strip():
                return _without_markup(match.group(1))
        elif (
            previous.strip()
            and _UNDERLINE.match(line)
            and not previous.startswith((" ", "\t", "|", "-", ">"))
        ):
            return _without_markup(previous)
        previous = line
    return ""


def _front_title(matter: str) -> str:
    match = _TITLE.search(matter)
    if match is None:
        return ""
    double, single, bare = match.groups()
    if double is not None:
        return re.sub(r"\\(.)", r"\1", double)
    return single.replace("''", "'") if single is not None else bare


def _without_markup(heading: str) -> str:
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)  # links and images: their words
    return re.sub(r"[`*]|\s*\{#[^}]*\}\s*$", "", heading).strip()
