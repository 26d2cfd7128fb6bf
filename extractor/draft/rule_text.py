"""Writes the draft: a rule file with a comment beside every line that was guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from extractor.compile_commands import read_database
from extractor.draft.build_facts import BuildFacts, MadeHeader, read_build
from extractor.draft.includes import Includes, follow_includes
from extractor.draft.names import PublicNames, public_names
from extractor.draft.survey import SOURCES, Survey, look_at
from extractor.errors import SourceError
from extractor.rule_schema import Package
from extractor.rules import known_packages, shared_packages

_QUIET = re.compile(
    r"(^|[_-])(log|logs|ostream|print|debug|trace|assert)$|(^|[_-])(logging|logger|logvalue)"
)
_PARTS = {"MAJOR": "{major}", "MINOR": "{minor}", "PATCH": "{patch}", "TWEAK": "{tweak}"}
_LICENSES = (
    ("Apache License", "Apache-2.0"),
    ("Permission is hereby granted, free of charge", "MIT"),
    ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
    ("University of Illinois", "NCSA"),
)
_WIDTH = 100


@dataclass(frozen=True)
class Draft:
    """A drafted rule file.

    Attributes:
        name: Project name.
        text: The rule file.
        unsure: What a person should look at, most important first.
        found: Figures: units, kernels, launches, entry points and the like.
    """

    name: str
    text: str
    unsure: tuple[str, ...]
    found: dict[str, int]


@dataclass
class _Writer:
    lines: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)

    def line(self, text: str = "") -> None:
        self.lines.append(text)

    def doubt(self, text: str) -> None:
        """Something a person should look at: in the file, and in the list."""
        self.unsure.append(text)
        self.comment(f"unsure: {text}")

    def comment(self, text: str) -> None:
        words, row = text.split(), "#"
        for word in words:
            if len(row) + 1 + len(word) > _WIDTH:
                self.lines.append(row)
                row = "#"
            row += f" {word}"
        self.lines.append(row)

    def value(self, key: str, values: Sequence[str]) -> None:
        whole = f"{key} = {_array(values)}"
        if len(whole) <= _WIDTH:
            self.lines.append(whole)
        else:
            self.lines += [f"{key} = [", *(f"  {json.dumps(v)}," for v in values), "]"]

    def section(self, title: str) -> None:
        self.lines += ["", f"# --- {title} ".ljust(_WIDTH - 4, "-"), ""]


def draft_rule(
    root: Path, *, folder: str | None = None, database: Path | None = None, name: str = ""
) -> Draft:
    """Drafts a rule file for a tree.

    Args:
        root: The tree.
        folder: What the rule names as its source folder; ``root`` itself when ``None``.
        database: ``compile_commands.json`` that says what is compiled.
        name: Project name; read from the tree when empty.

    Raises:
        SourceError: The folder has nothing that could be compiled.
    """
    survey = look_at(root)
    if not survey.sources:
        raise SourceError(f"{root} has no {', '.join(SOURCES)} file outside of tests and samples")
    build = read_build(survey)
    names = public_names(survey)
    base = {package.name for package in shared_packages()}
    packages = tuple(package for package in known_packages() if package.name not in base)
    includes = follow_includes(survey, build, packages)
    out = _Writer()
    project = re.sub(r"[^A-Za-z0-9_.+-]", "-", name or build.project or root.name) or "library"
    _head(out, survey, build, includes, project, folder or str(root))
    units = _compile(out, survey, build, names, includes, database)
    _made(out, survey, build, includes)
    _public(out, names)
    _walk(out, survey, includes, packages)
    found = {
        "units": units,
        "entry_points": len(names.names),
        "kernels": sum(survey.kernels.values()),
        "kernel_files": len(survey.kernels),
        "launches": survey.launches,
        "kernel_macros": len(survey.kernel_macros),
        "launch_macros": len(survey.launch_macros),
        "left_out_folders": len(survey.left_out),
    }
    return Draft(project, "\n".join(out.lines) + "\n", tuple(out.unsure), found)


def _head(
    out: _Writer, survey: Survey, build: BuildFacts, includes: Includes, name: str, folder: str
) -> None:
    out.comment(f"{name}: drafted from what its tree says. Lines marked unsure want a look.")
    out.comment("The schema is explained in rules/README.md of rocQuarry.")
    out.line()
    out.line(f"name = {json.dumps(name)}")
    license_name = _license(survey.root)
    if license_name:
        out.line(f"license = {json.dumps(license_name)}")
    else:
        out.doubt("no licence file was recognised; set `license` to an SPDX identifier")
    if includes.packages:
        out.line(f"packages = {_array(includes.packages)}")
    if build.version:
        _, file, pattern = build.version
        out.line("\n[version]")
        out.line(f"file = {json.dumps(file)}")
        out.line(f"pattern = '{pattern}'" if "'" not in pattern else f"pattern = {pattern!r}")
    out.section("source")
    out.line("[source]")
    out.line(f"folder = {json.dumps(folder)}")
    if survey.left_out:
        out.comment("Tests, clients, samples and the like: not the library.")
        out.value("leave_out", [f"{path}/**" for path in survey.left_out])
    if survey.skipped:
        out.doubt(f"not looked at, too large: {', '.join(survey.skipped[:5])}")


def _compile(
    out: _Writer,
    survey: Survey,
    build: BuildFacts,
    names: PublicNames,
    includes: Includes,
    database: Path | None,
) -> int:
    out.section("how it is compiled")
    out.line("[compile]")
    if build.standard:
        out.line(f"standard = {json.dumps(build.standard)}")
    language = _language(survey)
    if language == "cuda":
        out.line('language = "cuda"')
    commands = read_database(database, survey.root).commands if database else ()
    if database:
        out.line(f"database = {json.dumps(str(database.absolute()))}")
    else:
        flags = list(build.macros)
        if names.marker and build.target:
            flags.append(f"-D{build.target}_EXPORTS")
        if flags:
            out.value("flags", flags)
        if build.conditional:
            out.doubt(
                f"set only under a condition of the build: {', '.join(build.conditional[:12])}"
            )
        out.value("include", _folders(build, includes))
        for unknown, count in includes.unknown.most_common(8):
            out.doubt(
                f"{count} files include {unknown}, which neither the tree nor a known package has"
            )
    if build.order_file and not database:
        out.line(f"order = {_array([build.order_file])}")
        out.line(f"target = {json.dumps(build.target)}")
    out.line('\n[[configurations]]\nname = "source"')
    out.line("\n[[units]]")
    if database:
        files = [c.path for c in commands if c.path in set(survey.sources)]
        out.comment(
            f"The build compiles {len(commands)} files of this tree, {len(files)} of them "
            "outside of tests and samples."
        )
        out.line('files = ["**/*"]')
        return len(files)
    files = _units(out, survey, build)
    if build.missing:
        out.doubt(f"the build lists files that are not here: {', '.join(build.missing[:5])}")
    if language == "mixed":
        out.line("\n[[units]]")
        out.doubt(
            ".cu files beside HIP sources: read as CUDA; take these lines out if hipcc builds them"
        )
        out.line('files = ["**/*.cu"]\nlanguage = "cuda"')
    return len(files)


def _units(out: _Writer, survey: Survey, build: BuildFacts) -> list[str]:
    wanted = build.sources
    if not wanted:
        wanted = survey.sources
        out.doubt("no CMake target lists sources; every source outside of tests counts as a unit")
    globs, exclude = _as_globs(wanted, survey.sources)
    out.value("files", globs)
    if exclude:
        out.comment("Beside them, and in no list of the build's target.")
        out.value("exclude", exclude)
    return wanted


def _as_globs(wanted: list[str], every: list[str]) -> tuple[list[str], list[str]]:
    """Globs for a set of files, and what they match beside it."""
    top = PurePosixPath(_shared_folder(wanted))
    endings = sorted({PurePosixPath(file).suffix for file in wanted})
    head = "" if str(top) == "." else f"{top}/"
    globs = [f"{head}**/*{ending}" for ending in endings]
    chosen = set(wanted)
    exclude = [
        file
        for file in every
        if file.startswith(head) and file.endswith(tuple(endings)) and file not in chosen
    ]
    if len(exclude) > len(wanted):
        return wanted, []
    return globs, exclude


def _shared_folder(files: Iterable[str]) -> str:
    parts = [PurePosixPath(file).parts[:-1] for file in files]
    shared: list[str] = []
    for column in zip(*parts, strict=False):
        if len(set(column)) > 1:
            break
        shared.append(column[0])
    return "/".join(shared) or "."


def _folders(build: BuildFacts, includes: Includes) -> list[str]:
    folders = [f"{{tree}}/{folder}" if folder != "." else "{tree}" for folder in includes.folders]
    parents = {PurePosixPath(header.output).parent.as_posix() for header in build.made}
    parents |= set(includes.forwarded.values())
    made = [f"{{generated}}/{parent}" for parent in sorted(parents - {"."})]
    if build.made or includes.forwarded:
        made.append("{generated}")
    return [*folders, *made] or ["{tree}"]


def _made(out: _Writer, survey: Survey, build: BuildFacts, includes: Includes) -> None:
    if not build.made and not includes.forwarded:
        return
    out.section("headers that the build would generate")
    for header in build.made:
        out.line("[[generated]]")
        if header.kind == "export":
            out.line(f'kind = "export"\noutput = "{header.output}"\nmacro = "{header.macro}"')
        else:
            _configured(out, header)
        out.line()
    for folder, prefix in sorted(includes.forwarded.items()):
        out.comment(f"Included as {prefix}/NAME, as they are installed.")
        endings = sorted(
            {
                PurePosixPath(file).suffix
                for file in survey.headers
                if PurePosixPath(file).parent.as_posix() == folder
            }
        )
        out.line("[[generated]]")
        out.line('kind = "forwarding"')
        out.line(f"files = {_array([f'{folder}/*{ending}' for ending in endings])}")
        out.line(f'output = "{prefix}"')
        out.line()


def _configured(out: _Writer, header: MadeHeader) -> None:
    out.line('kind = "configured"')
    out.line(f'template = "{header.template}"\noutput = "{header.output}"')
    values, unknown = {}, []
    for variable in header.variables:
        part = next((v for k, v in _PARTS.items() if variable.upper().endswith(k)), None)
        if part is None and variable.upper().endswith("VERSION"):
            part = "{version}"
        if part is None:
            unknown.append(variable)
        values[variable] = part or ""
    if unknown:
        out.doubt(f"values that {header.template} asks for: {', '.join(unknown)}")
    if values:
        out.line("[generated.values]")
        for variable, value in values.items():
            out.line(f"{variable} = {json.dumps(value)}")


def _public(out: _Writer, names: PublicNames) -> None:
    out.section("public interfaces")
    out.line("[entry_points]")
    if not names.headers:
        out.doubt("no header in an `include` folder declares functions; `headers` is left open")
        if names.undeclared:
            out.comment("What the sources define with C linkage counts without a declaration.")
            out.line("undeclared = true")
    else:
        folder = _shared_folder(names.headers)
        endings = sorted({PurePosixPath(file).suffix for file in names.headers})
        head = "" if folder == "." else f"{folder}/"
        out.line(f"headers = {_array([f'{head}**/*{ending}' for ending in endings])}")
    if names.prefix:
        out.line(f"names = {_array([names.prefix + '*'])}")
    elif names.names:
        out.doubt("public names share no prefix; every declared name counts")
    if names.marker:
        out.comment(f"{names.marked} of {names.declared} declarations carry it.")
        out.line(f"marker = {json.dumps(names.marker)}")
    elif names.headers:
        out.doubt("no export macro was found: every declaration of those headers counts")
    if names.linkage == "any":
        out.line('linkage = "any"')
    if not names.names:
        out.doubt("no entry point was found; name them in `names`, or `undeclared = true`")
    out.line("\n[families]")
    if names.prefix:
        out.line(f"prefixes = {_array([names.prefix])}")
    if names.stems:
        out.comment("Names that exist with several letters in front: one routine of several types.")
        out.line(f"precisions = {_array(names.letters)}")
        if names.drop:
            out.line(f"drop = {_array(names.drop)}")
        out.value("stems", names.stems)
        out.doubt("families come from names alone: look at `extract RULE` and mend `stems`, `drop`")


def _walk(out: _Writer, survey: Survey, includes: Includes, packages: Sequence[Package]) -> None:
    out.section("what a walk leaves out, and where it ends")
    for title, macros in (
        ("Macros that make kernels", survey.kernel_macros),
        ("Macros that launch", survey.launch_macros),
    ):
        if macros:
            listed = ", ".join(f"{name} ({file})" for name, file in sorted(macros.items())[:12])
            more = f" and {len(macros) - 12} more" if len(macros) > 12 else ""
            out.comment(f"{title}, which the index reads as they expand: {listed}{more}")
            out.line()
    quiet = [
        file
        for file in survey.text
        if _QUIET.search(PurePosixPath(file).stem.lower()) and file not in survey.kernels
    ]
    inner = [name for name in survey.namespaces if _QUIET.search(name.lower())]
    if quiet or inner:
        out.doubt("logging and the like may be left out of walks; take the # away where it is so")
        for file in sorted(quiet)[:10]:
            out.line(f'# [[disallow]]\n# file = "{file}"\n# reason = "logging; launches no kernel"')
        for name in sorted(inner)[:10]:
            out.line(
                f'# [[disallow]]\n# name = "*{name}::*"\n# reason = "logging; launches no kernel"'
            )
        out.line()
    known = {package.name: package for package in packages}
    for name in includes.packages:
        out.line(f'[[boundaries]]\nname = "{name}_*"\nlibrary = "{known[name].name}"\n')
    runtime = "cuda" if _language(survey) == "cuda" else "hip"
    title = "CUDA runtime" if runtime == "cuda" else "HIP runtime"
    for glob in (f"{runtime}*", f"__{runtime}*"):
        out.line(f'[[boundaries]]\nname = "{glob}"\nlibrary = "{title}"\n')
    while out.lines and not out.lines[-1].strip():
        out.lines.pop()
    out.lines[-1] = out.lines[-1].rstrip("\n")


def _language(survey: Survey) -> str:
    cuda = sum(1 for file in survey.sources if file.endswith(".cu"))
    hip = any(name.startswith("hip/") for name in survey.includes)
    hip = hip or any(file.endswith(".hip") for file in survey.sources)
    if not cuda and not hip:
        return "cuda" if any(name.startswith("cuda") for name in survey.includes) else "hip"
    return "hip" if not cuda else "mixed" if hip else "cuda"


def _license(root: Path) -> str:
    for file in sorted(root.glob("LICEN[CS]E*")):
        text = file.read_text(encoding="utf-8", errors="replace")
        # The first licence of the file is the tree's; others stand for what it includes.
        found = sorted((text.find(phrase), name) for phrase, name in _LICENSES if phrase in text)
        name = found[0][1] if found else ""
        clauses = text.partition("ADVISED OF THE POSSIBILITY")[0]
        return "BSD-3-Clause" if name.startswith("BSD") and "Neither the name" in clauses else name
    return ""


def _array(values: Iterable[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
