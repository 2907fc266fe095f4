"""Whatever foreign text is quoted, Markdown makes nothing but that text of it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from geekagent_tui.agent.models.quoting import literal, quote, quote_code
from geekagent_tui.sanitize import clean, clean_line

MARKDOWN = MarkdownIt("gfm-like")  # the parser of Textual's Markdown widget
MARKUP = r"""
* ** _ __ ` ``` ~~ # ## - + > 1. 2) | |-|-| === --- : :--- \ \* &amp; &#35; [^1] [a]: [a](http://b.c) ![a](b)
<b> </b> <!-- <http://a.b> http://a.cn www.a.com a@b.com local.md a_b_c 中文 。 x
"""
PIECES = st.sampled_from([*MARKUP.split(), " ", "\n", "\t"])
TEXTS = st.one_of(st.text(), st.lists(PIECES).map("".join), st.lists(PIECES).map(" ".join))


def kinds(tokens: list[Token]) -> list[str]:
    return [token.type for token in tokens]


@given(TEXTS)
@example("www.example.com and http://example.com/a_b, mail me@example.com, see README.md")
@example("MAX_HISTORY_CHARS = 4000")
@example("the constant `MAX_HISTORY_CHARS`, not ``this`` and not `that")
@example("`[a](http://b.c)` \\`<b>`")
def test_a_quote_shows_the_text_and_nothing_else(text: str) -> None:
    tokens = MARKDOWN.parse(quote(text))
    line = clean_line(text)
    if not line:
        return
    assert kinds(tokens) == [
        "blockquote_open", "paragraph_open", "inline", "paragraph_close", "blockquote_close",
    ]  # fmt: skip
    children = tokens[2].children or []
    assert set(kinds(children)) <= {"text", "code_inline"}
    shown = [f"`{child.content}`" if child.type == "code_inline" else child.content for child in children]
    assert "".join(shown) == line


@given(TEXTS)
def test_literal_text_inside_a_paragraph_stays_text(text: str) -> None:
    (inline,) = [token for token in MARKDOWN.parse(f"见《{literal(text)}》第 1 段") if token.type == "inline"]
    children = inline.children or []
    assert set(kinds(children)) == {"text"}
    assert "".join(child.content for child in children) == f"见《{clean_line(text)}》第 1 段"


@given(TEXTS, st.sampled_from(["", "python", "c++", "x`\n", "a b"]))
def test_quoted_code_is_to_the_letter(code: str, language: str) -> None:
    tokens = MARKDOWN.parse(quote_code(code, language))
    assert kinds(tokens) == ["blockquote_open", "fence", "blockquote_close"]
    shown = [line.rstrip() for line in clean(code).split("\n")]
    assert [line.rstrip() for line in tokens[1].content.removesuffix("\n").split("\n")] == shown
