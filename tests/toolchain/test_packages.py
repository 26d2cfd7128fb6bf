"""Packages are unpacked into one prefix, once, and never installed."""

from __future__ import annotations

import hashlib

import pytest
from source.conftest import Mirror, make_deb

from extractor import settings
from extractor.errors import SourceError
from extractor.rule_schema import Package, Pin
from extractor.toolchain.packages import provides, read_prefix, unpack_packages


def package(name: str, data: bytes, *earlier: Pin, keep: str = "usr/include/**") -> Package:
    pin = Pin(pool=f"p/{name}_1.deb", sha256=hashlib.sha256(data).hexdigest(), version="1")
    return Package(
        name=name,
        brings="headers",
        provides=f"include/{name}.h",
        pins=(*earlier, pin),
        keep=(keep,),
    )


def serve(mirror: Mirror, name: str, data: bytes) -> None:
    mirror.files[f"/pool/main/p/{name}_1.deb"] = data


def test_several_packages_share_a_prefix(mirror: Mirror) -> None:
    one = make_deb(("./usr/include/one.h", b"1"), ("./usr/lib/one.so", b"so"), ("./etc/x", b""))
    two = make_deb(("./usr/include/deep/two.h", b"2"), ("./usr/lib/bits.bc", b"bc"))
    serve(mirror, "one", one)
    serve(mirror, "two", two)
    wanted = (package("one", one), package("two", two, keep="usr/**"))
    prefix = unpack_packages(wanted)
    found = sorted(str(p.relative_to(prefix.root)) for p in prefix.root.rglob("*") if p.is_file())
    assert found == ["include/deep/two.h", "include/one.h", "lib/bits.bc"]
    assert [item[:2] for item in prefix.packages] == [("one", "1"), ("two", "1")]
    assert read_prefix(wanted) == prefix
    assert unpack_packages(wanted, offline=True) == prefix
    assert len(mirror.requests) == 2


def test_the_second_accepted_version_is_used(mirror: Mirror) -> None:
    data = make_deb(("./usr/include/one.h", b"1"))
    serve(mirror, "one", data)
    vanished = Pin(pool="p/one_0.deb", sha256="0" * 64, version="0")
    prefix = unpack_packages((package("one", data, vanished),))
    assert prefix.packages[0][1] == "1"


def test_a_wrong_package_leaves_nothing(mirror: Mirror) -> None:
    data = make_deb(("./usr/include/one.h", b"1"))
    serve(mirror, "one", b"other")
    wanted = (package("one", data),)
    with pytest.raises(SourceError, match=r"one_1\.deb: SHA-256 is"):
        unpack_packages(wanted)
    assert read_prefix(wanted) is None
    assert list((settings.cache_folder() / "tmp").iterdir()) == []


def test_a_package_that_leads_out_is_refused(mirror: Mirror) -> None:
    data = make_deb(("./usr/include/../../../evil.h", b"evil"))
    serve(mirror, "one", data)
    with pytest.raises(SourceError, match="would land outside"):
        unpack_packages((package("one", data),))


def test_what_an_installation_provides(mirror: Mirror) -> None:
    data = make_deb(("./usr/include/one.h", b"1"))
    serve(mirror, "one", data)
    prefix = unpack_packages((package("one", data),))
    assert provides(prefix.root, package("one", data))
    assert not provides(prefix.root, package("two", data))
    deep = package("one", data).model_copy(update={"provides": "**/one.h"})
    assert provides(prefix.root, deep)
