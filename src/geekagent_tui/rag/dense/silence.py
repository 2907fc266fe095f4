"""Leaving a server alone for a while when it did not answer in time: not every search is to wait for it."""

from __future__ import annotations

import math
import time

SECONDS = 30.0
"""How long it is not asked again."""


class Silence:
    """Whether somebody was silent just now."""

    def __init__(self) -> None:
        self._until = -math.inf

    @property
    def lasts(self) -> bool:
        """Whether it is not to be asked yet."""
        return time.monotonic() < self._until

    def begin(self) -> None:
        """It did not answer in time."""
        self._until = time.monotonic() + SECONDS

    def end(self) -> None:
        """It has answered, if late."""
        self._until = -math.inf
