"""Keys are found on the line where their author wrote them."""

from __future__ import annotations

from extractor.toml_lines import key_lines, line_of

TEXT = '''\
name = "x" # = [
list = [
  "a", # ]
  "[[units]]",
]
text = """
[not.a.table]
key = 1
"""

[compile]
flags = []

[[units]]
files = ["a"]

[[units]]
files = ["b"]
[units.more]
deep.er = 1
[[package]]
name = "p"
[[package.pins]]
sha256 = "1"
[[package.pins]]
sha256 = "2"
'''


def test_keys_tables_and_arrays_of_tables() -> None:
    lines = key_lines(TEXT)
    assert lines["name",] == 1
    assert lines["list",] == 2
    assert lines["compile", "flags"] == 12
    assert lines["units", 0, "files"] == 15
    assert lines["units", 1, "files"] == 18
    assert lines["units", 1, "more", "deep", "er"] == 20
    assert lines["package", 0, "pins", 1, "sha256"] == 26


def test_strings_and_comments_hold_no_keys() -> None:
    lines = key_lines(TEXT)
    assert ("not",) not in lines
    assert ("key",) not in lines


def test_what_is_not_there_stands_where_its_table_stands() -> None:
    lines = key_lines(TEXT)
    assert line_of(lines, ("units", 1, "absent")) == 17
    assert line_of(lines, ("list", 1)) == 2
    assert line_of(lines, ("absent",)) == 1
