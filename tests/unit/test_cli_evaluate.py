"""`rag eval` and `rag search --explain` as a program sees them."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from geekagent_tui.cli.explain import explanation
from geekagent_tui.cli.output import Output
from geekagent_tui.rag.model import Hit
from support.shell import Shell

NOTES = Path(__file__).parents[2] / "assets" / "notes"
QUESTION = "这套笔记里，历史压缩相关的触发阈值是多少？"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_paragraphs(shell: Shell) -> None:
    paragraphs = [
        {"context": "鲸鱼在夜里唱歌。", "qas": [{"question": "谁在夜里唱歌？"}]},
        {
            "context": "灯塔照亮海面。",
            "qas": [{"question": "什么照亮海面？"}, {"question": "天气\u202e如何？"}],
        },
    ]
    (shell.folder / "q.json").write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}), "utf-8")

    ran = shell.rag("eval", "q.json", "--json", "--rankings", "r.jsonl")
    assert (ran.returncode, ran.stderr) == (0, "")
    third = 2 / 3
    assert json.loads(ran.stdout) == {
        "questions": 3,
        "recall@1": third,
        "recall@4": third,
        "recall@10": third,
        "mrr@10": third,
    }
    rankings = [json.loads(line) for line in (shell.folder / "r.jsonl").read_text().splitlines()]
    assert rankings == [{"ids": [0]}, {"ids": [1]}, {"ids": []}]

    ran = shell.rag("eval", "q.json", "--rankings", "r.jsonl")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "r.jsonl 已经存在，没有写入；要覆盖请加上 --force\n"
    assert shell.rag("eval", "q.json", "--rankings", "r.jsonl", "--force").returncode == 0

    ran = shell.rag("eval", "q.json")
    assert ran.stdout.splitlines() == [
        "3 个问题，2 个段落",
        "recall@1   0.6667",
        "recall@4   0.6667",
        "recall@10  0.6667",
        "MRR@10     0.6667",
        "",
        "前 10 条里没有答案的 1 个：",
        "- 天气如何？ → #1 灯塔照亮海面。",
    ]
    assert not (shell.folder / ".geekagent").exists()


def test_the_workspace_s_base_and_its_scores(shell: Shell) -> None:
    shutil.copytree(NOTES, shell.folder / "notes")
    assert shell.rag("add", "notes", "--yes").returncode == 0
    lines = [
        {"question": QUESTION, "source": "./notes/day5.html", "text": "4000"},
        {"question": QUESTION, "source": "notes/day9.html", "passage": 7, "text": "鲸鱼"},
    ]
    (shell.folder / "q.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")

    ran = shell.rag("eval", "q.jsonl", "--lang", "zh")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("2 个问题\nrecall@1   0.5000\n")
    assert ran.stdout.endswith(f"- {QUESTION} → notes/day9.html 第 7 段 “鲸鱼”\n")

    (shell.folder / "gone.jsonl").write_text('{"question": "a", "source": "gone.md"}', "utf-8")
    assert shell.rag("eval", "gone.jsonl").stderr == "1 个期望的来源不在知识库里：gone.md\n"

    plain, told = (
        json.loads(shell.rag("search", QUESTION, "--json", *more).stdout) for more in ((), ("--explain",))
    )
    assert all("shares" not in hit for hit in plain["hits"])
    for hit in told["hits"]:
        assert sum(hit["shares"].values()) == pytest.approx(hit["score"], rel=1e-4)
    table = shell.rag("search", QUESTION, "--explain").stdout.split("\n\n")[-1].splitlines()
    assert table[0].split()[:3] == ["得分", "词", "单字"]
    best = told["hits"][0]
    assert table[1].split()[:3] == ["1.", f"{best['score']:.3f}", f"{best['shares']['words']:.3f}"]
    assert len(table) == len(told["hits"]) + 1
    assert shell.rag("search", "你好", "--explain").stdout == "没有命中任何知识块\n"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["eval", "missing.jsonl"], "question_file", "打不开问题文件 missing.jsonl"),
        (["eval", "bad.jsonl"], "question_file", "第 2 行不是有效的 JSON"),
        (["eval", "good.jsonl"], "rag_error", "知识库还是空的"),
        (["eval", "good.json", "--rankings", "none/r.jsonl"], "not_written", "排名没有写入 none/r.jsonl"),
    ],
)
def test_errors_are_sentences(shell: Shell, words: list[str], code: str, told: str) -> None:
    good = '{"question": "a", "source": "b"}\n'
    (shell.folder / "good.jsonl").write_text(good)
    (shell.folder / "bad.jsonl").write_text(good + "{")
    (shell.folder / "good.json").write_text(
        '{"data": [{"paragraphs": [{"context": "a whale", "qas": [{"question": "whale"}]}]}]}'
    )
    ran = shell.rag(*words, "--json")
    assert ran.returncode == 1
    error = json.loads(ran.stdout)["error"]
    assert error["code"] == code
    assert told in error["message"]
    assert ran.stderr == error["message"] + "\n"


def test_the_table_is_aligned_whatever_is_in_it() -> None:
    def hit(score: float, **shares: float) -> Hit:
        return Hit(1, "t", "s", 1, 0, "text", "", score, shares)

    table = explanation([hit(12.5, title=0.5, words=10.0, vectors=2.0), hit(1.0, words=1.0)])
    assert table == "\n".join(
        (
            "      得分      词   标题  vectors",
            "1.  12.500  10.000  0.500    2.000",
            "2.   1.000   1.000      -        -",
        )
    )


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    fits = "a␛" + "鲸" * 38 + "…"  # 80 columns but for the last
    for stream, shown in ((io.StringIO(), ""), (Screen(), f"\r\x1b[2K{fits}\r\x1b[2K")):
        monkeypatch.setattr(sys, "stderr", stream)
        output = Output(as_json=True)
        output.progress("a\x1b" + "鲸" * 100)
        output.progress("")
        assert stream.getvalue() == shown
