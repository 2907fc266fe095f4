"""`run_shell`: everything a command starts ends with it, no secret reaches it, its output is bounded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.agent.events import ToolState
from geekagent_tui.agent.tools.shell import RunShell
from geekagent_tui.agent.tools.shell_output import HEAD, TAIL, Output
from geekagent_tui.agent.tools.shell_process import clean_environment
from geekagent_tui.config.secrets import mask
from support.tooling import SECRET, Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


def is_running(pid: int) -> bool:
    """Whether a process does anything; one that is dead and not yet noticed does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


async def test_a_command_runs_in_the_root_with_bash(bench: Workbench) -> None:
    answer = await bench.call("run_shell", command="pwd; [[ a == a ]] && echo 中文; echo err >&2")
    assert answer == f"{bench.root}\n中文\nerr"
    (review,) = bench.reviews
    assert review.question == "即将执行命令：pwd; [[ a == a ]] && echo 中文; echo err >&2\n确认执行？"
    assert await bench.call("run_shell", command="true") == "(无输出)"


@pytest.mark.parametrize(
    "command", ["true\n# 确认执行 ls？", "true\r# 列出 src？", "true\u2028#\x1b[2J 好吗？"]
)
async def test_nothing_in_a_command_can_pass_for_the_question(bench: Workbench, command: str) -> None:
    bench.refuse()
    await bench.call("run_shell", command=command)
    (review,) = bench.reviews
    told, asked = review.question.split("\n")
    assert told.startswith("即将执行命令：true")
    assert asked == "确认执行？"
    assert all(line.isprintable() for line in (told, asked, review.label))


async def test_a_failure_says_how(bench: Workbench) -> None:
    outcome = await bench.outcome("run_shell", command="echo out; exit 3")
    assert (outcome.content, outcome.state) == ("命令执行失败（退出码 3）\nout", ToolState.FAILED)
    assert await bench.call("run_shell", command="kill -9 $$") == "命令执行失败（被信号 SIGKILL 结束）"
    bench.refuse()
    assert await bench.call("run_shell", command="touch x") == "已取消执行"
    assert list(bench.root.iterdir()) == []


async def test_nothing_can_be_typed_into_it(bench: Workbench) -> None:
    assert await bench.call("run_shell", command="cat; read x || echo closed") == "closed"


async def test_the_time_limit_ends_grandchildren_too(bench: Workbench) -> None:
    command = "(trap '' TERM; sleep 300) & echo $! > pid; echo started; wait"
    answer = await bench.call("run_shell", command=command, timeout=1)
    assert answer == "命令执行失败（超过 1 秒，已结束）\nstarted"
    assert not is_running(int((bench.root / "pid").read_text()))


async def test_what_a_command_leaves_running_ends_with_it(bench: Workbench) -> None:
    answer = await bench.call("run_shell", command="sleep 300 & echo $! > pid; echo done")
    assert answer == "done\n（命令留下的后台进程已结束）"
    assert not is_running(int((bench.root / "pid").read_text()))


async def test_something_that_left_the_group_does_not_hold_the_answer_up(bench: Workbench) -> None:
    async with asyncio.timeout(20):
        answer = await bench.call("run_shell", command="setsid sleep 60 & echo $! > pid; echo done")
    pid = int((bench.root / "pid").read_text())
    os.kill(pid, 9)
    assert answer.startswith("done")


async def test_an_interrupt_ends_the_whole_group(bench: Workbench) -> None:
    running = asyncio.create_task(
        bench.call("run_shell", command="(sleep 300 & echo $! > pid.new; mv pid.new pid; wait) & wait")
    )
    await until((bench.root / "pid").exists)
    pid = int((bench.root / "pid").read_text())
    assert is_running(pid)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not is_running(pid)


async def test_output_grows_while_it_runs(bench: Workbench) -> None:
    tool = bench.tools["run_shell"]
    assert isinstance(tool, RunShell)
    told: list[str] = []
    running = asyncio.create_task(
        tool.run_told({"command": "echo one; until [ -e go ]; do sleep 0.05; done; echo two"}, told.append)
    )
    await until(lambda: bool(told))
    assert told[0] == "one\n"
    bench.put("go", "")
    assert (await running).content == "one\ntwo"


async def test_a_talkative_command_is_not_killed(bench: Workbench) -> None:
    outcome = await bench.outcome("run_shell", command="seq 1 200000; echo end; touch finished")
    assert outcome.state is ToolState.DONE
    assert outcome.content.startswith("1\n2\n3\n")
    assert outcome.content.endswith("199999\n200000\nend")
    assert len(outcome.content) < HEAD + TAIL + 100
    assert "...(输出已截断，原共 1288899 字符)" in outcome.content
    assert (bench.root / "finished").exists()


async def test_no_secret_reaches_a_command(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-1")
    monkeypatch.setenv("MY_SETTING", f"x{SECRET}y")
    monkeypatch.setenv("DATABASE_URL", "postgres://user:hunter2@host/db")
    monkeypatch.setenv("HARMLESS", "stays")
    answer = await bench.call("run_shell", command="env")
    assert "HARMLESS=stays" in answer
    for hidden in ("sk-very-secret-1", SECRET, "hunter2", "MY_SETTING"):
        assert hidden not in answer


@pytest.mark.parametrize(
    "name", ["API_KEY", "github_token", "MySecret", "DB_PASSWORD", "PGPASSWD", "CREDENTIALS"]
)
def test_names_of_secrets(name: str) -> None:
    assert name not in clean_environment({name: "x"}, ())


@given(
    st.lists(st.sampled_from([SECRET, SECRET[:9], "a", "sk-", "\n"]), max_size=30).map("".join),
    st.integers(1, 7),
)
def test_a_secret_is_hidden_however_it_comes_in_pieces(text: str, size: int) -> None:
    secrets = {SECRET: "K"}
    output = Output(lambda piece: mask(piece, secrets), secrets)
    data = text.encode()
    for start in range(0, len(data), size):
        output.feed(data[start : start + size])
        assert SECRET not in output.text()
    output.feed(b"", final=True)
    assert output.text() == mask(text, secrets)


async def test_a_command_that_names_the_agents_rules_is_always_asked_about(bench: Workbench) -> None:
    for command in (
        "cat .geekagent/GeekAgent.json",
        "rm AGENTS.md",
        "echo x > .git/hooks/x",
        "git config a b",
    ):
        await bench.call("run_shell", command=command)
    assert all(review.once_only for review in bench.reviews)
    await bench.call("run_shell", command="git status; cat .gitignore")
    assert not bench.reviews[-1].once_only
