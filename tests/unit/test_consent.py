"""Policies, rules for targets, grants and foreign text: who is asked, and for how long the answer holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.agent.consent import Wish
from geekagent_tui.agent.events import PermissionDecision, Scope
from geekagent_tui.agent.grant_labels import label_of
from geekagent_tui.agent.grants import Grant, GrantFile
from geekagent_tui.agent.targets import CommandTarget, DocumentsTarget, FileTarget, HostTarget, Target
from geekagent_tui.agent.tools.base import ToolError
from geekagent_tui.agent.tools.skills import SkillTarget
from geekagent_tui.config import Policy
from geekagent_tui.i18n import set_language
from support.tooling import Workbench

FILE = FileTarget("src/a.py")


async def asked(
    bench: Workbench, target: Target = FILE, *, tool: str = "write", protected: bool = False
) -> bool:
    """Whether the user was asked; the answer is the bench's."""
    before = len(bench.reviews)
    wish = Wish(tool, target, "确认？", protected=protected)
    given = await bench.consent.given(wish, {})
    was_asked = len(bench.reviews) > before
    assert given is (bench.answer.allow if was_asked else True)
    return was_asked


# --- the matrix ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [Policy.ALLOW, Policy.ASK])
@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("protected", [False, True])
@pytest.mark.parametrize("grant", [None, "before", "after"])
async def test_matrix(
    tmp_path: Path, policy: Policy, foreign: bool, protected: bool, grant: str | None
) -> None:
    """`before` and `after` say whether the grant was given before or after foreign text came."""
    bench = Workbench(tmp_path, {"write": Policy.ASK})
    if grant is not None:
        bench.foreign = grant == "after"
        bench.allow(Scope.SESSION)
        assert await asked(bench)
    bench = _with_policy(bench, policy)
    bench.foreign = foreign
    bench.refuse()
    holds = grant == "after" or (grant == "before" and not foreign)
    free = (policy is Policy.ALLOW and not foreign) or holds
    assert await asked(bench, protected=protected) is (protected or not free)


def _with_policy(bench: Workbench, policy: Policy) -> Workbench:
    bench.permissions._policies = {"write": policy}
    return bench


@pytest.mark.parametrize("policies", [{"write": Policy.DENY}, {}])
async def test_what_is_denied_is_not_asked_about(tmp_path: Path, policies: dict[str, Policy]) -> None:
    bench = Workbench(tmp_path, policies, {"write": {"src/": Policy.DENY}})
    with pytest.raises(ToolError, match="权限拒绝：工具 write 不允许执行"):
        await asked(bench)
    assert bench.reviews == []


async def test_rules_decide_about_targets_and_the_most_cautious_wins(tmp_path: Path) -> None:
    rules = {"write": {"notes/": Policy.ALLOW, "notes/private": Policy.DENY, "src": Policy.ASK}}
    permissions = Workbench(tmp_path, {"write": Policy.ASK}, rules).permissions
    assert permissions.policy("write", FileTarget("notes/deep/a.md")) is Policy.ALLOW
    assert permissions.policy("write", FileTarget("notes/private/a.md")) is Policy.DENY
    assert permissions.policy("write", FileTarget("notesx")) is Policy.ASK
    assert permissions.policy("patch", FileTarget("notes/a.md")) is Policy.ASK


# --- how far a grant reaches --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("granted", "other", "covered"),
    [
        (FileTarget("src/a"), FileTarget("src/b"), True),
        (FileTarget("src/a"), FileTarget("src/sub/b"), False),
        (FileTarget("a"), FileTarget("src/b"), False),
        (HostTarget("example.com"), HostTarget("example.com"), True),
        (HostTarget("example.com"), HostTarget("example.com:8080"), False),
        (HostTarget("example.com"), HostTarget("sub.example.com"), False),
        (CommandTarget("git status"), CommandTarget("git status src"), True),
        (CommandTarget("git status"), CommandTarget("git status --short src"), False),
        (CommandTarget("git grep x"), CommandTarget("git grep --open-files-in-pager=./x.sh x"), False),
        (CommandTarget("git grep x"), CommandTarget("git grep -O./x.sh x"), False),
        (CommandTarget("git fetch"), CommandTarget("git fetch --upload-pack=./x.sh o"), False),
        (CommandTarget("git log"), CommandTarget("git log --output=a"), False),
        (CommandTarget("git rebase a"), CommandTarget("git rebase a --exec ./x.sh"), False),
        (CommandTarget("go test"), CommandTarget("go test -exec ./x.sh"), False),
        (CommandTarget("make test"), CommandTarget("make test SHELL=./x.sh"), False),
        (CommandTarget("make test"), CommandTarget("make test clean"), False),
        (CommandTarget("git log -p"), CommandTarget("git log --output=a"), False),
        (CommandTarget("git status"), CommandTarget("git push"), False),
        (CommandTarget("git status"), CommandTarget("git status; rm -rf x"), False),
        (CommandTarget("git status"), CommandTarget("git status && x"), False),
        (CommandTarget("git status"), CommandTarget("git status $(x)"), False),
        (CommandTarget("git status"), CommandTarget("git status > a"), False),
        (CommandTarget("git status"), CommandTarget("git status\nrm x"), False),
        (CommandTarget("git status"), CommandTarget("git -c a=b status"), False),
        (CommandTarget("ls a"), CommandTarget("ls b"), False),
        (CommandTarget("uv run a"), CommandTarget("uv run b"), False),
        (CommandTarget("python -c x"), CommandTarget("python -c y"), False),
        (CommandTarget("ls | wc"), CommandTarget("ls | wc"), True),
    ],
)
async def test_a_grant_covers_its_scope_only(
    tmp_path: Path, granted: Target, other: Target, covered: bool
) -> None:
    bench = Workbench(tmp_path, {"tool": Policy.ASK})
    bench.allow(Scope.SESSION)
    assert await asked(bench, granted, tool="tool")
    assert bench.reviews[0].target == granted.scope
    assert bench.reviews[0].label == granted.label
    bench.refuse()
    assert await asked(bench, other, tool="tool") is not covered


@pytest.mark.parametrize(
    ("target", "rule", "allows", "denies"),
    [
        (CommandTarget("git status src"), "git status", True, True),
        (CommandTarget("git status src"), "git status *", True, True),
        (CommandTarget("git status -s"), "git status", False, True),
        (CommandTarget("git status -s"), "git status -s", True, True),
        (CommandTarget("git grep --open-files-in-pager=./x.sh x"), "git grep", False, True),
        (CommandTarget("make test SHELL=./x.sh"), "make test", False, True),
        (CommandTarget("git log; git pull"), "git push", False, False),
        (CommandTarget("git statusx"), "git status", False, False),
        (CommandTarget("cd x && rm -rf y"), "rm", False, True),
        (CommandTarget("echo $(rm x)"), "rm", False, True),
        (CommandTarget("git status; x"), "git status", False, True),
        (CommandTarget("anything"), "", False, True),
        (HostTarget("docs.example.com"), "*.example.com", True, True),
        (HostTarget("badexample.com"), "*.example.com", False, False),
        (HostTarget("example.com"), "Example.com", True, True),
        (FileTarget("a/b"), "./", True, True),
        (FileTarget("a/b"), "./a", True, True),
        (FileTarget("ab"), "a", False, False),
        (FileTarget("a/b/c"), "/a", True, True),
        (FileTarget("a/b/c"), "a//b/", True, True),
        (FileTarget("a/b/c"), "a/**", True, True),
        (FileTarget("a/b/c"), "a/*", False, True),
        (FileTarget("a/b"), "a/*", True, True),
        (FileTarget("a"), "a/*", False, True),
        (FileTarget("a/b"), "/**", True, True),
        (FileTarget("ab/c"), "a/*", False, False),
    ],
)
def test_rules_allow_only_what_is_sure(target: Target, rule: str, allows: bool, denies: bool) -> None:
    assert target.falls_under(rule, strictly=True) is allows
    assert target.falls_under(rule, strictly=False) is denies


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "/bin/rm x",
        "FOO=1 rm x",
        "sudo -n rm x",
        "'rm' x",
        '"rm" x',
        "r\\m x",
        "r''m x",
        "$'rm' x",
        "if true; then rm x; fi",
        "ls | xargs -I{} rm {}",
        "find . -exec rm {} +",
        "sh -c 'rm x'",
        "command rm x",
        "! rm x",
        "{ rm x; }",
        "(rm x)",
        ">log rm x",
        "echo `rm x`",
        "x=$(rm x)",
        "echo a\nrm x",
        "env --ignore-environment rm x",
    ],
)
def test_a_rule_that_denies_a_program_knows_it_in_any_dress(command: str) -> None:
    assert CommandTarget(command).falls_under("rm", strictly=False)
    assert command == "rm x" or not CommandTarget(command).falls_under("rm", strictly=True)


@pytest.mark.parametrize(
    ("command", "rule", "denies"),
    [
        ("git -C . push", "git push", True),
        ("git -C $(pwd) push", "git push", True),
        ("git \\\n push", "git push", True),
        ("/usr/bin/git --no-pager push o", "git push", True),
        ("rm -fr x", "rm -rf", True),
        ("rm -r -f x", "rm -rf", True),
        ("rm -r x", "rm -rf", False),
        ("git pull", "git push", False),
        ("rmdir x", "rm", False),
        ("git commit; ./push", "git push", False),
    ],
)
def test_a_rule_of_several_words_finds_them_behind_the_program(command: str, rule: str, denies: bool) -> None:
    assert CommandTarget(command).falls_under(rule, strictly=False) is denies


# --- how long a grant lasts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "same", "session", "later"),
    [(Scope.ONCE, True, True, True), (Scope.SESSION, False, True, True), (Scope.ALWAYS, False, False, False)],
)
async def test_a_grant_lasts_as_long_as_it_says(
    tmp_path: Path, scope: Scope, same: bool, session: bool, later: bool
) -> None:
    bench = Workbench(tmp_path)
    bench.allow(scope)
    await asked(bench)
    bench.refuse()
    assert await asked(bench) is same
    bench.permissions.forget_grants()
    assert await asked(bench) is session
    bench = Workbench(tmp_path)
    bench.refuse()
    assert await asked(bench) is later


async def test_what_touches_the_rules_is_never_granted(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.allow(Scope.ALWAYS)
    assert await asked(bench, protected=True)
    assert await bench.permissions.grants() == ([], [])
    assert await asked(bench, protected=True)


async def test_a_grant_can_be_taken_back(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.allow(Scope.ALWAYS)
    await asked(bench)
    bench.allow(Scope.SESSION)
    await asked(bench, FileTarget("b"))
    session, kept = await bench.permissions.grants()
    assert session == [Grant("write", "./")]
    assert kept == [Grant("write", "src/")]
    await bench.permissions.revoke(session[0], Scope.SESSION)
    await bench.permissions.revoke(kept[0], Scope.ALWAYS)
    assert await bench.permissions.grants() == ([], [])


async def test_a_grant_from_before_foreign_text_is_renewed_by_asking(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.allow(Scope.ALWAYS)
    assert await asked(bench)
    bench.foreign = True
    assert await asked(bench)
    assert bench.reviews[-1].question.startswith("对话里有外部资料，请看清内容再决定。")
    assert not await asked(bench)
    assert [grant.informed for grant in bench.grants.load()] == [True]


async def test_nobody_there_means_no(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.answer = PermissionDecision()
    assert await bench.call("write", path="a", content="x") == "已取消写入"


@pytest.mark.parametrize(
    ("tool", "target"),
    [
        ("write", FileTarget("src/a")),
        ("write", FileTarget("a")),
        ("fetch", HostTarget("example.com:81")),
        ("run_shell", CommandTarget("git status -s")),
        ("run_shell", CommandTarget("ls | wc")),
        ("rag_remove", DocumentsTarget(("a b.md", "https://example.com/"))),
        ("use_skill", SkillTarget("explore")),
    ],
)
def test_a_grant_is_labelled_in_the_language_it_is_shown_in(tool: str, target: Target) -> None:
    grant = Grant(tool, target.scope)
    assert label_of(grant) == target.label
    set_language("en")
    try:
        assert label_of(grant) == target.label
        assert label_of(grant).isascii()
    finally:
        set_language("zh")


# --- the file of grants -------------------------------------------------------------------------------


def test_grants_belong_to_a_workspace_and_to_the_user(tmp_path: Path) -> None:
    file = tmp_path / "data" / "grants.json"
    ours, theirs = GrantFile(file, tmp_path / "a"), GrantFile(file, tmp_path / "b")
    grant = Grant("write", "src/", informed=True)
    ours.add(grant)
    theirs.add(Grant("fetch", "example.com"))
    ours.add(Grant("write", "src/"))
    assert ours.load() == [Grant("write", "src/")]
    assert theirs.load() == [Grant("fetch", "example.com")]
    assert file.stat().st_mode & 0o077 == 0
    ours.remove(grant)
    assert ours.load() == []


@pytest.mark.parametrize("broken", ["{", "[]", '{"x": [{"other": 1}]}', '{"x": 1}', "\udcff"])
def test_a_broken_file_grants_nothing_and_is_set_aside(tmp_path: Path, broken: str) -> None:
    file = tmp_path / "grants.json"
    file.write_text(broken, errors="surrogateescape")
    grants = GrantFile(file, tmp_path)
    assert grants.load() == []
    grants.add(Grant("write", "src/"))
    assert grants.load() == [Grant("write", "src/")]
    assert list(tmp_path.glob("grants.json.broken-*"))
