"""What can go wrong in the knowledge base, as sentences a user can act on."""


class RagError(Exception):
    """Base of all errors of the rag service.

    Attributes:
        code: A short stable word for programs (the contract's `error.code`).
        message: A sentence in the user's language.
    """

    code = "rag_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SourceError(RagError):
    """A source can't be opened, fetched, decoded or used.

    Attributes:
        status: The HTTP status, when it is the reason.
        reason: What the message gives as the reason, a clause; empty when it is all one sentence.
    """

    code = "source_error"
    status: int | None = None
    reason: str = ""


class SkippedError(SourceError):
    """A page is left out on purpose; its message says why, as a whole sentence."""

    code = "skipped"


class GoneError(SourceError):
    """A source is not there any more: no such file, or HTTP 404 or 410."""

    code = "gone"


class UnmodifiedError(SourceError):
    """A web page is still what the request said was known (HTTP 304); never shown to anybody."""

    code = "unmodified"


class EmptyContentError(SourceError):
    """A source has no text."""

    code = "empty_content"


class TooLargeError(SourceError):
    """A source has more text or bytes than the limits allow."""

    code = "too_large"


class UnknownDocumentError(RagError):
    """No document has this id or source."""

    code = "unknown_document"


class StoreTooNewError(RagError):
    """The database was written by a newer version of the program."""

    code = "store_too_new"


class StoreError(RagError):
    """The database can't be opened, read or written."""

    code = "store_error"


class TagError(RagError):
    """A name can't be a tag."""

    code = "bad_tag"
