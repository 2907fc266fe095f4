"""What themes put around and into the text (contents, tabs, sharing), and how it is told from text."""

from __future__ import annotations

import pytest

from geekagent_tui.rag.extract.html import extract_html

LONG = "这一段足够长，读起来像一篇文章的正文，而不是导航或页脚；它只是为了让正文提取有东西可找。" * 4
LINKS = "<li><a href=/1>第一篇文章的题目</a></li><li><a href=/2>第二篇文章的题目</a></li>"


def text_of(inner: str, wrapper: str = "<main><article>{}</article></main>") -> str:
    page = wrapper.format(f"<h1>题</h1><p>{LONG}</p>{inner}")
    return extract_html(f"<!doctype html><html><head><title>题</title></head><body>{page}</body></html>")[1]


BARE = f"# 题\n\n{LONG}"
WRAPPERS = ["<main><article>{}</article></main>", '<div class="markdown-body">{}</div>', "<div>{}</div>"]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(
    "block",
    [
        "<div class=post-copyright><p>本文作者：示例，转载请注明出处。</p></div>",
        '<div class="reward-container"><div>坚持原创，您的支持将鼓励我继续创作！</div></div>',
        "<div id=donate><p>请作者喝一杯咖啡</p></div>",
        "<div class=social-share><a href=#>分享到微博</a> 分享给朋友</div>",
        f"<div class=relatedPosts><h3>相关推荐</h3><ul>{LINKS}</ul></div>",
        f"<ul class=links-nextprev>{LINKS}</ul>",
        "<div class=post-tags><a href=/t/1>标签一</a><a href=/t/2>标签二</a></div>",
        '<section id="comments-area" class="comments"><h3>评论</h3><p>写得很好，学到了。</p></section>',
        "<div class=breadcrumbs><a href=/>首页</a> › <a href=/a>教程</a> › 题</div>",
        "<div class=newsletter><h3>订阅</h3><p>留下邮箱，每周一封。</p><input></div>",
        '<details class=toc><summary>目录</summary><ul><li><a href="#a">一</a></li></ul></details>',
        '<ul><li><a href="#a">一</a></li><li><a href="#b">二</a></li></ul>',
        '<div><p>本页内容</p><ul><li><a href="#a">一</a></li><li><a href="#b">二</a></li></ul></div>',
    ],
)
def test_blocks_beside_the_text_go(block: str, wrapper: str) -> None:
    after = "<h2>小节</h2><p>小节里的话，它在被去掉的那一块之后。</p>"
    assert text_of(block + after, wrapper) == f"{BARE}\n\n## 小节\n\n小节里的话，它在被去掉的那一块之后。"


@pytest.mark.parametrize(
    "block",
    [
        '<section id="license"><h2>许可</h2><p>许可是自由的那一种。</p></section>',
        '<div class="section" id="comments"><h2>注释</h2><p>注释以井号开头。</p></div>',
        '<div class="level2" id="share"><h2>共享内存</h2><p>两个进程可以看到同一页。</p></div>',
        "<div class=tags><p>这里解释标签是什么，里面没有一个链接。</p></div>",
        "<div class=share><pre>share --all</pre></div>",
        '<ul><li><a href="#x">词</a>：这是它的解释，比链接长得多</li><li><a href="#y">条</a>：也是</li></ul>',
    ],
)
@pytest.mark.parametrize("wrapper", WRAPPERS[:2])
def test_text_that_is_only_named_like_them_stays(block: str, wrapper: str) -> None:
    kept = text_of(block, wrapper)
    for word in ("自由的那一种", "井号开头", "同一页", "没有一个链接", "share --all", "比链接长得多"):
        assert (word in kept) == (word in block)


def test_a_name_does_not_take_the_whole_text_away() -> None:
    text = text_of("<h2>小节</h2><p>小节里的话。</p>", '<div class="share sidebar toc">{}</div>')
    assert text == f"{BARE}\n\n## 小节\n\n小节里的话。"
    broken = "一行没有段落的正文。<br>" * 40
    page = f"<html><body><div class=has-sidebar>{broken}</div><div>旁边</div></body></html>"
    assert extract_html(page)[1].count("一行没有段落的正文。") == 40


def test_the_asides_of_a_manual_are_text() -> None:
    text = text_of(
        "<aside class=sidebar><p class=sidebar-title>旁注</p><p>作者写在旁边的话。</p></aside>"
        "<p>一句带脚注的话<a class='footnote-reference' href='#f' role='doc-noteref'>1</a>。</p>"
        "<aside class=footnote>[<a role='doc-backlink' href='#r'>1</a>]<p>脚注的话。</p></aside>",
        '<article class="bd-article">{}</article>',
    )
    assert text.startswith(f"{BARE}\n\n旁注\n\n作者写在旁边的话。")
    assert text.endswith("[1]\n\n脚注的话。")


def test_a_page_that_names_nothing_keeps_headings_lists_and_code() -> None:
    body = (
        f"<div><div><a href=/>首页</a> <a href=/a>文章</a></div><div><h1>题</h1><p>{LONG}</p><h2>步骤</h2>"
        "<ol><li>打开</li><li>关上</li></ol><h2>代码</h2><pre># 注释\n## 也是注释\nrun</pre>"
        f"<p>{LONG}</p></div></div>"
    )
    text = extract_html(f"<html><head><title>题</title></head><body>{body}</body></html>")[1]
    code = "```\n# 注释\n## 也是注释\nrun\n```"
    assert text == f"{BARE}\n\n## 步骤\n\n1. 打开\n2. 关上\n\n## 代码\n\n{code}\n\n{LONG}"


def test_every_post_of_a_thread_is_read() -> None:
    posts = "".join(f'<div class="markdown-body"><p>{LONG}</p><p>第 {n} 楼</p></div>' for n in (1, 2))
    text = extract_html(f"<html><body>{posts}</body></html>")[1]
    assert text == f"{LONG}\n\n第 1 楼\n\n{LONG}\n\n第 2 楼"


def test_footnote_numbers_are_told_from_words() -> None:
    text = text_of(
        '<p>面积是 3 米<sup><a href="#fn1">2</a></sup>。</p>'
        '<ol><li id=fn1><p>量了两次。 <a href="#fnref1">↩</a></p></li></ol>'
    )
    assert "面积是 3 米[2]。\n\n1. 量了两次。" in text
    assert "↩" not in text


@pytest.mark.parametrize(
    "tabs",
    [
        "<div class=tabbed-set><input type=radio>"
        "<div class=tabbed-labels><label>甲</label><label>乙</label></div>"
        "<div class=tabbed-content><div><pre>a</pre></div><div><pre>b</pre></div></div></div>",
        "<div class=vp-code-group><div class=tabs><input type=radio><label>甲</label><label>乙</label></div>"
        "<div class=blocks><div class=language-sh><pre>a</pre></div>"
        "<div class=language-sh><pre>b</pre></div></div></div>",
        "<div class=tabs-container><ul role=tablist class=tabs><li role=tab>甲</li><li role=tab>乙</li></ul>"
        "<div><div role=tabpanel><pre>a</pre></div><div role=tabpanel hidden><pre>b</pre></div></div></div>",
    ],
)
def test_tabs_are_named_above_what_they_show(tabs: str) -> None:
    text = text_of(tabs).replace("```sh", "```")
    assert text == f"{BARE}\n\n甲\n\n```\na\n```\n\n乙\n\n```\nb\n```"


def test_a_strip_of_tabs_without_panels_goes() -> None:
    assert text_of("<div role=tablist><button role=tab>甲</button></div><p>后文。</p>") == f"{BARE}\n\n后文。"


def test_formulas_are_kept_as_typed() -> None:
    katex = (
        '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi></mrow>'
        '<annotation encoding="application/x-tex">E = mc^2 &lt; 3</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true">E=mc2</span></span>'
    )
    mediawiki = (
        '<span class="mwe-math-element"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">'
        r"{\displaystyle x^{2}}</annotation></semantics></math></span>"
    )
    mathjax = '<script type="math/tex">a_1</script>'
    assert text_of(f"<p>公式 {katex}、{mediawiki} 与 {mathjax}。</p>").endswith(
        "公式 $E = mc^2 < 3$、$x^{2}$ 与 $a_1$。"
    )


def test_marks_of_icon_fonts_beside_headings_go() -> None:
    assert "## 小节\n" in text_of('<h2>小节<a class="headerlink" href="#s">\uf0c1</a></h2><p>话</p>')


def test_struck_text_is_told_from_the_rest() -> None:
    assert text_of("<p>价格 <s>十元</s>九元</p>", '<div class="markdown-body">{}</div>').endswith(
        "~~十元~~九元"
    )
