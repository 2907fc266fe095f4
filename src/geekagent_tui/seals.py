"""Seals: how what was written here is told from what came with a folder.

A repository or an archive may hold a `.geekagent/` with the right names, modes and owner. A seal is made with
a secret outside of every workspace, for one folder, so that nothing from elsewhere can have one. What has
none may be used all the same, but not as the user's own. Everything here blocks.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import logging
import os
import secrets
from pathlib import Path

from geekagent_tui.files import locked, private_folder, write_atomically
from geekagent_tui.paths import seal_key

_KEY_BYTES = 32
_log = logging.getLogger(__name__)


def secret(file: Path) -> bytes:
    """The secret; a new one makes all that was sealed before worthless.

    Raises:
        OSError: There is none and it can't be made.
    """
    with contextlib.suppress(OSError):
        key = file.read_bytes()
        if len(key) == _KEY_BYTES:
            return key
    folder = private_folder(file.parent)
    with locked(folder / f"{file.name}.lock"):
        if not file.exists() or file.stat().st_size != _KEY_BYTES:
            write_atomically(file, secrets.token_bytes(_KEY_BYTES))
        return file.read_bytes()


class Seals:
    """The seals of one kind of thing in one folder.

    Args:
        kind: What is sealed; no seal holds for another kind.
        folder: Where it lies; a copy elsewhere has no seal.
    """

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind = kind
        self._folder = folder
        self._key: bytes | None = None

    def seal(self, text: str) -> str:
        """The seal of a text; "" when there is no place for the secret, which fits nothing."""
        try:
            self._key = self._key or secret(seal_key())
        except OSError:
            _log.exception("no secret to seal with")
            return ""
        place = os.path.realpath(self._folder)
        parts = (self._kind, place, text)
        data = b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)
        return hmac.new(self._key, data, hashlib.sha256).hexdigest()

    def fits(self, seal: object, text: str) -> bool:
        """Whether this is the text's seal."""
        if not isinstance(seal, str) or not seal.isascii():
            return False
        own = self.seal(text)
        return bool(own) and hmac.compare_digest(seal, own)
