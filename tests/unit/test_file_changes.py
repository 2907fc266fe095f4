"""`write` and `patch`: asked with a diff, written whole or not at all, every other byte kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.agent.events import Scope, ToolState
from geekagent_tui.config import Policy
from support.tooling import SECRET, Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


def hunk(old: str, new: str) -> list[dict[str, str]]:
    return [{"old": old, "new": new}]


# --- write --------------------------------------------------------------------------------------------


async def test_a_file_is_written_after_its_diff_was_shown(bench: Workbench) -> None:
    file = bench.put("a.txt", "one\ntwo\nthree\n")
    assert await bench.call("write", path="a.txt", content="one\n2\nthree\n") == "已写入 a.txt"
    assert file.read_text() == "one\n2\nthree\n"
    (review,) = bench.reviews
    assert review.question == f"确认写入 {file}？"
    assert review.diff == "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    assert (review.target, review.label) == ("./", "文件夹 ./（不含子文件夹）")


async def test_a_new_file_makes_its_folders(bench: Workbench) -> None:
    assert await bench.call("write", path="x/y/new.txt", content="") == "已写入 x/y/new.txt"
    assert (bench.root / "x/y/new.txt").read_bytes() == b""


async def test_what_is_the_same_already_is_not_asked_about(bench: Workbench) -> None:
    bench.put("a.txt", "same")
    assert await bench.call("write", path="a.txt", content="same") == "已写入 a.txt"
    assert bench.reviews == []


async def test_a_refusal_changes_nothing(bench: Workbench) -> None:
    file = bench.put("a.txt", "old")
    bench.refuse()
    outcome = await bench.outcome("write", path="a.txt", content="new")
    assert (outcome.content, outcome.state) == ("已取消写入", ToolState.DENIED)
    assert await bench.call("patch", path="a.txt", hunks=hunk("old", "new")) == "已取消修改"
    assert await bench.call("write", path="sub/b.txt", content="new") == "已取消写入"
    assert file.read_text() == "old"
    assert [path.name for path in bench.root.iterdir()] == ["a.txt"]


async def test_a_file_changed_while_the_user_was_asked_is_not_overwritten(bench: Workbench) -> None:
    file = bench.put("a.txt", "old")
    bench.before_answering = lambda: file.write_text("by hand")
    assert "文件在确认期间被改动" in await bench.call("write", path="a.txt", content="new")
    assert file.read_text() == "by hand"
    bench.before_answering = lambda: bench.put("b.txt", "by hand")
    assert "文件在确认期间被改动" in await bench.call("write", path="b.txt", content="new")
    assert (bench.root / "b.txt").read_text() == "by hand"


async def test_a_folder_swapped_while_the_user_was_asked_leads_nowhere(
    bench: Workbench, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    bench.put("sub/a.txt", "old")

    def swap() -> None:
        (bench.root / "sub").rename(bench.root / "moved")
        (bench.root / "sub").symlink_to(outside)

    bench.before_answering = swap
    assert "路径越界" in await bench.call("write", path="sub/a.txt", content="new")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("before", "encoding"),
    [
        (b"a\r\nb\r\n", "utf-8"),
        (b"\xef\xbb\xbfa\nb\n", "utf-8-sig"),
        ("中文内容，这里有一些字。\r\n还有第二行文字。\r\n".encode("gb18030"), "gb18030"),
        (b"\xff\xfe" + "中文\r\n".encode("utf-16-le"), "utf-16"),
    ],
)
async def test_an_overwritten_file_keeps_encoding_and_line_ends(
    bench: Workbench, before: bytes, encoding: str
) -> None:
    file = bench.put("a.txt", before)
    assert await bench.call("write", path="a.txt", content="新的\n内容\n") == "已写入 a.txt"
    end = "\r\n" if b"\r" in before else "\n"
    assert file.read_bytes() == f"新的{end}内容{end}".encode(encoding)


async def test_what_is_no_text_is_not_overwritten(bench: Workbench) -> None:
    bench.put("bin", b"\0\1\2")
    assert await bench.call("write", path="bin", content="x") == "写入失败：bin 不是文本，是 二进制数据"
    (bench.root / "dir").mkdir()
    assert await bench.call("write", path="dir", content="x") == "写入失败：是文件夹，不是文件：dir"
    bench.put("file", "")
    assert await bench.call("write", path="file/x", content="x") == "写入失败：不是文件夹：file/x"
    assert await bench.call("write", path="../x", content="x") == "写入失败：路径越界：../x"


async def test_a_link_to_nothing_is_not_written_through(bench: Workbench, tmp_path: Path) -> None:
    (bench.root / "link").symlink_to(tmp_path / "new.txt")
    (bench.root / "inner").symlink_to("none.txt")
    assert "路径越界" in await bench.call("write", path="link", content="x")
    assert "不存在" in await bench.call("write", path="inner", content="x")
    assert not (tmp_path / "new.txt").exists()
    assert bench.reviews == []


async def test_a_hidden_secret_is_not_written_over_itself(bench: Workbench) -> None:
    file = bench.put("config.py", f"KEY = '{SECRET}'\nport = 1\n")
    seen = (await bench.call("read", path="config.py")).split("\n", 1)[1]
    assert "[REDACTED:THE_KEY]" in seen
    answer = await bench.call("write", path="config.py", content=seen.replace("1", "2"))
    assert answer.startswith("[REDACTED:THE_KEY] 是被遮住的密钥")
    assert await bench.call("patch", path="config.py", hunks=hunk("port = 1", "port = 2"))
    assert file.read_text() == f"KEY = '{SECRET}'\nport = 2\n"
    assert SECRET not in bench.reviews[0].diff


async def test_a_long_diff_is_cut_and_a_large_one_is_quick(bench: Workbench) -> None:
    bench.put("a.txt", "".join(f"line {number}\n" for number in range(20_000)))
    await bench.call("write", path="a.txt", content="".join(f"row {number}\n" for number in range(20_000)))
    assert bench.reviews[0].diff.endswith("\n...(diff 太长，仅展示前 2000 行)")


async def test_the_diff_of_a_late_change_has_the_right_numbers(bench: Workbench) -> None:
    lines = [f"line {number}" for number in range(1, 101)]
    bench.put("a.txt", "\n".join(lines))
    await bench.call("patch", path="a.txt", hunks=hunk("line 50\n", "fifty\n50½\n"))
    assert "@@ -47,7 +47,8 @@\n line 47\n" in bench.reviews[0].diff
    assert bench.reviews[0].diff.endswith("\n line 53")


# --- patch --------------------------------------------------------------------------------------------


async def test_hunks_apply_one_after_the_other(bench: Workbench) -> None:
    file = bench.put("a.py", "a = 1\nb = 2\n")
    hunks = [{"old": "a = 1", "new": "a = 3"}, {"old": "a = 3\nb", "new": r"c\1 $&"}]
    assert await bench.call("patch", path="a.py", hunks=hunks) == "已应用 2 处修改到 a.py"
    assert file.read_text() == "c\\1 $& = 2\n"


@pytest.mark.parametrize(
    ("hunks", "answer"),
    [
        ([], "hunks 为空，未做任何修改"),
        ("text", "hunks 为空，未做任何修改"),
        ([{"old": "", "new": "x"}], "hunks 中存在空的 old 片段"),
        ([{"old": "one"}], "hunks 的每一项都必须有文本 old 和 new，未做任何修改"),
        ([1], "hunks 的每一项都必须有文本 old 和 new，未做任何修改"),
        ([{"old": "one", "new": "one"}], "替换后内容与原文件一致，未做任何修改"),
        (hunk("o", "x"), "片段匹配到多处，请加长 old 使其唯一：o\n（出现在第 1、2、3 行）"),
        (
            [{"old": "one", "new": "1"}, {"old": "def too():", "new": ""}],
            "未找到匹配片段：def too():\n最接近的是：\n3: def foo():",
        ),
        (hunk("zzzzz", ""), "未找到匹配片段：zzzzz"),
        (
            hunk("def fop():\n    pass", ""),
            "未找到匹配片段：def fop():\n    pass\n最接近的是：\n3: def foo():\n4:     return",
        ),
    ],
)
async def test_a_hunk_that_does_not_fit_changes_nothing(bench: Workbench, hunks: object, answer: str) -> None:
    file = bench.put("a.py", "one\ntwo\ndef foo():\n    return")
    assert await bench.call("patch", path="a.py", hunks=hunks) == answer
    assert file.read_text() == "one\ntwo\ndef foo():\n    return"
    assert bench.reviews == []


async def test_overlapping_places_are_two(bench: Workbench) -> None:
    bench.put("a", "aaa")
    assert "片段匹配到多处" in await bench.call("patch", path="a", hunks=hunk("aa", "b"))


async def test_line_ends_of_the_file_fit_those_of_the_model(bench: Workbench) -> None:
    file = bench.put("a.txt", "one\r\ntwo\r\nthree\r\n")
    assert await bench.call("patch", path="a.txt", hunks=hunk("one\ntwo", "1\n2\n2½"))
    assert file.read_bytes() == "1\r\n2\r\n2½\r\nthree\r\n".encode()
    assert await bench.call("patch", path="a.txt", hunks=hunk("three", "3\n4"))
    assert file.read_bytes() == "1\r\n2\r\n2½\r\n3\r\n4\r\n".encode()


async def test_a_patch_keeps_an_encoding_or_refuses(bench: Workbench) -> None:
    text = "中文内容，这里有一些字。\r\n还有第二行文字。\r\n"
    file = bench.put("gbk.txt", text.encode("gb18030"))
    await bench.call("patch", path="gbk.txt", hunks=hunk("第二行", "另一行😀"))
    assert file.read_bytes() == text.replace("第二行", "另一行😀").encode("gb18030")
    mixed = "中文内容，这里有一些字。".encode() + b"\xff\xfe\x80 tail"
    file = bench.put("mixed.txt", mixed)
    await bench.call("patch", path="mixed.txt", hunks=hunk("tail", "end"))
    assert file.read_bytes() in (mixed, mixed.replace(b"tail", b"end"))
    assert await bench.call("patch", path="none", hunks=hunk("a", "b")) == "修改失败：文件不存在：none"


async def test_a_failed_patch_tells_nothing_of_a_secret_file(bench: Workbench) -> None:
    bench.put(".env", "DATABASE_URL=postgres://u:pw@h\n")
    answer = await bench.call("patch", path=".env", hunks=hunk("DATABASE_URL=postgres", "x\ny"))
    assert answer == "已应用 1 处修改到 .env"
    answer = await bench.call("patch", path=".env", hunks=hunk("DATABASE_URL=", "x"))
    assert answer == "未找到匹配片段：DATABASE_URL="


# --- what needs a question ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        ".geekagent/GeekAgent.json",
        ".GeekAgent/x",
        "AGENTS.md",
        "sub/agents.MD",
        "skills/a/SKILL.md",
        "plugins/x.py",
        ".git/hooks/pre-commit",
        "sub/.git/config",
        "mcp.json",
        ".env",
    ],
)
async def test_what_the_agent_obeys_is_always_asked_about(tmp_path: Path, path: str) -> None:
    bench = Workbench(tmp_path, {"write": Policy.ALLOW})
    assert await bench.call("write", path="harmless.txt", content="x") == "已写入 harmless.txt"
    assert bench.reviews == []
    for content in ("1", "2"):
        assert await bench.call("write", path=path, content=content)
    assert [review.once_only for review in bench.reviews] == [True, True]
    assert bench.reviews[0].question.startswith("这会涉及助手自身的设置、指令或密钥，每次都要确认。")


async def test_a_link_to_what_the_agent_obeys_is_seen_through(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"write": Policy.ALLOW})
    bench.put(".geekagent/GeekAgent.json", "{}")
    (bench.root / "notes").symlink_to(".geekagent")
    await bench.call("write", path="notes/GeekAgent.json", content='{"tools": {}}')
    assert bench.reviews[0].once_only


# --- what a patch may tell ----------------------------------------------------------------------------

GUESSES = (
    hunk("the code is 4711", "the code is 4711"),
    hunk("the code is 4711", "x"),
    hunk("the code is 0000", "x"),
    [*hunk("Today", "x"), *hunk("nobody", "y"), *hunk("0000", "z")],
)


@pytest.mark.parametrize("hunks", GUESSES)
@pytest.mark.parametrize("denied", ["read", "patch"])
async def test_a_patch_of_what_is_denied_answers_without_looking(
    tmp_path: Path, hunks: list[dict[str, str]], denied: str
) -> None:
    bench = Workbench(tmp_path, rules={denied: {"private/": Policy.DENY}})
    diary = bench.put("private/diary.md", "Today I told nobody that the code is 4711.\n")
    answer = await bench.call("patch", path="private/diary.md", hunks=hunks)
    other = await bench.call("patch", path="private/nothing.md", hunks=hunks)
    assert answer == other
    assert "权限拒绝" in answer or "一致" in answer
    assert bench.reviews == []
    assert "4711" in diary.read_text()


@pytest.mark.parametrize("hunks", GUESSES)
@pytest.mark.parametrize("path", ["notes.md", ".env"])
async def test_a_patch_of_what_may_not_be_read_unasked_asks_first(
    tmp_path: Path, hunks: list[dict[str, str]], path: str
) -> None:
    bench = Workbench(tmp_path, {"read": Policy.ASK})
    bench.put(path, "Today I told nobody that the code is 4711.\n")
    bench.refuse()
    answer = await bench.call("patch", path=path, hunks=hunks)
    assert answer in ("已取消修改", "替换后内容与原文件一致，未做任何修改")
    assert [review.tool for review in bench.reviews] == ([] if "一致" in answer else ["read"])


async def test_hints_need_leave_to_read(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"read": Policy.ASK})
    bench.put("notes.md", "the code is 4711\n")
    near = hunk("the code is 0000", "x")
    assert "4711" not in await bench.call("patch", path="notes.md", hunks=near)
    bench.allow(Scope.SESSION)
    await bench.call("read", path="notes.md")
    assert "4711" in await bench.call("patch", path="notes.md", hunks=near)


async def test_a_write_that_changes_nothing_is_no_way_to_guess(bench: Workbench) -> None:
    bench.put(".env", "PIN=4711\n")
    bench.refuse()
    for pin in ("4711", "0000"):
        assert await bench.call("write", path=".env", content=f"PIN={pin}\n") == "已取消写入"
    assert len(bench.reviews) == 2
