from __future__ import annotations

import pytest

from geekagent_tui.rag.network import Zone, is_proxied, zone_of, zone_of_url


@pytest.mark.parametrize(
    ("address", "zone"),
    [
        ("8.8.8.8", Zone.PUBLIC),
        ("2606:4700::1111", Zone.PUBLIC),
        ("198.18.3.4", Zone.PUBLIC),  # what a Clash proxy answers for a public name
        ("127.0.0.1", Zone.PRIVATE),
        ("::1", Zone.PRIVATE),
        ("0.0.0.0", Zone.PRIVATE),
        ("10.1.2.3", Zone.PRIVATE),
        ("192.168.1.1", Zone.PRIVATE),
        ("172.16.0.1", Zone.PRIVATE),
        ("100.64.0.1", Zone.PRIVATE),
        ("fd00:ec2::254", Zone.PRIVATE),
        ("::ffff:127.0.0.1", Zone.PRIVATE),
        ("64:ff9b::7f00:1", Zone.PRIVATE),
        ("2002:7f00:1::", Zone.PRIVATE),
        ("169.254.169.254", Zone.LINK_LOCAL),
        ("fe80::1%eth0", Zone.LINK_LOCAL),
        ("::ffff:169.254.169.254", Zone.LINK_LOCAL),
    ],
)
def test_zones(address: str, zone: Zone) -> None:
    assert zone_of(address) is zone


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.1", "2130706433", "0x7f.1"])
async def test_every_spelling_of_this_machine(host: str) -> None:
    assert await zone_of_url(f"http://{host}:1/") is Zone.PRIVATE


async def test_a_name_nobody_knows() -> None:
    assert await zone_of_url("http://no-such-host.invalid/") is Zone.PUBLIC


def test_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert not is_proxied("http://example.com/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert is_proxied("http://example.com/")
    assert not is_proxied("https://example.com/")
    monkeypatch.setenv("no_proxy", "example.com")
    assert not is_proxied("http://example.com/")


async def test_behind_a_proxy_no_name_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert await zone_of_url("http://localhost.example/") is Zone.PUBLIC
    assert await zone_of_url("http://169.254.169.254/") is Zone.LINK_LOCAL
