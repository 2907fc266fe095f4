"""Skills: how they are read and found, what they allow, how they are loaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent import events as ev
from geekagent_tui.agent.core import Agent
from geekagent_tui.agent.messages import ToolCall, ToolMessage
from geekagent_tui.agent.skill_format import SkillError, SkillText, parse
from geekagent_tui.agent.skills import Found, find_skills, read_file
from geekagent_tui.config import Policy, Trust
from geekagent_tui.paths import user_skills
from support.agents import open_agent, snapshot, watching
from support.scripted_model import ScriptedModel

ALL = Trust(everything=True)
EXPLORE = "---\ndescription: 看看有什么\ntools:\n- ls\n- read\n---\n先列目录，再读文件。\n"


def skill(folder: Path, name: str, text: str = EXPLORE, **files: str) -> Path:
    place = folder / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(text, "utf-8")
    for path, content in files.items():
        (place / path.replace("__", ".")).write_text(content, "utf-8")
    return place


def call(name: str, /, **arguments: object) -> ToolCall:
    return ToolCall("", name, json.dumps(arguments))


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def find(folder: Path, trust: Trust = ALL) -> Found:
    return find_skills(folder, user_skills(), trust)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("只有正文", SkillText("", None, "只有正文")),
        ("---\ndescription: 说明\n---\n正文", SkillText("说明", None, "正文")),
        ("---\n- read\n- glob\n---\n正文", SkillText("", ("read", "glob"), "正文")),
        ("---\nname: x\nwhatever:\n  - read\n---\n正文", SkillText("", ("read",), "正文")),
        ("---\nallowed-tools: [ls, 'read']\n---\n正文", SkillText("", ("ls", "read"), "正文")),
        ("---\ntools: []\n---\n正文", SkillText("", (), "正文")),
        ("---\ntools:\n---\n正文", SkillText("", None, "正文")),
        ('---\ndescription: "引号: 里"\n---\n', SkillText("引号: 里", None, "")),
        ("---\ndescription: >\n  两行\n  说明\n---\n正文", SkillText("两行 说明", None, "正文")),
        ("\ufeff---\r\ndescription: 说明\r\n---\r\n正\r\n文", SkillText("说明", None, "正\n文")),
        ("---\n---\n正文\n---\n还是正文", SkillText("", None, "正文\n---\n还是正文")),
    ],
)
def test_a_skill_file_is_read_as_the_reference_does(text: str, read: SkillText) -> None:
    assert parse(text) == read


def test_a_header_without_an_end_is_an_error() -> None:
    with pytest.raises(SkillError, match="没有结束的 ---"):
        parse("---\ndescription: 说明\n正文会被吞掉")


@given(st.text())
def test_no_text_is_anything_but_a_skill_or_an_error(text: str) -> None:
    try:
        read = parse("---\n" + text)
    except SkillError:
        return
    assert "\x1b" not in read.description + read.instructions
    assert "\n" not in read.description


def test_the_users_own_skills_come_first(folder: Path) -> None:
    skill(user_skills(), "explore", "用户自己的")
    skill(folder / ".geekagent" / "skills", "explore", "别人的")
    skill(folder / ".geekagent" / "skills", "review", "第一份")
    skill(folder / "skills", "review", "第二份")
    found = find(folder)
    assert [(each.name, each.text.instructions) for each in found.skills] == [
        ("explore", "用户自己的"),
        ("review", "第一份"),
    ]
    assert found.problems == ("技能 explore 加载失败：已有同名技能", "技能 review 加载失败：已有同名技能")


def test_the_users_own_need_no_trust_and_others_do(folder: Path) -> None:
    skill(user_skills(), "mine")
    skill(folder / "skills", "theirs")
    found = find(folder, Trust())
    assert [each.name for each in found.skills] == ["mine"]
    assert found.untrusted == ("skills/theirs",)


def test_a_broken_skill_is_told_and_the_others_are_there(folder: Path) -> None:
    skill(folder / "skills", "good")
    skill(folder / "skills", "open", "---\ndescription: x\n")
    skill(folder / "skills", "huge", "x" * 100_000)
    skill(folder / "skills", "many", **{f"f{n}__md": "" for n in range(101)})
    found = find(folder)
    assert [each.name for each in found.skills] == ["good"]
    assert found.problems == (
        "技能 huge 加载失败：SKILL.md 太大",
        "技能 many 加载失败：文件太多",
        "技能 open 加载失败：SKILL.md 的头部没有结束的 ---",
    )


def test_only_its_own_unchanged_files_can_be_read(folder: Path, tmp_path: Path) -> None:
    place = skill(folder / "skills", "explore", notes__md="参考", run__sh="echo")
    (tmp_path / "secret").write_text("私钥")
    (explore,) = find(folder).skills
    assert [(file.path, file.is_script) for file in explore.files] == [("notes.md", False), ("run.sh", True)]
    assert read_file(explore, "notes.md") == "参考"
    for path in ("../../../secret", str(tmp_path / "secret"), "SKILL.md", "", "missing"):
        with pytest.raises(SkillError, match="没有文件"):
            read_file(explore, path)
    (place / "notes.md").unlink()
    (place / "notes.md").symlink_to(tmp_path / "secret")
    with pytest.raises(SkillError, match="失败"):
        read_file(explore, "notes.md")
    (place / "run.sh").write_text("rm -rf ~")
    with pytest.raises(SkillError, match="已经改变"):
        read_file(explore, "run.sh")


async def said(agent: Agent, line: str) -> str:
    await agent.submit(line)
    return (await snapshot(agent)).chat[-1].text


async def test_the_commands_use_the_references_words(folder: Path) -> None:
    async with watching(await open_agent(folder, ScriptedModel(), trust=ALL)) as watcher:
        agent = watcher.agent
        assert await said(agent, "/skills") == "（skills/ 目录下暂无技能）"
        skill(folder / "skills", "explore", run__sh="echo")
        skill(folder / "skills", "review", "正文")
        assert await said(agent, "/use") == "用法：/use <技能名>（/skills 查看可用技能）"
        assert await said(agent, "/use nothing") == "加载失败：未知技能：nothing"
        assert (
            await said(agent, "/use explore") == "已加载技能 explore（自带工具：run.sh；内置工具：ls、read）"
        )
        assert await said(agent, "/use nothing") == "加载失败：未知技能：nothing"
        assert await said(agent, "/skills") == (
            "可用技能（skills/ 目录，/use 加载）：\n* explore — 看看有什么\n  review — "
        )
        assert await said(agent, "/unuse") == "（已卸载技能，恢复默认行为）"
        assert "* explore" not in await said(agent, "/skills")


async def test_the_skill_belongs_to_the_session(folder: Path) -> None:
    skill(folder / "skills", "explore")
    model = ScriptedModel()
    async with watching(await open_agent(folder, model, trust=ALL)) as watcher:
        await watcher.agent.submit("/use explore")
        status = (await snapshot(watcher.agent)).status
        first = status.session
        assert status.skill == "explore"
        await watcher.agent.submit("/reset")
        await watcher.agent.submit("甲")
        await watcher.agent.wait_idle()
        await watcher.agent.submit("/new other")
        await watcher.agent.submit("乙")
        await watcher.agent.wait_idle()
        await watcher.agent.submit(f"/open {first}")
    async with watching(await open_agent(folder, model, trust=ALL)) as watcher:
        await watcher.agent.submit("丙")
        await watcher.agent.wait_idle()
    assert ["先列目录，再读文件。" in request.system for request in model.requests] == [True, False, True]
    assert [[spec.name for spec in request.tools] for request in model.requests[::2]] == [
        ["ls", "read", "use_skill"]
    ] * 2
    assert "explore：看看有什么" in model.requests[1].system, "the model knows what it can ask for"


async def test_the_whitelist_holds_at_execution(folder: Path) -> None:
    """The offer hides a tool; a model that calls it by its name all the same is refused."""
    skill(folder / "skills", "explore")
    hidden = [call("run_shell", command="touch x"), call("memory_write", content="y"), call("ls")]
    model = ScriptedModel([list(hidden)])
    policies = {"run_shell": Policy.ALLOW, "memory_write": Policy.ALLOW}
    async with watching(await open_agent(folder, model, policies, trust=ALL)) as watcher:
        await watcher.agent.submit("/use explore")
        await watcher.agent.submit("做")
        await watcher.agent.wait_idle()
    told = [message.content for message in model.requests[1].messages if isinstance(message, ToolMessage)]
    assert told[:2] == [
        "权限拒绝：技能 explore 不允许使用工具 run_shell",
        "权限拒绝：技能 explore 不允许使用工具 memory_write",
    ]
    assert "skills/" in told[2]
    assert not (folder / "x").exists()
    assert not (folder / ".geekagent" / "memory.json").exists()


async def test_a_skill_that_is_gone_allows_nothing(folder: Path) -> None:
    place = skill(folder / "skills", "explore")
    model = ScriptedModel([[call("memory_write", content="甲")]])
    memory = folder / ".geekagent" / "memory.json"
    async with watching(await open_agent(folder, model, trust=ALL)) as watcher:
        await watcher.agent.submit("/use explore")
    (place / "SKILL.md").unlink()
    async with watching(await open_agent(folder, model, trust=ALL)) as watcher:
        await watcher.agent.submit("做")
        await watcher.agent.wait_idle()
        assert not memory.exists()
        await watcher.agent.submit("/unuse")
        model.script.append([call("memory_write", content="甲")])
        await watcher.agent.submit("做")
        await watcher.agent.wait_idle()
    assert memory.exists()


async def test_the_model_may_ask_for_a_skill(folder: Path) -> None:
    skill(folder / "skills", "explore", notes__md="参考资料", run__sh="echo")
    model = ScriptedModel(
        [
            [call("use_skill", name="explore", file="notes.md")],
            [call("use_skill", name="explore")],
            [call("use_skill", name="explore")],
            [call("use_skill", name="explore", file="notes.md")],
            [call("use_skill", name="nothing")],
        ]
    )
    async with watching(await open_agent(folder, model, trust=ALL)) as watcher:
        await watcher.agent.submit("做")
        for allow in (False, True):
            review = await watcher.until(ev.PermissionReview)
            assert review.question.splitlines()[-1] == "确认加载这个技能？"
            assert review.label == "技能 explore"
            watcher.agent.answer(review.request_id, ev.PermissionDecision(allow))
        await watcher.until(ev.TurnFinished)
    told = [message.content for message in model.requests[-1].messages if isinstance(message, ToolMessage)]
    assert told[0] == "先加载技能 explore，再读取它的文件"
    assert told[1] == "已取消加载"
    assert told[2].startswith("先列目录，再读文件。")
    assert "notes.md" in told[2]
    assert str(folder / "skills" / "explore") in told[2]
    assert told[3:] == ["参考资料", "加载失败：未知技能：nothing"]
    assert [spec.name for spec in model.requests[-1].tools] == ["ls", "read", "use_skill"]
