"""Which model server to talk to, with which key.

Settings come from three places: the environment, `.env` in the workspace, the user's `config.toml`. A key is
sent only to the base URL that came from the same place, so that a `.env` in somebody else's folder can't
lead the user's own key to a stranger's server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from geekagent_tui.i18n import _

DEFAULT_MODEL = "deepseek-v4-flash"
DEFAULT_CONTEXT_WINDOW = 64_000
"""Tokens; the reference's figure."""


@dataclass(frozen=True, slots=True)
class Place:
    """What one place says; "" is unset.

    Attributes:
        label: The place's name for the user.
    """

    label: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    model: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """A model server.

    Attributes:
        api_key: "" when the server gets none.
        place: Where the base URL came from.
        context_window: Tokens, prompt and answer together.
        profile: The profile it is from; "" for the environment, `.env` and `[model]`.
        reasoning: Whether what the model thought may be sent back to a server that wants it.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    place: str = ""
    context_window: int = DEFAULT_CONTEXT_WINDOW
    profile: str = ""
    reasoning: bool = True


def place_of(label: str, variables: Mapping[str, str]) -> Place:
    """What `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `OPENAI_MODEL` say."""
    base_url, api_key, model = (
        variables.get(name, "").strip() for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")
    )
    return Place(label, base_url, api_key, model)


def connect(places: Sequence[Place], context_window: int) -> tuple[Connection | None, tuple[str, ...]]:
    """The connection, None for offline, and what the user should know about it.

    The first place with a base URL wins. A key alone connects to nothing: it would have to be sent to a
    server that the user never named.

    Args:
        places: The most important first.
        context_window: Tokens.
    """
    chosen = next((place for place in places if place.base_url), None)
    if chosen is None:
        return None, _homeless(places)
    if not is_web_address(chosen.base_url):
        problem = _(
            "「{place}」里的服务地址不是 http(s) 网址，或带有用户名密码，已改用离线模型；"
            "请改正 OPENAI_BASE_URL（base_url）"
        )
        return None, (problem.format(place=chosen.label),)
    connection = Connection(
        base_url=chosen.base_url,
        model=next((place.model for place in places if place.model), DEFAULT_MODEL),
        api_key=chosen.api_key,
        place=chosen.label,
        context_window=context_window,
    )
    return connection, _withheld(chosen, places)


def _homeless(places: Sequence[Place]) -> tuple[str, ...]:
    """A key without a server is explained."""
    place = next((place for place in places if place.api_key), None)
    if place is None:
        return ()
    sentence = _(
        "「{place}」里有密钥而没有服务地址，现用离线模型；请在同一处设置 OPENAI_BASE_URL（base_url），"
        "例如 https://api.deepseek.com"
    )
    return (sentence.format(place=place.label),)


def _withheld(chosen: Place, places: Sequence[Place]) -> tuple[str, ...]:
    """A key that is not sent, because the base URL came from elsewhere, is explained."""
    other = next((place for place in places if place.api_key), None)
    if chosen.api_key or other is None:
        return ()
    sentence = _(
        "服务地址来自「{place}」，密钥来自「{other}」：密钥只发给同一处设置的地址，这次没有发送；需要时请把两者写在一处"
    )
    return (sentence.format(place=chosen.label, other=other.label),)


def is_web_address(url: str) -> bool:
    """Whether a URL can be a server's: http or https, with a host, and without a password in it."""
    try:
        parts = urlsplit(url)
        named = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        return named and "@" not in parts.netloc  # a password there would be shown and logged
    except ValueError:
        return False
