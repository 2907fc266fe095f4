"""A new user's first five minutes, in a real terminal (README, "The first five minutes")."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.terminal import Terminal
from terminal.conftest import Place, model_server

pytestmark = [pytest.mark.terminal, pytest.mark.timeout(180)]

QUESTION = "这套笔记里，历史压缩相关的触发阈值是多少？"


def shell(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "geekagent_tui", *arguments],
        cwd=place.folder,
        env={**place.env, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("size", [(140, 40), (80, 24)], ids=["140x40", "80x24"])
def test_the_story_with_the_offline_model(place: Place, size: tuple[int, int]) -> None:
    day5, day9 = f"{place.url}/notes/day5.html", f"{place.url}/notes/day9.html"
    with place.open(size=size) as app:
        app.wait("离线")

        app.type(f"/rag add {day5} {day9} assets/notes/local.md")
        app.press("enter")
        app.wait("即将把以下内容加入知识库：")
        app.wait("确认采集？")
        app.press("n")
        app.wait("已取消采集")

        app.type(f"/rag add {day5} {day9} assets/notes/local.md")
        app.press("enter")
        app.wait("确认采集？")
        app.press("y")
        app.wait("《Day 5 学习笔记》共 1042 字符 / 2 块")
        app.wait("《Day 9 学习笔记》共 886 字符 / 2 块")

        app.type(QUESTION)
        app.press("enter")
        app.wait(lambda screen: "4000" in screen and "《Day 5 学习笔记》第" in screen)
        app.wait("来源  1《Day 5 学习笔记》第")
        app.press("f5")
        app.press("enter")
        app.wait("下一段")
        app.press("escape")
        app.wait("打开来源")
        app.press("escape")
        app.wait("发送")

        app.type("/exit")
        app.press("enter")
        assert app.wait_end() == 0

    with place.open(size=size) as app:
        app.wait("4000")
        app.press("ctrl+q")
        assert app.wait_end() == 0


def test_the_shell_works_beside_the_open_app(place: Place) -> None:
    with place.open() as app:
        app.wait("离线")
        added = shell(place, "rag", "add", f"{place.url}/notes/day5.html", "--yes", "--json")
        assert added.returncode == 0, added.stderr
        assert json.loads(added.stdout)["results"][0]["state"] == "added"
        app.wait("Day 5 学习笔记", 5)

        found = json.loads(shell(place, "rag", "search", "历史压缩的触发阈值", "--json").stdout)
        assert "4000" in found["hits"][0]["text"]
        answered = json.loads(shell(place, "ask", QUESTION, "--json").stdout)
        assert "4000" in answered["answer"]
        assert answered["citations"]

        removed = shell(place, "rag", "remove", f"{place.url}/notes/day5.html", "--json")
        assert json.loads(removed.stdout)["results"][0]["state"] == "removed"
        app.wait(lambda screen: "Day 5 学习笔记" not in screen, 5)
        app.press("ctrl+q")
        assert app.wait_end() == 0


def test_the_story_with_a_model_that_calls_tools(place: Place, tmp_path: Path) -> None:
    day5 = f"{place.url}/notes/day5.html"
    answer = "触发阈值默认 4000 字符，见《Day 5 学习笔记》第 1 段；《没有的文档》第 9 段则查无此文。"
    script = [
        {"calls": [{"name": "rag_add", "arguments": json.dumps({"source": day5, "reason": "为了回答"})}]},
        "那就不加了。",
        {"calls": [{"name": "rag_add", "arguments": json.dumps({"source": day5, "reason": "为了回答"})}]},
        {
            "calls": [{"name": "rag_search", "arguments": json.dumps({"query": "历史压缩的触发阈值"})}],
            "cut": 7,
        },
        {"text": answer, "cut": 11},
    ]
    with model_server(tmp_path, script) as (env, log), place.open(env=env) as app:
        app.wait("scripted-1")

        app.type("请把第五天的笔记加进来")
        app.press("enter")
        app.wait("确认采集？")
        app.wait("由模型发起")
        app.wait("为了回答")
        decide(app, "escape")
        app.wait("那就不加了")

        app.type("还是加吧，然后告诉我阈值")
        app.press("enter")
        app.wait("由模型发起")
        app.wait(lambda screen: "为了回答" in screen)
        decide(app, "y")
        app.wait("4000 字符")
        app.wait("《Day 5 学习笔记》第 1 段")

        requests = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        tools = [message["content"] for message in requests[3]["messages"] if message["role"] == "tool"]
        assert tools[-1] == "已加入知识库：《Day 5 学习笔记》共 1042 字符 / 2 块"
        assert "MAX_HISTORY_CHARS" not in json.dumps(requests[3], ensure_ascii=False)
        assert "已取消采集" in tools[0]

        app.press("ctrl+q")
        assert app.wait_end() == 0


def decide(app: Terminal, key: str) -> None:
    """Press a key until the dialog goes: one that a model opened ignores keys for a moment."""
    deadline = time.monotonic() + 20
    while "确认采集？" in app.text and time.monotonic() < deadline:
        app.press(key)
        gone = time.monotonic() + 1
        while "确认采集？" in app.text and time.monotonic() < gone:
            app.pump()
    assert "确认采集？" not in app.text
