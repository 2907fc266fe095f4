"""`ls`, `read`, `glob`, `search`: the reference's words, limits that say how to go on, no secrets told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from geekagent_tui.agent.events import Scope, ToolState
from geekagent_tui.agent.tools import files_list, files_read
from geekagent_tui.agent.tools.search import LINE
from geekagent_tui.config import Policy
from support.tooling import SECRET, Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


# --- ls -----------------------------------------------------------------------------------------------


async def test_ls_lists_folders_first(bench: Workbench) -> None:
    bench.put("b.txt", "")
    bench.put("sub/x", "")
    bench.put(".hidden", "")
    (bench.root / "a-link").symlink_to("b.txt")
    assert await bench.call("ls") == "共 4 项：\nsub/\n.hidden\na-link@\nb.txt"
    assert await bench.call("ls", path="sub") == "共 1 项：\nx"
    (bench.root / "empty").mkdir()
    assert await bench.call("ls", path="empty") == "(空目录)"


async def test_ls_says_what_is_wrong(bench: Workbench) -> None:
    bench.put("file", "")
    assert await bench.call("ls", path="none") == "打开目录失败：文件不存在：none"
    assert await bench.call("ls", path="none/deep") == "打开目录失败：文件不存在：none/deep"
    assert await bench.call("ls", path="file") == "打开目录失败：不是文件夹：file"
    assert await bench.call("ls", path="..") == "打开目录失败：路径越界：.."


async def test_ls_goes_on_from_an_offset(bench: Workbench) -> None:
    count = files_list.LISTED + 5
    for number in range(count):
        bench.put(f"{number:04}", "")
    first = (await bench.call("ls")).split("\n")
    assert (first[0], first[-1]) == (f"共 {count} 项：", f"...(续看可用 offset={files_list.LISTED})")
    rest = (await bench.call("ls", offset=files_list.LISTED)).split("\n")
    assert rest[1:] == [f"{number:04}" for number in range(files_list.LISTED, count)]


async def test_names_cannot_fake_lines(bench: Workbench) -> None:
    bench.put("a\nb\x1b[31m", "")
    bench.put(os.fsdecode(b"\xff"), "")
    assert await bench.call("ls") == "共 2 项：\n\\xff\na␊b␛[31m"


# --- read ---------------------------------------------------------------------------------------------


async def test_read_goes_through_a_file_in_stretches(bench: Workbench) -> None:
    text = "".join(chr(0x4E00 + number % 5000) for number in range(files_read.CHARACTERS * 2 + 10))
    bench.put("long", text)
    seen, offset, going_on = "", 0, True
    while going_on:
        head, body = (await bench.call("read", path="long", offset=offset)).split("\n", 1)
        body, _mark, more = body.partition("\n...(已截断，续读可用 offset=")
        assert head == f"（文件共 {len(text)} 字符，已读第 {offset}-{offset + len(body)} 段）"
        seen += body
        going_on = bool(more)
        offset = int(more.rstrip(")")) if more else 0
    assert seen == text
    assert await bench.call("read", path="long", offset=len(text)) == "offset 已越过文件末尾"


async def test_an_empty_file_can_be_read(bench: Workbench) -> None:
    bench.put("empty", "")
    assert await bench.call("read", path="empty") == "（文件共 0 字符，已读第 0-0 段）\n"


@pytest.mark.parametrize(
    ("encoding", "bom"),
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("gb18030", b""), ("utf-16-le", b"\xff\xfe"), ("big5", b"")],
)
async def test_read_understands_encodings(bench: Workbench, encoding: str, bom: bytes) -> None:
    text = "中文的內容，第一行。\r\n這裡有很多字，可以猜出編碼是什麼。\r\n" * 5
    text = text if encoding != "gb18030" else "中文的内容，第一行。\n这里有很多字，可以猜出编码是什么。\n" * 5
    bench.put("file", bom + text.encode(encoding))
    assert (await bench.call("read", path="file")).split("\n", 1)[1] == text


async def test_read_says_what_is_wrong(bench: Workbench) -> None:
    bench.put("bin", b"\x00\x01\x02")
    bench.put("page.pdf", b"%PDF-1.7 ...")
    assert await bench.call("read", path="bin") == "读取文件失败：bin 不是文本，是 二进制数据"
    assert await bench.call("read", path="page.pdf") == "读取文件失败：page.pdf 不是文本，是 PDF"
    assert await bench.call("read", path="none") == "读取文件失败：文件不存在：none"
    assert await bench.call("read", path="../x") == "读取文件失败：路径越界：../x"
    with (bench.root / "huge").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    assert "文件太大（超过 16 MB）：huge" in await bench.call("read", path="huge")


async def test_a_secret_is_not_shown_in_two_halves(bench: Workbench) -> None:
    bench.put("config.py", "x" * (files_read.CHARACTERS - 5) + SECRET + "y" * 50)
    first = await bench.call("read", path="config.py")
    second = await bench.call("read", path="config.py", offset=files_read.CHARACTERS)
    assert SECRET[:5] not in first
    assert SECRET[5:] not in second


@pytest.mark.parametrize(
    "path", [".env", ".geekagent/sessions/a.jsonl", ".ssh/id_rsa", "server.pem", ".ENV.local"]
)
async def test_files_with_secrets_are_asked_about_every_time(bench: Workbench, path: str) -> None:
    bench.put(path, "DATABASE_URL=postgres://u:pw@h")
    for _time in range(2):
        assert "postgres" in await bench.call("read", path=path)
    assert [review.once_only for review in bench.reviews] == [True, True]
    assert bench.reviews[0].question.endswith(f"读取 {bench.root / path}？")
    bench.refuse()
    outcome = await bench.outcome("read", path=path)
    assert (outcome.content, outcome.state) == ("已取消执行", ToolState.DENIED)


async def test_a_sample_of_settings_is_no_secret(bench: Workbench) -> None:
    bench.put(".env.example", "KEY=")
    assert "KEY=" in await bench.call("read", path=".env.example")
    assert bench.reviews == []


# --- glob ---------------------------------------------------------------------------------------------


async def test_glob_sees_what_git_sees(bench: Workbench) -> None:
    for path in (
        "a.py",
        "sub/b.py",
        "sub/deep/c.py",
        "sub/d.txt",
        "node_modules/e.py",
        ".hid/f.py",
        "out/g.py",
    ):
        bench.put(path, "")
    bench.put(".gitignore", "out/\n*.log\n")
    bench.put("sub/.gitignore", "deep\n!keep.log\n")
    bench.put("x.log", "")
    bench.put("sub/keep.log", "")
    assert await bench.call("glob", pattern="**/*.py") == "匹配到 2 个：\na.py\nsub/b.py"
    assert await bench.call("glob", pattern="**/*.log") == "匹配到 1 个：\nsub/keep.log"
    assert await bench.call("glob", pattern="*.py") == "匹配到 1 个：\na.py"
    assert await bench.call("glob", pattern="sub/*.{py,txt}") == "匹配到 2 个：\nsub/b.py\nsub/d.txt"
    assert await bench.call("glob", pattern=".hid/*") == "匹配到 1 个：\n.hid/f.py"
    assert await bench.call("glob", pattern="*.rs") == "(没有匹配到任何文件)"
    assert await bench.call("glob", pattern=f"{bench.root}/*.py") == "匹配到 1 个：\na.py"


@pytest.mark.parametrize("pattern", ["../*", "{..,doc}/*.md", "a/{b,../..}/*", "/etc/*"])
async def test_glob_never_leads_upwards(bench: Workbench, pattern: str) -> None:
    assert (await bench.call("glob", pattern=pattern)).startswith("glob 失败：路径越界：")


async def test_glob_takes_no_endless_patterns(bench: Workbench) -> None:
    assert "组合太多" in await bench.call("glob", pattern="{a,b}" * 8)
    assert "太多" in await bench.call("glob", pattern="{a,b}" * 500)
    bench.put("a" * 200, "")
    assert await bench.call("glob", pattern="**/" * 50 + "*a*" * 50 + "b") == "(没有匹配到任何文件)"


async def test_glob_goes_on_from_an_offset(bench: Workbench) -> None:
    for number in range(files_list.LISTED + 1):
        bench.put(f"{number:04}", "")
    first = (await bench.call("glob", pattern="*")).split("\n")
    assert first[-2:] == ["...(已达上限 200 条，可换更精确的 pattern)", "...(续看可用 offset=200)"]
    assert await bench.call("glob", pattern="*", offset=200) == "匹配到 201 个：\n0200"


async def test_the_rules_of_the_repository_above_count(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("root/gone/\n*.tmp\n")
    bench = Workbench(tmp_path)
    for path in ("gone/a", "b.tmp", "c"):
        bench.put(path, "")
    assert await bench.call("glob", pattern="**/*") == "匹配到 1 个：\nc"


# --- search -------------------------------------------------------------------------------------------


async def test_search_finds_lines(bench: Workbench) -> None:
    bench.put("a.py", "def Foo():\r\n    return 1   \r\n")
    bench.put("b/c.md", "foo\nbar\nfoo bar")
    assert await bench.call("search", pattern="foo") == (
        '匹配 "foo" 3 行：\na.py:1: def Foo():\nb/c.md:1: foo\nb/c.md:3: foo bar'
    )
    assert await bench.call("search", pattern="foo", path="b", case_sensitive=True) == (
        '匹配 "foo" 2 行：\nb/c.md:1: foo\nb/c.md:3: foo bar'
    )
    assert await bench.call("search", pattern=r"^return|\d +$", glob="*.py") == (
        '匹配 "^return|\\d +$" 1 行：\na.py:2:     return 1'
    )
    assert await bench.call("search", pattern="^foo$") == '匹配 "^foo$" 1 行：\nb/c.md:1: foo'
    assert (
        await bench.call("search", pattern="def|bar", glob="*.py")
        == '匹配 "def|bar" 1 行：\na.py:1: def Foo():'
    )
    assert await bench.call("search", pattern="nope", path="b") == '没有匹配 "nope"（在 b 下）'
    assert await bench.call("search", pattern="bar", path="b/c.md") == (
        '匹配 "bar" 2 行：\nb/c.md:2: bar\nb/c.md:3: foo bar'
    )
    assert await bench.call("search", pattern="x", path="none") == "search 失败：文件不存在：none"


async def test_what_is_no_expression_is_looked_for_as_it_stands(bench: Workbench) -> None:
    bench.put("a", "call(x\nother")
    assert await bench.call("search", pattern="call(") == '匹配 "call(" 1 行：\na:1: call(x'


async def test_search_reads_other_encodings(bench: Workbench) -> None:
    text = "第一行没有什么特别的内容。\n这里提到了知识库和检索。\n"
    bench.put("gbk.txt", (text * 3).encode("gb18030"))
    assert "gbk.txt:2: 这里提到了知识库和检索。" in await bench.call("search", pattern="知识库")


async def test_search_leaves_out_what_is_hidden_secret_ignored_or_binary(bench: Workbench) -> None:
    bench.put(".gitignore", "ignored\n")
    for path in (".env", ".hidden", "ignored", "key.pem", ".geekagent/x", "node_modules/y"):
        bench.put(path, "needle")
    bench.put("bin", b"needle\0")
    bench.put("seen", "needle")
    assert await bench.call("search", pattern="needle") == '匹配 "needle" 1 行：\nseen:1: needle'
    assert "没有权限" in await bench.call("search", pattern="needle", path="key.pem")


async def test_a_long_line_is_cut_around_the_match(bench: Workbench) -> None:
    bench.put("min.js", "a" * 500_000 + "needle" + "b" * 500_000)
    found = (await bench.call("search", pattern="needle")).split("\n")[1]
    assert "needle" in found
    assert len(found) < LINE + 30


async def test_search_goes_on_from_an_offset(bench: Workbench) -> None:
    bench.put("many", "hit\n" * 60)
    first = (await bench.call("search", pattern="hit")).split("\n")
    assert first[0] == '匹配 "hit" 50 行：'
    assert first[-2:] == ["...(已达上限 50 行，换更聚焦的关键词再搜)", "...(续看可用 offset=50)"]
    rest = (await bench.call("search", pattern="hit", offset=50)).split("\n")
    assert rest == ['匹配 "hit" 10 行：', *[f"many:{number}: hit" for number in range(51, 61)]]


async def test_an_endless_expression_is_given_up(bench: Workbench) -> None:
    bench.put("evil", "a" * 5000 + "b")
    bench.put("fine", "aac")
    answer = await bench.call("search", pattern=r"(a|a|aa)+c$")
    assert "fine:1: aac" in answer
    assert "...(没有搜完：表达式在 1 个文件上耗时太久)" in answer


async def test_what_is_too_large_to_search_is_told(bench: Workbench) -> None:
    bench.put("large", b"x" * (4 * 1024 * 1024 + 1))
    assert await bench.call("search", pattern="y") == '没有匹配 "y"\n...(没有搜完：1 个文件过大)'


async def test_a_secret_cannot_be_guessed_by_searching(bench: Workbench) -> None:
    bench.put("settings.py", f"KEY = '{SECRET}'")
    assert await bench.call("search", pattern=SECRET[:8]) == f'没有匹配 "{SECRET[:8]}"'


async def test_rules_hide_folders(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, rules={name: {"private/": Policy.DENY} for name in ("read", "glob", "ls")})
    bench.put("private/a.txt", "needle")
    bench.put("open.txt", "needle")
    assert await bench.call("read", path="private/a.txt") == "权限拒绝：工具 read 不允许执行"
    assert await bench.call("ls", path="private") == "权限拒绝：工具 ls 不允许执行"
    assert await bench.call("glob", pattern="**/*.txt") == "匹配到 1 个：\nopen.txt"
    assert await bench.call("search", pattern="needle") == '匹配 "needle" 1 行：\nopen.txt:1: needle'


@pytest.mark.parametrize("tool", ["ls", "read", "write"])
async def test_a_name_can_not_pass_for_the_question(tmp_path: Path, tool: str) -> None:
    bench = Workbench(tmp_path, {"ls": Policy.ASK, "read": Policy.ASK})
    name = "a\n确认写入 readme？"
    if tool == "ls":
        (bench.root / name).mkdir()
    elif tool == "read":
        bench.put(name, "x")
    bench.refuse()
    await bench.call(tool, path=name, content="x")
    (review,) = bench.reviews
    assert "\n" not in review.question
    assert review.label.isprintable()


async def test_leave_to_list_a_folder_is_for_that_folder(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"ls": Policy.ASK})
    bench.put("src/a/b.py", "")
    bench.put("docs/c", "")
    bench.allow(Scope.SESSION)
    await bench.call("ls", path="src")
    bench.refuse()
    assert await bench.call("ls", path="src/") == "共 1 项：\na/"
    for other in (".", "docs", "src/a"):
        assert await bench.call("ls", path=other) == "已取消执行"
    assert [review.target for review in bench.reviews] == ["src/", "./", "docs/", "src/a/"]
