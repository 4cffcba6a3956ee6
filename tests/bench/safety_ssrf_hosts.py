"""Addresses that lead inside, in many spellings, and an oracle of its own for what is inside. Pure.

    urls(port=8080, count=2_000, seed=7)     # "http://0x7f.1:8080/", "http://[::ffff:a00:1]/", ...
    is_inside("64:ff9b::7f00:1")             # True

The oracle is written from the registries of special addresses, not from the program's own list.
"""

from __future__ import annotations

import ipaddress
import itertools
import random
from collections.abc import Iterator
from urllib.parse import quote

V4 = (
    "127.0.0.1", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.255.1", "169.254.169.254",
    "169.254.0.1",
    "100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.0.8", "192.0.2.1", "192.88.99.1",
    "198.18.0.1", "198.51.100.1", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255", "168.63.129.16",
)  # fmt: skip
V6 = (
    "::1", "::", "fe80::1", "fe80::1%25eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1",
    "100::1", "2001:db8::1", "2001:2::1", "2001:10::1", "2001:20::1", "3fff::1", "5f00::1",
    "4000::1",
    "64:ff9b:1::1", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:0000:0000:0001", "::0001",
)  # fmt: skip
NAMES = (
    "localhost", "LOCALHOST", "localhost.", "foo.localhost", "localhost.localdomain",
    "localhost6", "ip6-localhost", "ip6-loopback", "metadata", "metadata.google.internal",
    "instance-data", "instance-data.ec2.internal", "kubernetes.default.svc.cluster.local",
    "host.docker.internal", "gateway.docker.internal", "printer.local", "router", "router.lan",
    "db.internal", "nas.home.arpa", "intranet", "wpad",
    "ⓛocalhost", "loca\u200blhost", "localhost。", "ｌｏｃａｌｈｏｓｔ", "localhost%00.example",
)  # fmt: skip
POINTING_INSIDE = "inside-{}.example"
"""Names on the internet whose name server says something inside."""
PUBLIC_NAME = "public.example"
_SPECIAL = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
        "::/8", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20",
        "5f00::/16",
        "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "4000::/2", "8000::/1",
    )
)  # fmt: skip


def is_inside(text: str) -> bool:
    """Whether an address is none of the public internet, by the registries."""
    address = ipaddress.ip_address(text.split("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        number = int(address)
        if number >> 32 == 0x64FF9B << 64:  # NAT64, which ::/8 holds too
            return is_inside(str(ipaddress.IPv4Address(number & 0xFFFF_FFFF)))
        if number >> 112 == 0x2002:
            return is_inside(str(ipaddress.IPv4Address(number >> 80 & 0xFFFF_FFFF)))
    return any(address in one for one in _SPECIAL if one.version == address.version)


def spellings(v4: str) -> Iterator[str]:
    """A host that some program or other takes for the address `v4`."""
    a, b, c, d = (int(part) for part in v4.split("."))
    number = int(ipaddress.IPv4Address(v4))
    yield from (
        v4,
        f"{v4}.",
        f"{v4}..",
        str(number),
        hex(number),
        hex(number).upper(),
        f"0{number:o}",
    )
    yield from (f"{number + 2**32}", f"0x{number + 2**32:x}", f"{number}.", f"0x{number:016x}")
    yield from (
        f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"00{a:o}.{b}.{c}.{d}",
    )
    yield from (
        f"{a}.{b}.{c * 256 + d}",
        f"{a}.{b * 65536 + c * 256 + d}",
        f"{a:#x}.{number & 0xFFFFFF}",
    )
    yield from (f"{a:03}.{b:03}.{c:03}.{d:03}", f"{a + 256}.{b}.{c}.{d}")
    yield f"0{a:o}.{b}.{c:#x}.{d}"
    yield from (
        v4.replace(".", "。"),
        v4.replace(".", "．"),
        v4.replace(".", "｡"),
        quote(v4, safe=""),
    )
    yield "".join(chr(0xFF10 + int(one)) if one.isdigit() else one for one in v4)
    yield "".join(chr(0x245F + int(one)) if one in "123456789" else one for one in v4)
    yield "".join(f"%{ord(one):02x}" for one in v4)
    yield from (f"{v4}%2e", f"{v4}%00.example", f"{v4}\u200b", f" {v4}", f"{v4} ", f"{v4}\t")
    high, low = a * 256 + b, c * 256 + d
    for wrapped in (
        f"::ffff:{v4}", f"::{v4}", f"::ffff:{high:x}:{low:x}", f"0:0:0:0:0:ffff:{v4}",
        f"::ffff:0:{v4}",
        f"64:ff9b::{v4}", f"64:ff9b::{high:x}:{low:x}", f"64:ff9b:1::{v4}",
        f"2002:{high:x}:{low:x}::1",
        f"2001:0:{high:x}:{low:x}::1", f"2001:0:808:808:0:0:{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}",
        f"fe80::5efe:{v4}", f"::{v4}%25lo",
    ):  # fmt: skip
        yield f"[{wrapped}]"


def dressed(host: str, port: int) -> Iterator[str]:
    """Whole addresses with that host, or with one that looks like another."""
    for scheme in ("http", "https", "HTTP"):
        yield from (f"{scheme}://{host}/", f"{scheme}://{host}:{port}/x")
    yield from (f"http://{host}:{port}#@{PUBLIC_NAME}/", f"http://{host}:{port}?@{PUBLIC_NAME}/")
    yield from (f"http://{PUBLIC_NAME}@{host}:{port}/", f"http://{PUBLIC_NAME}:80@{host}:{port}/")
    yield from (f"http://{PUBLIC_NAME}\\@{host}:{port}/")
    yield f"http://{host}:{port}\\@{PUBLIC_NAME}/"
    yield from (
        f"http://{PUBLIC_NAME}%23@{host}/",
        f"http://{PUBLIC_NAME}%2f@{host}/",
        f"//{host}/",
    )
    yield from (f"http:/{host}/", f"http:{host}/", f"http:///{host}/", f"http:\\\\{host}\\", host)
    yield from (
        f"http://{host}:{port}\r\nHost: {PUBLIC_NAME}/",
        f"\thttp://{host}/",
        f"http://{host}:/",
    )
    for scheme in ("gopher", "ftp", "file", "dict", "ldap", "ws", "jar:http", "view-source:http"):
        yield f"{scheme}://{host}:{port}/"


def hosts() -> list[str]:
    found = [one for v4 in V4 for one in spellings(v4)]
    pointing = (POINTING_INSIDE.format(number) for number in range(len(pointed_at())))
    return [*found, *(f"[{one}]" for one in V6), *NAMES, *pointing]


def pointed_at() -> list[tuple[str, ...]]:
    """What the name servers of `POINTING_INSIDE` say, by number."""
    plain = [(one,) for one in (*V4, *(one.partition("%")[0] for one in V6))]
    wrapped = [(f"::ffff:{v4}",) for v4 in V4] + [(f"64:ff9b::{v4}",) for v4 in V4]
    return [*plain, *wrapped]


def urls(port: int, count: int, seed: int) -> list[str]:
    """Every host plainly, on `port` too, and in other dresses up to `count`; each once."""
    every = hosts()
    found: dict[str, None] = {}
    chance = random.Random(seed)
    plain = [f"http://{one}:{port}/x" for one in every]
    found |= dict.fromkeys(plain if len(plain) <= count else chance.sample(plain, count // 2))
    dresses = list(itertools.chain.from_iterable(dressed(one, port) for one in every))
    chance.shuffle(dresses)
    for one in dresses:
        if len(found) >= count:
            break
        found[one] = None
    return list(found)
