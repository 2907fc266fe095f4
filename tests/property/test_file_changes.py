"""Patches keep every byte they do not mean, and undo is the way back from any sequence of writes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geekagent_tui.agent.change_log import ChangeLog
from geekagent_tui.agent.changes import Change, Changes
from geekagent_tui.agent.confined import Confined, PathError
from geekagent_tui.agent.tools.base import ToolError
from geekagent_tui.agent.tools.files_patch import Hunk, patched
from geekagent_tui.agent.tools.files_shown import unified_diff
from geekagent_tui.agent.tools.files_text import TextFile, decoded, with_line_ends

LINES = st.lists(st.text("ab 中é😀\t", max_size=6), min_size=1, max_size=8)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"])


def places(text: str, piece: str) -> int:
    """How often a piece occurs, overlapping places as well."""
    return sum(text.startswith(piece, start) for start in range(len(text)))


@given(lines=LINES, end=st.sampled_from(["\n", "\r\n", "\r"]), encoding=ENCODINGS, data=st.data())
def test_a_patch_and_its_reverse_give_the_same_bytes(
    lines: list[str], end: str, encoding: str, data: st.DataObject
) -> None:
    before = end.join(lines).encode(encoding)
    file = decoded(before, "file")
    if not file.exact or file.text != end.join(lines):
        return  # another encoding explains these few bytes as well
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    old = "\n".join(lines[first : last + 1])
    new = "\n".join(["«new»", *data.draw(LINES)])
    try:
        after = file.encoded(patched(file, [Hunk(old, new)]))
    except ToolError:
        assert not old or places(with_line_ends(file.text, "\n"), old) != 1
        return
    changed = TextFile(patched(file, [Hunk(old, new)]), file.encoding, file.bom)
    assert changed.encoded(changed.text) == after
    if with_line_ends(changed.text, "\n").count(new) == 1 and (end in file.text or "\n" not in new):
        assert changed.encoded(patched(changed, [Hunk(new, old)])) == before


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode("utf-16")))
def test_what_is_exact_comes_back_byte_for_byte(data: bytes) -> None:
    try:
        file = decoded(data, "file")
    except PathError:
        return  # no text
    assert not file.exact or file.encoded(file.text) == data


@given(LINES, LINES)
def test_a_diff_tells_both_texts(before: list[str], after: list[str]) -> None:
    lines = unified_diff("\n".join(before), "\n".join(after), "x").split("\n")[2:]
    removed = [line[1:] for line in lines if line.startswith("-")]
    added = [line[1:] for line in lines if line.startswith("+")]
    assert len(added) - len(removed) == len("\n".join(after).splitlines()) - len(
        "\n".join(before).splitlines()
    )


STEP = st.one_of(
    st.tuples(st.just("write"), st.sampled_from("abc"), st.binary(max_size=3)),
    st.tuples(st.just("undo"), st.just(""), st.just(b"")),
    st.tuples(st.just("redo"), st.just(""), st.just(b"")),
    st.tuples(st.just("turn"), st.just(""), st.just(b"")),
)


class Model:
    """What undo should do: whole states, one for each turn."""

    def __init__(self) -> None:
        self.states: list[dict[str, bytes]] = [{}]
        self.place = 0
        self.open_turn = False

    def write(self, name: str, content: bytes) -> None:
        state = {**self.states[self.place], name: content}
        del self.states[self.place + 1 :]
        if self.open_turn and self.place:
            self.states[self.place] = state
        else:
            self.states.append(state)
            self.place += 1
        self.open_turn = True

    def move(self, by: int) -> None:
        self.place = min(max(0, self.place + by), len(self.states) - 1)


@settings(max_examples=40)
@given(st.lists(STEP, max_size=15))
def test_random_writes_and_undos_equal_a_model(steps: list[tuple[str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        root.mkdir()
        turn = 0
        changes = Changes(ChangeLog(Path(folder) / "undo"), Confined(root), lambda: (f"s#{turn}", ""))
        model = Model()
        for action, name, content in steps:
            file = root / f"sub-{name}" / name
            if action == "write":
                before = file.read_bytes() if file.exists() else None
                if before == content:
                    continue
                with changes.remembered(
                    Change(f"sub-{name}/{name}", before, content, folders=before is None)
                ):
                    file.parent.mkdir(exist_ok=True)
                    file.write_bytes(content)
                model.write(name, content)
            elif action == "turn":
                turn += 1
                model.open_turn = False
            else:
                # What is written after going back belongs to a turn of its own
                turn += 1
                model.open_turn = False
                assert (changes.undo() if action == "undo" else changes.redo()).edited == ()
                model.move(-1 if action == "undo" else 1)
            present = {path.name: path.read_bytes() for path in root.rglob("*") if path.is_file()}
            assert present == model.states[model.place]


def test_a_line_end_is_never_cut_in_half() -> None:
    file = decode_text("a\r\n\r\n\r\nb")
    assert patched(file, [Hunk("a\n\n\nb", "c\n")]) == "c\r\n"
    assert patched(file, [Hunk("\n\n\n", "\n")]) == "a\r\nb"
    with pytest.raises(ToolError, match="片段匹配到多处"):
        patched(file, [Hunk("\n\n", "\n")])


def decode_text(text: str) -> TextFile:
    return decoded(text.encode(), "file")
