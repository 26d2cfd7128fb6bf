"""What one kernel instantiation needs of its unit: the transitive closure of its references.

Two readings go together. The *pattern* of every declaration taken is read as written, because the
compiler looks up names that depend on nothing where a template is defined. The *instantiations* are
read with their arguments filled in, because only they say which overload, which specialization and
which type a dependent name stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from kernels.slice.attributes import attribute_names
from kernels.slice.code_names import code_words, lds_declared, needed_elsewhere
from kernels.slice.parsed import Declaration, ParsedUnit, overloads
from kernels.slice.templates import TYPES, hidden_templates, specializations, type_names
from kernels.slice.usings import usings

_ALIASES = {"TYPEDEF_DECL", "TYPE_ALIAS_DECL", "TYPE_ALIAS_TEMPLATE_DECL"}
_INDIRECT = ("POINTER", "LVALUEREFERENCE", "RVALUEREFERENCE")
_POINTING = ("PARM_DECL", "VAR_DECL", "FIELD_DECL", "TYPEDEF_DECL", "TYPE_ALIAS_DECL")
_ARRAYS = ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY", "DEPENDENTSIZEDARRAY", "VECTOR")


class Closure:
    """The closure in the making.

    Args:
        parsed: The unit.

    Attributes:
        taken: Declarations taken, by number, each with the number of the one that asked for it
            first (``-1`` for the kernel itself).
        system: Files of HIP and of the standard library that something was found in.
        system_names: Namespaces and names of what was found there.
        before: By declaration taken, declarations of LDS that it counts on having been seen.
    """

    def __init__(self, parsed: ParsedUnit) -> None:
        self.parsed = parsed
        self.taken: dict[int, int] = {}
        self.system: set[str] = set()
        self.system_names: set[tuple[str, str]] = set()
        self.before: dict[int, list[str]] = {}
        self._queue: list[Declaration] = []
        self._instances: list[tuple[int, Any]] = []
        self._seen: set[Any] = set()
        self._types: set[tuple[str, str]] = set()
        self._groups: list[tuple[int, list[Any]]] = []
        self._current = -1
        self._specializations = specializations(parsed)
        self._type_names = type_names(parsed)
        self._hidden = hidden_templates(parsed, self._specializations)

    def take(self, kernel: Any) -> None:
        """Takes a kernel, by the cursor of its instantiation, and all it needs."""
        self._reference(kernel)
        for number in range(kernel.get_num_template_arguments()):
            self._type(kernel.get_template_argument_type(number))
        while True:
            while self._queue or self._instances:
                if self._instances:
                    owner, cursor = self._instances.pop()
                    place = self._declaration_of(cursor)
                    self._current = owner if place is None else place.number
                    self._visit(cursor, instantiated=True)
                else:
                    one = self._queue.pop()
                    self._current = one.number
                    for cursor in one.cursors:
                        self._visit(cursor, instantiated=False)
                    self._take_hidden(one)
                    self._take_head(one)
                    for named in (needed_elsewhere, attribute_names):
                        for other in named(self.parsed, one):
                            self._take(other)
            if not (self._add_specializations() or self._add_overloads() or self._add_using()):
                return

    def _visit(self, cursor: Any, *, instantiated: bool) -> None:
        if instantiated:
            self._type(cursor.type)
            self._type(cursor.result_type)
        stack = [(child, cursor) for child in cursor.get_children()]
        while stack:
            child, parent = stack.pop()
            kind = child.kind
            name = kind.name
            if name == "OVERLOADED_DECL_REF":
                if self._must_be_found(child):
                    self._groups.append((self._current, overloads(child)))
            elif kind.is_reference() or kind.is_expression():
                target = child.referenced
                told = target is not None and target != child
                if told and not (name == "TYPE_REF" and self._only_points(parent, target)):
                    self._reference(target)
                if instantiated and kind.is_expression():
                    self._type(child.type)
            elif name == "VAR_DECL" and child.storage_class.name == "EXTERN":
                self._continue(child)
            elif name == "FRIEND_DECL":
                self._befriend(child)
            elif instantiated and kind.is_declaration():
                self._type(child.type)
            stack.extend((inner, child) for inner in child.get_children())

    def _only_points(self, declared: Any, target: Any) -> bool:
        """Takes the first declaration of a class to which something is declared to point.

        Whether its definition is needed as well, its members tell when they are used.
        """
        if declared.kind.name not in _POINTING:
            return False
        typedef = declared.kind.name == "TYPEDEF_DECL"
        kind = declared.underlying_typedef_type if typedef else declared.type
        if kind.kind.name != "POINTER" or target.kind.name not in TYPES:
            return False
        pointee = kind.get_pointee().get_declaration()
        return pointee.canonical == target.canonical and self._forward(target)

    def _forward(self, target: Any) -> bool:
        """Takes the first declaration of a class that is defined elsewhere; no other class."""
        first, definition = target.canonical, target.get_definition()
        if definition is None or first == definition or target.specialized_template is not None:
            return False
        self._place(first)
        return True

    def _reference(self, target: Any) -> None:
        key = target.hash, target.kind.value
        if key in self._seen:
            return
        self._seen.add(key)
        kind = target.kind.name
        if kind in ("NAMESPACE", "TRANSLATION_UNIT") or kind.endswith("FILE"):
            return
        self._place(target)
        definition = target.get_definition()
        if definition is not None and definition != target:
            self._place(definition)
        template = target.specialized_template
        if template is not None:
            self._place(template)
            pattern = template.get_definition()
            if pattern is not None:
                self._place(pattern)
        # What a member belongs to: the specialization that was chosen, not only the template.
        parent = target.semantic_parent
        if parent is not None and parent.kind.name in TYPES:
            self._reference(parent)
        if kind in TYPES or kind.startswith(("FUNCTION", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR",
                                              "CONVERSION")) or kind == "VAR_DECL":  # fmt: skip
            body = definition if definition is not None else target
            if kind in TYPES:
                self._type(target.type)
            elif template is not None or self._in_instance(target):
                self._instances.append((self._current, body))

    def _in_instance(self, cursor: Any) -> bool:
        parent = cursor.semantic_parent
        while parent is not None and parent.kind.name in TYPES:
            if parent.specialized_template is not None:
                return True
            parent = parent.semantic_parent
        return False

    def _place(self, cursor: Any) -> None:
        location = cursor.location
        if location.file is None:
            return
        file = location.file.name
        if self.parsed.is_system(file):
            self.system.add(file)
            parent = cursor.semantic_parent
            scope = parent.spelling if parent is not None else ""
            self.system_names.add((scope, cursor.spelling))
            return
        one = self.parsed.at(file, location.offset)
        if one is None:
            start = cursor.extent.start
            one = self.parsed.at(file, start.offset) if start.file is not None else None
        if one is not None:
            self._take(one)

    def _take(self, one: Declaration) -> None:
        if one.number not in self.taken:
            self.taken[one.number] = self._current
            self._queue.append(one)

    def _type(self, kind: Any) -> None:
        spelled = kind.spelling
        name = kind.kind.name
        if not spelled or (spelled, name) in self._types:
            return
        self._types.add((spelled, name))
        if name in _INDIRECT:
            pointee = kind.get_pointee()
            declared = pointee.get_declaration() if name == "POINTER" else None
            if declared is None or declared.kind.name not in TYPES or not self._forward(declared):
                self._type(pointee)
            return
        if name in _ARRAYS:
            self._type(kind.element_type)
            return
        if name == "FUNCTIONPROTO":
            self._type(kind.get_result())
            for argument in kind.argument_types():
                self._type(argument)
            return
        declared = kind.get_declaration()
        if declared is not None and not declared.kind.is_invalid():
            self._reference(declared)
        for number in range(max(0, kind.get_num_template_arguments())):
            argument = kind.get_template_argument_type(number)
            self._type(argument)
        if name == "RECORD":
            for field in kind.get_fields():
                self._type(field.type)
        canonical = kind.get_canonical()
        # What a template parameter stands for has the same spelling, but leads to no declaration.
        if (canonical.spelling, canonical.kind) != (spelled, kind.kind):
            self._type(canonical)

    def _take_hidden(self, one: Declaration) -> None:
        """Takes variable templates and concepts by name: libclang has no cursor for their use."""
        if not self._hidden:
            return
        for name in sorted(code_words(self.parsed, one)):
            for number in self._hidden.get(name, ()):
                if number != one.number:
                    self._take(self.parsed.declarations[number])

    def _take_head(self, one: Declaration) -> None:
        """Takes the alias templates among the arguments that a specialization is for.

        libclang shows no reference for one that stands for a type whatever its arguments.
        """
        for _, types in self._specializations.get(one.number, ()):
            for number in {n for name in types for n in self._type_names.get(name, ())}:
                other = self.parsed.declarations[number]
                inside = other.scope == one.scope[: len(other.scope)]
                if inside and "TYPE_ALIAS_TEMPLATE_DECL" in other.kinds():
                    self._take(other)

    def _add_specializations(self) -> bool:
        """Takes specializations of templates taken, where the types they are for occur at all."""
        before = len(self.taken)
        for number, names in list(self._specializations.items()):
            if number in self.taken:
                continue
            for primary, types in names:
                if primary not in self.taken:
                    continue
                aliases: list[int] = []
                if all(self._occurs(name, aliases) for name in types if name in self._type_names):
                    self._current = primary
                    self._take(self.parsed.declarations[number])
                    for alias in aliases:
                        self._take(self.parsed.declarations[alias])
                    break
        return len(self.taken) > before

    def _occurs(self, name: str, aliases: list[int]) -> bool:
        """Whether a type occurs in the slice, itself or as what an alias stands for.

        Args:
            name: Plain name of a type.
            aliases: Gets the aliases that are not taken yet.
        """
        for number in self._type_names[name]:
            if number in self.taken:
                return True
            one = self.parsed.declarations[number]
            if one.kinds() <= _ALIASES:
                behind = self._behind(one)
                template = "TYPE_ALIAS_TEMPLATE_DECL" in one.kinds()
                if (behind or template) and all(other in self.taken for other in behind):
                    aliases.append(number)
                    return True
        return False

    def _behind(self, alias: Declaration) -> set[int]:
        """Declarations of the library that an alias names."""
        found = set()
        for cursor in alias.cursors:
            for child in cursor.walk_preorder():
                target = child.referenced if child.kind.is_reference() else None
                place = self._declaration_of(target) if target is not None else None
                if place is not None and place is not alias:
                    found.add(place.number)
        return found

    def _continue(self, again: Any) -> None:
        """A variable in LDS may be declared again without the word that says so.

        Where it was declared first is another function, which the slice does not hold.
        """
        first = lds_declared(self.parsed, again)
        if first and self._current >= 0:
            rows = self.before.setdefault(self._current, [])
            if first not in rows:
                rows.append(first)

    def _befriend(self, friend: Any) -> None:
        """A friend with a qualified name must be declared where the class is instantiated.

        Which of several functions of that name it is depends on the class's arguments.
        """
        place = friend.extent
        if place.start.file is None:
            return
        data = self.parsed.text(place.start.file.name)
        written = data[place.start.offset : place.end.offset].decode(errors="replace")
        for child in friend.get_children():
            name = child.spelling.split("<")[0]
            match = re.search(rf"([A-Za-z_]\w*)\s*::\s*{re.escape(name)}\b", written)
            if not name or not match or child.is_definition():
                continue
            found = [
                one
                for one in self.parsed.named(name)
                if one.scope and one.scope[-1].split()[-1] == match[1]
            ]
            own = self.parsed.declarations[self._current].names if self._current >= 0 else set()
            # One that takes the class is meant, where there is such a one.
            for one in [one for one in found if code_words(self.parsed, one) & own] or found:
                self._take(one)

    def _must_be_found(self, name: Any) -> bool:
        """Whether a name that stands for several functions needs one where it is written.

        An operator, or a plain name that is called with what depends on template parameters, is
        looked up again where the template is instantiated; a qualified name or one with template
        arguments has to mean a template at once.
        """
        place = name.extent
        if place.start.file is None or name.spelling.startswith("operator"):
            return False
        data = self.parsed.text(place.start.file.name)
        written = data[place.start.offset : place.end.offset]
        after = data[place.end.offset : place.end.offset + 8].lstrip()
        return b"::" in written or b"<" in written or after.startswith(b"<")

    def _add_overloads(self) -> bool:
        """A name that no instantiation resolves still has to be declared; its first does."""
        before = len(self.taken)
        for owner, found in self._groups:
            places = [one for one in map(self._declaration_of, found) if one is not None]
            if not places or any(one.number in self.taken for one in places):
                continue
            if len(places) < len(found):
                continue  # the standard library or HIP declares it as well
            self._current = owner
            self._take(places[0])
        self._groups.clear()
        return len(self.taken) > before

    def _declaration_of(self, cursor: Any) -> Declaration | None:
        location = cursor.location
        if location.file is None or self.parsed.is_system(location.file.name):
            if location.file is not None:
                self.system.add(location.file.name)
            return None
        return self.parsed.at(location.file.name, location.offset)

    def _add_using(self) -> bool:
        """Takes using-declarations for names that are needed."""
        before = len(self.taken)
        for one in list(usings(self.parsed, self.taken, self.system_names)):
            self._take(one)
        return len(self.taken) > before


def chain(closure: Closure, number: int) -> Iterable[int]:
    """From a declaration to the kernel."""
    while number >= 0:
        yield number
        number = closure.taken[number]
