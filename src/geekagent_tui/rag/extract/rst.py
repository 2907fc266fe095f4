"""reStructuredText, as manuals are written in it: Sphinx's directives and roles included.

Not Docutils: it knows no Sphinx, so that most manuals would become lists of its complaints.
Reference: https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from geekagent_tui.rag.extract.rst_inline import Inline
from geekagent_tui.rag.extract.rst_tables import grid_rows, is_grid_rule, is_simple_rule, simple_rows
from geekagent_tui.rag.extract.writer import Writer

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\Z")
_DIRECTIVE = re.compile(r"\.\.[ ]+(?:\|([^|]+)\|[ ]+)?([A-Za-z][\w:+.\-]*?)::(?:[ ]+(.*))?\Z")
_TARGET = re.compile(r"(?:\.\.[ ]+_|__[ ])")
_FOOTNOTE = re.compile(r"\.\.[ ]+(\[[^\]\s]+\])[ ]+(.*)\Z")
_OPTION = re.compile(r":[\w\-]+:(?:[ ]|\Z)")
_FIELD = re.compile(r":([^:\s][^:]*):(?:[ ]+(.*))?\Z")
_ITEM = re.compile(r"([-*+•]|(?:\d{1,4}|#|[A-Za-z])[.)]|\((?:\d{1,4}|#|[A-Za-z])\))[ ]+(?=\S)")
_CODE = frozenset(
    {
        "code",
        "code-block",
        "sourcecode",
        "parsed-literal",
        "prompt",
        "math",
        "productionlist",
        "graphviz",
        "mermaid",
    }
    | {"testcode", "doctest", "testoutput", "ipython", "jupyter-execute", "literal"}
)
_LEFT_OUT = frozenset(
    {
        "contents",
        "default-domain",
        "default-role",
        "currentmodule",
        "image",
        "include",
        "index",
        "literalinclude",
    }
    | {
        "meta",
        "module",
        "namespace",
        "py:currentmodule",
        "py:module",
        "raw",
        "role",
        "sectnum",
        "tabularcolumns",
    }
    | {"title", "toctree", "highlight", "testsetup", "testcleanup", "plot"}
)
_SILENT_NAMES = frozenset(
    {
        "class",
        "compound",
        "container",
        "epigraph",
        "figure",
        "hlist",
        "only",
        "pull-quote",
        "highlights",
        "glossary",
    }
    | {
        "rst-class",
        "centered",
        "rubric",
        "table",
        "list-table",
        "csv-table",
        "topic",
        "sidebar",
        "admonition",
    }
    | {
        "line-block",
        "parsed-literal",
        "tab",
        "tabs",
        "tab-set",
        "tab-item",
        "grid",
        "card",
        "dropdown",
        "ifconfig",
    }
)
_NO_ARGUMENT = frozenset({"class", "container", "only", "figure", "rst-class", "grid", "tab-set", "ifconfig"})
_DEEPEST = 60
_LONGEST_TABLE = 2_000  # lines


def extract_rst(text: str) -> tuple[str, str]:
    """The first heading (may be empty) and the text.

    Raises:
        TooLargeError: It holds more than the limit.
    """
    reader = _Reader()
    reader.read(text.expandtabs(8).split("\n"), 0)
    return reader.first_heading, reader.out.text()


class _Reader:
    """Reads lines that stand at the left edge; what is indented is read as a text of its own."""

    def __init__(self) -> None:
        self.out = Writer()
        self.first_heading = ""
        self._inline = Inline()
        self._levels: list[str] = []
        self._language = ""
        self._list_depth = -1
        self._numbers: dict[int, int] = {}

    def read(self, lines: Sequence[str], depth: int) -> None:
        """Write all blocks of some lines."""
        at = 0
        while at < len(lines):
            if not lines[at].strip():
                at += 1
            elif lines[at].startswith(" "):
                end = _indented_end(lines, at)
                self._nested(lines[at:end], depth)
                at = end
            else:
                at = self._block(lines, at, depth)

    def _block(self, lines: Sequence[str], at: int, depth: int) -> int:
        """Write the block at a line; return the line behind it."""
        line = lines[at].rstrip()
        if line.startswith("..") and line[2:3] in {"", " "}:
            return self._explicit(lines, at, depth)
        if _TARGET.match(line) or line == "::":
            return at + 1 if line != "::" else self._literal(lines, at + 1)
        if is_grid_rule(line) or is_simple_rule(line):
            return self._table(lines, at)
        if end := self._title(lines, at):
            return end
        if _ITEM.match(line):
            return self._item(lines, at, depth)
        if _FIELD.match(line):
            return self._field(lines, at, depth)
        if line.startswith(">>> "):
            end = _paragraph_end(lines, at)
            self.out.code("\n".join(lines[at:end]), "python")
            return end
        return self._paragraph(lines, at, depth)

    def _nested(self, lines: Sequence[str], depth: int) -> None:
        if depth >= _DEEPEST:
            self.out.paragraph("\n".join(line.strip() for line in lines))
        else:
            self.read(_dedented(lines), depth + 1)

    def _title(self, lines: Sequence[str], at: int) -> int:
        """Write a section title, if there is one; return the line behind it, or 0."""
        first = lines[at].rstrip()
        second = lines[at + 1].rstrip() if at + 1 < len(lines) else ""
        if _ADORNMENT.match(first) and len(first) > 1:
            third = lines[at + 2].rstrip() if at + 2 < len(lines) else ""
            if second.strip() and third == first:
                return self._section(second.strip(), first[0] * 2, at + 3)
            return at + 1 if len(first) >= 4 and not second.strip() else 0  # a transition
        if _ADORNMENT.match(second) and len(second) >= min(3, len(first)):
            return self._section(first, second[0], at + 2)
        return 0

    def _section(self, title: str, style: str, end: int) -> int:
        if style not in self._levels:
            self._levels.append(style)
        title = self._inline.plain(title)
        self.first_heading = self.first_heading or title
        self.out.heading(self._levels.index(style) + 1, title)
        return end

    def _paragraph(self, lines: Sequence[str], at: int, depth: int) -> int:
        end = _paragraph_end(lines, at)
        # A term and what it means, one line further in
        if end == at + 1 and end < len(lines) and lines[end].startswith(" ") and lines[end].strip():
            self.out.paragraph(self._inline.text(lines[at].strip()))
            return end
        text = "\n".join(line.removeprefix("| ").strip() for line in lines[at:end])
        announces = text.endswith("::")
        if announces:
            text = text[:-2].rstrip() if text[:-2].endswith((" ", "\n")) else text[:-1]
        self.out.paragraph(self._inline.text(text))
        return self._literal(lines, end) if announces else end

    def _literal(self, lines: Sequence[str], at: int) -> int:
        """Write the literal block behind `::`: the indented lines, or those that begin with one sign."""
        while at < len(lines) and not lines[at].strip():
            at += 1
        end = at
        if at < len(lines) and lines[at].startswith(" "):
            end = _indented_end(lines, at)
        elif at < len(lines) and _ADORNMENT.match(lines[at][0]):
            while end < len(lines) and lines[end].startswith(lines[at][0]):
                end += 1
        self.out.code("\n".join(_dedented(lines[at:end])), self._language)
        return end

    def _item(self, lines: Sequence[str], at: int, depth: int) -> int:
        """Write one list item with everything that is indented below it."""
        match = _ITEM.match(lines[at])
        assert match is not None
        end = _indented_end(lines, at + 1)
        margin = min(match.end(), _margin(lines[at + 1 : end]))  # code below an item is further in
        body = [lines[at][match.end() :], *(line[margin:].rstrip() for line in lines[at + 1 : end])]
        text, first, announces = self._first_paragraph(body)
        self._list_depth += 1
        mark = self._marker(match.group(1).strip("(.)"))
        self.out.item(text, marker=mark, level=self._list_depth)
        if announces:
            first = self._literal(body, first)
        self._nested(body[first:], depth)
        self._list_depth -= 1
        return end

    def _first_paragraph(self, body: Sequence[str]) -> tuple[str, int, bool]:
        """The text of the first paragraph, the line behind it, and whether it announces code."""
        end = _paragraph_end(body, 0)
        text = "\n".join(line.strip() for line in body[:end])
        announces = text.endswith("::")
        return self._inline.text(text[:-1] if announces else text), end, announces

    def _marker(self, mark: str) -> str:
        """A list item's sign or number; `#` counts from the item before."""
        number = int(mark) if mark.isdecimal() else self._numbers.get(self._list_depth, 0) + 1
        self._numbers = {depth: last for depth, last in self._numbers.items() if depth < self._list_depth}
        if not (mark.isdecimal() or mark == "#"):
            return "-"
        self._numbers[self._list_depth] = number
        return f"{number}."

    def _field(self, lines: Sequence[str], at: int, depth: int) -> int:
        match = _FIELD.match(lines[at].rstrip())
        assert match is not None
        end = _indented_end(lines, at + 1)
        margin = _margin(lines[at + 1 : end])
        body = [match.group(2) or "", *(line[margin:].rstrip() for line in lines[at + 1 : end])]
        if not any(body):
            return end  # a switch, such as `:orphan:`
        text, first, announces = self._first_paragraph(body)
        self.out.block(f"{self._inline.plain(match.group(1))}: {' '.join(text.split())}", tight=True)
        if announces:
            first = self._literal(body, first)
        self._nested(body[first:], depth)
        return end

    def _table(self, lines: Sequence[str], at: int) -> int:
        if is_grid_rule(lines[at].rstrip()):
            end = at
            while end < len(lines) and lines[end][:1] in {"+", "|"}:
                end += 1
            rows, head = grid_rows(lines[at:end])
        else:
            rows, head, length = simple_rows(lines[at : at + _LONGEST_TABLE])
            end = at + length
            if not rows:  # a line of signs that is no table's
                return self._title(lines, at) or self._paragraph(lines, at, 0)
        self.out.rows([[self._inline.text(cell) for cell in row] for row in rows], head=head)
        return end

    def _explicit(self, lines: Sequence[str], at: int, depth: int) -> int:
        """Write what follows `..`: a directive or a footnote; comments and targets say nothing."""
        line = lines[at].rstrip()
        end = _indented_end(lines, at + 1)
        body = _dedented(lines[at + 1 : end])
        if match := _DIRECTIVE.match(line):
            substitution, name, argument = match.groups()
            if substitution:
                self._inline.substitute(substitution, argument or "" if name.lower() == "replace" else "")
            else:
                self._directive(name.lower(), (argument or "").strip(), body, depth)
        elif match := _FOOTNOTE.match(line):
            text = "\n".join((match.group(2), *(each.strip() for each in body)))
            self.out.paragraph(f"{match.group(1)} {self._inline.text(text)}")
        return end

    def _directive(self, name: str, argument: str, body: list[str], depth: int) -> None:
        if name == "highlight":
            self._language = argument
        if name in _LEFT_OUT:
            return
        options = 0
        while options < len(body) and _OPTION.match(body[options]):
            options += 1
        content = body[options:]
        if name in _CODE:
            language = name if name in {"math", "mermaid"} else argument or self._language
            self.out.code("\n".join(([argument] if name == "math" and argument else []) + content), language)
            return
        self._announce(name, argument)
        if name == "list-table":
            self.out.rows([[self._inline.text(cell) for cell in row] for row in _listed_rows(content)])
        elif name == "csv-table":
            rows = csv.reader(io.StringIO("\n".join(content)), skipinitialspace=True)
            try:
                self.out.rows([[self._inline.text(cell) for cell in row] for row in rows], head=False)
            except csv.Error:
                self.out.code("\n".join(content))
        else:
            self._nested(content, depth)

    def _announce(self, name: str, argument: str) -> None:
        """Write a directive's name and argument, as far as people see them."""
        shown = "" if name in _NO_ARGUMENT else argument
        if ":" in name or name.startswith("auto") or name in {"function", "method", "attribute", "data"}:
            self.out.paragraph(f"`{argument}`" if argument else "")
        elif name in _SILENT_NAMES:
            self.out.paragraph(self._inline.text(shown))
        else:
            self.out.paragraph(f"{name.capitalize()}: {self._inline.text(shown)}".rstrip(" "))


def _listed_rows(lines: Sequence[str]) -> list[list[str]]:
    """The rows of a table that is written as a list of lists."""
    rows: list[list[str]] = []
    for line in lines:
        text = line.strip()
        if text.startswith("* -"):
            rows.append([text[3:].strip()])
        elif rows and line.startswith("  -"):
            rows[-1].append(text[1:].strip())
        elif rows and text:
            rows[-1][-1] += f" {text}"
    return rows


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(" "):
        end += 1
    return end


def _indented_end(lines: Sequence[str], at: int) -> int:
    """The line behind the indented ones, without empty lines at their end."""
    end = last = at
    while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" ")):
        end += 1
        if lines[end - 1].strip():
            last = end
    return last


def _margin(lines: Sequence[str]) -> int:
    return min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)


def _dedented(lines: Sequence[str]) -> list[str]:
    margin = _margin(lines)
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return [line[margin:].rstrip() for line in lines[first:]]
