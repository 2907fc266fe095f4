"""No cell of a table is lost, however narrow the chat is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from geekagent_tui.ui.widgets.markdown_table import draw
from support.pilot import EventSource, running, screen_text, shows, wait_until

LONG = "这一列的说明很长，" * 12 + "完"
TABLE = f"| 名称 | 说明 | 状态 |\n|---|---|---|\n| alpha | {LONG} | ready |\n| beta | 短 | 停用 |\n"
CELLS = st.lists(st.text("ab 中文字", max_size=30), min_size=3, max_size=3)


@given(st.lists(CELLS, min_size=1, max_size=4), st.integers(4, 70))
def test_every_cell_is_drawn_within_the_width(rows: list[list[str]], width: int) -> None:
    headers = [Content(word) for word in ("甲", "乙", "丙")]
    lines = draw(headers, [[Content(cell) for cell in row] for row in rows], width)
    assert all(line.cell_length <= width for line in lines)
    drawn = sorted("".join(line.plain for line in lines))
    told = [letter for row in rows for cell in row for letter in cell if not letter.isspace()]
    assert [letter for letter in drawn if letter in "ab中文字"] == sorted(told)


@pytest.mark.parametrize("streamed", [False, True])
async def test_narrow_columns_keep_their_words(streamed: bool) -> None:
    core = EventSource()
    async with running(core.open, size=(60, 40)) as pilot:
        if streamed:
            from geekagent_tui.agent import events as ev

            for line in TABLE.splitlines(keepends=True):
                core.publish(ev.AnswerDelta(line))
        else:
            core.say("assistant", TABLE)
        await wait_until(pilot, shows(pilot, "名称", "状态", "alpha", "ready", "beta", "停用", "完"))
        text = screen_text(pilot.app)
        assert "".join(text.split()).count("说明很长") >= 1
