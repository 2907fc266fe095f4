from __future__ import annotations

import pytest

from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.extract.html import extract_html

LONG = "这一段足够长，读起来像一篇文章的正文，而不是导航或页脚；它只是为了让正文提取有东西可找。" * 4


def text_of(body: str, head: str = "") -> str:
    return extract_html(
        f"<!doctype html><html><head><title>题</title>{head}</head><body>{body}</body></html>"
    )[1]


def article(inner: str) -> str:
    return text_of(
        f"<nav><a href=/>首页</a></nav><main><article><h1>题</h1><p>{LONG}</p>{inner}</article></main>"
    )


def test_navigation_asides_and_footers_are_gone() -> None:
    text = text_of(
        "<header><a href=/>站名</a></header><nav><ul><li><a href=/a>导航</a></li></ul></nav>"
        f"<main><h1>标题</h1><p>{LONG}</p></main>"
        "<aside><h2>相关推荐</h2></aside><footer>版权所有</footer><script>evil()</script ><style>x{}</style>"
    )
    assert text == f"# 标题\n\n{LONG}"


def test_a_short_page_keeps_its_text() -> None:
    assert (
        text_of("<nav>导航</nav><h2>短</h2><p>只有一句话。</p><footer>页脚</footer>")
        == "## 短\n\n只有一句话。"
    )


def test_structure() -> None:
    text = article(
        "<h2>二 <a class=headerlink href=#x>¶</a></h2><ul><li>一<ul><li>内层</li></ul></li><li>二</li></ul>"
        "<ol><li>甲</li><li>乙</li></ol><h3><a class=header-anchor href=#y>#</a> 三</h3>"
        "<blockquote><p>引用的话</p></blockquote><p>第一行<br>第二行</p><dl><dt>词</dt><dd>解释</dd></dl>"
    )
    assert text == (
        f"# 题\n\n{LONG}\n\n## 二\n\n- 一\n  - 内层\n- 二\n\n1. 甲\n2. 乙\n\n### 三\n\n"
        "> 引用的话\n\n第一行\n第二行\n\n- 词\n  解释"
    )


def test_tables() -> None:
    rows = "<tr><th>名</th><th>值</th></tr><tr><td>a\n b</td><td><p>1</p><p>2</p></td></tr>"
    assert "| 名 | 值 |\n| --- | --- |\n| a b | 1 2 |" in article(f"<table>{rows}</table>")


def test_tables_that_lay_out_the_page() -> None:
    inner = "<table><caption>表一</caption><tr><td>甲</td><td>乙</td></tr></table>"
    outer = f"<table><tr><td><h2>左</h2><p>{LONG}</p></td><td>{inner}</td></tr></table>"
    text = text_of(f'<div class="post-block"><div class="post-body">{outer}</div></div>')
    assert text == f"## 左\n\n{LONG}\n\n表一\n\n| 甲 | 乙 |"


def test_what_was_not_marked_up_stays_plain() -> None:
    text = article("<p>a*b_c [d](e) &lt;f&gt; &amp;amp; $g$ \\h <b>i</b>j</p>")
    assert "a*b_c [d](e) <f> &amp; $g$ \\h ij" in text


def test_a_paragraph_that_looks_like_markup() -> None:
    text = article("<p># 不是标题</p><p>```</p><p>~~~ 也不是代码</p>")
    assert "\\# 不是标题\n\n\\```\n\n\\~~~ 也不是代码" in text


def test_newlines_of_the_source_between_wide_characters_are_no_spaces() -> None:
    assert "一句中文，\n".replace("\n", "") + "接着写 and English words" in article(
        "<p>一句中文，\n   接着写\nand\nEnglish words</p>"
    )


def test_figures_of_code_keep_code_and_caption() -> None:
    text = article(
        "<figure class=listing><pre><code>let x = 1;</code></pre><figcaption>清单 1</figcaption></figure>"
    )
    assert text.endswith("```\nlet x = 1;\n```\n\n清单 1")


@pytest.mark.parametrize(
    "wrapper",
    [
        '<div class="markdown-body">{}</div>',
        '<div id="content_views">{}</div>',
        '<div class="post-block"><div class="post-body">{}</div></div>',
    ],
)
def test_known_layouts_are_read_whole(wrapper: str) -> None:
    links = "<ul><li><a href=/1>链接一</a></li><li><a href=/2>链接二</a></li></ul>"
    body = (
        f"<div class=sidebar>边栏 {LONG}</div>"
        + wrapper.format(f"<p>{LONG}</p>{links}")
        + f"<div>评论 {LONG}</div>"
    )
    assert text_of(body) == f"{LONG}\n\n- 链接一\n- 链接二"


def test_a_page_that_needs_javascript_is_named() -> None:
    shell = (
        "<noscript>You need to enable JavaScript to run it.</noscript><div id=root></div><script></script>"
    )
    with pytest.raises(SourceError, match=r"^采集失败：这个网页要靠 JavaScript 才显示内容"):
        text_of(shell)
    assert LONG in text_of(f'<div id="root"><p>{LONG}</p></div><script src=a.js></script>')


def test_markup_nested_deeper_than_anyone_writes() -> None:
    for depth in (100, 1000, 5000):
        text = text_of("<div>" * depth + f"<p>{LONG}</p>" + "</div>" * depth)
        assert text == LONG


@pytest.mark.parametrize(
    "opened",
    [
        "<font>{}",
        "<p><font size={n}>{}",
        "<center><p>{}</p>",
        "<div><section><span><x{n}>{}",
        "<div><b>{}</div>",
        "<ul><li>{}",
        "<blockquote><em>{}",
        "<table><tr><td>{}",
    ],
)
def test_unclosed_elements_lose_no_text(opened: str) -> None:
    words = [f"Wort{n}." for n in range(700)]
    text = text_of("".join(opened.format(f"{word} ", n=n) for n, word in enumerate(words)))
    assert [word for word in words if word not in text] == []


def test_a_page_of_nothing_but_boxes_keeps_its_text() -> None:
    assert text_of("<div>" * 110_000 + "<h2>甲</h2><p>乙</p>") == "## 甲\n\n乙"


def test_a_heading_that_links_to_itself() -> None:
    assert "## 小节\n" in article(
        '<h2 id=s><a class="header-anchor" href="#s"><span>小节</span></a></h2><p>话</p>'
    )
