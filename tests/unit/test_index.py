"""The index: commits, deletions, its revision, its lock, and what happens when it is broken."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from geekagent_tui.rag import analysis
from geekagent_tui.rag import index as index_module
from geekagent_tui.rag.analysis import Terms, analyse, analyse_query
from geekagent_tui.rag.index import Index, IndexBusyError, IndexedPassage
from geekagent_tui.rag.reader import IndexBrokenError

HOLD_THE_WRITER = """
import sys, tantivy
index = tantivy.Index.open(sys.argv[1])
writer = index.writer(15_000_000, 1)
print("locked", flush=True)
sys.stdin.read()
"""


def passage(
    document_id: int, text: str, number: int = 1, title: str = "", heading: str = ""
) -> IndexedPassage:
    return IndexedPassage(document_id, number, analyse(title), analyse(heading), analyse(text))


def found(index: Index, query: str, documents: list[int] | None = None) -> list[tuple[int, int]]:
    hits = index.search(analyse_query(query), 10, documents)
    return [(hit.document_id, hit.number) for hit in hits]


@contextmanager
def another_writer(folder: Path) -> Iterator[None]:
    command = [sys.executable, "-c", HOLD_THE_WRITER, str(folder / "segments")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield
        process.kill()


def test_a_new_index_is_fresh(tmp_path: Path) -> None:
    index = Index.open(tmp_path / "index")
    assert (index.fresh, index.revision, index.store_id, index.count()) == (True, 0, "", 0)
    assert found(index, "压缩") == []


def test_what_is_applied_is_found_and_kept(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply(
        [],
        [passage(1, "历史压缩的触发阈值"), passage(1, "压缩保留六条", 2), passage(2, "任务清单")],
        3,
        "store",
    )
    assert found(index, "触发阈值") == [(1, 1)]
    again = Index.open(tmp_path)
    assert (again.fresh, again.revision, again.store_id, again.count()) == (False, 3, "store", 3)
    assert sorted(found(again, "压缩")) == [(1, 1), (1, 2)]


def test_deleting_and_replacing_make_the_count_fall(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply(
        [], [passage(document, "压缩 阈值", number) for document in (1, 2) for number in (1, 2, 3)], 1, "s"
    )
    index.apply([1], [passage(2, "新的内容")], 2, "s")
    assert index.count() == 1
    assert found(index, "压缩") == []
    assert found(index, "新的内容") == [(2, 1)]


def test_applying_again_changes_nothing(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    for store in ("one", "two"):  # another store's id lets the same revision be applied again
        index.apply([7], [passage(1, "压缩"), passage(1, "压缩", 2)], 1, store)
        assert index.count() == 2


def test_an_older_revision_does_not_overwrite(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply([], [passage(1, "新文")], 5, "s")
    index.apply([1], [], 4, "s")
    assert (index.count(), index.revision) == (1, 5)


def test_rebuilding_replaces_everything_and_forgets_the_deleted(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply([], [passage(document, f"压缩 {document}") for document in range(1, 11)], 1, "s")
    index.apply([1, 2], [], 2, "s")
    assert index.tombstones() == pytest.approx(0.2)
    index.rebuild([passage(3, "别的")], 3, "s")
    assert (index.count(), index.tombstones(), found(index, "压缩")) == (1, 0.0, [])


def test_others_see_a_commit_after_reloading(tmp_path: Path) -> None:
    writer, other = Index.open(tmp_path), Index.open(tmp_path)
    writer.apply([], [passage(1, "压缩")], 1, "s")
    before = other.reader()
    assert other.count() == 0
    other.reload()
    assert (other.count(), other.revision, before.count()) == (1, 1, 0)


def test_searching_some_documents(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply([], [passage(document, "压缩阈值") for document in (1, 2, 3)], 1, "s")
    scores = {hit.document_id: hit.score for hit in index.search(analyse_query("压缩"), 10)}
    (only,) = index.search(analyse_query("压缩"), 10, [2])
    assert (only.document_id, only.score) == (2, scores[2])
    assert found(index, "压缩", [9]) == found(index, "压缩", []) == []


def test_titles_and_headings_are_searched(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply(
        [],
        [passage(1, "正文"), passage(2, "正文", title="压缩笔记"), passage(3, "正文", heading="压缩")],
        1,
        "s",
    )
    assert sorted(found(index, "压缩")) == [(2, 1), (3, 1)]
    shares = [hit.shares for hit in index.reader().search(analyse_query("压缩"), 10, explain=True)]
    assert sorted(map(list, shares)) == [["heading"], ["title"]]


def test_equal_scores_come_in_the_order_of_documents(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    for revision, document in enumerate((3, 1, 2), 1):
        index.apply([], [passage(document, "压缩")], revision, "s")
    assert found(index, "压缩") == [(1, 1), (2, 1), (3, 1)]


def test_a_pasted_page_is_searched_for_its_rarest_terms(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply([], [passage(1, "触发阈值"), passage(2, "常见文字")], 1, "s")
    assert found(index, " ".join(f"词{chr(0x4E00 + n)}语" for n in range(5000)) + "触发阈值")[0] == (1, 1)


def test_waiting_for_another_process_s_commit_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index.open(tmp_path)
    monkeypatch.setattr(index_module, "_LOCK_WAIT", 0.1)
    with another_writer(tmp_path), pytest.raises(IndexBusyError):
        index.apply([], [passage(1, "压缩")], 1, "s")
    index.apply([], [passage(1, "压缩")], 1, "s")  # its death set the lock free
    assert index.count() == 1


def test_the_lock_is_set_free_when_adding_fails(tmp_path: Path) -> None:
    index = Index.open(tmp_path)

    def failing() -> Iterator[IndexedPassage]:
        yield passage(1, "压缩")
        raise RuntimeError("the store is gone")

    with pytest.raises(RuntimeError):
        index.apply([], failing(), 1, "s")
    assert (index.count(), index.revision) == (0, 0)
    index.apply([], [passage(2, "压缩")], 1, "s")
    assert found(index, "压缩") == [(2, 1)]


@pytest.mark.parametrize("broken", ["segments/meta.json", "state.json", ".fast", ".term", ".fieldnorm"])
def test_a_broken_index_begins_anew(tmp_path: Path, broken: str) -> None:
    Index.open(tmp_path).apply([], [passage(1, "压缩")], 1, "s")
    for path in tmp_path.rglob(f"*{broken}") if broken[0] == "." else [tmp_path / broken]:
        path.write_bytes(b"\0broken")
    index = Index.open(tmp_path)
    assert (index.fresh, index.count()) == (True, 0)
    index.apply([], [passage(1, "压缩")], 1, "s")
    assert found(index, "压缩") == [(1, 1)]


def test_damage_seen_only_when_searching_is_reported(tmp_path: Path) -> None:
    Index.open(tmp_path).apply([], [passage(1, "压缩")], 1, "s")
    for path in tmp_path.rglob("*.pos"):
        path.unlink()
    index = Index.open(tmp_path)
    with pytest.raises(IndexBrokenError):
        found(index, "压缩")
    with pytest.raises(IndexBrokenError):
        index.apply([1], [], 2, "s")
    Index.discard(tmp_path)
    assert Index.open(tmp_path).fresh


def test_terms_of_another_version_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.open(tmp_path).apply([], [passage(1, "压缩")], 1, "s")
    monkeypatch.setattr(analysis, "VERSION", analysis.VERSION + 1)
    assert Index.open(tmp_path).fresh


def test_no_terms_find_nothing(tmp_path: Path) -> None:
    index = Index.open(tmp_path)
    index.apply([], [passage(1, "压缩")], 1, "s")
    assert index.search(Terms(), 10) == index.search(analyse_query("压缩"), 0) == []
