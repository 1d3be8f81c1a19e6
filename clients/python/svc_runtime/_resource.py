"""What the methods of resources have in common."""

from __future__ import annotations

from typing import Any, Mapping

from ._body import body_of, json_body, segment
from ._connection import Call, Connection
from ._transport import drive


def _call(row: str, ids: tuple[object, ...], query: Any, body: Any, kind: str) -> Call:
    method, _, template = row.partition(" ")
    path = template.replace("{}", "%s") % tuple(segment(each) for each in ids)
    if body is None:
        return Call(method, path, query)
    if kind == "n":
        return Call(method, path, query, str(body).encode(), "application/x-ndjson")
    return Call(method, path, query, *(body_of(body) if kind == "f" else json_body(body)))


class Resource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(
        self,
        row: str,
        ids: tuple[object, ...],
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        kind: str = "",
    ) -> Any:
        return drive(self._connection.json(_call(row, ids, query, body, kind)))


class AsyncResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def _call(
        self,
        row: str,
        ids: tuple[object, ...],
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        kind: str = "",
    ) -> Any:
        return await self._connection.json(_call(row, ids, query, body, kind))
