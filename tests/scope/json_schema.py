"""Checks a value against the part of JSON Schema that the published schemas use.

A keyword that is not known here is an error, so that a schema can never ask for more than is
checked.
"""

from __future__ import annotations

from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_REMARKS = {"title", "description", "default", "$defs"}
_KNOWN = {
    *_REMARKS, "type", "properties", "required", "additionalProperties", "items", "enum", "const",
    "anyOf", "$ref",
}  # fmt: skip


def faults(value: Any, schema: dict[str, Any], whole: dict[str, Any], at: str = "") -> list[str]:
    """What is wrong with a value: one line for each fault, empty when it is valid."""
    assert set(schema) <= _KNOWN, set(schema) - _KNOWN
    if "$ref" in schema:
        target = whole["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        return faults(value, target, whole, at)
    if "anyOf" in schema:
        options = [faults(value, option, whole, at) for option in schema["anyOf"]]
        return [] if any(not option for option in options) else options[0]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at}: {value!r} is none of {schema['enum']}"]
    if "const" in schema and value != schema["const"]:
        return [f"{at}: {value!r} is not {schema['const']!r}"]
    if "type" in schema:
        right = isinstance(value, _TYPES[schema["type"]])
        if not right or (isinstance(value, bool) and schema["type"] != "boolean"):
            return [f"{at}: {value!r} is no {schema['type']}"]
    found = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{at}: lacks {name}" for name in schema.get("required", ()) if name not in value]
        more = schema.get("additionalProperties", True)
        for name, part in value.items():
            if name in known:
                found += faults(part, known[name], whole, f"{at}.{name}")
            elif isinstance(more, dict):
                found += faults(part, more, whole, f"{at}.{name}")
            elif not more:
                found.append(f"{at}: {name} is not known")
    if isinstance(value, list) and "items" in schema:
        for number, part in enumerate(value):
            found += faults(part, schema["items"], whole, f"{at}[{number}]")
    return found
