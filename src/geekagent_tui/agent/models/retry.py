"""When a request is sent again, and how long to wait before."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from geekagent_tui.agent.models.base import TransientError

ATTEMPTS = 4
"""Times a request is sent before the user is told that it failed."""
FIRST_WAIT = 1.0
"""Seconds before the second try; twice as long each time after."""
LONGEST_WAIT = 60.0
"""Seconds; a server that wants us to wait longer is reported at once."""

_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


def is_transient(status: int) -> bool:
    """Whether a server that answers with this HTTP status may take the same request later."""
    return status in _STATUSES


def wanted_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds a server asks for (RFC 9110 §10.2.3: a number or a date); None when it does not ask."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        if name not in headers:
            continue
        try:
            return max(0.0, float(headers[name]) / unit)
        except ValueError:
            pass
        try:
            return max(0.0, parsedate_to_datetime(headers[name]).timestamp() - time.time())
        except (ValueError, OverflowError):
            continue
    return None


def next_wait(error: TransientError, attempt: int) -> float | None:
    """Seconds until the next try; None when there is none.

    Args:
        error: How the try failed.
        attempt: Which try it was, from 0.
    """
    if attempt + 1 >= ATTEMPTS:
        return None
    if error.after is not None:
        return error.after if error.after <= LONGEST_WAIT else None
    # Jitter keeps many clients from coming back at the same moment.
    return FIRST_WAIT * 2.0**attempt * random.uniform(0.5, 1)  # noqa: S311  # hides nothing
