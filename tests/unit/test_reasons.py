"""Reasons that the system and parsers give are told in the interface's language."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from geekagent_tui.i18n import set_language
from geekagent_tui.reasons import reason_of
from support.agents import open_agent, snapshot, watching
from support.scripted_model import ScriptedModel


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.ENOSPC, errno.EINVAL, errno.EISDIR])
def test_reasons_of_the_system_are_in_both_languages(number: int) -> None:
    error = OSError(number, os.strerror(number))
    assert not reason_of(error).isascii()
    set_language("en")
    try:
        assert reason_of(error).isascii()
    finally:
        set_language("zh")


def test_a_broken_line_of_json_is_named() -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads('{"a": 1,\n\n}')
    assert reason_of(raised.value) == "第 3 行不是合法 JSON"
    assert reason_of(ValueError("memory.json 必须是字符串数组")) == "memory.json 必须是字符串数组"


async def test_load_says_which_file_is_not_there(tmp_path: Path) -> None:
    async with watching(await open_agent(tmp_path, ScriptedModel())) as watcher:
        await watcher.agent.submit("/load")
        told = (await snapshot(watcher.agent)).chat[-1].text
    path = tmp_path / ".geekagent" / "sessions.json"
    assert told == f"读取失败：{path}（没有这个文件或文件夹）"
