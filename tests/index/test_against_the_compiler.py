"""Every construct held against the compiler's own unoptimised IR."""

from __future__ import annotations

from opened_libraries import Library

from extractor.check import Comparison
from extractor.commands import check
from extractor.project import Project

# Calls that the index has and the compiler's function for the caller has not. Kernels reached
# through them are the compiler's as well: it finds them by another way.
BY_ANOTHER_WAY = {
    # A constant table, or a kernel's handle.
    "c_table_of_lambdas -> c_table_of_lambdas::'lambda'(int*)::operator void (*)(int*)() const",
    "c_table_of_lambdas -> c_table_of_lambdas::'lambda0'(int*)::operator void (*)(int*)() const",
    "void launch_argument<&void pointed<4>(int*)>(int*) -> void pointed<4>(int*)",
    # A constructor that a using-declaration brings has no text of its own.
    "Inheriting::Inheriting(int) -> Delegating::Delegating()",
}


def compared(library: Library) -> Comparison:
    project = Project(library.project.rule.path)
    comparison = check.run(project, None, ("source",))["configs"]["source"]
    assert isinstance(comparison, Comparison)
    return comparison


def test_kernel_sets_are_the_compilers_and_no_call_is_missing(constructs: Library) -> None:
    comparison = compared(constructs)
    assert comparison.failed == {}
    assert [e for e, score in comparison.entries.items() if not score.exact] == []
    assert comparison.kernels.exact
    unexplained = {each.side: set() for each in comparison.unexplained} | {"extra": set()}
    for each in comparison.unexplained:
        unexplained[each.side].add(each.item)
    assert unexplained == {"extra": BY_ANOTHER_WAY}
    assert set(comparison.divergent) == {"_Z13weak_launcherIiEvPT_", "_Z10overriddenPi"}
