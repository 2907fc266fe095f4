"""Estimates of a batch's end: a number that can be shown, or none."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from geekagent_tui.cli.progress import batch_parts, time_left
from geekagent_tui.rag.model import BatchProgress
from geekagent_tui.rag.progress import Estimate

_steps = st.lists(
    st.tuples(st.floats(-1, 1e6), st.floats(0, 1e5), st.integers(0, 100_000)), min_size=1, max_size=40
)


@given(_steps)
def test_it_is_never_nonsense(steps: list[tuple[float, float, int]]) -> None:
    estimate, now, done, total = Estimate(), 0.0, 0.0, 1
    for passed, more, grown in steps:
        now += passed
        total += grown
        done = min(done + more, total)
        left = estimate.update(now, done, total)
        assert left is None or (math.isfinite(left) and left >= 0)
        assert (left == 0) == (done == total)


@given(st.floats(0.01, 100), st.integers(20, 10_000))
def test_a_steady_pace_is_told_exactly(pace: float, total: int) -> None:
    estimate = Estimate()
    for done in range(min(total, 200)):
        left = estimate.update(done * pace, done, total)
        if done * pace >= 1 and done >= 2:
            assert left is not None
            assert math.isclose(left, (total - done) * pace, rel_tol=1e-6)
        else:
            assert left is None


def test_it_follows_a_change_of_pace() -> None:
    estimate, now = Estimate(), 0.0
    for done in range(500):
        now += 0.01
        left = estimate.update(now, done, 1000)
    assert left is not None
    assert 4 < left < 6
    for done in range(500, 530):
        now += 2.0
        left = estimate.update(now, done, 1000)
    assert left is not None
    assert 800 < left < 1000


def test_a_crawl_that_finds_more_than_it_does_has_no_end() -> None:
    estimate, total = Estimate(), 1
    for done in range(50):
        total += 3
        left = estimate.update(done * 0.5, done, total)
    assert left is None
    for done in range(50, 80):  # it has found all there is
        left = estimate.update(done * 0.5, done, total)
    assert left is not None
    assert 30 < left < 60


def test_a_stall_makes_it_longer() -> None:
    estimate = Estimate()
    for done in range(10):
        first = estimate.update(done, done, 100)
    later = estimate.update(40, 9, 100)
    assert first is not None
    assert later is not None
    assert later > 2 * first
    assert estimate.update(40 + 1e5, 9, 100) is None


def test_a_part_of_one_source_is_a_basis() -> None:
    estimate = Estimate()
    assert estimate.update(0.0, 0.0, 1) is None
    assert estimate.update(0.5, 0.3, 1) is None
    left = estimate.update(2.0, 0.5, 1)
    assert left is not None
    assert math.isclose(left, 2.0, rel_tol=0.1)


@given(st.floats(0, 30 * 86_400.0))
def test_every_estimate_has_words(seconds: float) -> None:
    assert time_left(seconds).startswith("剩余约 ")


def test_the_parts_of_the_line() -> None:
    assert batch_parts(BatchProgress(5, 12, 4096, 321, 1, 9.0, 11.2)) == [
        "41%",
        "5/12",
        "321 块",
        "1 个失败",
        "剩余约 12 秒",
    ]
    assert batch_parts(BatchProgress(0, 0, 0, 0, 0, 0.0)) == ["0%", "0/0"]
    assert [time_left(seconds) for seconds in (0.0, 59.2, 61, 3599, 7384)] == [
        "剩余约 1 秒",
        "剩余约 60 秒",
        "剩余约 2 分钟",
        "剩余约 60 分钟",
        "剩余约 2 小时 3 分",
    ]
