"""Requests over HTTP/1.1: one transport that blocks, and one for asyncio.

Both have the same coroutines. Those of the first never wait for an event loop, so `drive` executes them at once, and
everything above exists once.
"""

from __future__ import annotations

import asyncio
import http.client
import select
import ssl
import time
from typing import Any, Coroutine, Mapping, Protocol, TypeVar
from urllib.parse import SplitResult

Result = TypeVar("Result")

max_idle = 4.0
"""Seconds. A service closes connections that are idle for five seconds."""

piece = 65_536
"""Bytes that are read at once, at most."""


def drive(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that never waits for an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    work.close()
    raise RuntimeError("This needs an event loop: use AsyncSvc")


class Response(Protocol):
    status: int
    headers: dict[str, str]

    async def chunk(self) -> bytes:
        """The next bytes, as they arrive; none at the end."""

    async def close(self) -> None:
        """Ends the connection, if the response was not read to its end."""


class Transport(Protocol):
    async def send(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float
    ) -> Response:
        """Sends a request. `timeout` is the number of seconds without a byte."""

    async def sleep(self, seconds: float) -> None: ...

    async def close(self) -> None: ...


failures = (OSError, http.client.HTTPException, EOFError)
"""What transports raise if a connection fails."""


class BlockingTransport:
    def __init__(self, base: SplitResult, tls: ssl.SSLContext | None) -> None:
        self._base = base
        self._tls = tls
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        while self._idle:
            since, connection = self._idle.pop()
            # one that is closed can be read
            if time.monotonic() - since < max_idle and not select.select([connection.sock], [], [], 0)[0]:
                connection.sock.settimeout(timeout)
                return connection
            connection.close()
        host, port = self._base.hostname or "", self._base.port
        if self._base.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=timeout)

    async def send(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float
    ) -> Response:
        connection = self._connection(timeout)
        try:
            connection.request(method, target, body, dict(headers))
            return _BlockingResponse(self._idle, connection, connection.getresponse())
        except BaseException:
            connection.close()
            raise

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()


class _BlockingResponse:
    def __init__(
        self,
        idle: list[tuple[float, http.client.HTTPConnection]],
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
    ) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self._idle = idle
        self._connection: http.client.HTTPConnection | None = connection
        self._response = response

    async def chunk(self) -> bytes:
        connection = self._connection
        if connection is None:
            return b""
        try:
            data = self._response.read1(piece)
        except BaseException:
            await self.close()
            raise
        if not data:
            self._connection = None
            is_cut = bool(self._response.length)
            self._response.close()
            if is_cut:
                connection.close()
                raise EOFError("the response breaks off")
            if self._response.will_close or connection.sock is None:
                connection.close()
            else:
                self._idle.append((time.monotonic(), connection))
        return data

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._response.close()
            self._connection = None


class AsyncTransport:
    def __init__(self, base: SplitResult, tls: ssl.SSLContext | None) -> None:
        self._base = base
        self._tls = tls
        self._idle: list[tuple[float, _Wire]] = []

    async def _wire(self, timeout: float) -> _Wire:
        loop = asyncio.get_running_loop()
        while self._idle:
            since, wire = self._idle.pop()
            if wire.loop is not loop:
                continue
            if time.monotonic() - since < max_idle and not wire.reader.at_eof():
                return wire
            wire.writer.close()
        is_tls = self._base.scheme == "https"
        port = self._base.port or (443 if is_tls else 80)
        tls = (self._tls or ssl.create_default_context()) if is_tls else None
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(self._base.hostname, port, ssl=tls)
        return _Wire(loop, reader, writer)

    async def send(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float
    ) -> Response:
        wire = await self._wire(timeout)
        try:
            lines = [f"{method} {target} HTTP/1.1", f"host: {self._base.netloc.rpartition('@')[2]}"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            if body is not None or method in ("POST", "PUT", "PATCH"):
                lines.append(f"content-length: {len(body or b'')}")
            wire.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b""))
            async with asyncio.timeout(timeout):
                await wire.writer.drain()
                status, received = await _head(wire.reader)
            return _AsyncResponse(self._idle, wire, method, status, received, timeout)
        except BaseException:
            wire.writer.close()
            raise

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].writer.close()


class _Wire:
    def __init__(
        self, loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.loop = loop
        self.reader = reader
        self.writer = writer


async def _line(reader: asyncio.StreamReader) -> str:
    try:
        line = await reader.readline()
    except ValueError as error:
        raise http.client.LineTooLong("header") from error
    if not line.endswith(b"\n"):
        raise EOFError("the connection was closed")
    return line.decode("latin-1").rstrip("\r\n")


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Status and headers. Those of an interim response are left out."""
    while True:
        version, _, rest = (await _line(reader)).partition(" ")
        status = rest[:3]
        if not version.startswith("HTTP/1.") or not status.isdigit():
            raise http.client.BadStatusLine(f"{version} {rest}")
        headers: dict[str, str] = {}
        while line := await _line(reader):
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if int(status) >= 200:
            return int(status), headers


class _AsyncResponse:
    def __init__(
        self,
        idle: list[tuple[float, _Wire]],
        wire: _Wire,
        method: str,
        status: int,
        headers: dict[str, str],
        timeout: float,
    ) -> None:
        self.status = status
        self.headers = headers
        self._idle = idle
        self._wire: _Wire | None = wire
        self._timeout = timeout
        self._is_chunked = headers.get("transfer-encoding", "").lower() == "chunked"
        self._keeps = headers.get("connection", "").lower() != "close"
        self._left: int | None = None
        """Bytes of the chunk, or of the body. None: until the connection is closed."""
        if method == "HEAD" or status in (204, 304):
            self._is_chunked = False
            self._left = 0
        elif self._is_chunked:
            self._left = 0
        elif "content-length" in headers:
            self._left = int(headers["content-length"])

    async def chunk(self) -> bytes:
        wire = self._wire
        if wire is None:
            return b""
        try:
            async with asyncio.timeout(self._timeout):
                data = await self._read(wire.reader)
        except BaseException:
            await self.close()
            raise
        if not data:
            self._wire = None
            if self._keeps and self._left is not None:
                self._idle.append((time.monotonic(), wire))
            else:
                wire.writer.close()
        return data

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        if self._is_chunked and self._left == 0:
            self._left = int((await _line(reader)).partition(";")[0], 16)
            if self._left == 0:
                while await _line(reader):
                    pass
                return b""
        if self._left is None:
            return await reader.read(piece)
        if self._left == 0:
            return b""
        data = await reader.read(min(self._left, piece))
        if not data:
            raise EOFError("the response breaks off")
        self._left -= len(data)
        if self._is_chunked and self._left == 0:
            await _line(reader)
        return data

    async def close(self) -> None:
        if self._wire is not None:
            self._wire.writer.close()
            self._wire = None
