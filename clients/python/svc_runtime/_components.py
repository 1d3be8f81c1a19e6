"""Runs of one agent, team or workflow."""

from __future__ import annotations

import json
import secrets
from typing import Any, AsyncIterator, Generic, Iterator, List, Mapping, TypeVar, Unpack

from ._body import body_of, json_body, segment
from ._connection import Call, Connection
from ._decisions import awaits, sent
from ._errors import SvcRunError
from ._mistakes import WithMethods, check_decisions, check_message, check_run
from ._stream import AsyncRunStream, RunReference, RunStream, Source
from ._transport import drive
from .models import (
    Checkpoints,
    ContinueOptions,
    RunAccepted,
    RunOptions,
    SessionForked,
    WorkflowContinueOptions,
)

Output = TypeVar("Output")
Event = TypeVar("Event")

Message = str | Mapping[str, Any]
"""Text, or an object for a component with an input schema."""

Decisions = ContinueOptions | WorkflowContinueOptions

_prefixes = {"agent": "Run", "team": "TeamRun", "workflow": "Workflow"}


def _fields(message: Message, options: Mapping[str, Any], **mode: bool) -> dict[str, Any]:
    check_message(message)
    text = message if isinstance(message, str) else json.dumps(message)
    return {"message": text, **options, **mode}


def _in_session(runs: List[Any], session_id: str) -> List[Any]:
    """The runs as other calls take them."""
    return [{**run, "session_id": session_id} for run in runs]


class _Component(WithMethods):
    def __init__(self, connection: Connection, kind: str, id: str) -> None:
        self._connection = connection
        self._prefix = _prefixes[kind]
        self._path = f"/{kind}s/{segment(id)}"

    def _run_path(self, run: Mapping[str, Any], suffix: str = "") -> str:
        check_run(run)
        return f"{self._path}/runs/{segment(run['run_id'])}{suffix}"

    def _post(self, path: str, fields: Mapping[str, Any], key: str | None) -> Call:
        body, content_type = body_of(fields)
        return Call(
            "POST",
            path,
            body=body,
            content_type=content_type,
            idempotency_key=key or secrets.token_hex(16),
            is_run=True,
        )

    def _starting(self, message: Message, options: Mapping[str, Any], key: str | None, **mode: bool) -> Call:
        return self._post(f"{self._path}/runs", _fields(message, options, **mode), key)

    def _continuing(self, run: RunReference, decisions: Mapping[str, Any], key: str | None, stream: bool) -> Call:
        check_run(run)
        check_decisions(run, decisions)
        fields = {**decisions, "session_id": run["session_id"], "stream": stream}
        return self._post(self._run_path(run, "/continue"), fields, key)

    def _get(self, run: RunReference, suffix: str = "") -> Call:
        path = self._run_path(run, suffix)
        return Call("GET", path, {"session_id": run["session_id"]}, is_run=suffix == "")

    def _listing(self, session_id: str) -> Call:
        segment(session_id)
        return Call("GET", f"{self._path}/runs", {"session_id": session_id})

    def _history(self, session_id: str) -> Call:
        return Call("GET", f"/sessions/{segment(session_id)}/runs")

    def _cancelling(self, run: RunReference) -> Call:
        return Call("POST", self._run_path(run, "/cancel"), {"session_id": run["session_id"]})

    def _forking(self, session_id: str, user_id: str | None) -> Call:
        body, content_type = json_body({})
        path = f"{self._path}/sessions/{segment(session_id)}/fork"
        return Call("POST", path, {"user_id": user_id}, body, content_type)

    def _stored(self, run: RunReference) -> Call:
        check_run(run)
        return Call("GET", f"/sessions/{segment(run['session_id'])}/runs/{segment(run['run_id'])}")

    def _source(self, start: Any = None, run: Any = None, after: int | None = None, has_end: bool = True) -> Source:
        def watch(reference: RunReference, index: int | None) -> Call:
            headers = {} if index is None else {"last-event-id": str(index)}
            query = {"session_id": reference["session_id"]}
            return Call("GET", self._run_path(reference, "/events"), query, headers=headers)

        ends = tuple(f"{self._prefix}{end}" for end in ("Completed", "Error", "Cancelled", "Paused"))
        reference: RunReference | None = (
            None if run is None else {"run_id": run["run_id"], "session_id": run["session_id"]}
        )
        return Source(
            self._connection,
            start,
            reference,
            after,
            ends,
            has_end,
            watch,
            lambda reference: self._connection.json(self._get(reference)),
        )


class _Text:
    """The text of an answer, from the events of its run."""

    def __init__(self) -> None:
        self._is_answering = False

    def part(self, event: Any, run: Any) -> str:
        """What an event adds. A team has the events of its members too."""
        if run is None or event.get("run_id") != run["run_id"]:
            return ""
        name = event["event"].removeprefix("Team")
        if name == "RunContent":
            content = event.get("content")
            text = content if isinstance(content, str) else "" if content is None else json.dumps(content)
            self._is_answering = self._is_answering or text != ""
            return text
        if name == "ModelRequestCompleted":
            self._is_answering = False
        if name == "RunContinued" and self._is_answering:
            raise SvcRunError("RUNNING", "The model answers again: the text so far is void", run)
        if name == "RunError":
            raise SvcRunError("ERROR", event.get("content") or "The run failed", run)
        if name == "RunCancelled":
            raise SvcRunError("CANCELLED", event.get("reason") or "The run was cancelled", run)
        if name == "RunPaused":
            raise SvcRunError("PAUSED", event.get("content") or "The run waits for a decision", run)
        return ""


def _beside(run: Mapping[str, Any], session_id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a run that comes after the same run as another one."""
    return {
        "message": str(run.get("run_input") or ""),
        **fields,
        "session_id": session_id,
        "previous_run_id": run.get("previous_run_id") or "start",
    }


class Component(_Component, Generic[Output, Event]):
    """An agent, a team or a workflow of the service.

    A run that failed is returned as well, with the status `ERROR`; `SvcError` is raised for requests that are refused.
    """

    def run(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> Output:
        """Starts a run, and waits for its end or its pause."""
        return self._json(self._starting(message, options, idempotency_key, stream=False))

    def stream(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> RunStream[Output, Event]:
        """Starts a run when the stream is read, and returns its events."""
        has_end = options.get("stream_events") is not False
        return RunStream(
            self._source(lambda: self._starting(message, options, idempotency_key, stream=True), has_end=has_end)
        )

    def start(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> RunAccepted:
        """Starts a run in the background, and returns its id."""
        return self._json(self._starting(message, options, idempotency_key, stream=False, background=True))

    def get(self, run: RunReference) -> Output:
        """The run as it is now."""
        return self._json(self._get(run))

    def list(self, session_id: str) -> List[Any]:
        """The runs of the component in a session, oldest first."""
        return _in_session(self._json(self._listing(session_id)), session_id)

    def history(self, session_id: str) -> List[Any]:
        """The runs that a conversation shows: those on the path to the leaf of its session, oldest first."""
        runs = _in_session(self._json(self._history(session_id)), session_id)
        return [run for run in runs if run.get("is_on_path")]

    def watch(self, run: RunReference, *, after: int | None = None) -> RunStream[Output, Event]:
        """The events of a run that exists: all of them, or those after an index."""
        check_run(run)
        return RunStream(self._source(run=run, after=after))

    def continue_run(self, run: RunReference, decisions: Decisions, *, idempotency_key: str | None = None) -> Output:
        """Continues a paused run with decisions (`approve`, `reject`, `answer`), and waits for its end or pause."""
        return self._json(self._continuing(run, decisions, idempotency_key, False))

    def continue_stream(
        self, run: RunReference, decisions: Decisions, *, idempotency_key: str | None = None
    ) -> RunStream[Output, Event]:
        """Continues a paused run when the stream is read, and returns the events that follow."""
        return RunStream(self._source(lambda: self._continuing(run, decisions, idempotency_key, True)))

    def send(
        self, run: RunReference, event: str, value: Any = None, *, idempotency_key: str | None = None
    ) -> Output:
        """Sends an event to a paused run that waits for it by `waitFor`, and waits for its end or its next pause. With a
        run that has this question the event is its answer, also when it is sent again."""
        check_run(run)
        paused = run if awaits(run, event) else self._json(self._get(run))
        decisions = sent(paused, event, value)
        return self.continue_run(run, decisions, idempotency_key=idempotency_key)

    def cancel(self, run: RunReference) -> None:
        """Asks the run to end. `get` or the events of the run say when it has."""
        self._json(self._cancelling(run))

    def edit(self, run: RunReference, message: Message, **options: Unpack[RunOptions]) -> Output:
        """Sends another message instead of that of a run. The new run is a branch of its session."""
        fields = _beside(self._json(self._stored(run)), run["session_id"], _fields(message, options))
        return self.run(fields.pop("message"), **fields)

    def regenerate(self, run: RunReference, /, **options: Unpack[RunOptions]) -> Output:
        """Sends the message of a run again, without its files. The new run is a branch of its session."""
        fields = _beside(self._json(self._stored(run)), run["session_id"], options)
        return self.run(fields.pop("message"), **fields)

    def _json(self, call: Call) -> Any:
        return drive(self._connection.json(call))


class Conversing(Component[Output, Event]):
    """An agent or a team: its runs have checkpoints, and its sessions can be copied."""

    def text(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> Iterator[str]:
        """Starts a run when the text is read, and returns the text of its answer as it is written. It is never taken
        back: it ends with an `SvcRunError` if the run fails, is cancelled or pauses, so that there is no whole answer.
        If the run is resumed in the middle of its answer, as after a crash of its node, the error has the status
        `RUNNING`: the model answers again, and `watch` waits for that answer."""
        stream = self.stream(message, idempotency_key=idempotency_key, **options)
        text = _Text()
        for event in stream:
            if part := text.part(event, stream.run):
                yield part

    def checkpoints(self, run: RunReference) -> Checkpoints:
        """The places from which a run can be forked or continued."""
        return self._json(self._get(run, "/checkpoints"))

    def checkpoint(self, run: RunReference, message_index: int) -> Any:
        """The run as it was after this many messages."""
        return self._json(self._get(run, f"/checkpoints/{message_index}"))

    def fork(self, session_id: str, *, user_id: str | None = None) -> SessionForked:
        """Copies a session. The copy continues on its own."""
        return self._json(self._forking(session_id, user_id))


class AsyncComponent(_Component, Generic[Output, Event]):
    """As `Component`, for asyncio."""

    async def run(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> Output:
        """Starts a run, and waits for its end or its pause."""
        return await self._json(self._starting(message, options, idempotency_key, stream=False))

    def stream(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> AsyncRunStream[Output, Event]:
        """Starts a run when the stream is read, and returns its events."""
        has_end = options.get("stream_events") is not False
        return AsyncRunStream(
            self._source(lambda: self._starting(message, options, idempotency_key, stream=True), has_end=has_end)
        )

    async def start(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> RunAccepted:
        """Starts a run in the background, and returns its id."""
        return await self._json(self._starting(message, options, idempotency_key, stream=False, background=True))

    async def get(self, run: RunReference) -> Output:
        """The run as it is now."""
        return await self._json(self._get(run))

    async def list(self, session_id: str) -> List[Any]:
        """The runs of the component in a session, oldest first."""
        return _in_session(await self._json(self._listing(session_id)), session_id)

    async def history(self, session_id: str) -> List[Any]:
        """The runs that a conversation shows: those on the path to the leaf of its session, oldest first."""
        runs = _in_session(await self._json(self._history(session_id)), session_id)
        return [run for run in runs if run.get("is_on_path")]

    def watch(self, run: RunReference, *, after: int | None = None) -> AsyncRunStream[Output, Event]:
        """The events of a run that exists: all of them, or those after an index."""
        check_run(run)
        return AsyncRunStream(self._source(run=run, after=after))

    async def continue_run(
        self, run: RunReference, decisions: Decisions, *, idempotency_key: str | None = None
    ) -> Output:
        """Continues a paused run with decisions (`approve`, `reject`, `answer`), and waits for its end or pause."""
        return await self._json(self._continuing(run, decisions, idempotency_key, False))

    def continue_stream(
        self, run: RunReference, decisions: Decisions, *, idempotency_key: str | None = None
    ) -> AsyncRunStream[Output, Event]:
        """Continues a paused run when the stream is read, and returns the events that follow."""
        return AsyncRunStream(self._source(lambda: self._continuing(run, decisions, idempotency_key, True)))

    async def send(
        self, run: RunReference, event: str, value: Any = None, *, idempotency_key: str | None = None
    ) -> Output:
        """Sends an event to a paused run that waits for it by `waitFor`, and waits for its end or its next pause. With a
        run that has this question the event is its answer, also when it is sent again."""
        check_run(run)
        paused = run if awaits(run, event) else await self._json(self._get(run))
        decisions = sent(paused, event, value)
        return await self.continue_run(run, decisions, idempotency_key=idempotency_key)

    async def cancel(self, run: RunReference) -> None:
        """Asks the run to end. `get` or the events of the run say when it has."""
        await self._json(self._cancelling(run))

    async def edit(self, run: RunReference, message: Message, /, **options: Unpack[RunOptions]) -> Output:
        """Sends another message instead of that of a run. The new run is a branch of its session."""
        fields = _beside(await self._json(self._stored(run)), run["session_id"], _fields(message, options))
        return await self.run(fields.pop("message"), **fields)

    async def regenerate(self, run: RunReference, /, **options: Unpack[RunOptions]) -> Output:
        """Sends the message of a run again, without its files. The new run is a branch of its session."""
        fields = _beside(await self._json(self._stored(run)), run["session_id"], options)
        return await self.run(fields.pop("message"), **fields)

    async def _json(self, call: Call) -> Any:
        return await self._connection.json(call)


class AsyncConversing(AsyncComponent[Output, Event]):
    """An agent or a team: its runs have checkpoints, and its sessions can be copied."""

    async def text(
        self, message: Message, *, idempotency_key: str | None = None, **options: Unpack[RunOptions]
    ) -> AsyncIterator[str]:
        """Starts a run when the text is read, and returns the text of its answer as it is written. It is never taken
        back: it ends with an `SvcRunError` if the run fails, is cancelled or pauses, so that there is no whole answer.
        If the run is resumed in the middle of its answer, as after a crash of its node, the error has the status
        `RUNNING`: the model answers again, and `watch` waits for that answer."""
        stream = self.stream(message, idempotency_key=idempotency_key, **options)
        text = _Text()
        async for event in stream:
            if part := text.part(event, stream.run):
                yield part

    async def checkpoints(self, run: RunReference) -> Checkpoints:
        """The places from which a run can be forked or continued."""
        return await self._json(self._get(run, "/checkpoints"))

    async def checkpoint(self, run: RunReference, message_index: int) -> Any:
        """The run as it was after this many messages."""
        return await self._json(self._get(run, f"/checkpoints/{message_index}"))

    async def fork(self, session_id: str, *, user_id: str | None = None) -> SessionForked:
        """Copies a session. The copy continues on its own."""
        return await self._json(self._forking(session_id, user_id))
