from __future__ import annotations

import json
from email.message import EmailMessage

import pytest

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import EmptyContentError, SourceError, TooLargeError
from geekagent_tui.rag.extract import Extracted, extract
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw

TABLE = "| 姓名 | 年龄 |\n| --- | --- |\n| 张三 | 30 |"


def file(name: str, content: str | bytes) -> Extracted:
    return extract(Raw(content.encode() if isinstance(content, str) else content, SourceKind.FILE, name))


def text(name: str, content: str | bytes) -> str:
    return file(name, content).text


class TestRst:
    def test_headings_by_the_order_of_their_signs(self) -> None:
        source = "====\n标题\n====\n\n引言\n\n一\n--\n\n甲\n~~~\n\n二\n--\n\nno heading\n-\n"
        assert file("a.rst", source) == Extracted(
            "标题", "# 标题\n\n引言\n\n## 一\n\n### 甲\n\n## 二\n\nno heading\n-"
        )

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ("例::\n\n    x = 1\n      y\n\n后", "例:\n\n```\nx = 1\n  y\n```\n\n后"),
            ("例: ::\n\n> a\n> b\n\n后", "例:\n\n```\n> a\n> b\n```\n\n后"),
            ("::\n\n  ```\n  a", "````\n```\na\n````"),
            (
                ".. code-block:: py\n   :linenos:\n\n   if x:\n       y\n\n后",
                "```py\nif x:\n    y\n```\n\n后",
            ),
            (".. highlight:: c\n\n.. code::\n\n   int x;", "```c\nint x;\n```"),
            ("1. 例::\n\n      - x\n      - y\n\n2. 二", "1. 例:\n\n```\n- x\n- y\n```\n\n2. 二"),
            (":选项: 例::\n\n    $ a\n    $ b\n\n后", "选项: 例:\n\n```\n$ a\n$ b\n```\n\n后"),
            (">>> 1 + 1\n2\n\n后", "```python\n>>> 1 + 1\n2\n```\n\n后"),
            (".. math:: a^2", "```math\na^2\n```"),
        ],
    )
    def test_code(self, source: str, wanted: str) -> None:
        assert text("a.rst", source) == wanted

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ("* 甲\n* 乙\n\n  更多\n\n  - 丙\n* 丁", "- 甲\n- 乙\n\n更多\n\n  - 丙\n- 丁"),
            ("#. 一\n#. 二\n\n   #. 子\n#. 三", "1. 一\n2. 二\n  1. 子\n3. 三"),
            ("3) 三\n   续\n4) 四", "3. 三\n  续\n4. 四"),
            ("术语\n   意思", "术语\n\n意思"),
            (":作者: 张三\n:orphan:\n:参数 x: 长\n   续", "作者: 张三\n参数 x: 长 续"),
            ("| 诗\n| 行", "诗\n行"),
        ],
    )
    def test_lists(self, source: str, wanted: str) -> None:
        assert text("a.rst", source) == wanted

    def test_tables(self) -> None:
        grid = "+------+------+\n| 姓名 | 年龄 |\n+======+======+\n| 张三 | 30   |\n+------+------+\n"
        simple = "=====  =====\n姓名   年龄\n=====  =====\n张三   30\n=====  =====\n"
        listed = ".. list-table::\n   :header-rows: 1\n\n   * - 姓名\n     - 年龄\n   * - 张三\n     - 30\n"
        assert [text("a.rst", source) for source in (grid, simple, listed)] == [TABLE] * 3
        values = '.. csv-table:: 人\n   :header: a\n\n   "张, 三", 30\n'
        assert text("a.rst", values) == "人\n\n| 张, 三 | 30 |"

    def test_what_a_reader_does_not_see(self) -> None:
        source = (
            "前\n\n.. 注释\n   第二行\n\n.. _目标:\n\n.. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\n"
            ".. image:: a.png\n   :alt: 图\n\n.. |版本| replace:: 1.2\n\n----\n\n后 |版本|"
        )
        assert text("a.rst", source) == "前\n\n后 1.2"

    def test_directives(self) -> None:
        assert text("a.rst", ".. note:: 注意\n   这里\n\n   - 甲") == "Note: 注意\n\n这里\n\n- 甲"
        assert text("a.rst", ".. py:function:: f(a)\n   :noindex:\n\n   做事。\n\n   :param a: 数") == (
            "`f(a)`\n\n做事。\n\nparam a: 数"
        )
        assert text("a.rst", ".. [1] 脚注\n   续") == "[1] 脚注\n续"

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ("``x *y*`` 与 *强调*", "`x *y*` 与 *强调*"),
            ("`文字 <http://x>`_ 和 `短语`_ 和 word_.", "文字 和 短语 和 word."),
            (":ref:`这里 <a>` :py:func:`~os.path.join` :doc:`b`", "这里 `join` b"),
            ("见 id_prefix_ 和 [1]_，_`目标` 与 __init__", "见 id_prefix 和 [1]，目标 与 __init__"),
            ("H\\ :sub:`2`\\ O \\*", "H2O *"),
        ],
    )
    def test_inline(self, source: str, wanted: str) -> None:
        assert text("a.rst", source) == wanted


class TestAsciiDoc:
    def test_a_document(self) -> None:
        source = (
            "= 手册\n张三 <a@b.c>\nv1.0, 2026-01-01\n:ver: 2.1\n:toc:\n\n前言 {ver} {other}。\n\n"
            "== 一\n\n=== 甲 ===\n\n旧式\n----\n\n// 注释\n////\n隐藏\n////\n\n正文 +\n第二行\n"
        )
        assert file("a.adoc", source) == Extracted(
            "手册", "# 手册\n\n前言 2.1 {other}。\n\n## 一\n\n### 甲\n\n## 旧式\n\n正文\n第二行"
        )

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ("[source,py]\n----\nif x:\n    y\n----\n后", "```py\nif x:\n    y\n```\n\n后"),
            (":source-language: c\n\n[source]\n----\nint x;\n----", "```c\nint x;\n```"),
            ("```sh\nls\n```", "```sh\nls\n```"),
            ("....\n= a\n....", "```\n= a\n```"),
            ("[source,sh]\n$ ls\n\n后", "```sh\n$ ls\n```\n\n后"),
            (" x\n  y\n\n后", "```\nx\n y\n```\n\n后"),
            ("----\n没有结束", "```\n没有结束\n```"),
        ],
    )
    def test_code(self, source: str, wanted: str) -> None:
        assert text("a.adoc", source) == wanted

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ("* 甲\n** 乙\n* 丙\n+\n续", "- 甲\n  - 乙\n- 丙\n\n续"),
            (". 一\n. 二\n.. 子\n. 三\n\n后\n\n. 另一", "1. 一\n2. 二\n  1. 子\n3. 三\n\n后\n\n1. 另一"),
            ("术语:: 意思\n别的::\n  解释", "- 术语: 意思\n- 别的:\n  解释"),
            ("<1> 这里\n<.> 那里", "1. 这里\n2. 那里"),
        ],
    )
    def test_lists(self, source: str, wanted: str) -> None:
        assert text("a.asciidoc", source) == wanted

    @pytest.mark.parametrize(
        "source",
        [
            "|===\n|姓名 |年龄\n\n|张三\n|30\n|===",
            '[cols="1,2",options="header"]\n|===\n|姓名\n|年龄\n|张三 2+^|30\n|===',
            '[%header,cols="2*"]\n|===\n|姓名 |年龄\n|张三 |30\n|===',
            ",===\n姓名,年龄\n\n张三,30\n,===",
        ],
    )
    def test_tables(self, source: str) -> None:
        assert text("a.adoc", source) == TABLE

    def test_blocks(self) -> None:
        source = "[WARNING]\n====\n小心\n\n[source,sh]\n$ ls\n====\n\n.标题\nNOTE: 注意\n\n"
        source += "[quote]\n____\n引用\n____"
        assert text("a.adoc", source) == "WARNING:\n\n小心\n\n```sh\n$ ls\n```\n\n标题\n\nNOTE: 注意\n\n引用"

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ("见link:a.html[文字^]和https://a.b/c[链接,window=_blank]。", "见文字和链接。"),
            ("https://a.b/c 与 https://a.b[]", "https://a.b/c 与 https://a.b"),
            ("<<sec,某节>> <<sec>> xref:a.adoc[另一篇]", "某节 sec 另一篇"),
            ("`x` `+y+` kbd:[Ctrl+C]footnote:[脚注] ((词))(((隐)))", "`x` `y` Ctrl+C(脚注) 词"),
            ("image::a.png[图示, 200]", "图示"),
        ],
    )
    def test_inline(self, source: str, wanted: str) -> None:
        assert text("a.adoc", source) == wanted


class TestJson:
    def test_paths_and_values(self) -> None:
        value = {
            "title": "配置",
            "server": {"port": 80, "hosts": ["a", "b"], "tls": None, "on": True},
            "items": [{"name": "张三", "note": "多\n\n行"}, {"name": "李四", "tags": []}],
            "text": ["长" * 61, "短"],
            "": 1.5,
        }
        assert file("a.json", json.dumps(value, ensure_ascii=False)) == Extracted(
            "配置",
            "title: 配置\nserver.port: 80\nserver.hosts: a, b\nserver.tls: null\nserver.on: true\n\n"
            "items[0].name: 张三\nitems[0].note: 多\n行\n\nitems[1].name: 李四\n\n"
            f'text[0]: {"长" * 61}\ntext[1]: 短\n\n"": 1.5',
        )

    @pytest.mark.parametrize("content", ["{a: 1}", '{"a": 1,}', "// 注释\n{}", "1" * 5000])
    def test_no_json_after_all(self, content: str) -> None:
        assert text("a.json", content) == content

    @pytest.mark.parametrize("content", ["[" * 200 + "1" + "]" * 200, "[" * 100_000 + "]" * 100_000])
    def test_too_deep(self, content: str) -> None:
        with pytest.raises(SourceError, match="嵌套太深"):
            file("a.json", content)

    def test_too_large_with_its_paths(self) -> None:
        value = {"长" * 1000: {"x": ["y" * 61] * 3000}}
        with pytest.raises(TooLargeError):
            file("a.json", json.dumps(value))

    def test_lines(self) -> None:
        assert text("a.jsonl", '{"问": "甲"}\n\n{"问": "乙"}\n') == "[0].问: 甲\n\n[1].问: 乙"
        assert text("a.jsonl", '{"问": "甲"}\n不是') == '{"问": "甲"}\n不是'

    def test_from_the_web(self) -> None:
        for content_type in ("application/json", "application/ld+json"):
            raw = Raw(b'{"a": 1}', SourceKind.URL, "http://x/a", content_type)
            assert extract(raw) == Extracted("a", "a: 1")


class TestTables:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_delimiters(self, delimiter: str) -> None:
        assert text("a.csv", f"姓名{delimiter}年龄\n张三{delimiter}30\n") == TABLE

    def test_other_encodings(self) -> None:
        rows = "姓名,年龄\r\n张三,30\r\n"
        assert text("a.csv", rows.encode("utf-16")) == TABLE
        assert text("a.csv", (rows + "王五,40\r\n" * 100).encode("gb18030")).startswith(
            "- 姓名: 张三; 年龄: 30"
        )

    def test_quotes_empty_cells_and_bars(self) -> None:
        assert text("a.csv", '姓名,年龄\n"张\n三|",\n') == "| 姓名 | 年龄 |\n| --- | --- |\n| 张 三\\| |"

    def test_numbers_are_no_names(self) -> None:
        assert text("a.tsv", "1\t2\n3\t4\n") == "| 1 | 2 |\n| 3 | 4 |"

    def test_long_tables_name_their_columns(self) -> None:
        lines = text("a.csv", "姓名,年龄,城市\n" + "张三,,北京\n" * 500).splitlines()
        assert lines == ["- 姓名: 张三; 城市: 北京"] * 500

    @pytest.mark.parametrize("content", ["只是文字\n没有表", "一,行", '"没有结束,' + "字" * 200_000])
    def test_no_table_after_all(self, content: str) -> None:
        assert text("a.csv", content) in (content, "| 一 | 行 |")


class TestNotebook:
    def test_cells(self) -> None:
        book = {
            "nbformat": 4,
            "metadata": {"kernelspec": {"language": "R"}},
            "cells": [
                {"cell_type": "markdown", "source": ["# 笔记\n", "\n", "正文 $x$"]},
                {
                    "cell_type": "code",
                    "source": "f <- 1\nf\n",
                    "outputs": [
                        {"output_type": "stream", "text": ["\x1b[31m一\x1b[0m\n"]},
                        {"output_type": "execute_result", "data": {"text/plain": "二", "text/html": "<b>"}},
                        {"output_type": "display_data", "data": {"image/png": "x", "text/plain": "<Figure>"}},
                        {"output_type": "error", "ename": "错", "evalue": "误", "traceback": ["x"]},
                    ],
                },
                {
                    "cell_type": "code",
                    "source": [],
                    "outputs": [{"output_type": "stream", "text": "长" * 9000}],
                },
            ],
        }
        assert file("a.ipynb", json.dumps(book)) == Extracted(
            "笔记",
            "# 笔记\n\n正文 $x$\n\n```r\nf <- 1\nf\n```\n\n```text\n一\n二\n错: 误\n```\n\n"
            f"```text\n{'长' * 2000}…\n```",
        )

    def test_the_old_format_and_a_title(self) -> None:
        cells = [
            {"cell_type": "heading", "level": 2, "source": "节"},
            {"cell_type": "code", "input": "x", "language": "python"},
        ]
        book = {"nbformat": 3, "metadata": {"title": "题"}, "worksheets": [{"cells": cells}]}
        assert file("a.ipynb", json.dumps(book)) == Extracted("题", "## 节\n\n```python\nx\n```")

    def test_no_notebook_after_all(self) -> None:
        for content in ("{", "[]", '{"a": 1}'):
            assert text("a.ipynb", content) == content
        with pytest.raises(EmptyContentError):
            file("a.ipynb", '{"nbformat": 4, "cells": []}')

    def test_from_the_web(self) -> None:
        book = json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "字"}]}).encode()
        for content_type in ("application/x-ipynb+json", "application/json", "text/plain"):
            assert extract(Raw(book, SourceKind.URL, "http://x/a.ipynb", content_type)).text == "字"


def message(**headers: str) -> EmailMessage:
    mail = EmailMessage()
    for name, value in headers.items():
        mail[name] = value
    return mail


class TestMail:
    def test_headers_body_and_attachments(self) -> None:
        mail = message(
            From="张三 <a@b.c>", To="x@y.z", Subject="会议纪要", Date="Tue, 01 Dec 2026 10:00:00 +0800"
        )
        mail.set_content("第一行\n\n# 不是附件\n")
        mail.add_alternative("<p>网页</p>", subtype="html")
        mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="附件一.pdf")
        mail.add_attachment("日志", filename="b.txt")
        assert file("a.eml", mail.as_bytes()) == Extracted(
            "会议纪要",
            "From: 张三 <a@b.c>\nTo: x@y.z\nDate: Tue, 01 Dec 2026 10:00:00 +0800\nSubject: 会议纪要\n\n"
            "第一行\n\n# 不是附件\n\n附件：附件一.pdf、b.txt",
        )

    def test_a_body_of_html(self) -> None:
        mail = message(Subject="周报")
        mail.set_content("<h1>本周</h1><p>完成了 <b>三</b> 件事。</p><script>x</script>", subtype="html")
        assert text("a.eml", mail.as_bytes()) == "Subject: 周报\n\n# 本周\n\n完成了 三 件事。"

    def test_chinese_of_other_encodings(self) -> None:
        # GBK characters in what calls itself GB2312, and raw bytes in a header
        body = "镕基与堃".encode("gbk")
        head = b"Subject: =?gb2312?B?6YS7+Q==?=\r\nFrom: " + "张三".encode() + b" <a@b.c>\r\n"
        kind = b"Content-Type: text/plain; charset=gb2312\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        found = file("a.eml", head + kind + body)
        assert found.title == b"\xe9\x84\xbb\xf9".decode("gb18030")
        assert found.text.endswith("\n\n镕基与堃")
        assert "From: 张三 <a@b.c>" in found.text

    @pytest.mark.parametrize("value", ["=?x-none?B?5byg?=", "=?utf-8?B?!?=", "=?utf-8?Q?=ff=fe?=", "=?"])
    def test_broken_headers(self, value: str) -> None:
        content = f"Subject: {value}\nContent-Type: text/plain; charset=nonsense\n\n正文"
        assert text("a.eml", content).endswith("正文")

    def test_no_mail_after_all(self) -> None:
        assert file("a.eml", "只是文字") == Extracted("a.eml", "只是文字")


def test_limits_hold_while_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.CHARACTERS_VARIABLE, "1000")
    for name, content in (
        ("a.rst", "段落\n\n" * 1000),
        ("a.adoc", "段落\n\n" * 1000),
        ("a.csv", "a,b\n" * 1000),
        ("a.json", json.dumps(["长" * 61] * 100)),
        ("a.ipynb", json.dumps({"cells": [{"cell_type": "markdown", "source": "长" * 2000}]})),
        ("a.eml", "Subject: x\n\n" + "长" * 2000),
    ):
        with pytest.raises(TooLargeError):
            file(name, content)
