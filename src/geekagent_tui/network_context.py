"""How connections are secured and which way they go, for the model client and the fetcher alike."""

from __future__ import annotations

import errno
import functools
import os
import ssl
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from geekagent_tui.i18n import _


class CertificateSettingsError(ValueError):
    """`SSL_CERT_FILE` or `SSL_CERT_DIR` can't be used; the text is a sentence about it."""


def tls_context() -> ssl.SSLContext:
    """The one TLS context: it trusts the system's authorities, certifi's, and those of the environment.

    `SSL_CERT_FILE` and `SSL_CERT_DIR` add to the others and don't replace them, so that a company's proxy
    and a public server can both be reached. Blocks for tens of milliseconds the first time.

    Raises:
        CertificateSettingsError: What the environment names is no certificate file, or no folder.
    """
    return _context(os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", ""))


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine, so that no proxy of the environment could reach it."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@functools.lru_cache(maxsize=2)
def _context(file: str, folder: str) -> ssl.SSLContext:
    context = _system()
    for name, place in (("SSL_CERT_FILE", file), ("SSL_CERT_DIR", folder)):
        if not place:
            continue
        try:
            if name == "SSL_CERT_DIR":
                _check_folders(place)
            context.load_verify_locations(**{"cafile" if name == "SSL_CERT_FILE" else "capath": place})
        except OSError as error:  # an ssl.SSLError, for a file that holds none, is one too
            reason = error.strerror or str(error)
            sentence = _("证书 {place} 用不了：{reason}。请检查环境变量 {name}")
            raise CertificateSettingsError(sentence.format(place=place, reason=reason, name=name)) from error
    return context


def _check_folders(places: str) -> None:
    """Raise unless there is one: OpenSSL takes several, and says nothing of those that are missing."""
    if not any(Path(place).is_dir() for place in places.split(os.pathsep)):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), places)


def _system() -> ssl.SSLContext:
    """A context with the system's own store where there is one; macOS and Windows have no files of it."""
    import certifi

    try:
        import truststore
    except ImportError:
        context = ssl.create_default_context()
    else:
        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certifi.where())
    return context
