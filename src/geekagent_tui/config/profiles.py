"""Named model servers in `config.toml`: `[profiles.NAME]`, for `/model NAME`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from geekagent_tui.config.connection import (
    DEFAULT_CONTEXT_WINDOW,
    DEFAULT_MODEL,
    Connection,
    is_web_address,
)
from geekagent_tui.i18n import _

RESERVED = "offline"
"""Names the built-in model."""

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_KINDS: Mapping[str, type] = {
    "base_url": str,
    "api_key": str,
    "api_key_env": str,
    "name": str,
    "context_window": int,
    "reasoning": bool,
}


def read_profiles(
    content: object, environ: Mapping[str, str], file: str
) -> tuple[dict[str, Connection], list[str]]:
    """The profiles that can be used, by name, and a sentence about each that can't, or about a part of it.

    A profile's key is its own: `api_key`, or the variable of the environment that `api_key_env` names. No
    other key ever goes to its server.

    Args:
        content: What the file has under `profiles`; None for nothing.
        environ: The environment.
        file: The file's name for the user.
    """
    notices: list[str] = []
    profiles: dict[str, Connection] = {}
    if content is not None and not isinstance(content, Mapping):
        return profiles, [_("{file} 里 {name} 的值不合法，已用默认值").format(file=file, name="profiles")]
    for name, table in (content or {}).items():
        connection = _profile(name, table, environ, file, notices)
        if connection is not None:
            profiles[name] = connection
    return profiles, notices


def _profile(
    name: str, table: object, environ: Mapping[str, str], file: str, notices: list[str]
) -> Connection | None:
    place = f"profiles.{name}"
    if not _NAME.fullmatch(name) or name == RESERVED:
        sentence = _("{file} 里的 [{name}] 没有生效：名字只能用字母、数字和 . _ -，且不能是 offline")
        notices.append(sentence.format(file=file, name=place))
        return None
    if not isinstance(table, Mapping):
        notices.append(_("{file} 里 {name} 的值不合法，已用默认值").format(file=file, name=place))
        return None
    values = _checked(table, place, file, notices)
    if not is_web_address(values.get("base_url", "")):
        sentence = _(
            "{file} 里的 [{name}] 没有生效：base_url 要写成不带用户名密码的 http(s) 网址，例如 http://127.0.0.1:11434/v1"
        )
        notices.append(sentence.format(file=file, name=place))
        return None
    return Connection(
        base_url=values["base_url"],
        model=values.get("name", "") or DEFAULT_MODEL,
        api_key=_key(values, environ, place, file, notices),
        place=f"{file} [{place}]",
        context_window=_window(values, place, file, notices),
        profile=name,
        reasoning=values.get("reasoning", True),
    )


def _checked(table: Mapping[str, Any], place: str, file: str, notices: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{place}.{key}"
        if key not in _KINDS:
            notices.append(_("{file} 里有不认识的设置：{name}").format(file=file, name=name))
        elif type(value) is not _KINDS[key]:
            notices.append(_("{file} 里 {name} 的值不合法，已用默认值").format(file=file, name=name))
        else:
            values[key] = value.strip() if isinstance(value, str) else value
    return values


def _key(
    values: Mapping[str, Any], environ: Mapping[str, str], place: str, file: str, notices: list[str]
) -> str:
    variable: str = values.get("api_key_env", "")
    key: str = values.get("api_key", "") or (environ.get(variable, "").strip() if variable else "")
    if variable and not key:
        sentence = _("{file} 里的 [{name}] 用环境变量 {variable} 里的密钥，但它没有设置")
        notices.append(sentence.format(file=file, name=place, variable=variable))
    return key


def _window(values: Mapping[str, Any], place: str, file: str, notices: list[str]) -> int:
    window: int = values.get("context_window", DEFAULT_CONTEXT_WINDOW)
    if window > 0:
        return window
    name = f"{place}.context_window"
    notices.append(_("{file} 里 {name} 的值不合法，已用默认值").format(file=file, name=name))
    return DEFAULT_CONTEXT_WINDOW
