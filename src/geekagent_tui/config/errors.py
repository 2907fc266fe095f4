"""The one error of settings."""

from __future__ import annotations


class ConfigError(Exception):
    """Settings can't be used; `message` is a sentence that names the file and what to do about it."""

    code = "config_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
