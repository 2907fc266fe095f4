"""Moments as people type them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from geekagent_tui.i18n import _

_AGO = re.compile(r"(\d{1,5})([dw])\Z", re.ASCII)
_DAYS = {"d": 1, "w": 7}


def moment(text: str) -> datetime:
    """A day's beginning here, or a time some days or weeks ago.

    Raises:
        ValueError: It is neither; says how it is written.
    """
    try:
        if ago := _AGO.match(text):
            return datetime.now(UTC) - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
        return datetime.combine(date.fromisoformat(text), time()).astimezone().astimezone(UTC)
    except (ValueError, OverflowError):
        message = _("日期要写成 2026-11-30、7d（7 天前）或 2w（两周前），而不是「{text}」")
        raise ValueError(message.format(text=text)) from None
