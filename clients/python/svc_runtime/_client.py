"""A service: its agents, teams and workflows, and every resource of its API."""

from __future__ import annotations

import ssl
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Never, Self
from urllib.parse import urlsplit

from ._components import AsyncComponent, AsyncConversing, Component, Conversing
from ._connection import Connection, Token
from ._mistakes import WithProperties, refuse_options
from ._transport import AsyncTransport, BlockingTransport, drive
from .models import (
    AgentEvent,
    RunOutput,
    TeamEvent,
    TeamRunOutput,
    WorkflowEvent,
    WorkflowRunOutput,
)
from .resources import AsyncResources, Resources


def _connection(
    transport: type[BlockingTransport] | type[AsyncTransport],
    base_url: str,
    token: Token,
    headers: Mapping[str, str] | None,
    retries: int,
    timeout: float,
    tls: ssl.SSLContext | None,
) -> Connection:
    if not isinstance(base_url, str):
        raise TypeError(f'The base URL must be a text, such as Svc("http://127.0.0.1:7777"), and is {base_url!r}')
    base = urlsplit(base_url)
    if base.scheme not in ("http", "https") or not base.hostname:
        raise ValueError(f"The base URL needs http:// or https:// and a host: {base_url!r}")
    prefix = base.path.rstrip("/")
    origin = f"{base.scheme}://{base.netloc}"
    return Connection(transport(base, tls), origin, prefix, token, headers or {}, retries, timeout)


class Svc(WithProperties, Resources):
    """A service, for programs without asyncio. Threads can share it.

    `token` is a bearer token, or a function that is called for each request. `retries` is how often a read, or the
    start of a run, is repeated after a failure of the network and after 429, 502, 503 and 504. `timeout` is the number
    of seconds without a byte of a response.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:7777",
        *,
        token: str | Callable[[], str] | None = None,
        headers: Mapping[str, str] | None = None,
        retries: int = 2,
        timeout: float = 600,
        tls: ssl.SSLContext | None = None,
        **others: Never,
    ) -> None:
        refuse_options("Svc", others)
        self._use(_connection(BlockingTransport, base_url, token, headers, retries, timeout, tls))

    def _use(self, connection: Connection) -> None:
        self._connection = connection
        super().__init__(connection)

    def with_options(self, *, headers: Mapping[str, str] | None = None, timeout: float | None = None) -> Svc:
        """The same service with other options, for a few calls."""
        other = object.__new__(Svc)
        other._use(self._connection.with_options(headers, timeout))
        return other

    def agent(self, id: str) -> Conversing[RunOutput, AgentEvent]:
        return Conversing(self._connection, "agent", id)

    def team(self, id: str) -> Conversing[TeamRunOutput, TeamEvent]:
        return Conversing(self._connection, "team", id)

    def workflow(self, id: str) -> Component[WorkflowRunOutput, WorkflowEvent]:
        return Component(self._connection, "workflow", id)

    def all(self, list: Callable[..., Any], **query: Any) -> Iterator[Any]:
        """The entries of all pages of a list: `svc.all(svc.sessions.list, user_id="ann")`."""
        page = 1
        while True:
            found = list(**query, page=page)
            yield from found["data"]
            if not found["data"] or page >= found["meta"]["total_pages"]:
                return
            page += 1

    def close(self) -> None:
        """Ends connections that are idle."""
        drive(self._connection.transport.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncSvc(WithProperties, AsyncResources):
    """A service, for asyncio. The options are those of `Svc`; a function for tokens may be a coroutine function."""

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:7777",
        *,
        token: str | Callable[[], str | Awaitable[str]] | None = None,
        headers: Mapping[str, str] | None = None,
        retries: int = 2,
        timeout: float = 600,
        tls: ssl.SSLContext | None = None,
        **others: Never,
    ) -> None:
        refuse_options("AsyncSvc", others)
        self._use(_connection(AsyncTransport, base_url, token, headers, retries, timeout, tls))

    def _use(self, connection: Connection) -> None:
        self._connection = connection
        super().__init__(connection)

    def with_options(self, *, headers: Mapping[str, str] | None = None, timeout: float | None = None) -> AsyncSvc:
        """The same service with other options, for a few calls."""
        other = object.__new__(AsyncSvc)
        other._use(self._connection.with_options(headers, timeout))
        return other

    def agent(self, id: str) -> AsyncConversing[RunOutput, AgentEvent]:
        return AsyncConversing(self._connection, "agent", id)

    def team(self, id: str) -> AsyncConversing[TeamRunOutput, TeamEvent]:
        return AsyncConversing(self._connection, "team", id)

    def workflow(self, id: str) -> AsyncComponent[WorkflowRunOutput, WorkflowEvent]:
        return AsyncComponent(self._connection, "workflow", id)

    async def all(self, list: Callable[..., Awaitable[Any]], **query: Any) -> AsyncIterator[Any]:
        """The entries of all pages of a list: `svc.all(svc.sessions.list, user_id="ann")`."""
        page = 1
        while True:
            found = await list(**query, page=page)
            for each in found["data"]:
                yield each
            if not found["data"] or page >= found["meta"]["total_pages"]:
                return
            page += 1

    async def close(self) -> None:
        """Ends connections that are idle."""
        await self._connection.transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
