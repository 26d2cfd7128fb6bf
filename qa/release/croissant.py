"""Croissant metadata: what the files of a release are, for tools that load datasets by it.

After the Croissant format specification 1.0 (MLCommons).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}

_COLUMNS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "data": {
        "id": ("sc:Text", "Stable over rebuilds."),
        "license": ("sc:Text", "SPDX identifier of the source the row quotes."),
        "split": ("sc:Text", "train, validation or test."),
        "family": ("sc:Text", "Kernel family; never in two splits."),
        "project": ("sc:Text", "Library."),
        "interface": ("sc:Text", "Interface family of the library."),
        "kind": ("sc:Text", "What the row asks for."),
        "category": ("sc:Text", "What the row is about."),
        "level": ("sc:Integer", "1: one function; 2: one file; 3: several files."),
        "question": ("sc:Text", "The question, or the instruction."),
        "answer": ("sc:Text", "The answer, or the code."),
        "tool_version": ("sc:Text", "rocQuarry that wrote the row."),
    },
    "instruction": {
        "id": ("sc:Text", "Id of the row in the default table."),
        "license": ("sc:Text", "SPDX identifier of the source the row quotes."),
        "instruction": ("sc:Text", "The question."),
        "input": ("sc:Text", "The source text shown with it."),
        "output": ("sc:Text", "The answer, or the code."),
    },
}
_FORMATS = {".parquet": "application/x-parquet", ".jsonl": "application/jsonlines"}


def metadata(
    *,
    name: str,
    version: str,
    description: str,
    licenses: Sequence[str],
    files: Mapping[str, bytes],
) -> bytes:
    """``croissant.json``.

    Args:
        name: Name of the dataset.
        version: Its version.
        description: In a sentence.
        licenses: SPDX identifiers of the sources.
        files: The tables, by path inside the release.
    """
    tables = {path: data for path, data in sorted(files.items()) if _suffix(path) in _FORMATS}
    document = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "description": description,
        "license": [f"https://spdx.org/licenses/{spdx}.html" for spdx in sorted(set(licenses))],
        "version": version,
        "isLiveDataset": False,
        "keywords": ["HIP", "ROCm", "GPU kernels", "question answering"],
        "distribution": [_file(path, data) for path, data in tables.items()],
        "recordSet": [
            _records(path, folder, columns)
            for folder, columns in _COLUMNS.items()
            for path in tables
            if path.startswith(f"{folder}/") and path.endswith(".parquet")
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"


def _file(path: str, data: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{len(data)} B",
        "encodingFormat": _FORMATS[_suffix(path)],
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _records(path: str, folder: str, columns: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    name = f"{folder}-{path.rpartition('/')[2].removesuffix('.parquet')}"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"Rows of {path}.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "description": meaning,
                "dataType": kind,
                "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
            }
            for column, (kind, meaning) in columns.items()
        ],
    }


def _suffix(path: str) -> str:
    return f".{path.rpartition('.')[2]}"
