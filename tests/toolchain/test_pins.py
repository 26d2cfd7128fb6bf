"""Pins that a mirror dropped are named, with what it has instead."""

from __future__ import annotations

import hashlib

import pytest
from source.conftest import Mirror, RuleMaker

from extractor import settings
from extractor.pins import PinStatus, check_pins
from extractor.rules import Rule
from extractor.source.fetch import fetch

RULE = """
[source]
[[source.archives]]
pool = "t/tiny/tiny_1.orig.tar.gz"
sha256 = "{sha}"
[[package]]
name = "extra"
brings = "headers"
provides = "include/extra.h"
[[package.pins]]
pool = "e/extra/libextra-dev_1.0+ds-1_amd64.deb"
sha256 = "{zeros}"
"""
SHA = hashlib.sha256(b"tar").hexdigest()


@pytest.fixture
def rule(make_rule: RuleMaker) -> Rule:
    return make_rule(RULE.format(sha=SHA, zeros="0" * 64))


def status(rule: Rule) -> dict[str, PinStatus]:
    return {item.used_by: item for item in check_pins([rule])}


def test_a_pin_that_is_there(rule: Rule, mirror: Mirror) -> None:
    mirror.files["/pool/main/t/tiny/tiny_1.orig.tar.gz"] = b"tar"
    found = status(rule)["source of tiny"]
    assert (found.status, found.cached, found.replacements) == ("there", False, ())
    assert mirror.requests[0][0] == "HEAD"
    fetch(rule.source.archives)
    assert status(rule)["source of tiny"].cached


def test_a_pin_that_is_gone_and_its_replacements(rule: Rule, mirror: Mirror) -> None:
    names = (
        "libextra-dev_2.0-1_amd64.deb",
        "libextra-dev_1.5%2bds-1_amd64.deb",
        "libextra-dev_2.0-1_arm64.deb",
        "libextra1_2.0-1_amd64.deb",
    )
    page = "".join(f'<a href="{name}">x</a><a href="?C=M;O=A">s</a>' for name in names)
    mirror.files["/pool/main/e/extra/"] = page.encode()
    found = status(rule)["package extra"]
    assert found.status == "gone"
    assert found.replacements == (
        "e/extra/libextra-dev_1.5+ds-1_amd64.deb",
        "e/extra/libextra-dev_2.0-1_amd64.deb",
    )


def test_a_source_that_is_gone_and_its_replacement(rule: Rule, mirror: Mirror) -> None:
    page = b'<a href="tiny_2.orig.tar.gz">x</a><a href="tiny_2.debian.tar.xz">x</a>'
    mirror.files["/pool/main/t/tiny/"] = page
    assert status(rule)["source of tiny"].replacements == ("t/tiny/tiny_2.orig.tar.gz",)


def test_a_mirror_that_does_not_answer(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "mirrors", lambda: ("http://127.0.0.1:1",))
    assert {item.status for item in status(rule).values()} == {"unreachable"}


def test_no_mirror_at_all(rule: Rule) -> None:
    assert status(rule)["source of tiny"].where == "no mirror is configured"
