"""Where a host name leads: the public internet, this machine, or the network around it."""

from __future__ import annotations

import asyncio
import socket
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

# Proxies such as Clash answer every name with an address of this benchmark range and mean the public host
_FAKE_ADDRESSES = ip_network("198.18.0.0/15")
_NAT64 = ip_network("64:ff9b::/96")
_PORTS = {"http": 80, "https": 443}


class Zone(IntEnum):
    """How close an address is; a redirect may not lead closer than where it came from."""

    PUBLIC = 0
    PRIVATE = 1
    LINK_LOCAL = 2


def zone_of(address: str) -> Zone:
    """The zone of an IP address; anything that is neither public nor link-local is PRIVATE."""
    ip = _unwrapped(ip_address(address.partition("%")[0]))
    if ip.is_link_local:  # 169.254.169.254 answers with a cloud machine's secrets
        return Zone.LINK_LOCAL
    if ip.is_global or (ip.version == 4 and ip in _FAKE_ADDRESSES):
        return Zone.PUBLIC
    return Zone.PRIVATE


async def zone_of_url(url: str) -> Zone:
    """The closest zone that a URL's host leads to.

    PUBLIC for a name that is unknown here, or that a proxy looks up.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_proxied(url):
        return zone_of(host) if _is_address(host) else Zone.PUBLIC
    port = parts.port or _PORTS[parts.scheme]
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return Zone.PUBLIC
    return max(zone_of(str(entry[4][0])) for entry in found)


def is_proxied(url: str) -> bool:
    """Whether the environment sends requests for this URL through a proxy, which then looks up the name."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    proxies = getproxies()
    return (parts.scheme in proxies or "all" in proxies) and not proxy_bypass(parts.hostname or "")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _unwrapped(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address inside an IPv6 one, where there is one."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip
