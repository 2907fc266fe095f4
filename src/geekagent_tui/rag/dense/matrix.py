"""All vectors in memory, compared with a question's: exact, by NumPy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from geekagent_tui.rag.dense import table
from geekagent_tui.rag.store import Store

_BLOCK = 8192
"""Rows that are made 32-bit floats together; half the memory, and a product in 16 bits would be slow."""


class Place(NamedTuple):
    """A passage."""

    document_id: int
    number: int


class Matrix:
    """One model's vectors; belongs to one thread.

    Args:
        name: What they are stored under.
        parts: How many a passage has.
    """

    def __init__(self, name: str, parts: int) -> None:
        self._name = name
        self._parts = parts
        self._version = -1
        self._revisions: dict[int, int] = {}
        self._rows: Any = None  # passages × parts × width, 16-bit floats
        self._documents: Any = None
        self._numbers: Any = None
        self._at: dict[Place, int] | None = None

    def __len__(self) -> int:
        return 0 if self._rows is None else len(self._rows)

    def refresh(self, store: Store) -> None:
        """Bring it to the database's state; cheap when nothing has changed."""
        version = table.version(store)
        if version == self._version:
            return
        with store.reading():
            now = table.valid(store, self._name)
            known = self._revisions
            if now != known:
                new = [id_ for id_, revision in now.items() if known.get(id_) != revision]
                stay = {id_ for id_, revision in known.items() if now.get(id_) == revision}
                self._take(stay, list(table.vectors(store, new)))
                self._revisions = now
        self._version = version

    def nearest(
        self, question: bytes, most: int, documents: Collection[int] | None = None
    ) -> list[tuple[Place, float]]:
        """The passages closest to a question, closest first.

        Args:
            question: A unit vector, 32-bit floats.
            most: How many.
            documents: Ids to search in; None for all.
        """
        import numpy as np

        if not len(self):
            return []
        similar = self._similarities(question, slice(None))
        if documents is not None:
            chosen = np.fromiter(documents, np.int64, len(documents))
            similar = np.where(np.isin(self._documents, chosen), similar, -np.inf)
        most = min(most, len(similar))
        best = np.argpartition(-similar, most - 1)[:most]
        best = best[np.isfinite(similar[best])]
        order = np.lexsort((self._numbers[best], self._documents[best], -similar[best]))
        return [(self._place(at), float(similar[at])) for at in best[order]]

    def similarities(self, question: bytes, places: Sequence[Place]) -> dict[Place, float]:
        """How close some passages are to a question; those without vectors are left out."""
        if not len(self):
            return {}
        if self._at is None:
            pairs = zip(self._documents.tolist(), self._numbers.tolist(), strict=True)
            self._at = {Place(*pair): at for at, pair in enumerate(pairs)}
        known = [(place, self._at[place]) for place in places if place in self._at]
        if not known:
            return {}
        found = self._similarities(question, [at for _place, at in known])
        return {place: float(value) for (place, _at), value in zip(known, found, strict=True)}

    def _place(self, at: int) -> Place:
        return Place(int(self._documents[at]), int(self._numbers[at]))

    def _similarities(self, question: bytes, at: slice | list[int]) -> Any:
        import numpy as np

        vector = np.frombuffer(question, "<f4")
        chosen = self._rows[at]
        if chosen.shape[2] != len(vector):  # the model answers otherwise than when the vectors were made
            return np.full(len(chosen), -np.inf, np.float32)
        found = np.empty(chosen.shape[:2], np.float32)
        for start in range(0, len(chosen), _BLOCK):
            block = chosen[start : start + _BLOCK].astype(np.float32)
            found[start : start + _BLOCK] = block @ vector
        return found.max(axis=1)

    def _take(self, stay: Collection[int], new: Sequence[table.Embedded]) -> None:
        """Keep some documents' vectors and add others'."""
        import numpy as np

        parts: list[tuple[Any, Any, Any]] = []
        if self._rows is not None and stay:
            keep = np.isin(self._documents, np.fromiter(stay, np.int64, len(stay)))
            parts.append((self._rows[keep], self._documents[keep], self._numbers[keep]))
        width = parts[0][0].shape[2] if parts else 0
        for document in new:
            rows = np.frombuffer(document.data, "<f2").reshape(document.passages, self._parts, -1)
            width = width or rows.shape[2]
            if rows.shape[2] == width:
                numbers = np.arange(1, document.passages + 1, dtype=np.int32)
                parts.append((rows, np.full(document.passages, document.id, np.int64), numbers))
        self._at = None
        if parts:
            self._rows, self._documents, self._numbers = (
                np.concatenate(pieces) for pieces in zip(*parts, strict=True)
            )
        else:
            self._rows = self._documents = self._numbers = None


@dataclass(frozen=True, slots=True)
class Near:
    """A question as a vector, and what to compare it with.

    Attributes:
        vector: A unit vector, 32-bit floats.
        weight: See `Encoder.weight`.
    """

    matrix: Matrix
    vector: bytes
    weight: float
