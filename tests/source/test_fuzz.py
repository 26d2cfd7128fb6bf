"""Whatever stands in a file that somebody else wrote, it is an answer or one error of ours."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.apt import read_mirrors
from extractor.build_order import link_order
from extractor.errors import SourceError
from extractor.source.archive import unpack, unpack_deb
from extractor.source.generated import configure
from extractor.source.prototypes import declarations

from .conftest import make_deb, make_link, make_tar

quick = settings(max_examples=80, deadline=None)
PIECES = [
    "{", "}", "(", ")", ";", "namespace ", "extern ", '"C" ', "MARK ", "int f", "/*", "*/", "//",
    '"', "'", 'R"(', "\\", "template ", "<", ">", "1'000", " ", "\n", "#if x\n",
]  # fmt: skip
cpp = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
names = st.text("ab./\\~ ", min_size=1, max_size=12) | st.sampled_from(["a", "a/b", "a/b/c", "b"])


@quick
@given(text=cpp)
def test_every_text_is_cut_into_declarations(text: str) -> None:
    for declaration in declarations(text):
        assert declaration.text in text or "/" in text or "#" in text


@quick
@given(text=st.text('set(add_library)${}"#[]= \nab./', max_size=120))
def test_every_build_file_has_an_order(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "CMakeLists.txt").write_text(text)
        for file in link_order(Path(folder), ["CMakeLists.txt"], "a"):
            assert isinstance(file, str)


@quick
@given(text=st.text("@${}#cmakedefine01 AB\n", max_size=80))
def test_every_template_is_filled(text: str) -> None:
    assert isinstance(configure(text, {"A": "{major}"}, "1.2"), str)


@quick
@given(text=st.text("deb http://a.test [main]#:\n URIsTypes", max_size=120))
def test_every_apt_configuration_is_read(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sources.list.d").mkdir()
        for name in ("sources.list", "sources.list.d/a.sources"):
            (Path(folder) / name).write_text(text)
        assert isinstance(read_mirrors(Path(folder)), list)


@quick
@given(entries=st.lists(st.tuples(names, names, st.booleans()), max_size=6))
def test_no_archive_writes_outside(entries: list[tuple[str, str, bool]]) -> None:
    members = [make_link(name, other) if link else (name, b"x") for name, other, link in entries]
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "deep" / "in"
        try:
            unpack(io.BytesIO(make_tar(*members)), "some.tar", into)
        except SourceError as error:
            assert "\n" not in str(error)  # noqa: PT017
        written = [path for path in Path(folder).rglob("*") if not path.is_dir()]
        assert all(path.is_relative_to(into) and not path.is_symlink() for path in written)


@quick
@given(at=st.integers(0, 400), junk=st.binary(max_size=8))
def test_a_damaged_package_is_an_answer_or_one_error(at: int, junk: bytes) -> None:
    whole = make_deb(("./usr/a", b"x" * 50))
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "some.deb"
        package.write_bytes(whole[:at] + junk + whole[at + len(junk) :])
        try:
            unpack_deb(package, Path(folder) / "in", wanted=lambda _: True)
        except SourceError as error:
            assert "some.deb" in str(error)  # noqa: PT017
