"""The contract of DESIGN §6: exit codes, one JSON value on stdout at every exit, messages on stderr."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.shell import Shell

NOTE = "# 鲸鱼\n\n鲸鱼在夜里唱歌，触发阈值是 4000 字符。\n"
GOOD = {"question": "触发阈值是多少？", "source": "a.md", "text": "4000"}
HIT = {"id", "title", "source", "passage", "start", "text", "heading", "score"}
RESULT = {"id", "source", "state", "title", "characters", "passages", "reason"}
DOCUMENT = {"id", "title", "source", "passages", "characters", "added_at", "status"} | {
    "kind",
    "tags",
    "updated_at",
    "checked_at",
    "problem",
    "badge",
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    (shell.folder / "a.md").write_text(NOTE, "utf-8")
    return shell


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace's `.geekagent/` with the note in it, to be copied."""
    shell = Shell(tmp_path_factory.mktemp("base"))
    (shell.folder / "a.md").write_text(NOTE, "utf-8")
    assert shell("rag", "add", "a.md", "--yes").returncode == 0
    return shell.folder / ".geekagent"


def deny(shell: Shell) -> None:
    settings(shell, '{"tools": {"rag_add": "deny"}}')


def settings(shell: Shell, content: str) -> None:
    home = shell.folder / ".geekagent"
    home.mkdir()
    (home / "GeekAgent.json").write_text(content)


def malformed(shell: Shell) -> None:
    settings(shell, "{")


def odd_home(shell: Shell) -> None:
    (shell.folder / ".geekagent").write_text("a file where a folder should be")


def nothing(_shell: Shell) -> None:
    pass


def gone_server(shell: Shell) -> None:
    shell.env["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1"
    shell.env["OPENAI_API_KEY"] = "sk-nobody-reads-this"


@dataclass(frozen=True)
class Case:
    """A call, how it ends, and what it says."""

    words: Sequence[str]
    code: int
    error: str = ""
    stderr: str = ""
    before: Callable[[Shell], None] = nothing
    filled: bool = False
    stdin: str = ""
    keys: set[str] = field(default_factory=set)


CASES = {
    "add": Case(["rag", "add", "a.md", "--yes"], 0, keys={"results"}),
    "add_again": Case(["rag", "add", "a.md", "--yes"], 0, filled=True, keys={"results"}),
    "add_some_fail": Case(["rag", "add", "a.md", "none.md", "--yes"], 1, keys={"results"}),
    "add_no_terminal": Case(["rag", "add", "a.md"], 3, "refused", "--yes"),
    "add_piped_yes": Case(["rag", "add", "a.md"], 3, "refused", "--yes", stdin="y\n"),
    "add_denied": Case(
        ["rag", "add", "a.md", "--yes"], 3, "refused", "权限拒绝：工具 rag_add 不允许执行\n", deny
    ),
    "add_denied_asking": Case(
        ["rag", "add", "a.md"], 3, "refused", "权限拒绝：工具 rag_add 不允许执行\n", deny
    ),
    "add_nothing": Case(["rag", "add", "--yes"], 2, "usage", "SRC"),
    "add_odd_home": Case(["rag", "add", "a.md", "--yes"], 1, "config_error", "GeekAgent.json", odd_home),
    "search": Case(["rag", "search", "鲸鱼"], 0, filled=True, keys={"query", "hits"}),
    "search_empty_base": Case(["rag", "search", "鲸鱼"], 0, keys={"query", "hits"}),
    "search_most": Case(["rag", "search", "鲸鱼", "-k", "1000"], 0, filled=True, keys={"query", "hits"}),
    "search_odd_bytes": Case(["rag", "search", "鲸\udcff\u202e鱼"], 0, filled=True, keys={"query", "hits"}),
    "search_k_0": Case(
        ["rag", "search", "a", "-k", "0"], 2, "usage", "N 必须是 1 到 1000 的整数，而不是「0」"
    ),
    "search_k_minus": Case(["rag", "search", "a", "-k=-1"], 2, "usage", "1 到 1000"),
    "search_k_x": Case(["rag", "search", "a", "-k", "x"], 2, "usage", "「x」"),
    "search_k_1001": Case(["rag", "search", "a", "-k", "1001"], 2, "usage", "「1001」"),
    "search_k_huge": Case(["rag", "search", "a", "-k", "9" * 23], 2, "usage", "9" * 23),
    "search_k_endless": Case(["rag", "search", "a", "-k", "9" * 9000], 2, "usage", "1 到 1000"),
    "search_no_query": Case(["rag", "search"], 2, "usage", "QUERY"),
    "search_blank": Case(["rag", "search", " "], 2, "usage", "检索词是空的\n"),
    "search_odd_date": Case(["rag", "search", "a", "--since", "gestern"], 2, "usage", "「gestern」"),
    "search_far_date": Case(["rag", "search", "a", "--until", "99999w"], 0, keys={"query", "hits"}),
    "search_odd_tag": Case(["rag", "search", "a", "--tag", "x,%s"], 2, "usage", "「x,%s」里不能有逗号"),
    "search_not_selected": Case(
        ["rag", "search", "鲸鱼", "--tag", "无", "--source", "a.md", "--kind", "md", "--per-document", "1"],
        0,
        filled=True,
        keys={"query", "hits"},
    ),
    "add_odd_tag": Case(["rag", "add", "a.md", "--tag", "", "--yes"], 2, "usage", "标签是空的"),
    "tag": Case(["rag", "tag", "a.md", "--add", "读书"], 0, filled=True, keys={"results"}),
    "tag_unknown": Case(["rag", "tag", "a.md", "b.md"], 1, filled=True, keys={"results"}),
    "tags": Case(["rag", "tag"], 0, filled=True, keys={"tags"}),
    "tag_nothing": Case(["rag", "tag", "--add", "x"], 2, "usage", "来源"),
    "list_not_selected": Case(["rag", "list", "--until", "1d"], 0, filled=True, keys={"sources"}),
    "remove_nothing": Case(["rag", "remove"], 2, "usage", "--tag"),
    "remove_no_such_tag": Case(["rag", "remove", "--tag", "无"], 1, "unknown_tag", "无\n", filled=True),
    "sync_no_such_tag": Case(["rag", "sync", "--tag", "无"], 1, "unknown_tag", "无\n", filled=True),
    "list": Case(["rag", "list"], 0, filled=True, keys={"sources"}),
    "list_malformed_settings": Case(
        ["--trust", "rag", "list"], 1, "config_error", "GeekAgent.json", malformed
    ),
    "stats": Case(["rag", "stats"], 0, filled=True, keys={"documents", "passages", "characters", "sources"}),
    "show": Case(
        ["rag", "show", "./a.md"], 0, filled=True, keys={"id", "title", "source", "text", "passages"}
    ),
    "show_unknown": Case(["rag", "show", "b.md"], 1, "unknown_document", "b.md"),
    "remove": Case(["rag", "remove", "a.md"], 0, filled=True, keys={"results"}),
    "remove_unknown": Case(["rag", "remove", "a.md", "b.md"], 1, filled=True, keys={"results"}),
    "eval": Case(
        ["rag", "eval", "q.jsonl"],
        0,
        filled=True,
        keys={"questions", "recall@1", "recall@4", "recall@10", "mrr@10"},
    ),
    "eval_no_file": Case(["rag", "eval", "none.jsonl"], 1, "question_file", "none.jsonl"),
    "ask": Case(["ask", "触发阈值是多少？"], 0, filled=True, keys={"answer", "citations", "tools"}),
    "ask_stdin": Case(["ask", "-"], 0, stdin="触发阈值是多少？", keys={"answer", "citations", "tools"}),
    "ask_empty": Case(["ask", "-"], 2, "usage", "问题是空的\n", stdin=" \n"),
    "ask_nobody": Case(["ask", "鲸鱼"], 1, "model_error", "", gone_server),
    "ask_nothing": Case(["ask"], 2, "usage", "question"),
    "ask_malformed_settings": Case(
        ["--trust", "ask", "鲸鱼"], 1, "config_error", "GeekAgent.json", malformed
    ),
    "no_action": Case(["rag"], 2, "usage", "ACTION"),
    "odd_action": Case(["rag", "dance"], 2, "usage", "dance"),
    "odd_option": Case(["rag", "list", "--dance"], 2, "usage", "--dance"),
    "no_abbreviations": Case(["rag", "add", "a.md", "--ye"], 2, "usage", "--ye"),
    "odd_language": Case(["rag", "list", "--lang", "fr"], 2, "usage", "fr"),
    "no_workspace": Case(["rag", "list", "--workspace", "none"], 2, "no_workspace", "none\n"),
    "two_workspaces": Case(["rag", "list", "--workspace", ".", "--personal"], 2, "usage", "--personal"),
}


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "text"])
@pytest.mark.parametrize("name", CASES)
def test_every_exit(shell: Shell, base: Path, name: str, as_json: bool) -> None:
    case = CASES[name]
    if case.filled:
        shutil.copytree(base, shell.folder / ".geekagent")
    case.before(shell)
    (shell.folder / "q.jsonl").write_text(json.dumps(GOOD), "utf-8")
    ran = shell(*case.words, *(["--json"] if as_json else []), stdin=case.stdin)

    assert ran.returncode == case.code, ran.stderr
    assert case.stderr in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "出错了" not in ran.stderr
    if case.error:
        assert ran.stderr
    if not as_json:
        assert bool(ran.stdout) is not bool(case.error)
        return
    assert ran.stdout.count("\n") == 1
    value = json.loads(ran.stdout)
    if case.error:
        assert value.keys() == {"error"}
        assert value["error"].keys() == {"code", "message"}
        assert value["error"]["code"] == case.error
        assert value["error"]["message"].splitlines()[-1] in ran.stderr
    else:
        assert value.keys() == case.keys
    if case.code in {2, 3}:
        made = shell.folder / ".geekagent"
        assert case.before is deny or not made.exists()
        assert not (made / "rag").exists()


def value_of(shell: Shell, *words: str) -> Any:
    return json.loads(shell(*words, "--json").stdout)


def test_the_shapes_of_what_is_answered(shell: Shell) -> None:
    title = "鲸鱼"
    (added, failed) = value_of(shell, "rag", "add", "./a.md", "b.md", "--yes")["results"]
    assert added.keys() == failed.keys() == RESULT
    assert (added["source"], added["state"], added["title"], added["reason"]) == ("a.md", "added", title, "")
    assert (failed["source"], failed["state"]) == ("b.md", "failed")
    assert "b.md" in failed["reason"]

    shown = value_of(shell, "rag", "show", "a.md")
    text = shown["text"]
    assert (shown["id"], shown["title"], shown["source"]) == (added["id"], title, "a.md")
    for number, passage in enumerate(shown["passages"], start=1):
        assert passage.keys() == {"passage", "start", "text", "heading"}
        assert passage["passage"] == number
        assert text[passage["start"] :].startswith(passage["text"])

    found = value_of(shell, "rag", "search", "触发阈值", "-k", "1")
    (hit,) = found["hits"]
    assert hit.keys() == HIT
    assert found["query"] == "触发阈值"
    assert (hit["id"], hit["source"], hit["passage"]) == (added["id"], "a.md", 1)
    assert text[hit["start"] :].startswith(hit["text"])

    listed, stats = value_of(shell, "rag", "list"), value_of(shell, "rag", "stats")
    (document,) = listed["sources"]
    assert document.keys() == DOCUMENT
    assert document["status"] == "indexed"
    assert stats["sources"] == listed["sources"]
    assert (stats["documents"], stats["passages"]) == (1, added["passages"])
    assert stats["characters"] == added["characters"] == len(text)

    asked = value_of(shell, "ask", "触发阈值是多少？")
    assert "4000" in asked["answer"]
    assert asked["citations"][0]["source"] == "a.md"
    assert {tool["name"] for tool in asked["tools"]} == {"rag_search"}

    assert value_of(shell, "rag", "eval", str(questions(shell)))["recall@1"] == 1.0
    (removed,) = value_of(shell, "rag", "remove", str(shell.folder / "a.md"))["results"]
    assert (removed["state"], removed["source"]) == ("removed", "a.md")
    assert value_of(shell, "rag", "list") == {"sources": []}


def questions(shell: Shell) -> Path:
    file = shell.folder / "q.jsonl"
    file.write_text(json.dumps(GOOD), "utf-8")
    return file


class Slow(BaseHTTPRequestHandler):
    """Never answers, until it is let go."""

    asked = threading.Event()
    let_go = threading.Event()

    def do_GET(self) -> None:
        self.asked.set()
        self.let_go.wait(60)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        """Say nothing on stderr."""


@pytest.fixture
def slow() -> Iterator[str]:
    Slow.asked.clear()
    Slow.let_go.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/slow.html"
        Slow.let_go.set()
        server.shutdown()
        thread.join()


def test_a_line_is_there_as_soon_as_it_is_durable_and_ctrl_c_keeps_it(shell: Shell, slow: str) -> None:
    with shell.start("rag", "add", "a.md", slow, "--yes") as adding:
        assert adding.stdout is not None
        assert adding.stdout.readline().startswith("[已加入知识库：《鲸鱼》")  # while the page is waited for
        assert value_of(shell, "rag", "list")["sources"][0]["source"] == "a.md"
        assert Slow.asked.wait(30)
        shell.interrupt(adding)
        rest, told = adding.communicate(timeout=30)
    assert adding.returncode == 130
    assert "取消" in rest
    assert told == ""


def test_ctrl_c_while_adding_still_gives_one_value(shell: Shell, slow: str) -> None:
    with shell.start("rag", "add", "a.md", slow, "--yes", "--json") as adding:
        assert Slow.asked.wait(30)
        shell.interrupt(adding)
        written, _told = adding.communicate(timeout=30)
    assert adding.returncode == 130
    assert written.count("\n") == 1
    results = json.loads(written)["results"]
    assert {result["source"] for result in results} == {"a.md", slow}
    assert {result["state"] for result in results} <= {"added", "cancelled"}


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "text"])
def test_ctrl_c_while_a_model_is_waited_for(shell: Shell, slow: str, as_json: bool) -> None:
    shell.env["OPENAI_BASE_URL"] = slow.rpartition("/")[0]
    with shell.start("ask", "鲸鱼", *(["--json"] if as_json else [])) as asking:
        assert Slow.asked.wait(30)
        shell.interrupt(asking)
        written, told = asking.communicate(timeout=30)
    assert asking.returncode == 130
    assert "已中断" in told
    if as_json:
        assert json.loads(written)["error"].keys() == {"code", "message"}
    else:
        assert written == ""


def test_the_screen_needs_a_terminal(shell: Shell) -> None:
    ran = shell()
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "TTY" in ran.stderr


@pytest.mark.parametrize("word", ["--version", "--help", "--log"])
def test_questions_about_the_program_itself(shell: Shell, word: str) -> None:
    ran = shell(word)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "geekagent" in ran.stdout


def test_words_behind_two_dashes_are_no_options(shell: Shell) -> None:
    ran = shell("rag", "show", "--", "--json")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "--json" in ran.stderr


@pytest.mark.parametrize(
    ("closed", "words", "code"),
    [
        (">&-", ["list"], 0),
        (">&-", ["list", "--json"], 0),
        ("2>&-", ["show", "b.md"], 1),
        ("<&-", ["add", "a.md"], 3),
        ("<&- >&- 2>&-", ["add", "a.md", "--yes"], 0),
        (">/dev/full", ["list", "--json"], 1),
    ],
)
def test_streams_that_are_closed_or_full(shell: Shell, closed: str, words: list[str], code: int) -> None:
    command = ["sh", "-c", f'exec "$0" -m geekagent_tui rag "$@" {closed}', sys.executable, *words]
    ran = subprocess.run(command, cwd=shell.folder, env=shell.env, capture_output=True, check=False)
    assert ran.returncode == code
    assert ran.stderr.count(b"\n") == (closed in {"<&-", ">/dev/full"})
    assert not (shell.home / ".local/state/geekagent/log/geekagent.log").exists() or "full" in closed


def test_a_closed_pipe_ends_quietly(shell: Shell, base: Path) -> None:
    shutil.copytree(base, shell.folder / ".geekagent")
    with shell.start("rag", "show", "a.md") as showing:
        assert showing.stdout is not None
        showing.stdout.close()
        assert showing.stderr is not None
        assert showing.stderr.read() == ""
    assert showing.returncode == 141
