"""One TLS context for everything, and certificates that can't be used are named."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from geekagent_tui.agent.messages import UserMessage
from geekagent_tui.agent.models.base import ModelError
from geekagent_tui.agent.models.openai_compatible import OpenAICompatibleModel
from geekagent_tui.config import Connection
from geekagent_tui.network_context import CertificateSettingsError, is_loopback, tls_context
from geekagent_tui.rag.errors import SourceError
from geekagent_tui.rag.fetch import Fetcher
from support.openai_server import OpenAIServer


def test_the_context_is_made_once_and_verifies() -> None:
    context = tls_context()
    assert tls_context() is context
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://[::1]:8080", True),
        ("http://localhost/v1", True),
        ("http://models.localhost", True),
        ("https://localhost.example/v1", False),
        ("https://api.example/v1", False),
        ("http://192.168.0.9/v1", False),
    ],
)
def test_this_machine(url: str, here: bool) -> None:
    assert is_loopback(url) is here


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_a_certificate_file_that_can_not_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    file = tmp_path / "company.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(CertificateSettingsError) as raised:
        tls_context()
    assert str(file) in str(raised.value)
    assert "SSL_CERT_FILE" in str(raised.value)

    model = OpenAICompatibleModel(Connection("https://api.invalid/v1", "m"))
    with pytest.raises(ModelError, match="SSL_CERT_FILE"):
        async for _event in model.stream("", [UserMessage("问")], ()):
            pass
    await model.close()
    async with Fetcher() as fetcher:
        with pytest.raises(SourceError) as refused:
            await fetcher.fetch("https://page.invalid/")
    assert "SSL_CERT_FILE" in refused.value.message


async def test_a_proxy_that_can_not_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:1")
    model = OpenAICompatibleModel(Connection("https://api.invalid/v1", "m"))
    with pytest.raises(ModelError, match="ALL_PROXY"):
        async for _event in model.stream("", [UserMessage("问")], ()):
            pass
    await model.close()


async def test_this_machines_servers_are_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    async with OpenAIServer(["好"]) as server:
        model = OpenAICompatibleModel(Connection(server.base_url, "m"))
        async for _event in model.stream("", [UserMessage("问")], ()):
            pass
        await model.close()
    assert len(server.requests) == 1


@pytest.mark.parametrize("missing", ["missing", "missing:gone", "company.pem"])
def test_a_certificate_folder_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    (tmp_path / "company.pem").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SSL_CERT_DIR", missing)
    with pytest.raises(CertificateSettingsError, match="SSL_CERT_DIR"):
        tls_context()


def test_one_certificate_folder_of_several_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", f"{tmp_path / 'missing'}:{tmp_path}")
    assert tls_context().verify_mode is ssl.CERT_REQUIRED
