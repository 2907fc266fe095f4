from __future__ import annotations

import pytest

from geekagent_tui.rag.addresses import host_of, is_url, normalise
from geekagent_tui.rag.errors import SourceError


@pytest.mark.parametrize(
    ("typed", "normal"),
    [
        ("http://x", "http://x/"),
        ("HTTPS://EXAMPLE.com:443", "https://example.com/"),
        ("http://x:80/a", "http://x/a"),
        ("http://x:443/a", "http://x:443/a"),
        ("http://x/a#top", "http://x/a"),
        ("http://x/a/./b/../c", "http://x/a/c"),
        ("http://x/../../a", "http://x/a"),
        ("http://x/a/..", "http://x/"),
        ("http://x/a/.", "http://x/a/"),
        ("http://x/%2e%2e/a", "http://x/a"),
        ("http://x/a//b", "http://x/a//b"),
        ("http://x?q=1", "http://x/?q=1"),
        ("http://x/?q=a/../b", "http://x/?q=a/../b"),
        ("http://x/笔记", "http://x/%E7%AC%94%E8%AE%B0"),
        ("http://x/%e7%ac%94%E8%AE%B0", "http://x/%E7%AC%94%E8%AE%B0"),
        ("http://x/%7Euser/a%2Fb", "http://x/~user/a%2Fb"),
        ("http://x/a b", "http://x/a%20b"),
        ("http://x/100%", "http://x/100%25"),
        ("http://x/%%341", "http://x/%2541"),
        ("http://例子.中国/", "http://xn--fsqu00a.xn--fiqs8s/"),
        ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
        ("http://my_host.local/", "http://my_host.local/"),
    ],
)
def test_one_spelling_for_one_page(typed: str, normal: str) -> None:
    assert normalise(typed) == normal
    assert normalise(normal) == normal


@pytest.mark.parametrize(
    "typed",
    [
        "http://",
        "http:///path",
        "http://?",
        "http://a..b/",
        "http://-/",
        "http://a b/",
        "http://a\\b/",
        "http://good.example\\@evil.example/",
        "http://user@x/",
        "http://user:pw@x/",
        "http://x:0/",
        "http://x:port/",
        "http://x:70000/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://[v1.x]/",
        "http://x/\x1b[2J",
        "http://x/a\nb",
        "http://x/\ud800",
        "http://\u202eevil/",
        "ftp://x/",
        "javascript://x/%0aalert(1)",
        "file:///etc/passwd",
        "http://" + "a" * 300 + "/",
    ],
)
def test_refused(typed: str) -> None:
    with pytest.raises(SourceError):
        normalise(typed)


@pytest.mark.parametrize("typed", ["http://x", "HTTP://x", "ftp://x", "a+b://x"])
def test_urls(typed: str) -> None:
    assert is_url(typed)


@pytest.mark.parametrize("typed", ["a.md", "/a//b", r"C:\x", "http:/x", "http", "://x", "笔记://x", "x:y"])
def test_paths(typed: str) -> None:
    assert not is_url(typed)


def test_host() -> None:
    assert host_of("http://x:8080/a?b") == "x:8080"
