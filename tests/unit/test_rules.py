"""Rules of `GeekAgent.json`: what can match nothing is an error, not a false sense of safety."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from geekagent_tui.agent.permissions import Desk, Permissions
from geekagent_tui.agent.targets import FileTarget
from geekagent_tui.config import ConfigError, Policy
from geekagent_tui.config.policies import read_settings
from geekagent_tui.paths import Workspace


def workspace(folder: Path, tool: str, rule: str) -> Workspace:
    made = Workspace(folder)
    made.create()
    made.settings.write_text(json.dumps({"tools": {tool: {"*": "allow", rule: "deny"}}}))
    return made


@pytest.mark.parametrize(
    ("tool", "rule"),
    [
        ("read", "*.env"),
        ("write", "src/*.py"),
        ("patch", "a?b"),
        ("ls", "../private"),
        ("search", "~/private"),
        ("fetch", "https://example.com"),
        ("fetch", "example.com/path"),
        ("fetch", "*example.com"),
        ("fetch", "a.*.com"),
        ("run_shell", "rm; ls"),
        ("run_shell", "rm | cat"),
        ("run_shell", "echo 'x'"),
        ("run_shell", "git * push"),
        ("memory_write", "x"),
        ("rag_add", "docs/"),
    ],
)
def test_a_rule_that_matches_nothing_is_told(tmp_path: Path, tool: str, rule: str) -> None:
    with pytest.raises(ConfigError, match=tool):
        read_settings(workspace(tmp_path, tool, rule))


@pytest.mark.parametrize("rule", ["private", "private/", "/private", "private/*", "private/**", "./private"])
def test_the_ways_to_name_a_folder(tmp_path: Path, rule: str) -> None:
    for typed in (rule, str(tmp_path / "private")):
        settings = read_settings(workspace(tmp_path, "read", typed))
        desk = Desk(lambda _event: None, lambda: False)
        permissions = Permissions(settings.policies, desk, settings.rules)
        for path in ("private/diary.md", "private/deep/diary.md"):
            assert permissions.policy("read", FileTarget(path)) is Policy.DENY
        assert permissions.policy("read", FileTarget("privates")) is Policy.ALLOW


@pytest.mark.parametrize(
    ("tool", "rule"),
    [
        ("fetch", "*.example.com"),
        ("fetch", "localhost:8080"),
        ("run_shell", "git push"),
        ("run_shell", "git push *"),
        ("run_shell", "./deploy.sh --dry-run"),
        ("rag_remove", "https://example.com/docs"),
        ("read", "app/[id]/page.tsx"),
    ],
)
def test_other_rules_are_kept_as_they_are(tmp_path: Path, tool: str, rule: str) -> None:
    assert read_settings(workspace(tmp_path, tool, rule)).rules[tool] == {rule: Policy.DENY}
