"""Requests: credentials, errors of the service, and repetitions of what can be repeated."""

from __future__ import annotations

import inspect
import json
import re
import warnings
from dataclasses import dataclass, field, replace
from typing import Any, Awaitable, Callable, Iterator, Mapping

from ._body import query_text
from ._errors import SvcConnectionError, SvcError, SvcWarning
from ._events import Parser
from ._transport import Response, Transport, failures

Token = str | Callable[[], "str | Awaitable[str]"] | None

transient = (429, 502, 503, 504)

_warnings = re.compile(r'\b299 \S+ "([^"]*)"')

_wrong_base = "Is base_url the address of a service of Svc?"

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
    is_run: bool = False
    """The response is a run. Another program can respond with anything."""


def is_transient(error: Exception) -> bool:
    if isinstance(error, SvcError):
        return error.status in transient and (error.retry_after or 0) <= max_retry_delay
    return isinstance(error, SvcConnectionError)


def retry_delay(attempt: int, error: Exception | None) -> float:
    """Seconds: what the service says, otherwise longer each time."""
    if isinstance(error, SvcError) and error.retry_after is not None:
        return error.retry_after
    return min(0.2 * 2**attempt, 5.0)


def _warn(response: Response) -> None:
    """Shows what of a request the service has not used. Python shows each text once."""
    for text in _warnings.findall(response.headers.get("warning", "")):
        warnings.warn(text, SvcWarning, stacklevel=2)


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
        _warn(response)
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
        raise SvcError(response.status, self._error_body(call, response, body), response.headers)

    def _error_body(self, call: Call, response: Response, body: Any) -> Any:
        """Each error of the service has a code. Other programs have paths of their own."""
        fields = body if isinstance(body, dict) else {}
        if isinstance(fields.get("error_code"), str) or response.status in transient:
            return body
        detail = fields.get("detail")
        if not isinstance(detail, str) or not detail:
            return {"detail": self._foreign(call, response)}
        if response.status != 404:
            return body
        return {**fields, "detail": f"{self.base_url}{self._target(call)}: {detail}. {_wrong_base}"}

    def _foreign(self, call: Call, response: Response) -> str:
        status = "" if 200 <= response.status < 300 else f"{response.status} and "
        media_type = _media_type(response) or "no content type"
        return f"{self.base_url}{self._target(call)} responded with {status}{media_type}. {_wrong_base}"

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

        value = await self._repeated(call, use)
        if call.is_run and not (isinstance(value, dict) and "run_id" in value):
            url = f"{self.base_url}{self._target(call)}"
            detail = f"{url} responded with something that is no run. {_wrong_base}"
            raise SvcError(200, {"detail": detail}, {})
        return value

    async def _unexpected(self, call: Call, response: Response) -> SvcError:
        """Something else than the service has responded: a proxy, or a site with the same address."""
        await response.close()
        return SvcError(response.status, {"detail": self._foreign(call, response)}, response.headers)

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
