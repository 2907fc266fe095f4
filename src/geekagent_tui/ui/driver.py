"""Textual's driver, made to outlive what a terminal may send."""

from __future__ import annotations

import logging
from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from functools import partial

from textual.drivers import linux_driver

_TRIES = 100
"""Inputs that may break the reading before it is given up."""

_log = logging.getLogger(__name__)


def _forgiving(encoding: str) -> Callable[[], IncrementalDecoder]:
    """The decoder that takes what is not UTF-8 for U+FFFD."""
    return partial(getincrementaldecoder(encoding), "replace")


class TerminalDriver(linux_driver.LinuxDriver):
    """Reads on after input that can't be understood, and tells when there is nothing to read from.

    Textual (8.2.8) decodes strictly, and its thread ends at the first byte that is not UTF-8, as old mouse
    reports have beyond column 95; the application then leaves without a word, with exit code 0.
    """

    def _run_input_thread(self) -> None:
        linux_driver.getincrementaldecoder = _forgiving  # type: ignore[assignment,attr-defined]
        for left in reversed(range(_TRIES)):
            try:
                self.run_input_thread()
            except OSError:  # EIO: the terminal is gone
                self._app.call_later(self._app.exit)
            except Exception as error:
                if left:
                    _log.warning("input that could not be read", exc_info=True)
                    continue
                self._app.call_later(self._app._handle_exception, error)
            return
