"""What is neither text nor a document, and documents that need a password."""

from __future__ import annotations

from geekagent_tui.rag.extract.package import encrypted
from geekagent_tui.rag.failures import not_text
from geekagent_tui.rag.raw import Raw
from geekagent_tui.rag.sniff import binary_type

_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")  # [MS-OFFCRYPTO] §1.3.2


def refuse(raw: Raw) -> None:
    """Refuse bytes that no extractor reads.

    Raises:
        SourceError: Names the format.
    """
    kind = binary_type(raw.data)
    if kind == "Office 97" and _ENCRYPTED_OFFICE in raw.data:
        raise encrypted("Office")
    if kind:
        raise not_text(raw.name, kind)
