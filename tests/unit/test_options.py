"""Options among the words of a command."""

from __future__ import annotations

import pytest

from geekagent_tui.agent.commands.options import Parsed, parse


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a.md 'b c.md'", Parsed(("a.md", "b c.md"))),
        ('a.md --tag "x y"', Parsed(("a.md",), {"--tag": ("x y",)})),
        ("--tag=x a.md --prune", Parsed(("a.md",), {"--tag": ("x",)}, frozenset({"--prune"}))),
        ("a.md --tag", Parsed(("a.md",), incomplete="--tag")),
        ("a.md --tag= b", Parsed(("a.md",), incomplete="--tag")),
        ("--other x --prune=1", Parsed(("--other", "x", "--prune=1"))),
        ("", Parsed(())),
    ],
)
def test_a_line_is_taken_apart(line: str, expected: Parsed) -> None:
    assert parse(line, values=("--tag",), flags=("--prune",)) == expected


def test_the_last_value_counts() -> None:
    given = parse("--crawl 3 x --crawl 5", values=("--crawl",))
    assert (given.last("--crawl"), given.last("--tag"), given.words) == ("5", None, ("x",))
