"""The events of a run. After a cut the stream connects again and reads on from the last event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Generic, Iterator, Mapping, TypedDict, TypeVar

from ._connection import Call, Connection, Events, is_transient, retry_delay
from ._errors import SvcConnectionError, SvcError
from ._transport import drive

Output = TypeVar("Output")
Event = TypeVar("Event")

max_attempts = 12
"""Attempts in a row without an event."""


class RunReference(TypedDict):
    """A run, as most calls need it."""

    run_id: str
    session_id: str


@dataclass
class Source:
    connection: Connection
    start: Callable[[], Call] | None
    """The request that starts or continues the run; none to watch a run from an event."""
    run: RunReference | None
    after: int | None
    ends: tuple[str, ...]
    """Names of the events with which a run ends or pauses."""
    has_end: bool
    watch: Callable[[RunReference, int | None], Call]
    get: Callable[[RunReference], Awaitable[Any]]


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self.run = source.run
        self.last = source.after
        self._started: Call | None = None
        self._events: Events | None = None
        self._was_open = False
        self._is_over = False
        self._attempt = 0
        self._before = self.last

    def _note(self, event: Mapping[str, Any]) -> None:
        # a continued run begins with the events of what has paused inside of it
        outer = (event.get("parent_run_id"), event.get("workflow_run_id"))
        is_inner = any(each is not None for each in outer) or event.get("nested_depth", 0) > 0
        if self.run is None and not is_inner and "run_id" in event and "session_id" in event:
            self.run = {"run_id": event["run_id"], "session_id": event["session_id"]}
        # a pause in the past of the run is not its end
        if self.run is not None and event.get("run_id") == self.run["run_id"]:
            self._is_over = event.get("event") in self._source.ends

    def _call(self) -> Call:
        start = self._source.start
        if self.run is not None and (start is None or self.last is not None):
            return self._source.watch(self.run, self.last)
        if start is None:
            raise ValueError("A run to watch needs its id")
        # sent again as it was: the key of the request makes it the same run
        self._started = self._started or start()
        return self._started

    async def _has_ended(self) -> bool:
        """Checks that a stream has ended because the run did, and was not cut."""
        if not self._source.has_end:
            return True
        if self.run is None:
            return False
        return (await self._source.get(self.run))["status"] not in ("PENDING", "RUNNING")

    async def _read(self) -> Any:
        """The next event of the open response; None at its end."""
        if self._events is None:
            self._before = self.last
            self._events = await self._source.connection.open(self._call())
            self._was_open = True
        while (message := await self._events.next()) is not None:
            number, event = message
            if number is None:
                # an event without an index is none of the run: it says why the service cannot send the others
                reason = (event or {}).get("error") or (event or {}).get("content") or "it broke"
                raise SvcConnectionError("the stream", reason)
            if self.last is not None and int(number) <= self.last:
                continue
            self.last = int(number)
            self._note(event)
            return event
        return None

    async def next(self) -> Any:
        """The next event; None at the end."""
        while not self._is_over:
            failure: Exception | None = None
            try:
                event = await self._read()
                if event is not None:
                    return event
                if await self._has_ended():
                    self._is_over = True
                    break
            except (SvcError, SvcConnectionError) as error:
                # a stream that never began fails as other requests do
                if not self._was_open or not is_transient(error):
                    raise
                failure = error
            await self.close()
            if self._is_over:
                break
            if self.last != self._before:
                self._attempt = 0
            if self._attempt >= (max_attempts if self._source.connection.reopens else 1) - 1:
                raise failure or SvcConnectionError("the stream", "it was cut before the run ended")
            await self._source.connection.transport.sleep(retry_delay(self._attempt, failure))
            self._attempt += 1
        await self.close()
        return None

    async def close(self) -> None:
        events, self._events = self._events, None
        if events is not None:
            await events.close()

    async def result(self) -> Any:
        if self.run is None:
            raise SvcConnectionError("the stream", "it had no event")
        return await self._source.get(self.run)


class _Stream:
    def __init__(self, source: Source) -> None:
        self._reader = _Reader(source)

    @property
    def run(self) -> RunReference | None:
        """The run. None before its first event."""
        return self._reader.run

    @property
    def last_event_index(self) -> int | None:
        """Index of the last event that was read. A later `watch` can continue after it."""
        return self._reader.last


class RunStream(_Stream, Generic[Output, Event]):
    """The events of a run, in their order, each once. It ends when the run ends or pauses.

    A connection that is cut is opened again, and the stream reads on after the last event.
    """

    def __iter__(self) -> Iterator[Event]:
        try:
            while (event := drive(self._reader.next())) is not None:
                yield event
        finally:
            drive(self._reader.close())

    def result(self) -> Output:
        """Reads the rest of the stream, and returns the run as it is stored."""
        for _ in self:
            pass
        return drive(self._reader.result())


class AsyncRunStream(_Stream, Generic[Output, Event]):
    """As `RunStream`, for `async for`."""

    async def __aiter__(self) -> AsyncIterator[Event]:
        try:
            while (event := await self._reader.next()) is not None:
                yield event
        finally:
            await self._reader.close()

    async def result(self) -> Output:
        """Reads the rest of the stream, and returns the run as it is stored."""
        async for _ in self:
            pass
        return await self._reader.result()
