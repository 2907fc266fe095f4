from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest

from geekagent_tui.rag import limits
from geekagent_tui.rag.errors import EmptyContentError, SourceError, TooLargeError
from geekagent_tui.rag.extract import Extracted, extract
from geekagent_tui.rag.model import SourceKind
from geekagent_tui.rag.raw import Raw
from support.documents import archive, docx, epub, odt, office, paragraph, pdf, pptx, shape, xlsx

TABLE = "| 姓名 | 年龄 |\n| --- | --- |\n| 张三 | 30 |"


def file(data: bytes, name: str = "文件", content_type: str = "") -> Extracted:
    return extract(Raw(data, SourceKind.FILE, name, content_type))


def refused(data: bytes, name: str = "文件") -> str:
    with pytest.raises(SourceError) as caught:
        file(data, name)
    return caught.value.message


def word_table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


class TestPdf:
    def test_pages_and_paragraphs(self) -> None:
        found = file(
            pdf(
                [
                    ["第一章", "压缩历史的触发阈值默认是四千个字符，最近的六条消息原", "样保留。", "• 一点"],
                    [],
                    ["An English line that is broken in the middle of a sen", "tence, and more."],
                ],
                title="论文标题",
            )
        )
        assert found.title == "论文标题"
        assert found.text == (
            "第一章\n\n压缩历史的触发阈值默认是四千个字符，最近的六条消息原样保留。\n\n- 一点\n\n"
            "An English line that is broken in the middle of a sen tence, and more."
        )
        assert [found.text[start:].partition("\n")[0][:3] for start in found.pages] == [
            "第一章",
            "An ",
            "An ",
        ]

    def test_running_heads_and_page_numbers_are_no_text(self) -> None:
        pages = [
            ["某某手册 第 3 版", f"这是第{name}页的正文。", f"- {n} -"]
            for n, name in enumerate("甲乙丙丁", 1)
        ]
        assert file(pdf(pages)).text == "\n\n".join(f"这是第{name}页的正文。" for name in "甲乙丙丁")

    def test_heads_of_a_chapter_count_the_pages(self) -> None:
        pages = [[f"第{name}页。", f"正文{name}。", f"尾{name}。"] for name in "甲乙丙丁戊己庚辛壬癸"]
        for number in range(4, 7):
            pages[number].insert(0, f"Chapter 2: Tools {number + 9}")
        text = file(pdf(pages)).text
        assert "Chapter" not in text
        assert len(re.findall("页。|正文.。|尾.。", text)) == 30

    def test_rows_of_numbers_at_the_edges_are_kept(self) -> None:
        pages = [
            [f"{n * 7} {n * 3}", f"正文{name}。", f"{n * n} {n * 5}"] for n, name in enumerate("甲乙丙丁戊己")
        ]
        text = file(pdf(pages)).text
        assert [
            number for number in ("21 9", "9 15", "28 12", "16 20", "35 15", "25 25") if number not in text
        ] == []

    def test_bookmarks_make_headings(self) -> None:
        data = pdf([["1.2 安装 说明", "正文。"], ["安装说明"]], bookmarks=[("安装说明", 0)])
        found = file(data)
        assert (found.title, found.text) == ("1.2 安装 说明", "# 1.2 安装 说明\n\n正文。\n\n安装说明")

    def test_titles_that_programs_give_by_themselves(self) -> None:
        for title in ("", "Microsoft Word - a.doc", "untitled", "paper.tex"):
            assert file(pdf([["text"]], title=title), "论文.pdf").title == "论文.pdf"

    def test_no_text_layer(self) -> None:
        message = "采集失败：这个 PDF 没有文字层（可能是扫描件），请先做文字识别（OCR）再采集"
        assert refused(pdf([[], []])) == message

    def test_a_password(self) -> None:
        message = "采集失败：PDF 已加密，请先去掉密码再采集"
        assert refused(pdf([["secret"]], password="pw")) == message

    @pytest.mark.parametrize("data", [b"%PDF-1.4", b"%PDF-1.7\n" + b"\0" * 5000, pdf([["a"]])[:300]])
    def test_damaged(self, data: bytes) -> None:
        assert refused(data) == "采集失败：PDF 文件已损坏，无法解析"

    def test_too_much(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(limits.CHARACTERS_VARIABLE, "100")
        with pytest.raises(TooLargeError):
            file(pdf([["字" * 40]] * 10))

    def test_without_the_extra(self) -> None:
        code = (
            "import sys; sys.modules['pypdfium2'] = None\n"
            "from geekagent_tui.rag.extract import extract\n"
            "from geekagent_tui.rag.model import SourceKind\n"
            "from geekagent_tui.rag.raw import Raw\n"
            "try: extract(Raw(b'%PDF-1.7', SourceKind.FILE, 'a.pdf'))\n"
            "except Exception as error: sys.stdout.buffer.write(str(error).encode())"
        )
        path = os.pathsep.join(entry for entry in sys.path if entry)
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            check=True,
        )
        assert run.stdout.decode() == (
            "采集失败：缺少扩展：读取 PDF 需要安装 documents 扩展，"
            '请运行 pip install "geekagent-tui[documents]"'
        )


class TestDocx:
    def test_everything(self) -> None:
        body = (
            paragraph("第一节", "1")
            + paragraph("# 不是标题")
            + paragraph("甲", numbered="1")
            + paragraph("乙", numbered="1", level=1)
            + paragraph("第一", numbered="2")
            + paragraph("第二", numbered="2")
            + paragraph("def f():", "Code")
            + paragraph("    return 1", "Code")
            + word_table(("姓名", "年龄"), ("张三", "30"))
            + paragraph("子节", "My")
            + paragraph("目录里的一行", "TOC1")
            + "<w:p><w:r><w:t>改</w:t></w:r><w:del><w:r><w:delText>删</w:delText><w:t>删</w:t></w:r></w:del>"
            '<w:ins><w:r><w:t>过</w:t><w:tab/><w:footnoteReference w:id="2"/></w:r></w:ins></w:p>'
            + paragraph("样式循环", "Loop")
        )
        note = '<w:footnote w:id="2"><w:p><w:r><w:t>脚注</w:t></w:r></w:p></w:footnote>'
        assert file(docx(body, "属性里的标题", note)) == Extracted(
            "属性里的标题",
            "# 第一节\n\n\\# 不是标题\n\n- 甲\n  - 乙\n1. 第一\n2. 第二\n\n"
            "```\ndef f():\n    return 1\n```\n\n"
            f"{TABLE}\n\n## 子节\n\n改过\n\n样式循环\n\n脚注",
        )

    def test_titles(self) -> None:
        assert file(docx(paragraph("大标题", "T") + paragraph("节", "1"))).title == "大标题"
        assert file(docx(paragraph("节", "1"))).title == "节"
        assert file(docx(paragraph("字")), "a.docx").title == "a.docx"

    def test_frames_and_text_boxes(self) -> None:
        box = f"<mc:Choice><w:txbxContent>{paragraph('框')}</w:txbxContent></mc:Choice>"
        old = f"<mc:Fallback><w:txbxContent>{paragraph('框')}</w:txbxContent></mc:Fallback>"
        both = f"<mc:AlternateContent>{box}{old}</mc:AlternateContent>"
        anchor = f'<w:p xmlns:mc="x"><w:r><w:t>外</w:t>{both}</w:r></w:p>'
        assert file(docx(anchor + word_table(("一格",)))).text == "外\n\n框\n\n一格"

    def test_a_wrong_name(self) -> None:
        assert file(docx(paragraph("字")), "notes.md").text == "字"
        assert file(docx(paragraph("字")), "a.pdf", "application/pdf").text == "字"
        assert file("纯文本".encode(), "a.docx").text == "纯文本"

    def test_nothing_in_it(self) -> None:
        with pytest.raises(EmptyContentError):
            file(docx(paragraph(" ")))


class TestPptx:
    def test_slides(self) -> None:
        table = "".join(f"<a:tc><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:tc>" for cell in ("姓名", "年龄"))
        data = pptx(
            [
                shape(["封面"], "ctrTitle") + shape(["作者"], "subTitle") + shape(["3"], "sldNum"),
                "",
                shape(["要点"], "title")
                + shape(["一", "二"], "")
                + f"<p:grpSp>{shape(['文本框'], '-')}</p:grpSp>"
                + f"<p:graphicFrame><a:tbl><a:tr>{table}</a:tr></a:tbl></p:graphicFrame>",
            ],
            notes={3: "讲慢一点"},
        )
        found = file(data)
        assert found.title == "封面"
        assert found.text == (
            "## 封面\n\n作者\n\n## 要点\n\n- 一\n- 二\n\n文本框\n\n"
            "| 姓名 | 年龄 |\n| --- | --- |\n\n备注：讲慢一点"
        )
        assert [found.text[start:][:5] for start in found.pages] == ["## 封面", "## 要点", "## 要点"]

    def test_diagrams(self) -> None:
        data = pptx([shape(["流程"], "title")], notes={1: "备注"}, diagrams={1: ["采集", "切段", " "]})
        assert file(data).text == "## 流程\n\n- 采集\n- 切段\n\n备注：备注"


def row(*cells: str) -> str:
    return f"<row>{''.join(cells)}</row>"


def text_cell(text: str) -> str:
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


class TestXlsx:
    def test_values_as_they_are_shown(self) -> None:
        rows = row('<c t="s"><v>0</v></c>', text_cell("数"), text_cell("日期"), text_cell("真")) + row(
            '<c t="inlineStr"><is><r><t>张</t></r><r><t>三</t></r></is></c>',
            "<c><v>0.30000000000000004</v></c>",
            '<c s="1"><v>45000.5</v></c>',
            '<c t="b"><v>1</v></c>',
            '<c s="3"><v>45000</v></c>',
            '<c s="2"><v>45000</v></c>',
            '<c t="e"><v>#N/A</v></c>',
            '<c r="J2"><f>1+1</f><v>2</v></c>',
        )
        data = xlsx({"人员": rows, "空": "", "藏!": rows}, ["姓名"], ["yyyy-mm-dd hh:mm", '0.0 "days"'], "表")
        assert file(data) == Extracted(
            "表",
            "## 人员\n\n| 姓名 | 数 | 日期 | 真 |\n"
            "| 张三 | 0.3 | 2023-03-15 12:00 | TRUE | 2023-03-15 | 45000 | #N/A |  |  | 2 |",
        )

    def test_a_long_table_names_its_columns_in_each_row(self) -> None:
        rows = (
            row(text_cell("姓名"), text_cell("年龄"), text_cell("备注"))
            + row(text_cell("张三"), "<c><v>30</v></c>") * 300
        )
        text = file(xlsx({"人员": rows})).text
        assert text.splitlines()[2:4] == ["- 姓名: 张三; 年龄: 30"] * 2

    def test_one_column_is_no_table(self) -> None:
        assert file(xlsx({"a": row(text_cell("甲")) + row(text_cell("乙"))})).text == "## a\n\n甲\n乙"

    @pytest.mark.parametrize("index", ["9", "-1", "x", "9" * 5000, ""])
    def test_a_shared_text_that_is_not_there(self, index: str) -> None:
        rows = row(f'<c t="s" s="{index}"><v>{index}</v></c>', text_cell("字"))
        assert file(xlsx({"a": rows}, ["甲"])).text == "## a\n\n|  | 字 |"

    def test_one_long_text_named_a_million_times(self) -> None:
        rows = row('<c t="s"><v>0</v></c>' * 900) * 300
        with pytest.raises(TooLargeError):
            file(xlsx({"a": rows}, ["字" * 30_000]))


class TestOdt:
    def test_everything(self) -> None:
        body = (
            '<text:h text:outline-level="2">标题</text:h><text:p>正<text:s text:c="2"/>文'
            "<text:span>甲</text:span><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>注</text:p>"
            "</text:note-body></text:note>。</text:p>"
            "<text:list><text:list-item><text:p>甲</text:p><text:list><text:list-item><text:p>乙</text:p>"
            "</text:list-item></text:list></text:list-item></text:list>"
            "<table:table><table:table-row><table:table-cell><text:p>姓名</text:p></table:table-cell>"
            "<table:table-cell><text:p>年龄</text:p></table:table-cell></table:table-row><table:table-row>"
            "<table:table-cell><text:p>张三</text:p></table:table-cell><table:table-cell><text:p>30</text:p>"
            "</table:table-cell></table:table-row></table:table>"
            '<text:p text:style-name="P1">if x:</text:p>'
            '<text:p text:style-name="P1"><text:s text:c="2"/>y</text:p>'
        )
        styles = '<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>'
        assert file(odt(body, "", styles)) == Extracted(
            "标题", f"## 标题\n\n正  文甲。\n\n- 甲\n  - 乙\n\n{TABLE}\n\n```\nif x:\n  y\n```\n\n注"
        )
        assert file(odt(body, "属性")).title == "属性"

    def test_boxes_and_tables_inside_one_another_are_read_once(self) -> None:
        box = "<text:p>底</text:p>"
        for _ in range(40):
            box = f'<text:p><d:text-box xmlns:d="d">{box}</d:text-box></text:p>'
        assert file(odt(box)).text == "底"
        inner = "<table:table><table:table-row>{}{}</table:table-row></table:table>"
        cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>".format
        outer = inner.format(
            f"<table:table-cell>{inner.format(cell('a'), cell('b'))}</table:table-cell>", cell("c")
        )
        assert file(odt(outer)).text == "| a b | c |\n| --- | --- |"

    def test_repetition_is_bounded(self) -> None:
        cell = (
            '<table:table-cell table:number-columns-repeated="99999999">'
            "<text:p>字</text:p></table:table-cell>"
        )
        spaces = f'<text:p>a<text:s text:c="{"9" * 99}"/>b</text:p>'
        body = f"<table:table><table:table-row>{cell}</table:table-row></table:table>{spaces}"
        assert len(file(odt(body)).text) < 2_000

    def test_a_password(self) -> None:
        assert (
            refused(odt("", manifest="<manifest:encryption-data/>"))
            == "采集失败：ODT 已加密，请先去掉密码再采集"
        )


class TestEpub:
    CHAPTERS = {  # noqa: RUF012
        "nav.xhtml": "<html><body><ol><li>目录</li></ol></body></html>",
        "一.xhtml": "<?xml version='1.0' encoding='utf-8'?><html><head><title>t</title></head><body>"
        "<h1>第一章</h1><p>从前</p><pre><code class='language-py'>if x:\n    y</code></pre></body></html>",
        "b.xhtml": "<html><body><h2>第二节</h2><table><tr><th>姓名</th><th>年龄</th></tr>"
        "<tr><td>张三</td><td>30</td></tr></table></body></html>",
    }

    def test_chapters_in_their_order(self) -> None:
        assert file(epub(self.CHAPTERS, "书名")) == Extracted(
            "书名", f"# 第一章\n\n从前\n\n```py\nif x:\n    y\n```\n\n## 第二节\n\n{TABLE}"
        )

    def test_a_locked_book(self) -> None:
        locks = (
            '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
            '<e:CipherReference URI="OEBPS/{}"/></encryption>'
        )
        locked = epub(self.CHAPTERS, extra={"META-INF/encryption.xml": locks.format("b.xhtml")})
        assert refused(locked) == "采集失败：EPUB 已加密（DRM），无法读取"
        fonts = epub(self.CHAPTERS, extra={"META-INF/encryption.xml": locks.format("font.otf")})
        assert "从前" in file(fonts).text

    def test_missing_chapters(self) -> None:
        with pytest.raises(EmptyContentError):
            file(epub({}))


ALL = {
    "DOCX": docx(paragraph("字")),
    "PPTX": pptx([shape(["字"])]),
    "XLSX": xlsx({"a": row(text_cell("字"))}),
    "ODT": odt("<text:p>字</text:p>"),
    "EPUB": epub({"a.xhtml": "<p>字</p>"}),
}


@pytest.mark.parametrize("kind", ALL)
def test_cut_short(kind: str) -> None:
    assert "文件已损坏，无法解析" in refused(ALL[kind][: len(ALL[kind]) // 2])


@pytest.mark.parametrize("data", [archive({"a.txt": "text"}), archive({"xl/x.bin": "x"}), b"PK\x03\x04"])
def test_other_archives(data: bytes) -> None:
    assert "不是文本，是 ZIP / Office，暂不支持" in refused(data, "a.zip")
    assert "DOCX 文件已损坏，无法解析" in refused(data, "a.docx")


def test_a_locked_office_document() -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 2000 + "EncryptedPackage".encode("utf-16-le")
    assert refused(data) == "采集失败：Office 已加密，请先去掉密码再采集"


def test_entities_are_never_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(20))
    main = (
        f'<!DOCTYPE d [{laughs}<!ENTITY file SYSTEM "file:///etc/passwd">]>'
        '<w:document xmlns:w="http://x"><w:body><w:p><w:r><w:t>字&l19;&file;</w:t></w:r></w:p></w:body></w:document>'
    )
    assert "文件已损坏，无法解析" in refused(office("word/document.xml", {"word/document.xml": main}))
    plain = '<w:document xmlns:w="http://x"><w:body><w:p><w:r><w:t>字</w:t></w:r></w:p></w:body></w:document>'
    with_type = f'<!DOCTYPE d [<!ENTITY file SYSTEM "file:///etc/passwd">]>{plain.replace("字", "&file;")}'
    with pytest.raises(EmptyContentError):
        file(office("word/document.xml", {"word/document.xml": with_type}))


def test_deep_nesting() -> None:
    body = "<w:sdt>" * 100_000 + "</w:sdt>" * 100_000
    assert "文件已损坏，无法解析" in refused(docx(body))


def test_a_bomb() -> None:
    data = office("word/document.xml", {"word/document.xml": b"<" * (65 * limits.MEBI)})
    assert len(data) < limits.MEBI
    assert refused(data) == "采集失败：Office 解压后太大，拒绝解压"


def test_a_bomb_of_many_files() -> None:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        out.writestr("[Content_Types].xml", "")
        for number in range(20_001):
            out.writestr(str(number), "")
    assert refused(buffer.getvalue()) == "采集失败：Office 里的文件太多，拒绝解压"


def test_an_archive_with_a_password() -> None:
    data = bytearray(ALL["DOCX"])
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) != -1:  # the directory says so of each file
        data[at + 8] |= 1
        at += 4
    assert refused(bytes(data)) == "采集失败：Office 已加密，请先去掉密码再采集"
