"""The interface's languages.

Messages are written in Chinese in the code (they are the reference's own strings) and are the gettext
message ids; `locale/en` translates every one of them. `_` looks up at call time, so that the language can
change while the program runs: never call it at import time for a string that is kept.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping
from pathlib import Path

LANGUAGES = ("zh", "en")
_DOMAIN = "geekagent"
_LOCALE_DIR = Path(__file__).parent / "locale"

_current: gettext.NullTranslations = gettext.NullTranslations()
_language = "zh"


def detect_language(environ: Mapping[str, str] = os.environ) -> str:
    """Tell the interface's language from `LC_ALL`, `LC_MESSAGES`, `LANG`, the first that is set.

    Unset, `C`, `POSIX` and `C.UTF-8` mean Chinese, which comes first here; so does any Chinese locale. Every
    other locale gets English. The variables are read by hand because Python's `locale` module fails on names
    that the machine has not generated.
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(name, ""):
            base = value.split(".", 1)[0].split("@", 1)[0].lower()
            return "zh" if base in {"c", "posix"} or base.startswith("zh") else "en"
    return "zh"


def set_language(language: str) -> None:
    """Switch every later message to `language`, one of `LANGUAGES`.

    Raises:
        ValueError: The language is not one of `LANGUAGES`.
    """
    global _current, _language
    if language not in LANGUAGES:
        raise ValueError(f"unknown language: {language}")
    _language = language
    if language == "zh":
        _current = gettext.NullTranslations()
    else:
        _current = gettext.translation(_DOMAIN, _LOCALE_DIR, languages=[language])


def language() -> str:
    """The language that messages are in now."""
    return _language


def _(message: str) -> str:
    """The message in the current language."""
    return _current.gettext(message)


def ngettext(one: str, many: str, n: int) -> str:
    """The message for `n` things in the current language."""
    return _current.ngettext(one, many, n)
