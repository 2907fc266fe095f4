"""The reference's commands, and ours beside them, walked in a real terminal."""

from __future__ import annotations

import json
import re

import pytest

from support.terminal import Terminal
from terminal.conftest import Place

pytestmark = [pytest.mark.terminal, pytest.mark.timeout(240)]


def walk(app: Terminal, line: str, told: str) -> None:
    """Type a command; wait for the last thing it tells, however its lines are broken."""
    app.type(line)
    app.wait(line)
    app.press("enter")
    expected = re.compile(re.sub(r" ", "", told))

    def says(screen: str) -> bool:
        chat = "".join(row.split(" │")[0] for row in screen.split("\n"))
        return expected.search(re.sub(r"\s", "", chat)) is not None and composer_is_empty(screen)

    app.wait(says)


def composer_is_empty(screen: str) -> bool:
    return "› 问点什么" in screen


def test_the_commands_of_the_reference(place: Place) -> None:
    home = place.folder / ".geekagent"
    home.mkdir()
    old = [{"role": "user", "content": "从前的问题"}, {"role": "assistant", "content": "从前的回答"}]
    archive = home / "sessions.json"
    archive.write_text(json.dumps({"current": "old", "sessions": {"old": old}}), encoding="utf-8")
    with place.open() as app:
        app.wait("离线")
        app.wait("输入 /load 导入")
        walk(app, "/nope", "未知命令：/nope（输入 /help 查看）")
        walk(app, "/new a/b", "新建失败：会话 ID 只能包含字母、数字、短横线和下划线")
        walk(app, "/new work", "（已新建并切换到会话 work）")
        walk(app, "/new work", "新建失败：会话 ID 已存在")
        walk(app, "/open", "用法：/open <id>")
        walk(app, "/open nothing", "打开失败：会话 nothing 不存在")
        walk(app, "/memory", "（暂无长期记忆）")
        walk(app, "/rag add", "用法：/rag add <网页 URL 或文件路径>... 采集建库；/rag 查看知识库")
        walk(app, "/compact", "历史压缩：没有可压缩的旧消息")
        walk(app, "/undo", "（没有可撤销的写入）")
        walk(app, "/todos", "（暂无 TODO）")
        walk(app, "/retry", "（没有可以重新回答的问题）")
        walk(app, "/load", "（已从 .*sessions.json 恢复 1 个会话，当前：old）")
        app.wait("从前的回答")
        walk(app, "/load", "恢复 0 个会话，当前：old")
        walk(app, "/sessions", r"会话：.*\* old（2 条消息）.*work（0 条消息）")
        walk(app, "/save", "（已保存 3 个会话到")
        walk(app, '/rename "旧的 谈话"', "（会话 old 现在叫：旧的 谈话）")
        walk(app, "/search 从前", "找到 2 处：")
        walk(app, "/fork", "（已从会话 old 分出会话 old-2，2 条消息）")
        walk(app, "/export out.md", "（已导出到 .*out.md）")
        walk(app, "/export out.md", "out.md 已存在，加上 --force 覆盖它")
        walk(app, "/log", "日志：.*geekagent.log")
        walk(app, "/queue", "（没有等待中的消息）")
        walk(app, "/theme none", "没有名为 none 的配色")
        walk(app, "/theme light", "发送")

        app.type("/edit")
        app.press("enter")
        app.wait("› 从前的问题")
        for _character in "从前的问题":
            app.send(b"\x7f")
        app.wait(composer_is_empty)
        walk(app, "/open old", "（已切换到会话 old，2 条消息）")
        walk(app, "/reset", "（已清空当前会话历史，长期记忆保留）")
        app.type("/quit")
        app.press("enter")
        assert app.wait_end() == 0
    text = (place.folder / "out.md").read_text(encoding="utf-8")
    assert text.index("从前的问题") < text.index("从前的回答")
    assert archive.read_text(encoding="utf-8").startswith('{"current": "old"')


def test_help_tells_of_every_command_that_completion_offers(place: Place) -> None:
    with place.open() as app:
        app.wait("离线")
        walk(app, "/help", r"/new \[id\].*/edit \[n\].*/quit 退出.*工具权限由")
        app.type("/ed")
        app.wait("把问题取回输入框修改")
        app.press("tab")
        app.wait("/edit")
        app.press("ctrl+q")
        assert app.wait_end() == 0
