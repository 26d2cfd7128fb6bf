"""What a rule file may say. ``rules/README.md`` explains each key to the people who write them.

Every model refuses unknown keys and wrong types, so that a misspelt key is an error with a line
number and never a silent default.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from extractor.facts_rule import FactsRule
from extractor.trace_rule import Trace
from extractor.units import Language

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")]
Text = Annotated[str, StringConstraints(min_length=1)]


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\\" in path:
        raise ValueError("must be a relative path inside the tree, with forward slashes")
    return path


Inside = Annotated[str, StringConstraints(min_length=1), AfterValidator(_inside)]


class Model(BaseModel):
    """Base of every part of a rule file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Pin(Model):
    """One accepted version of one file of a package mirror.

    Attributes:
        pool: Path below the mirror's ``pool/main``.
        url: Full address, for a file that no package mirror has; one of the two.
        sha256: What the file must hash to.
        version: Version that the file brings.
    """

    pool: str | None = None
    url: str | None = None
    sha256: Sha256
    version: str = ""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.pool is None) == (self.url is None):
            raise ValueError("give one of 'pool' and 'url'")
        if self.pool is not None:
            _inside(self.pool)
        return self

    @property
    def file_name(self) -> str:
        """Name of the file, as it stands in a folder of local files."""
        return PurePosixPath(self.pool or self.url or "").name


class GitPin(Model):
    """A tag or commit of a git repository.

    Attributes:
        url: Repository.
        ref: Tag, branch or full commit.
        subfolder: Folder of the repository that is the library's root.
        commit: Commit that the tag must have, when pinned.
        version: Version that this tag stands for.
    """

    url: Text
    ref: Text
    subfolder: str = ""
    commit: str = ""
    version: str = ""


class Source(Model):
    """Where a library's source is.

    Attributes:
        folder: Plain folder, absolute or relative to the rule file; nothing is fetched then.
        git: Repositories to try, in order.
        archives: Source archives to try after them, in order.
        revisions: Archives of other versions, used only where the user names the version.
        subfolders: Where in a larger repository the library may be; used for revisions that the
            user names.
        leave_out: Path globs of what no unit reads; not unpacked, not hashed.
    """

    folder: str | None = None
    subfolders: tuple[Inside, ...] = ()
    git: tuple[GitPin, ...] = ()
    archives: tuple[Pin, ...] = ()
    revisions: tuple[Pin, ...] = ()
    leave_out: tuple[Inside, ...] = ()


class Version(Model):
    """How a tree states its own version.

    Attributes:
        file: File to look in.
        pattern: Expression whose first group is the version.
        release: Expression, for the tree's folder name or git ref, whose first group is the
            release the tree belongs to; it wins over the library's own number.
    """

    file: str | None = None
    pattern: str | None = None
    release: str | None = None

    @field_validator("pattern", "release")
    @classmethod
    def _expression(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                groups = re.compile(value).groups
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from None
            if groups < 1:
                raise ValueError("the expression needs a group around the version")
        return value


class Package(Model):
    """Headers or bitcode of another project, unpacked and never installed.

    Attributes:
        name: Name that a rule's ``packages`` uses.
        brings: One phrase on what it is for.
        provides: A file below ``root`` that shows that an installation already has it.
        pins: Accepted files, tried in order.
        keep: Path globs of what is unpacked.
        root: Folder inside the package that becomes the prefix.
    """

    name: Word
    brings: Text
    provides: Inside
    pins: Annotated[tuple[Pin, ...], Field(min_length=1)]
    keep: tuple[Inside, ...] = ("usr/include/**",)
    root: str = "usr"


class Units(Model):
    """Source files that are compiled.

    Attributes:
        files: Path globs.
        exclude: Path globs taken out again.
        flags: Flags that only these files get.
        configurations: Configurations that build them; all when empty.
        language: What they are read as; ``compile.language`` when absent.
    """

    files: Annotated[tuple[Inside, ...], Field(min_length=1)]
    exclude: tuple[Inside, ...] = ()
    flags: tuple[str, ...] = ()
    configurations: tuple[Word, ...] = ()
    language: Language | None = None


class ExcludedUnit(Model):
    """Source files that the build compiles and we cannot; what they define is a boundary."""

    files: Annotated[tuple[Inside, ...], Field(min_length=1)]
    library: Text
    reason: Text


class Configuration(Model):
    """One way of building the library; the first one is what is shown first."""

    name: Word
    title: str = ""
    flags: tuple[str, ...] = ()


class Compile(Model):
    """Flags of every unit.

    Attributes:
        standard: C++ standard.
        flags: Flags as written; placeholders are replaced.
        include: Folders searched first, in order.
        include_after: Folders searched after the system's.
        order: CMake files whose ``add_library`` gives the order in which units are linked.
        target: Name of that CMake target.
        language: What the units are read as.
        database: ``compile_commands.json`` that says which of the files of ``units`` are compiled,
            and with which flags; absolute, or relative to the rule file.
    """

    standard: Word = "c++17"
    language: Language = "hip"
    database: str | None = None
    flags: tuple[str, ...] = ()
    include: tuple[Text, ...] = ("{tree}",)
    include_after: tuple[Text, ...] = ("{prefix}/include",)
    order: tuple[Inside, ...] = ()
    target: str = ""


class Configured(Model):
    """A header that CMake's ``configure_file`` would write."""

    kind: Literal["configured"]
    template: Inside
    output: Inside
    values: dict[str, str] = {}


class Export(Model):
    """A header that CMake's ``generate_export_header`` would write."""

    kind: Literal["export"]
    output: Inside
    macro: Word


class Prototypes(Model):
    """A header of the function declarations that carry a marker.

    Attributes:
        headers: Path globs, searched in order; files of all globs are sorted by path.
        marker: Macro that marks a declaration.
        replace: What stands in the marker's place.
        includes: Names that the header includes first.
    """

    kind: Literal["prototypes"]
    output: Inside
    headers: Annotated[tuple[Inside, ...], Field(min_length=1)]
    marker: Word
    replace: str = ""
    includes: tuple[str, ...] = ()


class Copied(Model):
    """Headers that the build copies as they are; ``output`` is a folder."""

    kind: Literal["copied"]
    files: Annotated[tuple[Inside, ...], Field(min_length=1)]
    output: Inside


class Forwarding(Model):
    """Headers that only include the tree's header of the same name, found on the search path.

    The build would copy them; a copy would move the spans of what it declares out of the tree.
    ``output`` is a folder.
    """

    kind: Literal["forwarding"]
    files: Annotated[tuple[Inside, ...], Field(min_length=1)]
    output: Inside


class Literally(Model):
    """A header whose text stands in the rule file."""

    kind: Literal["text"]
    output: Inside
    text: str


Generated = Annotated[
    Configured | Export | Prototypes | Copied | Forwarding | Literally,
    Field(discriminator="kind"),
]


class Exports(Model):
    """Folders that another library's units search when it is built against this tree."""

    include: tuple[Text, ...] = ()


class EntryPoints(Model):
    """What counts as a public entry point.

    Attributes:
        headers: Path globs of the headers that declare them; any file of the tree when empty.
        names: Name globs.
        exclude: Name globs taken out again.
        marker: Macro that a declaration must carry, for instance an export macro.
        undeclared: Whether an exported function that no header declares counts as well.
        linkage: ``c`` or ``any``.
    """

    headers: tuple[Inside, ...] = ()
    names: tuple[Text, ...] = ("*",)
    exclude: tuple[Text, ...] = ()
    marker: str = ""
    undeclared: bool = False
    linkage: Literal["c", "any"] = "c"


class Twin(Model):
    """Real and complex routines that are one family, named ``real_complex``.

    Attributes:
        real: How the real routine's stem begins.
        complex: How the complex routine's stem begins.
        rest: Name globs for what follows.
    """

    real: Word
    complex: Word
    rest: tuple[Text, ...] = ("*",)


class Collapse(Model):
    """Names that are one family whatever else they carry."""

    match: Text
    family: Word


class Families(Model):
    """How entry points are grouped into interface families. See ``extractor.families``."""

    prefixes: tuple[str, ...] = ()
    drop: tuple[Word, ...] = ()
    drop_auxiliary: tuple[Word, ...] = ()
    precisions: tuple[Word, ...] = ()
    stems: tuple[Text, ...] = ()
    merge: dict[str, str] = {}
    twins: tuple[Twin, ...] = ()
    collapse: tuple[Collapse, ...] = ()


class Pattern(Model):
    """Functions, by qualified name or by the file that defines them, and the reason.

    Attributes:
        name: Glob over the qualified name without template arguments.
        file: Glob over the file relative to the tree's root.
        reason: Why; shown beside what the line left out.
    """

    name: str | None = None
    file: str | None = None
    reason: Text

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if not self.name and not self.file:
            raise ValueError("give 'name', 'file' or both")
        return self


class Boundary(Pattern):
    """Functions of another library, at which a walk ends."""

    library: Text
    reason: str = ""


class RuleFile(Model):
    """A whole rule file."""

    name: Word
    title: str = ""
    license: Text = "NOASSERTION"
    version: Version = Version()
    source: Source = Source()
    packages: tuple[Word, ...] = ()
    package: tuple[Package, ...] = ()
    siblings: tuple[Word, ...] = ()
    compile: Compile = Compile()
    configurations: Annotated[tuple[Configuration, ...], Field(min_length=1)] = (
        Configuration(name="source"),
    )
    units: Annotated[tuple[Units, ...], Field(min_length=1)]
    excluded_units: tuple[ExcludedUnit, ...] = ()
    generated: tuple[Generated, ...] = ()
    exports: Exports = Exports()
    precompiled: tuple[str, ...] = ()
    entry_points: EntryPoints = EntryPoints()
    families: Families = Families()
    allow: tuple[Pattern, ...] = ()
    disallow: tuple[Pattern, ...] = ()
    boundaries: tuple[Boundary, ...] = ()
    infrastructure: tuple[Pattern, ...] = ()
    facts: FactsRule = FactsRule()
    trace: Trace | None = None


class PackagesFile(Model):
    """``rules/packages.toml``: packages that any rule may name.

    Attributes:
        base: Names of those that every rule gets.
        package: The packages.
    """

    base: tuple[Word, ...] = ()
    package: tuple[Package, ...] = ()
