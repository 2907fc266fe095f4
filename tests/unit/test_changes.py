"""Undo and redo: a turn at a time, never over somebody's own edit, bounded, safe against a broken history."""

from __future__ import annotations

from pathlib import Path

import pytest

from geekagent_tui.agent.change_log import ChangeLog
from geekagent_tui.agent.changes import Change, Changes, Turned
from geekagent_tui.agent.confined import PathError
from support.tooling import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


async def test_a_turn_is_undone_and_redone_as_one(bench: Workbench) -> None:
    first = bench.put("a.txt", "one")
    await bench.call("write", path="a.txt", content="two")
    await bench.call("write", path="new/deep/b.txt", content="b")
    await bench.call("patch", path="a.txt", hunks=[{"old": "two", "new": "three"}])
    bench.turn = "2"
    await bench.call("write", path="a.txt", content="four")
    assert bench.changes.undo() == Turned("改一改", ("a.txt",), done=True)
    assert first.read_text() == "three"
    assert bench.changes.undo() == Turned("改一改", ("a.txt", "new/deep/b.txt"), done=True)
    assert first.read_text() == "one"
    assert not (bench.root / "new").exists()
    assert bench.changes.undo() == Turned()
    bench.changes.redo()
    bench.changes.redo()
    assert first.read_text() == "four"
    assert (bench.root / "new/deep/b.txt").read_text() == "b"
    assert bench.changes.redo() == Turned()


async def test_permissions_and_bytes_come_back(bench: Workbench) -> None:
    file = bench.put("run.sh", "中文内容在这里，第一行。\r\n".encode("gb18030"))
    file.chmod(0o755)
    before = file.read_bytes()
    await bench.call("write", path="run.sh", content="x\n")
    bench.changes.undo()
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o755


async def test_a_file_edited_since_is_left_alone(bench: Workbench) -> None:
    file = bench.put("a.txt", "one")
    await bench.call("write", path="a.txt", content="two")
    await bench.call("write", path="b.txt", content="b")
    file.write_text("by hand")
    assert bench.changes.undo() == Turned("改一改", ("a.txt", "b.txt"), ("a.txt",))
    assert file.read_text() == "by hand"
    assert (bench.root / "b.txt").exists()
    assert bench.changes.undo(force=True) == Turned("改一改", ("a.txt", "b.txt"), done=True)
    assert file.read_text() == "one"
    bench.changes.redo()
    assert file.read_text() == "by hand"


async def test_a_made_file_with_new_content_is_not_removed(bench: Workbench) -> None:
    await bench.call("write", path="b.txt", content="b")
    (bench.root / "b.txt").write_text("mine now")
    assert bench.changes.undo().edited == ("b.txt",)
    assert (bench.root / "b.txt").read_text() == "mine now"


async def test_a_file_edited_after_an_undo_is_not_redone_over(bench: Workbench) -> None:
    file = bench.put("a.txt", "one")
    await bench.call("write", path="a.txt", content="two")
    bench.changes.undo()
    file.write_text("by hand")
    assert bench.changes.redo().edited == ("a.txt",)
    assert bench.changes.redo(force=True).edited == ()
    assert file.read_text() == "two"
    bench.changes.undo()
    assert file.read_text() == "by hand"


async def test_a_folder_with_something_else_in_it_stays(bench: Workbench) -> None:
    await bench.call("write", path="new/deep/b.txt", content="b")
    bench.put("new/mine", "x")
    bench.changes.undo()
    assert [path.name for path in (bench.root / "new").iterdir()] == ["mine"]


async def test_a_refused_or_failed_write_leaves_no_trace(bench: Workbench) -> None:
    await bench.call("write", path="a.txt", content="one")
    bench.refuse()
    await bench.call("write", path="a.txt", content="two")
    change = Change("a.txt", b"one", b"two")
    with pytest.raises(PathError), bench.changes.remembered(change):
        raise PathError("disk full")
    bench.changes.undo()
    assert not (bench.root / "a.txt").exists()
    assert bench.changes.undo() == Turned()


async def test_a_change_that_was_never_made_is_no_obstacle(bench: Workbench, tmp_path: Path) -> None:
    """A crash right after the change was noted and before it was made."""
    file = bench.put("a.txt", "one")
    log = ChangeLog(tmp_path / "undo")
    with Changes(log, bench.confined, lambda: ("s#1", "x")).remembered(Change("a.txt", b"one", b"two")):
        pass
    assert bench.changes.undo() == Turned("x", ("a.txt",), done=True)
    assert file.read_text() == "one"


async def test_something_new_ends_what_could_be_redone(bench: Workbench) -> None:
    await bench.call("write", path="a.txt", content="one")
    bench.changes.undo()
    await bench.call("write", path="b.txt", content="b")
    assert bench.changes.redo() == Turned()
    assert bench.changes.undo().paths == ("b.txt",)


async def test_undo_does_not_follow_links_made_since(bench: Workbench, tmp_path: Path) -> None:
    bench.put("sub/a.txt", "one")
    await bench.call("write", path="sub/a.txt", content="two")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("two")
    (bench.root / "sub").rename(bench.root / "moved")
    (bench.root / "sub").symlink_to(outside)
    with pytest.raises(PathError):
        bench.changes.undo()
    (bench.root / "sub").unlink()
    (bench.root / "sub").symlink_to("moved")
    with pytest.raises(PathError):
        bench.changes.undo()
    assert (outside / "a.txt").read_text() == "two"


async def test_what_is_kept_is_bounded_and_only_the_owners(bench: Workbench, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    changes = Changes(ChangeLog(folder, limit=1000), bench.confined, lambda: (bench.turn, "x"))
    before: bytes | None = None
    for number in range(10):
        bench.turn = str(number)
        after = bytes([65 + number]) * 300
        with changes.remembered(Change("a.txt", before, after)):
            bench.put("a.txt", after)
        before = after
    contents = list((folder / "contents").iterdir())
    assert sum(file.stat().st_size for file in contents) <= 1000
    assert {path.stat().st_mode & 0o077 for path in (folder, folder / "changes.json", *contents)} == {0}
    assert changes.undo().paths == ("a.txt",)
    assert (bench.root / "a.txt").read_bytes() == b"I" * 300


@pytest.mark.parametrize(
    "broken",
    [
        b"{",
        b"[]",
        b'{"done": 1, "groups": [{"key": "1", "label": "", "entries": [{}]}]}',
        b'{"done": 1, "groups": [{"key": "1", "label": "", "entries": [{"path": "a.txt", "before": "../../x",'
        b' "after": null, "mode": null, "folders": 0}]}]}',
        b'{"done": 1, "groups": [{"key": "1", "label": "", "entries": [{"path": "a.txt", "before": null,'
        b' "after": null, "mode": -1, "folders": 0}]}]}',
        b"\xff",
    ],
)
async def test_a_broken_history_is_set_aside(bench: Workbench, tmp_path: Path, broken: bytes) -> None:
    await bench.call("write", path="a.txt", content="one")
    (tmp_path / "undo" / "changes.json").write_bytes(broken)
    with pytest.raises(PathError, match="撤销记录格式无效"):
        bench.changes.undo()
    assert bench.changes.undo() == Turned()
    assert list((tmp_path / "undo").glob("changes.json.broken-*"))
    await bench.call("write", path="a.txt", content="two")
    bench.changes.undo()
    assert (bench.root / "a.txt").read_text() == "one"


async def test_a_damaged_content_is_not_written(bench: Workbench, tmp_path: Path) -> None:
    file = bench.put("a.txt", "one")
    await bench.call("write", path="a.txt", content="two")
    for content in (tmp_path / "undo" / "contents").iterdir():
        content.write_bytes(b"rotten")
    with pytest.raises(ValueError, match=r"[0-9a-f]{64}"):
        bench.changes.undo()
    assert file.read_text() == "two"
