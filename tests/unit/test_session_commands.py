"""What is done with whole sessions, by its commands."""

from __future__ import annotations

import asyncio
import json
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.messages import UserMessage
from geekagent_tui.agent.records import Focused
from geekagent_tui.agent.sessions import Sessions
from geekagent_tui.paths import log_file
from geekagent_tui.rag.model import Selection
from support.agents import Watcher, open_agent, snapshot, watching
from support.scripted_model import ScriptedModel


async def ask(watcher: Watcher, *questions: str) -> None:
    for question in questions:
        await watcher.agent.submit(question)
        await watcher.agent.wait_idle()


async def said(watcher: Watcher, line: str) -> str:
    """What a command prints."""
    await watcher.agent.submit(line)
    last = (await snapshot(watcher.agent)).chat[-1]
    assert last.role == "notice"
    return last.text


async def shown(watcher: Watcher) -> list[str]:
    return [entry.text for entry in (await snapshot(watcher.agent)).chat if entry.role != "notice"]


async def session(watcher: Watcher) -> str:
    return (await snapshot(watcher.agent)).status.session


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / ".geekagent/sessions").glob("*.jsonl")}


async def test_a_new_session_needs_no_name(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        first = await session(watcher)
        told = await said(watcher, "/new")
        assert await session(watcher) != first
        assert told == f"（已新建并切换到会话 {await session(watcher)}）"


async def test_a_session_is_named_in_words_and_opened_by_them(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await said(watcher, "/new work")
        assert await said(watcher, "/rename") == "用法：/rename <名称> 给当前会话取一个名称"
        assert await said(watcher, "/rename  历史 \x1b[31m 压缩 ") == (
            "（会话 work 现在叫：历史 ␛[31m 压缩）"
        )
        await said(watcher, '/rename "历史  压缩"')
        assert (await snapshot(watcher.agent)).status.title == "历史 压缩"
        await said(watcher, "/new other")
        listed = (await said(watcher, "/sessions")).split("\n")
        assert listed[-2:] == ["* other（0 条消息）", "  work（0 条消息） 历史 压缩"]
        assert await said(watcher, "/open 历史 压缩") == "（已切换到会话 work，0 条消息）"
        listed = (await said(watcher, "/sessions")).split("\n")
        assert listed[-2:] == ["  other（0 条消息）", "* work（0 条消息） 历史 压缩"]


async def test_save_says_where_the_sessions_are(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await said(watcher, "/new a")
        folder = tmp_path.resolve() / ".geekagent" / "sessions"
        assert await said(watcher, "/save") == f"（已保存 2 个会话到 {folder}）"
        assert b"/save" in (folder / "a.jsonl").read_bytes()


async def test_save_tells_of_a_disk_that_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await said(watcher, "/new a")

        def full(descriptor: int, data: memoryview) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("geekagent_tui.agent.sessions.os.write", full)
            await watcher.agent.submit("/save")
            told = [entry.text for entry in (await snapshot(watcher.agent)).chat]
            assert "保存失败：磁盘已满" in told
            await watcher.agent.submit("/fork")
            told = [entry.text for entry in (await snapshot(watcher.agent)).chat]
            assert "分出会话失败：磁盘已满" in told
        assert await said(watcher, "/save") != ""
        assert await session(watcher) == "a"


async def test_a_fork_is_a_copy_that_goes_its_own_way(tmp_path: Path) -> None:
    model = ScriptedModel([["一。"], ["二。"], ["三。"], ["四。"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await said(watcher, "/new work")
        await ask(watcher, "甲", "乙", "丙")
        assert await said(watcher, "/fork 1 2") == (
            "用法：/fork 复制当前会话；/fork <n> 复制到第 n 个问题；/fork <id> 复制另一个会话"
        )
        assert await said(watcher, "/fork nothing") == "分出会话失败：会话 nothing 不存在"
        assert await said(watcher, "/fork 4") == "分出会话失败：没有第 4 个问题，当前会话有 3 个"
        assert await said(watcher, "/fork 2") == "（已从会话 work 分出会话 work-2，4 条消息）"
        questions = [text for text in await shown(watcher) if not text.startswith("/")]
        assert questions == ["甲", "一。", "乙", "二。"]
        await ask(watcher, "丁")
        sent = [m.text for m in model.requests[-1].messages if isinstance(m, UserMessage)]
        assert sent == ["甲", "乙", "丁"]
        assert await said(watcher, "/fork") == "（已从会话 work-2 分出会话 work-3，6 条消息）"
        assert await said(watcher, "/open work") == "（已切换到会话 work，6 条消息）"
        assert "丁" not in await shown(watcher)


async def test_a_fork_keeps_records_of_kinds_that_are_unknown_here(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / ".geekagent" / "sessions")
    file = sessions.create("work")
    file.take([b'{"type": "later kind", "name": "x", "later": [1, 2]}'])
    file.close()
    sessions.remember("work")
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await ask(watcher, "甲")
        await said(watcher, "/fork")
        await said(watcher, "/export json out.json")
    unknown = b'{"type": "later kind", "name": "x", "later": [1, 2]}\n'
    assert all(unknown in files(tmp_path)[name] for name in ("work.jsonl", "work-2.jsonl"))
    exported = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert json.loads(unknown) in exported["records"]
    assert files(tmp_path)["work-2.jsonl"].count(b'"type": "session"') == 1


async def test_edit_takes_a_question_back_and_keeps_the_old_branch(tmp_path: Path) -> None:
    model = ScriptedModel([["一。"], ["二。"], ["新的。"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await said(watcher, "/new work")
        assert await said(watcher, "/edit") == "（当前会话还没有提问）"
        await ask(watcher, "甲", "乙\n第二行")
        for wrong in ("/edit 3", "/edit 0", "/edit x", "/edit 1 2"):
            assert await said(watcher, wrong) == (
                "用法：/edit [n] 修改第 n 个问题，n 从 1 到 2，不写时是最后一个"
            )
        await said(watcher, "/rename 名")
        await watcher.agent.focus(Selection(tags=("读书",)))
        told = await said(watcher, "/edit")
        assert told == ("（第 2 个问题已放回输入框，在会话 work-2 里继续；原来的问答保留在会话 work）")
        assert (await watcher.until(ev.ComposerFilled)).text == "乙\n第二行"
        state = await snapshot(watcher.agent)
        assert state.status.focus is not None
        assert [text for text in await shown(watcher) if text in ("甲", "一。", "二。")] == ["甲", "一。"]
        assert "work-2（2 条消息） 名" in await said(watcher, "/sessions")
        await ask(watcher, "乙，改过")
        sent = [m.text for m in model.requests[-1].messages if isinstance(m, UserMessage)]
        assert sent == ["甲", "乙，改过"]
        assert await said(watcher, "/open work") == "（已切换到会话 work，4 条消息）"
        assert {"乙\n第二行", "二。"} <= set(await shown(watcher))
        await said(watcher, "/edit 1")
        assert (await watcher.until(ev.ComposerFilled)).text == "甲"
        assert (await snapshot(watcher.agent)).status.session == "work-3"


async def test_questions_before_a_reset_are_not_edited(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await ask(watcher, "甲")
        await said(watcher, "/reset")
        assert await said(watcher, "/edit") == "（当前会话还没有提问）"


async def test_a_session_open_elsewhere_is_read_as_a_copy(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / ".geekagent" / "sessions")
    held = sessions.create("shared")
    held.append([Focused(None)])
    held.close()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX);"
            'f.write(b\'{"type": "user", "entry_id": 1, "text": "elsewhere",'
            ' "at": "2026-12-01T00:00:00+00:00"}\\n{"type": "user", "ent\'); f.flush();'
            "print('held', flush=True); input()",
            str(held.path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        await asyncio.to_thread(holder.stdout.readline)
        before = held.path.read_bytes()
        async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
            assert await said(watcher, "/open shared") == (
                "打开失败：会话 shared 正在另一个程序里打开；用 /fork shared 复制一份来看"
            )
            told = await said(watcher, "/fork shared")
            assert told == "（已从会话 shared 分出会话 shared-2，1 条消息）"
            assert (await shown(watcher))[0] == "elsewhere"
            await ask(watcher, "这里的问题")
        holder.kill()
    assert held.path.read_bytes() == before


async def test_sessions_are_known_by_their_time_and_first_question(tmp_path: Path) -> None:
    once = await open_agent(tmp_path, ScriptedModel(), resume=False)
    async with watching(once) as watcher:
        await ask(watcher, "只问一次")
        asked = (await snapshot(once)).status.session
    assert asked.startswith("ask-")
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await said(watcher, "/new work")
        await ask(watcher, "长长的问题" * 10, "又问")
        await said(watcher, "/fork")
        await said(watcher, "/open work")
        listed = (await said(watcher, "/sessions")).split("\n")
        day = f"{datetime.now():%Y-%m-%d}"
        assert [line.split(day)[0] for line in listed[:2]] == ["会话：", "* work（4 条消息） · "]
        assert listed[1].endswith(" · " + ("长长的问题" * 10)[:31] + "…")
        assert "work-2" not in "".join(listed), "it holds nothing of its own"
        assert asked not in "".join(listed)
        assert listed[-1].startswith("（另有 2 个没有列出")
        await said(watcher, "/open work-2")
        await ask(watcher, "副本里的问题")
        await said(watcher, "/open work")
        assert "  work-2（6 条消息） · " in await said(watcher, "/sessions")
        found = (await said(watcher, "/search 长长的")).split("\n")
        assert found[0] == "找到 1 处："
        assert found[1].endswith("提问  也在：work-2")
        assert (await said(watcher, f"/open {asked}")).startswith(f"（已切换到会话 {asked}")


async def test_a_new_session_may_have_a_name_of_any_script(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        told = await said(watcher, "/new 测试")
        session = (await snapshot(watcher.agent)).status.session
        assert told == f"（已新建并切换到会话 {session} 测试）"
        assert session.isascii()
        assert await said(watcher, "/new 测试") == "新建失败：会话 ID 已存在"
        refused = "新建失败：会话 ID 只能包含字母、数字、短横线和下划线"
        for bad in ("测/试", "..", "测\u202e试", "测" * 65):
            assert await said(watcher, f"/new {bad}") == refused
        await said(watcher, "/new work")
        assert (await said(watcher, "/open 测试")).startswith(f"（已切换到会话 {session}")


async def test_what_waits_is_shown_removed_and_taken_back(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedModel([["想", gate, "好了。"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        agent = watcher.agent
        assert await said(watcher, "/queue") == "（没有等待中的消息）"
        await agent.submit("第一")
        await model.streaming.wait()
        for text in ("第二", "第三", "第四"):
            await agent.submit(text)
        assert await said(watcher, "/queue") == "等待中：\n1. 第二\n2. 第三\n3. 第四"
        usage = "用法：/queue 查看等待中的消息；/queue rm <n> 移除；/queue edit <n> 取回输入框"
        for wrong in ("/queue rm", "/queue rm 4", "/queue rm x", "/queue drop 1", "/queue edit 0"):
            assert await said(watcher, wrong) == usage
        assert await said(watcher, "/queue rm 1") == "（已从队列取出：第二）"
        assert await said(watcher, "/queue edit 2") == "（已从队列取出：第四）"
        assert (await watcher.until(ev.ComposerFilled)).text == "第四"
        assert (await snapshot(agent)).status.queued == ("第三",)
        (left,) = agent.queued()
        assert agent.unqueue(left.key)
        assert not agent.unqueue(left.key)
        gate.set()
        await agent.wait_idle()
        assert len(model.requests) == 1
    # Nor is it told as unsent the next time.
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        chat = (await snapshot(watcher.agent)).chat
        assert not [entry for entry in chat if "还没有发送" in entry.text]


async def test_theme_log_and_quit(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        assert await said(watcher, "/log") == f"日志：{log_file()}"
        await watcher.agent.submit("/theme light")
        assert (await watcher.until(ev.ThemeChosen)).name == "light"
        await watcher.agent.submit("/theme")
        assert (await watcher.until(ev.ThemeChosen)).name == ""
        assert (await said(watcher, "/theme a b")).startswith("用法：/theme [名称]")
        await watcher.agent.submit("/quit")
        await watcher.until(ev.ExitRequested)


async def test_everything_said_is_found(tmp_path: Path) -> None:
    answer = "历史压缩的触发阈值是 4000 个字符。" + "无关的话。" * 40
    model = ScriptedModel([[answer], ["Sessions are compacted."], ["忘了它。"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await said(watcher, "/new first")
        await said(watcher, "/rename 压缩")
        await ask(watcher, "阈值是多少？")
        await said(watcher, "/new second")
        await ask(watcher, "When do you compact a session?")
        await said(watcher, "/new third")
        await ask(watcher, "历史压缩，再问一次")
        await said(watcher, "/reset")
        assert await said(watcher, "/search") == "用法：/search <关键词> 搜索所有会话里说过的话"
        found = await said(watcher, "/search 歷史壓縮")
        head, place, excerpt = found.split("\n")
        assert head == "找到 1 处："
        assert place.split("  ")[:2] == ["first", "压缩"]
        assert place.endswith("回答")
        assert excerpt.startswith("    历史压缩的触发阈值")
        assert len(excerpt) < 120
        compacted = await said(watcher, "/search compaction sessions")
        assert [line.split("  ")[0] for line in compacted.split("\n")[1::2]] == ["second", "second"]
        assert await said(watcher, "/search 不存在的词语") == "（没有找到说过的话）"


async def test_a_session_is_exported_and_nothing_is_overwritten_silently(tmp_path: Path) -> None:
    model = ScriptedModel([["```python\nprint(1)"], ["好的。"]])
    async with watching(await open_agent(tmp_path, model)) as watcher:
        await said(watcher, "/new work")
        await said(watcher, "/rename 一次 *谈话*")
        await ask(watcher, "写点\x1b代码", "谢谢")
        target = tmp_path / "work.md"
        assert await said(watcher, "/export") == f"（已导出到 {target}）"
        text = target.read_text(encoding="utf-8")
        assert text.startswith("# 一次 \\*谈话\\*\n\n会话 work，导出于 ")
        assert "写点␛代码" in text
        assert "print(1)\n```\n" in text
        assert text.index("print(1)") < text.index("谢谢")
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        assert await said(watcher, "/export md") == f"（已导出到 {tmp_path / 'work-2.md'}）"
        kept = target.read_bytes()
        await ask(watcher, "再问")
        assert await said(watcher, "/export work.md") == (f"导出失败：{target} 已存在，加上 --force 覆盖它")
        assert target.read_bytes() == kept
        assert await said(watcher, "/export md work.md --force") == (
            f"（已导出到 {target}，覆盖了原来的文件）"
        )
        assert "再问" in target.read_text(encoding="utf-8")
        assert await said(watcher, "/export 'with space.json'") == (
            f"（已导出到 {tmp_path / 'with space.json'}）"
        )
        value = json.loads((tmp_path / "with space.json").read_text(encoding="utf-8"))
        assert (value["session"], value["title"]) == ("work", "一次 *谈话*")
        assert {"user", "assistant", "name"} <= {record["type"] for record in value["records"]}
        assert (await said(watcher, "/export no/such/folder.md")).startswith("导出失败：")
        for wrong in ("md a b", "txt", "PDF"):
            assert (await said(watcher, f"/export {wrong}")).startswith("用法：/export")
        (tmp_path / "sub").mkdir()
        assert await said(watcher, "/export sub/../sub/x.md") == f"（已导出到 {tmp_path / 'sub' / 'x.md'}）"
        assert not list(tmp_path.glob("*.new")) + list(tmp_path.glob(".*.new"))
