"""Markdown whose links are ours: citations lead to passages, other links are numbered and opened by hand.

No target written by a model or a page ever becomes part of an action: links carry a number, and what the
number stands for is kept beside the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from geekagent_tui.i18n import _
from geekagent_tui.ui import ev
from geekagent_tui.ui.text import page_note

# Private-use characters go through Markdown untouched and are no punctuation to it; those in the text
# itself are replaced first.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PAGE = re.compile(r"\s*[（(]\s*(第|p)", re.IGNORECASE)
_MARKS = re.compile(f"([{_OPEN}{_CLOSE}])")


class Links:
    """The links of one document, and the parser that numbers them.

    Attributes:
        urls: Targets of ordinary links, as written; nothing is known of them.
        citations: The document's citations, by position.
    """

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.citations: Sequence[ev.Citation] = ()
        self._seen = 0

    def parser(self) -> MarkdownIt:
        """A parser for one run; HTML is shown as it is written."""
        self._seen = 0
        parser = MarkdownIt("gfm-like").disable(["html_block", "html_inline"])
        parser.core.ruler.push("numbered_links", self._number)
        return parser

    def mark(self, text: str, citations: Sequence[ev.Citation]) -> str:
        """The text for the parser, with its citations marked."""
        self.urls.clear()
        text = text.replace(_OPEN, "\ufffd").replace(_CLOSE, "\ufffd")
        whole = [c for c in citations if "\n" not in text[c.start : c.end]]
        self.citations = sorted(whole, key=lambda c: c.start)
        for citation in reversed(self.citations):
            mention = text[citation.start : citation.end]
            text = f"{text[: citation.start]}{_OPEN}{mention}{_CLOSE}{text[citation.end :]}"
        return text

    def target(self, href: str) -> ev.Citation | str | None:
        """What a link stands for: a citation, a URL as written, or nothing."""
        kind, number = href[:1], href[1:]
        targets: Sequence[ev.Citation | str] = self.citations if kind == "c" else self.urls
        if kind in "cu" and number.isdecimal() and int(number) < len(targets):
            return targets[int(number)]
        return None

    def _number(self, state: StateCore) -> None:
        for token in state.tokens:
            if token.type == "inline":
                token.children = list(self._inline(token.children or ()))
            elif token.type in ("fence", "code_block"):
                token.content = self._plain(token.content)
                token.info = self._plain(token.info)

    def _plain(self, text: str) -> str:
        self._seen += text.count(_OPEN)
        return _MARKS.sub("", text)

    def _inline(self, tokens: Iterable[Token]) -> Iterator[Token]:
        depth = 0
        closing: list[Token] = []
        for token in tokens:
            if token.type == "link_open":
                depth += 1
                token.attrs = {"href": self._url(token.attrs.get("href", ""))}
            elif token.type == "link_close":
                depth -= 1
            elif token.type == "image":
                token.attrs = {"src": self._url(token.attrs.get("src", ""))}
                for child in token.children or ():
                    child.content = self._plain(child.content)
            elif token.type == "text" and _MARKS.search(token.content):
                yield from self._cited(token, closing, linked=depth > 0)
                continue
            elif token.content:
                token.content = self._plain(token.content)
            yield token
        yield from closing

    def _cited(self, token: Token, closing: list[Token], *, linked: bool) -> Iterator[Token]:
        pieces = _MARKS.split(token.content)
        for place, piece in enumerate(pieces):
            if piece == _OPEN:
                number, self._seen = self._seen, self._seen + 1
                if linked or number >= len(self.citations):
                    continue
                if self.citations[number].document_id is None:
                    yield Token("em_open", "em", 1)
                    closing.append(Token("em_close", "em", -1))
                else:
                    yield Token("link_open", "a", 1, attrs={"href": f"c{number}"})
                    closing.append(Token("link_close", "a", -1))
            elif piece == _CLOSE:
                if closing:
                    end = closing.pop()
                    if end.type == "em_close":
                        yield Token("text", "", 0, content=_("（未核实）"))
                    elif note := self._page(pieces[place - 1], "".join(pieces[place + 1 : place + 2])):
                        yield Token("text", "", 0, content=note)
                    yield end
            elif piece:
                yield Token("text", "", 0, content=piece)

    def _page(self, mention: str, after: str) -> str:
        """The page of the citation seen last, unless the answer tells it or names several passages."""
        citation = self.citations[self._seen - 1]
        whole = mention.startswith("《") and mention.endswith("段")
        return page_note(citation.page) if whole and not _PAGE.match(after) else ""

    def _url(self, target: str | int | float) -> str:
        self.urls.append(str(target))
        return f"u{len(self.urls) - 1}"
