"""Reads ``compile_commands.json``: which files a build compiles, and the flags that shape them.

A build's command is for another compiler, often one that is not here. Only what changes how a file
reads is taken over: macros, include folders, forced includes, the standard and a few language
switches. Outputs, warnings, optimisation, targets and the compiler itself are not.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from extractor.errors import RuleError
from extractor.units import Language

_PLACES = ("", "build", "build/release", "build/debug", "out", "out/build", "_build")
_NAME = "compile_commands.json"

_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl", ".def"})
# With a value, joined or apart.
_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")
_VALUES = ("-D", "-U", *_FOLDERS, "-include", "-imacros")
_LANGUAGE = ("-fno-exceptions", "-fno-rtti", "-fchar8_t", "-fopenmp", "-fms-extensions")
_PREFIXES = ("-std=", "--std=", "--gpu-max-threads-per-block=", "-fgpu-rdc", "-fno-gpu-rdc")
# Take a value of their own that must not be read as a file or a flag.
_SKIPPED = (
    "-o", "-MF", "-MT", "-MQ", "-Xcompiler", "-Xclang", "-Xlinker", "-Xarch_host", "-Xarch_device",
    "-ccbin", "-gencode", "-arch", "-code", "-target", "--param", "-mllvm", "-isysroot", "-L", "-l",
    "-framework", "-x", "--generate-code", "--compiler-bindir",
)  # fmt: skip
_SPELLED = {
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--include-path": "-I",
    "--system-include": "-isystem",
    "--pre-include": "-include",
    "--expt-relaxed-constexpr": "",
}


@dataclass(frozen=True)
class Command:
    """How a build compiles one file.

    Attributes:
        path: File relative to the tree's root, with forward slashes.
        language: What it is read as.
        standard: C++ standard; empty where the command names none.
        flags: Flags that are kept, folders and forced includes absolute.
    """

    path: str
    language: Language
    standard: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Database:
    """What a compilation database says of one tree.

    Attributes:
        commands: One for each file of the tree, in the database's order.
        outside: Files that are not in the tree, with forward slashes.
        repeated: Files with more than one command; the first counts.
        dropped: How often each flag was left out, values apart.
    """

    commands: tuple[Command, ...]
    outside: tuple[str, ...]
    repeated: tuple[str, ...]
    dropped: dict[str, int]


def find_database(folder: Path) -> Path | None:
    """The compilation database of a folder or of one of the usual build folders below it."""
    for place in _PLACES:
        file = folder / place / _NAME
        if file.is_file():
            return file
    return None


def read_database(file: Path, root: Path) -> Database:
    """Reads a compilation database.

    Args:
        file: ``compile_commands.json``.
        root: The tree; what lies outside of it is listed and not compiled.

    Raises:
        RuleError: The file cannot be read or is no compilation database.
    """
    commands: dict[str, Command] = {}
    outside: list[str] = []
    repeated: list[str] = []
    dropped: Counter[str] = Counter()
    base = root.resolve()
    for number, entry in enumerate(_entries(file)):
        folder = Path(str(entry.get("directory", file.parent)))
        if not folder.is_absolute():
            folder = file.parent / folder
        source = _absolute(folder, str(entry["file"]))
        arguments = _arguments(file, number, entry)
        try:
            path = source.relative_to(base).as_posix()
        except ValueError:
            outside.append(source.as_posix())
            continue
        if path in commands:
            repeated.append(path)
        else:
            commands[path] = _command(path, folder, arguments, dropped)
    return Database(
        tuple(commands.values()), tuple(outside), tuple(repeated), dict(sorted(dropped.items()))
    )


def build_folder(file: Path, root: Path) -> Path | None:
    """The folder of a database, links followed, where it does not lie in the tree."""
    folder = file.resolve().parent
    return None if folder.is_relative_to(root.resolve()) else folder


def build_identity(file: Path) -> str:
    """Changes with the database and with any header below its folder."""
    real = file.resolve()
    digest = hashlib.blake2b(digest_size=16)
    with contextlib.suppress(OSError):
        digest.update(real.read_bytes())
    for path in sorted(real.parent.rglob("*")):
        if path.suffix in _HEADERS and path.is_file():
            digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def folders_of(flags: Sequence[str]) -> Iterator[str]:
    """Include folders that kept flags name."""
    for flag, following in zip(flags, [*flags[1:], ""], strict=True):
        if flag in _FOLDERS:
            yield following
        elif flag.startswith("-I"):
            yield flag[2:]


def _entries(file: Path) -> list[dict[str, object]]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RuleError(f"{file}: {error.strerror}; check --compile-commands") from None
    except ValueError as error:
        raise RuleError(f"{file}: not JSON ({error}); let the build write it again") from None
    if not isinstance(data, list) or not all(
        isinstance(row, dict)
        and isinstance(row.get("file"), str)
        and (isinstance(row.get("command"), str) or isinstance(row.get("arguments"), list))
        for row in data
    ):
        raise RuleError(
            f"{file}: not a compilation database: a list of objects with 'file' and 'command' or "
            "'arguments'"
        )
    return data


def _arguments(file: Path, number: int, entry: dict[str, object]) -> list[str]:
    listed = entry.get("arguments")
    if isinstance(listed, list):
        return [str(word) for word in listed]
    try:
        return shlex.split(str(entry["command"]))
    except ValueError as error:
        raise RuleError(f"{file}: command of entry {number}: {error}") from None


def _command(path: str, folder: Path, arguments: list[str], dropped: Counter[str]) -> Command:
    compiler = next((word for word in arguments if not _is_launcher(word)), "")
    words = iter(_expanded(folder, arguments[arguments.index(compiler) + 1 :] if compiler else []))
    flags: list[str] = []
    standard, language = "", ""
    for given in words:
        long, equals, after = given.partition("=")
        word = given
        if long in _SPELLED:
            word = _SPELLED[long] + (after if equals else next(words, ""))
        if word.startswith(("-std=", "--std=")):
            standard = word.partition("=")[2]
        elif word.startswith("-x") and word not in ("-x", "-x="):
            language = word[2:]
        elif word in ("-x", "--x", "-std", "--std"):
            value = next(words, "")
            language, standard = (value, standard) if "x" in word else (language, value)
        elif any(word.startswith(flag) for flag in _VALUES):
            # The longest: `-include` and `-imacros` are no short flag with a value.
            flag = max((flag for flag in _VALUES if word.startswith(flag)), key=len)
            value = word[len(flag) :] or next(words, "")
            flags += _kept(flag, value, folder)
        elif word in _LANGUAGE or word.startswith(_PREFIXES):
            flags.append(word)
        elif word.startswith("-"):
            name = word.partition("=")[0]
            dropped[name[:2] if name[:2] in ("-W", "-O", "-g", "-m", "-l", "-L") else name] += 1
            if word in _SKIPPED:
                next(words, None)
    return Command(path, _language(path, compiler, language), standard, tuple(flags))


def _kept(flag: str, value: str, folder: Path) -> list[str]:
    if flag in ("-D", "-U"):
        return [flag + value]
    if flag in ("-include", "-imacros"):
        # Only what is a file beside the command can be named absolutely; others are searched for.
        found = _absolute(folder, value)
        return [flag, str(found) if found.is_file() else value]
    path = str(_absolute(folder, value))
    return [f"-I{path}"] if flag == "-I" else [flag, path]


def _language(path: str, compiler: str, named: str) -> Language:
    program = PurePath(compiler).name
    if named in ("hip", "cuda"):
        return "hip" if named == "hip" else "cuda"
    if "nvcc" in program:
        return "cuda"
    if named in ("", "none") and path.endswith((".cu", ".hip")):
        return "cuda" if path.endswith(".cu") and "hipcc" not in program else "hip"
    # hipcc takes every C++ file for HIP.
    return "hip" if "hipcc" in program and named in ("", "none") else "c++"


def _is_launcher(word: str) -> bool:
    return PurePath(word).name in ("ccache", "sccache", "distcc", "env") or "=" in word


def _expanded(folder: Path, words: list[str]) -> Iterator[str]:
    """Words of a command, those of its response files in their place."""
    for index, word in enumerate(words):
        name = ""
        if word.startswith("@"):
            name = word[1:]
        elif index and words[index - 1] in ("--options-file", "-optf"):
            name = word
        if not name:
            yield word
            continue
        try:
            text = _absolute(folder, name).read_text(encoding="utf-8")
            yield from shlex.split(text)
        except (OSError, ValueError):
            yield word


def _absolute(folder: Path, name: str) -> Path:
    # Not resolved: a link in a tree names a file by the tree's own path.
    path = Path(os.path.normpath(folder / name))
    parent = path.parent
    return parent.resolve() / path.name if parent.is_dir() else path
