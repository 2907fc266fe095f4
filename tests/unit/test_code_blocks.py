from __future__ import annotations

from collections.abc import Callable

import pytest

from geekagent_tui.rag.extract import extract
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw
from support import highlighters

BEFORE = "这一节用一个小程序说明循环的写法，读者可以把它存成文件再运行，观察每一次循环打印了什么。"
AFTER = "运行之后会看到三行输出，最后一行是注释，不会被执行；请把循环的次数改大一些，再运行一次看看。"


def page(block: str) -> str:
    html = (
        "<!doctype html><html><head><title>循环</title></head><body><nav><a href=/>首页</a></nav>"
        f"<main><article><h1>循环</h1><p>{BEFORE}</p>{block}<p>{AFTER}</p></article></main>"
        "<footer>版权所有</footer></body></html>"
    )
    return extract(Raw(html.encode(), SourceKind.URL, "http://x/a", "text/html")).text


@pytest.mark.parametrize("draw", highlighters.ALL, ids=lambda draw: str(draw.__name__))
def test_code_is_kept_to_the_letter(draw: Callable[[], str]) -> None:
    text = page(draw())
    assert f"{BEFORE}\n\n```go\n{highlighters.CODE}\n```\n\n{AFTER}" in text
    assert text.count("package main") == 1
    assert "首页" not in text
    assert "复制" not in text


def test_plain_code_with_backticks_and_markup() -> None:
    text = page('<pre><code class="language-md">```\n# no heading &lt;b&gt;\n```</code></pre>')
    assert "````md\n```\n# no heading <b>\n```\n````" in text


def test_code_in_a_list_and_in_a_quote() -> None:
    text = page(
        "<ul><li>第一步<pre>a\n  b</pre></li><li>第二步</li></ul><blockquote><pre>q\n q</pre></blockquote>"
    )
    assert "- 第一步\n\n```\na\n  b\n```\n" in text
    assert "\n- 第二步" in text
    assert "```\nq\n q\n```" in text


def test_inline_code_keeps_its_marks() -> None:
    assert "用 `a < b` 和 `` ` `` 比较" in page(
        f"<p>用 <code>a &lt; b</code> 和 <code>`</code> 比较。{AFTER}</p>"
    )


def test_code_with_breaks_but_without_pre() -> None:
    assert "```\na = 1\nb = 2\n```" in page("<div><code>a = 1<br>b = 2</code></div>")


def test_a_table_of_prose_is_no_code() -> None:
    text = page("<table><tr><th>编号</th><th>说明</th></tr><tr><td>1</td><td>第一种写法</td></tr></table>")
    assert "| 编号 | 说明 |\n| --- | --- |\n| 1 | 第一种写法 |" in text


def test_a_page_cannot_forge_the_marks() -> None:
    text = page(f"<p>⸨0⸦假的⸩ 之后。{AFTER}</p><pre>real</pre>")
    assert "((0(假的)) 之后。" in text
    assert text.count("real") == 1


def test_marks_from_nowhere_do_no_harm() -> None:
    text = page(f"<p>&#x2e28;7&#x2e26;不存在的代码&#x2e29; 之后。{AFTER}</p>")
    assert "之后。" in text
