"""What the renderer needs of an element; lxml's fit, and have no types of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol


class Element(Protocol):
    """An element of a parsed page."""

    @property
    def tag(self) -> object:
        """Its name; not a string for comments."""

    @property
    def text(self) -> str | None:
        """Text before the first child."""

    @property
    def tail(self) -> str | None:
        """Text after the element."""

    def get(self, name: str) -> str | None:
        """An attribute."""

    def items(self) -> Sequence[tuple[str, str]]:
        """All attributes."""

    def iter(self, *tags: str) -> Iterator[Element]:
        """It and all below it with one of these names."""

    def itertext(self) -> Iterator[str]:
        """All text in it."""

    def __iter__(self) -> Iterator[Element]: ...
