"""All vectors in memory, compared with a question's: exact, by NumPy."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from geekagent_tui.rag.dense import table
from geekagent_tui.rag.store import Store

_BLOCK = 8192
"""Passages that are made 32-bit floats together: cheap from whole numbers, dear from 16-bit floats."""
_STEPS = 127
"""Each vector is kept as whole numbers up to this, and a factor: a quarter of the memory, and similarities
differ by 0.001 at most."""


_log = logging.getLogger(__name__)


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
        self._width = 0
        self._rows: Any = None  # passages × parts × width, 8-bit whole numbers
        self._factors: Any = None  # passages × parts
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
            centres = table.centres(store, self._name)
            width = centres.width if centres else 0
            now = table.valid(store, self._name) if width else {}
            known = self._revisions if width == self._width else {}
            if now != known or width != self._width:
                new = [id_ for id_, revision in now.items() if known.get(id_) != revision]
                stay = {id_ for id_, revision in known.items() if now.get(id_) == revision}
                self._take(stay, list(table.vectors(store, new)), width)
                self._revisions, self._width = now, width
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
        places: Any = slice(None)
        if documents is not None:
            chosen = np.fromiter(documents, np.int64, len(documents))
            places = np.flatnonzero(np.isin(self._documents, chosen))
        similar = self._similarities(question, places)
        if not len(similar):
            return []
        ids, numbers = self._documents[places], self._numbers[places]
        most = min(most, len(similar))
        best = np.argpartition(-similar, most - 1)[:most]
        best = best[np.isfinite(similar[best])]
        order = best[np.lexsort((numbers[best], ids[best], -similar[best]))]
        return [(Place(int(ids[at]), int(numbers[at])), float(similar[at])) for at in order]

    def similarities(self, question: bytes, places: Sequence[Place]) -> dict[Place, float]:
        """How close some passages are to a question; those without vectors are left out."""
        import numpy as np

        if not len(self):
            return {}
        if self._at is None:
            pairs = zip(self._documents.tolist(), self._numbers.tolist(), strict=True)
            self._at = {Place(*pair): at for at, pair in enumerate(pairs)}
        known = [(place, self._at[place]) for place in places if place in self._at]
        if not known:
            return {}
        found = self._similarities(question, np.array([at for _place, at in known]))
        return {place: float(value) for (place, _at), value in zip(known, found, strict=True)}

    def _similarities(self, question: bytes, at: Any) -> Any:
        import numpy as np

        vector = np.frombuffer(question, "<f4")
        rows, factors = self._rows[at], self._factors[at]
        if rows.shape[2] != len(vector):  # the model answers otherwise than when the vectors were made
            return np.full(len(rows), -np.inf, np.float32)
        found = np.empty(rows.shape[:2], np.float32)
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK].astype(np.float32)
            found[start : start + _BLOCK] = (block.reshape(-1, len(vector)) @ vector).reshape(block.shape[:2])
        return (found * factors).max(axis=1)

    def _take(self, stay: Collection[int], new: Sequence[table.Embedded], width: int) -> None:
        """Keep some documents' vectors and add others'; those that can't be vectors are left out."""
        import numpy as np

        parts: list[tuple[Any, ...]] = []
        if self._rows is not None and stay:
            keep = np.isin(self._documents, np.fromiter(stay, np.int64, len(stay)))
            parts.append((self._rows[keep], self._factors[keep], self._documents[keep], self._numbers[keep]))
        for document in new:
            steps = _steps(document, self._parts, width)
            if steps is None:
                _log.warning("the vectors of document %s are damaged", document.id)
                continue
            numbers = np.arange(1, document.passages + 1, dtype=np.int32)
            parts.append((*steps, np.full(document.passages, document.id, np.int64), numbers))
        self._at = None
        whole = [np.concatenate(pieces) for pieces in zip(*parts, strict=True)] if parts else [None] * 4
        self._rows, self._factors, self._documents, self._numbers = whole


def _steps(document: table.Embedded, parts: int, width: int) -> tuple[Any, Any] | None:
    """A document's vectors as whole numbers, and the factors that make them what they were.

    None when they are not what this program stored: the database may have come with the folder.
    """
    import numpy as np

    if len(document.data) != document.passages * parts * width * table.NUMBER:
        return None
    rows = np.frombuffer(document.data, "<f2").reshape(document.passages, parts, width).astype(np.float32)
    if not np.isfinite(rows).all():
        return None
    factors = np.maximum(np.abs(rows).max(axis=2), 1e-9) / _STEPS
    return np.rint(rows / factors[..., None]).astype(np.int8), factors


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
