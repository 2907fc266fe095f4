from __future__ import annotations

import re
from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import RagError
from geekagent_tui.rag.extract import extract
from geekagent_tui.rag.extract.charset import decode
from geekagent_tui.rag.extract.lines import code_text
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw

relaxed = settings(deadline=None)  # the first example imports the parsers
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
TAGS = [
    *(
        "a",
        "article",
        "aside",
        "b",
        "blockquote",
        "body",
        "br",
        "button",
        "code",
        "del",
        "details",
        "div",
        "dl",
    ),
    *(
        "dt",
        "dd",
        "em",
        "figure",
        "figcaption",
        "footer",
        "form",
        "h1",
        "h2",
        "head",
        "header",
        "hr",
        "html",
        "i",
    ),
    *(
        "iframe",
        "img",
        "li",
        "main",
        "math",
        "nav",
        "noscript",
        "ol",
        "p",
        "pre",
        "script",
        "section",
        "select",
    ),
    *(
        "span",
        "style",
        "sub",
        "svg",
        "table",
        "tbody",
        "td",
        "template",
        "textarea",
        "th",
        "title",
        "tr",
        "ul",
    ),
]
CLASSES = [
    "highlight",
    "code",
    "gutter",
    "line",
    "lineno",
    "markdown-body",
    "headerlink",
    "toolbar",
    "language-x y",
]
soup = st.lists(
    st.one_of(
        st.builds('<{} class="{}">'.format, st.sampled_from(TAGS), st.sampled_from(CLASSES)),
        st.builds("</{}>".format, st.sampled_from(TAGS)),
        st.sampled_from(
            [
                "<!--",
                "-->",
                "<![CDATA[",
                "]]>",
                "&#0;",
                "&#xd800;",
                "&amp;lt;",
                "⸨0⸦",
                "⸩",
                "1\n2\n3",
                "```",
                "# ",
            ]
        ),
        st.text(max_size=20),
    ),
    max_size=40,
).map("".join)
names = st.sampled_from(["a.html", "b.md", "c.txt", "d", "e.py", ""])
kinds = st.sampled_from(list(SourceKind))
types = st.sampled_from(["", "text/html", "text/markdown", "text/plain", "application/json"])


def check(raw: Raw) -> None:
    try:
        extracted = extract(raw)
    except RagError:
        return
    assert extracted.text.strip()
    assert not CONTROLS.search(extracted.text)
    assert extracted.text.encode()
    assert 0 < len(extracted.title) <= limits.TITLE
    assert extracted.title == " ".join(extracted.title.split())


@relaxed
@given(st.binary(max_size=300), kinds, names, types, st.text(max_size=10))
def test_any_bytes(data: bytes, kind: SourceKind, name: str, content_type: str, charset: str) -> None:
    check(Raw(data, kind, name, content_type, charset))


@relaxed
@given(soup)
def test_any_markup(markup: str) -> None:
    check(Raw(markup.encode("utf-8", "replace"), SourceKind.URL, "http://x/a", "text/html"))


@relaxed
@given(st.text())
def test_any_markdown(text: str) -> None:
    check(Raw(text.encode("utf-8", "replace"), SourceKind.FILE, "a.md"))


@relaxed
@given(st.binary(), st.text(), st.booleans())
def test_decoding_never_fails(data: bytes, declared: str, markup: bool) -> None:
    assert decode(data, declared, markup=markup).encode("utf-8", "surrogatepass") is not None


lines_of_code = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Zs"], include_characters=" "),
        max_size=12,
    )
).map(lambda lines: [line.rstrip() for line in lines])


@relaxed
@given(lines_of_code)
def test_code_reads_the_same_however_its_lines_are_drawn(lines: list[str]) -> None:
    escaped = [escape(line) for line in lines]
    drawings = [
        "\n".join(escaped),
        "<br>".join(escaped),
        "".join(f'<span class="line">{line}</span><br>' for line in escaped),
        "\n".join(f'<span class="line">{line}</span>' for line in escaped),
        "".join(f"<div>{line}</div>" for line in escaped),
        "".join(f'<span class="line"><span class="cl">{line}\n</span></span>' for line in escaped),
    ]
    wanted = "\n".join(lines).strip("\n")
    for drawing in drawings:
        # An element in front, because HTML drops a newline right behind <pre>
        pre = LexborHTMLParser(f"<pre><i></i>{drawing}</pre>").css_first("pre")
        assert pre is not None
        assert code_text(pre) == wanted, drawing
