"""Bodies: JSON, or a form if there are files. In both, objects are given as objects."""

from __future__ import annotations

import json
import os
import secrets
from typing import Any, Iterator, Mapping
from urllib.parse import quote, urlencode

file_fields = ("file", "files")
"""Only these fields have files: in any other one, a text is a text."""


def segment(value: object) -> str:
    """An id in a path. `..` would change the path however it is encoded, and an empty id would name a whole list."""
    if not isinstance(value, (str, int)) or isinstance(value, bool) or str(value) in ("", ".", ".."):
        raise ValueError(f"This is no id: {value!r}")
    return quote(str(value), safe="")


def query_text(query: Mapping[str, Any] | None) -> str:
    """Lists are repeated, and objects are JSON. None is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is None:
                continue
            text = each if isinstance(each, str) else json.dumps(each, separators=(",", ":"))
            pairs.append((name, text))
    return f"?{urlencode(pairs)}" if pairs else ""


def json_body(fields: Mapping[str, Any]) -> tuple[bytes, str]:
    return json.dumps(fields, separators=(",", ":")).encode(), "application/json"


def body_of(fields: Mapping[str, Any]) -> tuple[bytes, str]:
    """The bytes and their media type."""
    if not any(fields.get(name) for name in file_fields):
        return json_body(fields)
    boundary = f"svc-{secrets.token_hex(16)}"
    parts: list[bytes] = []
    for name, value in fields.items():
        if name in file_fields:
            for file_name, data in _files(value):
                head = f'content-disposition: form-data; name="{name}"; filename="{_quoted(file_name)}"'
                parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + data + b"\r\n")
        elif value is not None:
            text = value if isinstance(value, str) else json.dumps(value)
            head = f'content-disposition: form-data; name="{_quoted(name)}"'
            parts.append(f"--{boundary}\r\n{head}\r\n\r\n{text}\r\n".encode())
    return b"".join([*parts, f"--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _files(value: Any) -> Iterator[tuple[str, bytes]]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, tuple):
            yield each
        elif hasattr(each, "read"):
            yield os.path.basename(str(getattr(each, "name", "file"))), each.read()
        else:
            with open(each, "rb") as file:
                yield os.path.basename(os.fspath(each)), file.read()
