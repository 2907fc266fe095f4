"""The user's own `config.toml`. Nothing wrong in it keeps the program from starting; it is told instead."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geekagent_tui.config.connection import DEFAULT_CONTEXT_WINDOW, Connection, Place
from geekagent_tui.config.profiles import read_profiles
from geekagent_tui.config.retrieval import Embeddings, Reranking, embeddings, reranking
from geekagent_tui.i18n import LANGUAGES, _

_KNOWN: Mapping[str, Mapping[str, type]] = {
    "model": {"base_url": str, "api_key": str, "name": str, "context_window": int},
    "ui": {"theme": str, "language": str},
    "dense": {"model": str, "base_url": str, "api_key": str, "dimensions": int},
    "rerank": {"base_url": str, "api_key": str, "model": str},
}


@dataclass(frozen=True, slots=True)
class UserSettings:
    """What the file says, with defaults for the rest.

    Attributes:
        profiles: Further servers, by name.
        language: One of `LANGUAGES`, or "" for the terminal's.
        theme: "" for the default one.
        dense: Who makes vectors; None when documents are searched by their words alone.
        rerank: Who reorders what was found; None for nobody.
        notices: What was wrong, a sentence each.
    """

    place: Place
    context_window: int = DEFAULT_CONTEXT_WINDOW
    language: str = ""
    theme: str = ""
    dense: Embeddings | None = None
    rerank: Reranking | None = None
    notices: tuple[str, ...] = ()
    profiles: Mapping[str, Connection] = field(default_factory=dict)


def read_user_settings(file: Path, environ: Mapping[str, str] = os.environ) -> UserSettings:
    """Read `config.toml`; a missing file says nothing. The keys of profiles may be in the environment."""
    notices: list[str] = []
    content = _read(file, notices)
    profiles, told = read_profiles(content.pop("profiles", None), environ, file.name)
    tables = _checked(content, file, notices)
    model, ui = tables["model"], tables["ui"]
    window = model.get("context_window", DEFAULT_CONTEXT_WINDOW)
    if window <= 0:
        notices.append(_wrong(file, "model.context_window"))
        window = DEFAULT_CONTEXT_WINDOW
    language = ui.get("language", "")
    if language and language not in LANGUAGES:
        notices.append(_wrong(file, "ui.language"))
        language = ""
    dense, wrong = embeddings(tables["dense"])
    rerank, also_wrong = reranking(tables["rerank"])
    notices += [_in(file, sentence) for sentence in (wrong, also_wrong) if sentence]
    place = Place(file.name, model.get("base_url", ""), model.get("api_key", ""), model.get("name", ""))
    return UserSettings(
        place, window, language, ui.get("theme", ""), dense, rerank, (*notices, *told), profiles
    )


def _read(file: Path, notices: list[str]) -> dict[str, Any]:
    try:
        text = file.read_text("utf-8-sig")
        import tomllib  # only where there is such a file

        return tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except OSError as error:
        reason = error.strerror or str(error)
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8
        reason = str(error)
    notices.append(_("{file} 读不懂，其中的设置没有生效：{reason}").format(file=file, reason=reason))
    return {}


def _checked(content: Mapping[str, Any], file: Path, notices: list[str]) -> dict[str, dict[str, Any]]:
    """The known settings that have the right type; every other one is told."""
    tables: dict[str, dict[str, Any]] = {name: {} for name in _KNOWN}
    for table, values in content.items():
        if table not in _KNOWN:
            notices.append(_unknown(file, table))
            continue
        if not isinstance(values, dict):
            notices.append(_wrong(file, table))
            continue
        for name, value in values.items():
            kind = _KNOWN[table].get(name)
            if kind is None:
                notices.append(_unknown(file, f"{table}.{name}"))
            elif type(value) is not kind:  # True is an int, but no number of tokens
                notices.append(_wrong(file, f"{table}.{name}"))
            else:
                tables[table][name] = value.strip() if isinstance(value, str) else value
    return tables


def _in(file: Path, sentence: str) -> str:
    return _("{file}：{problem}").format(file=file, problem=sentence)


def _unknown(file: Path, name: str) -> str:
    return _("{file} 里有不认识的设置：{name}").format(file=file, name=name)


def _wrong(file: Path, name: str) -> str:
    return _("{file} 里 {name} 的值不合法，已用默认值").format(file=file, name=name)
