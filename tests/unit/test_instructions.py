"""`AGENTS.md`: found from the root up to the repository or the home, bounded, the nearest last."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.agent.instructions import LONGEST, Instructions, read_instructions
from geekagent_tui.config import Trust
from support.agents import open_agent, snapshot, watching
from support.scripted_model import ScriptedModel

ALL = Trust(everything=True)


def write(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "AGENTS.md").write_text(text, "utf-8")


def read(folder: Path, home: Path) -> Instructions:
    return read_instructions(folder, ALL, home)


def test_they_are_found_up_to_the_repository(tmp_path: Path) -> None:
    write(tmp_path, "家")
    write(tmp_path / "repo", "仓库")
    (tmp_path / "repo" / ".git").mkdir()
    write(tmp_path / "repo" / "a" / "b", "近")
    found = read(tmp_path / "repo" / "a" / "b", tmp_path)
    assert found.files == (str(tmp_path / "repo" / "AGENTS.md"), "AGENTS.md")
    assert found.text.index("仓库") < found.text.index("近")
    assert "家" not in found.text


def test_without_a_repository_the_home_is_the_end(tmp_path: Path) -> None:
    write(tmp_path, "外")
    write(tmp_path / "home", "家")
    write(tmp_path / "home" / "notes", "近")
    assert "外" not in read(tmp_path / "home" / "notes", tmp_path / "home").text
    assert "家" in read(tmp_path / "home" / "notes", tmp_path / "home").text
    elsewhere = read(tmp_path / "home" / "notes", tmp_path / "somebody")
    assert elsewhere.files == ("AGENTS.md",), "above a folder that is nobody's home nothing is looked at"


def test_a_link_within_the_project_is_followed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("同一份", "utf-8")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    assert "同一份" in read(tmp_path, tmp_path.parent).text


def test_the_farthest_is_cut_first_and_it_is_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, "远" * LONGEST)
    write(tmp_path / "a", "近" * (LONGEST - 10))
    found = read(tmp_path / "a", tmp_path.parent)
    assert found.text.count("近") == LONGEST - 10
    assert found.text.count("远") == 10
    (notice,) = found.notices
    assert str(tmp_path / "AGENTS.md") in notice


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00" * 100, b"\xef\xbb\xbf" + "好".encode()])
def test_any_bytes_can_be_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "AGENTS.md").write_bytes(content)
    assert "\x00" not in read(tmp_path, tmp_path).text


async def test_the_model_gets_them_when_they_are_trusted(tmp_path: Path) -> None:
    write(tmp_path, "回答都以「喵」结尾。")
    for trust, told in ((ALL, True), (Trust(), False)):
        model = ScriptedModel()
        async with watching(await open_agent(tmp_path, model, trust=trust)) as watcher:
            await watcher.agent.submit("你好")
            await watcher.agent.wait_idle()
            seen = await snapshot(watcher.agent)
            chat = seen.chat
        assert seen.status.instructions == (("AGENTS.md",) if told else ())
        assert any("AGENTS.md" in entry.text for entry in chat) is not told
        assert ("回答都以「喵」结尾。" in model.requests[0].system) is told


async def test_they_are_the_workspaces_wherever_tools_may_go(tmp_path: Path) -> None:
    write(tmp_path, "回答都以「喵」结尾。")
    (tmp_path / ".geekagent").mkdir()
    (tmp_path / ".geekagent" / "GeekAgent.json").write_text('{"root": "/"}')
    async with watching(await open_agent(tmp_path, ScriptedModel(), trust=ALL)) as watcher:
        assert (await snapshot(watcher.agent)).status.instructions == ("AGENTS.md",)


async def test_a_secret_in_them_does_not_reach_the_model(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SERVICE_TOKEN=abcdefgh12345678\n")
    write(tmp_path, "密钥是 abcdefgh12345678。")
    model = ScriptedModel()
    async with watching(await open_agent(tmp_path, model, trust=ALL)) as watcher:
        await watcher.agent.submit("你好")
        await watcher.agent.wait_idle()
    assert "密钥是 [REDACTED:SERVICE_TOKEN]。" in model.requests[0].system
