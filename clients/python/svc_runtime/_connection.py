"""Requests: credentials, errors of the service, and repetitions of what can be repeated."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field, replace
from typing import Any, Awaitable, Callable, Iterator, Mapping

from ._body import query_text
from ._errors import SvcConnectionError, SvcError
from ._events import Parser
from ._transport import Response, Transport, failures

Token = str | Callable[[], "str | Awaitable[str]"] | None

transient = (429, 502, 503, 504)

max_retry_delay = 60.0
"""Seconds. A service that needs more time is not called again by the client."""

max_start = 30
"""Seconds that a service may take to start."""

stream_timeout = 60.0
"""Seconds without a byte after which a stream counts as cut. The service sends a heartbeat every 15 seconds."""


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, Any] | None = None
    body: bytes | None = None
    content_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str | None = None
    timeout: float | None = None


def is_transient(error: Exception) -> bool:
    if isinstance(error, SvcError):
        return error.status in transient and (error.retry_after or 0) <= max_retry_delay
    return isinstance(error, SvcConnectionError)


def retry_delay(attempt: int, error: Exception | None) -> float:
    """Seconds: what the service says, otherwise longer each time."""
    if isinstance(error, SvcError) and error.retry_after is not None:
        return error.retry_after
    return min(0.2 * 2**attempt, 5.0)


def _is_starting(error: SvcError) -> bool:
    """The service has no routes yet: it has not looked at the request, which can be sent again."""
    return error.status == 503 and error.message.startswith("The service is starting")


def _media_type(response: Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip()


def _is_binary(media_type: str) -> bool:
    return media_type == "application/octet-stream" or media_type.startswith(("image/", "audio/", "video/"))


@dataclass(frozen=True)
class Connection:
    transport: Transport
    base_url: str
    """Scheme and host, for errors."""
    prefix: str
    token: Token
    headers: Mapping[str, str]
    retries: int
    timeout: float

    def with_options(self, headers: Mapping[str, str] | None, timeout: float | None) -> Connection:
        return replace(
            self,
            headers={**self.headers, **(headers or {})},
            timeout=self.timeout if timeout is None else timeout,
        )

    @property
    def reopens(self) -> bool:
        """Streams that are cut, or cannot begin yet, are opened again."""
        return self.retries > 0

    def _target(self, call: Call) -> str:
        return f"{self.prefix}{call.path}{query_text(call.query)}"

    def failure(self, call: Call, error: BaseException) -> SvcConnectionError:
        failed = SvcConnectionError(f"{self.base_url}{self._target(call)}", error)
        failed.__cause__ = error
        return failed

    async def _once(self, call: Call) -> Response:
        headers = {"accept": "*/*", **self.headers, **call.headers}
        token = self.token() if callable(self.token) else self.token
        if inspect.isawaitable(token):
            token = await token
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        if call.content_type is not None:
            headers["content-type"] = call.content_type
        if call.idempotency_key is not None:
            headers["idempotency-key"] = call.idempotency_key
        for name, value in headers.items():
            if any(sign in f"{name}{value}" for sign in "\r\n\0"):
                raise ValueError(f"A header has a line break: {name!r}")
        try:
            response = await self.transport.send(
                call.method, self._target(call), headers, call.body, call.timeout or self.timeout
            )
        except failures as error:
            raise self.failure(call, error) from error
        if 200 <= response.status < 300:
            return response
        try:
            text = (await self._read(call, response)).decode("utf-8", "replace")
        except SvcConnectionError:
            text = ""
        try:
            body = json.loads(text)
        except ValueError:
            body = text
        raise SvcError(response.status, body, response.headers)

    async def _read(self, call: Call, response: Response) -> bytes:
        pieces: list[bytes] = []
        try:
            while data := await response.chunk():
                pieces.append(data)
        except failures as error:
            raise self.failure(call, error) from error
        return b"".join(pieces)

    async def _started(self, call: Call) -> Response:
        """A service that is starting is waited for."""
        try:
            return await self._once(call)
        except SvcError as error:
            if not self.reopens or not _is_starting(error):
                raise
        await self._ready()
        return await self._once(call)

    async def _ready(self) -> None:
        ready = Call("GET", "/ready")
        for _ in range(max_start):
            await self.transport.sleep(1)
            try:
                await self._read(ready, await self._once(ready))
                return
            except (SvcError, SvcConnectionError) as error:
                if not is_transient(error):
                    raise
        detail = (
            f"The service at {self.base_url} is still starting after {max_start} seconds: wait until "
            f"{self.base_url}{self.prefix}/ready responds with 200"
        )
        raise SvcError(503, {"detail": detail, "error_code": "SERVICE_UNAVAILABLE"}, {})

    async def _repeated(self, call: Call, use: Callable[[Response], Awaitable[Any]]) -> Any:
        """A read is repeated after a transient failure, and so is a request with an idempotency key."""
        can_repeat = call.method == "GET" or call.idempotency_key is not None
        attempt = 0
        while True:
            try:
                return await use(await self._started(call))
            except (SvcError, SvcConnectionError) as error:
                if not can_repeat or attempt >= self.retries or not is_transient(error):
                    raise
                delay = retry_delay(attempt, error)
            await self.transport.sleep(delay)
            attempt += 1

    async def json(self, call: Call) -> Any:
        """The value of a JSON response, the bytes of a medium, the text of another one, or None of an empty one."""

        async def use(response: Response) -> Any:
            media_type = _media_type(response)
            if media_type == "text/html":
                raise await self._unexpected(call, response)
            data = await self._read(call, response)
            if not data:
                return None
            if media_type == "application/json":
                try:
                    return json.loads(data)
                except ValueError as error:
                    raise self.failure(call, error) from error
            return data if _is_binary(media_type) else data.decode("utf-8", "replace")

        return await self._repeated(call, use)

    async def _unexpected(self, call: Call, response: Response) -> SvcError:
        """Something else than the service has responded: a proxy, or a site with the same address."""
        await response.close()
        url = f"{self.base_url}{self._target(call)}"
        detail = f"{url} responded with {_media_type(response) or 'no content type'}. Is it a service of Svc?"
        return SvcError(response.status, {"detail": detail}, response.headers)

    async def open(self, call: Call) -> Events:
        """Opens a stream. Its events follow, each with its id."""

        async def use(response: Response) -> Response:
            return response

        response = await self._repeated(replace(call, timeout=stream_timeout), use)
        if _media_type(response) != "text/event-stream":
            raise await self._unexpected(call, response)
        return Events(self, call, response)


class Events:
    """The events of one response."""

    def __init__(self, connection: Connection, call: Call, response: Response) -> None:
        self._connection = connection
        self._call = call
        self._response = response
        self._parser = Parser()
        self._messages: Iterator[tuple[str | None, Any]] = iter(())

    async def next(self) -> tuple[str | None, Any] | None:
        """None at the end of the response."""
        while True:
            message = next(self._messages, None)
            if message is not None:
                return message
            try:
                data = await self._response.chunk()
                if not data:
                    return None
                self._messages = iter([(each.id, json.loads(each.data)) for each in self._parser.feed(data)])
            except (*failures, ValueError) as error:
                await self._response.close()
                raise self._connection.failure(self._call, error) from error

    async def close(self) -> None:
        await self._response.close()
