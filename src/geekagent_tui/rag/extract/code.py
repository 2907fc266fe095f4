"""Making a page's code blocks plain before its main text is looked for.

Highlighters wrap code in tables with line numbers, in blocks a line and in spans a token; main-text
extraction glues the numbers to the code and loses the line breaks. Every such block is replaced by
`<pre><code>` with a mark that the renderer turns back into the code itself, so nothing in between can change
a character of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from geekagent_tui.rag.extract.dom import drop, outermost
from geekagent_tui.rag.extract.lines import code_text

# Printable, because extraction removes private characters, and hardly ever used
_BEGIN, _TEXT, _END = "⸨", "⸦", "⸩"
UNMARKED = str.maketrans({_BEGIN: "((", _TEXT: "(", _END: "))"})
"""Takes these characters out of a page before its code is marked with them."""
MARKED = re.compile(f"{_BEGIN}(\\d{{1,6}}){_TEXT}.*?(?:{_END}|\\Z)", re.DOTALL)
"""A marked block of code wherever it ended up; the group is the number of its `Code`."""

_CONTAINERS = (
    "figure.highlight, div.highlight, div.highlighter-rouge, div.codehilite, div.sourceCode,"
    " div.code-toolbar, div[class*=language-], .syntaxhighlighter, .crayon-syntax, pre"
)
_TABLES = (
    "table.highlight, table.highlighttable, table.rouge-table, table.lntable, table.hljs-ln,"
    " table.crayon-table, table.js-file-line-container, figure.highlight table, div.highlight table,"
    " .syntaxhighlighter table, .crayon-syntax table, pre table"
)
_NOISE = (
    "button, [role=button], svg, span.lang, .copy-btn, .copy-button, .btn-copy, .clipboard, .toolbar,"
    " .crayon-toolbar, textarea.crayon-plain, .gutter, .lineno, .linenos, .linenodiv, .linenumber,"
    " .line-number, .line-numbers-rows, .line-numbers-wrapper, .lnt, .ln, .lnum, .hljs-ln-numbers,"
    " .rouge-gutter, .crayon-nums, .blob-num, .react-line-number, .code-line-number, .pre-numbering"
)
_UNSELECTABLE = "[style*='user-select']"
"""Line numbers that have no class: Chroma's, which Hugo draws with styles unless told otherwise."""
_CODE_CELLS = (
    "pre, code, .line, td.code, .rouge-code, .hljs-ln-code, .crayon-code, .blob-code, .js-file-line, td.lntd"
)
_WRAPPERS = frozenset({"div", "figure", "section", "span", "p"})
_LONGEST_NUMBER = 6  # digits
_MOST_OTHER_TEXT = 0.1  # of the code's length; a caption, not a table of prose
_NUMBERS = re.compile(r"[\d\s]+\Z")
_CLASS_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[\s\-]\s*([\w+#.\-]+)"
)
_SECOND_CLASS = re.compile(r"(?:highlight|sourceCode|hljs|prettyprint|syntaxhighlighter)\s+([\w+#.\-]+)")
_NO_LANGUAGE = frozenset(
    {
        "",
        "code",
        "default",
        "hljs",
        "line-numbers",
        "none",
        "numbersource",
        "plain",
        "plaintext",
        "text",
        "txt",
        "table",
    }
)
_LANGUAGE = re.compile(r"[\w+#.]{1,20}\Z")
_LANGUAGE_WITHIN = 7  # how many elements, from the inside out, may name the language


@dataclass(frozen=True, slots=True)
class Code:
    """One block of code; `language` may be empty."""

    language: str
    text: str


def normalise_code(page: LexborHTMLParser) -> list[Code]:
    """Replace every code block of a page by a marked plain one; return what they hold, by number."""
    containers = outermost(page.css(f"{_CONTAINERS}, {_TABLES}"))
    drop(noise for container in containers for noise in container.css(_NOISE))
    drop(
        number
        for container in containers
        for number in container.css(_UNSELECTABLE)
        if _NUMBERS.match(number.text())
    )
    blocks: list[Code] = []
    # Tables first: what is outside them after that is a plain `pre`, or a `code` that breaks its lines itself
    for selector in (_TABLES, "table:has(td pre)", "pre", "code:has(br)"):
        for node in outermost(page.css(selector)):
            if MARKED.search(node.text()):
                continue
            if node.tag == "table" and not _is_code_table(node, named=selector is _TABLES):
                continue
            _replace(node, Code(_language(node), code_text(node)), blocks)
    return blocks


def _replace(node: LexborNode, code: Code, blocks: list[Code]) -> None:
    if not code.text:
        node.decompose()
        return
    text = html.escape(f"{_BEGIN}{len(blocks)}{_TEXT}{code.text}{_END}", quote=False)
    blocks.append(code)
    new = LexborHTMLParser(f"<pre><code>{text}</code></pre>").css_first("pre")
    assert new is not None
    _alone(node).replace_with(new)


def _alone(node: LexborNode) -> LexborNode:
    """The outermost element with nothing else in it: wrappers have names that extraction distrusts."""
    while (above := node.parent) is not None and above.tag in _WRAPPERS and not _has_neighbours(node):
        node = above
    return node


def _has_neighbours(node: LexborNode) -> bool:
    for step in ("prev", "next"):
        neighbour = getattr(node, step)
        while neighbour is not None:
            if neighbour.text().strip():
                return True
            neighbour = getattr(neighbour, step)
    return False


def _is_code_table(table: LexborNode, *, named: bool) -> bool:
    """Whether a table draws code: nothing is in it but code and line numbers, which are taken out."""
    numbers = [
        cell for cell in table.css("td:first-child") if cell.next is not None and _NUMBERS.match(cell.text())
    ]
    whole = _size([table])
    code = _size(outermost(table.css(_CODE_CELLS)))
    if not code or whole - code - _size(numbers) > _MOST_OTHER_TEXT * code:
        return False
    if not named and not any(_counts_lines(cell) for cell in numbers):
        return False
    drop(numbers)
    return True


def _counts_lines(cell: LexborNode) -> bool:
    words = cell.text().split()
    if any(len(word) > _LONGEST_NUMBER for word in words):
        return False
    numbers = [int(word) for word in words]
    return len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _size(nodes: Iterable[LexborNode]) -> int:
    return sum(len("".join(node.text().split())) for node in nodes)


def _language(node: LexborNode) -> str:
    """What the block, its `code` or the elements around it call the language."""
    inner = node.css_first("code")
    candidates = [node] if inner is None else [inner, node]
    above = node.parent
    while above is not None and above.tag != "body" and len(candidates) < _LANGUAGE_WITHIN:
        candidates.append(above)
        above = above.parent
    for candidate in candidates:
        attributes = candidate.attributes
        names = [attributes.get("data-lang"), attributes.get("data-language")]
        for pattern in (_CLASS_LANGUAGE, _SECOND_CLASS):
            names.extend(pattern.findall(attributes.get("class") or ""))
        for name in names:
            if name and _LANGUAGE.match(name) and name.lower() not in _NO_LANGUAGE:
                return name.lower()
    return ""
