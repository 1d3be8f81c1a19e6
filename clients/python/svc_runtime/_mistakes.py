"""Mistakes of callers, as sentences that say what to write: names of other clients, and values of another kind.

Type checkers do not see the methods `__getattr__`: with them, they would accept each name."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Mapping

_START = "Write run(message), or stream(message) for its events"
_CONTINUE = "Write continue_run(run, approve(run)), or continue_run(run, answer(run, values))"
_SVC = 'Write svc.agent(id).run(message). A client of OpenAI can call the service too, at base_url + "/v1"'

_METHODS = {
    "ainvoke arun ask batch chat complete create create_run execute generate generate_text invoke kickoff "
    "print_response query send_message stream_events stream_text submit": _START,
    "continue continue_ resume respond submit_tool_outputs": _CONTINUE,
    "approve confirm": "Write continue_run(run, approve(run)), with approve of svc_runtime",
    "deny reject": "Write continue_run(run, reject(run, note)), with reject of svc_runtime",
    "resume_stream": "Write continue_stream(run, approve(run))",
    "send_event signal": "Write send(run, event)",
    "abort stop": "Write cancel(run)",
    "get_run retrieve status wait": "Write get(run), or watch(run) for its events",
}

_PROPERTIES = {
    "chat completions messages responses": _SVC,
    "ask generate invoke run stream": "Write svc.agent(id).run(message), or stream(message) for its events",
    "assistants beta get_agent": "Write svc.agent(id), or svc.agents.list()",
    "get_team": "Write svc.team(id)",
    "get_workflow": "Write svc.workflow(id)",
    "conversations threads": "Write svc.sessions: they have the runs of a conversation",
}

_NAMES = {
    "confirm": "approve",
    "decline deny": "reject",
    "respond": "answer",
    "agent_client api_client client svc_client": "Svc",
    "async_client async_svc_client": "AsyncSvc",
}

_OPTIONS = {
    "address api_url endpoint host server uri url": "base_url",
    "access_token api_key auth auth_token bearer key": "token",
    "default_headers request_headers": "headers",
    "max_retries retry": "retries",
    "ssl ssl_context verify": "tls",
}


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _found(table: Mapping[str, str], name: str) -> str | None:
    return next((todo for names, todo in table.items() if _plain(name) in map(_plain, names.split())), None)


def _missing(owner: str, what: str, name: str, todo: str | None) -> AttributeError:
    return AttributeError(f"{owner} has no {what} '{name}'" + (f". {todo}" if todo else ""))


class WithMethods:
    """Methods of other clients are missing with what to write."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise _missing(type(self).__name__, "method", name, _found(_METHODS, name))


class WithProperties:
    """The same of the client itself."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise _missing(type(self).__name__, "attribute", name, _found(_PROPERTIES, name))


def missing_name(name: str) -> Exception:
    """A name that the package does not have. Python shows the text of an import only if the error is one of imports."""
    meant = _found(_NAMES, name)
    text = f"svc_runtime has no '{name}'"
    return AttributeError(text) if meant is None else ImportError(f"{text}. Did you mean '{meant}'?")


def refuse_options(owner: str, given: Mapping[str, Any]) -> None:
    """An option that has no effect, such as a key that is not sent, would be missed late."""
    for name in given:
        known = ("base_url", "token", "headers", "retries", "timeout", "tls")
        meant = next((each for each in known if _plain(each) == _plain(name)), None) or _found(_OPTIONS, name)
        todo = f"Did you mean '{meant}'?" if meant else f"Its options are {', '.join(known)}"
        raise TypeError(f"{owner}: there is no option '{name}'. {todo}")


def check_run(run: object) -> None:
    """Raises a `TypeError` for what is no run."""
    if inspect.isawaitable(run):
        if inspect.iscoroutine(run):
            run.close()
        raise TypeError("This run is not awaited. Write await before it")
    if not isinstance(run, Mapping):
        what = f"the text '{run}'" if isinstance(run, str) else "None" if run is None else f"a {type(run).__name__}"
        raise TypeError(f"This is no run, but {what}. Give what run() returned, or its ids")
    for name in ("run_id", "session_id"):
        if name not in run:
            raise TypeError(f"This is no run: it has no {name}. Give what run() returned, or its ids")


def check_decisions(run: object, decisions: object) -> None:
    if isinstance(decisions, Mapping) and decisions is not run:
        return
    what = "the run" if decisions is run else repr(decisions)
    raise TypeError(
        "A run is continued with decisions, as approve(run), reject(run) and answer(run, values) give them, and was "
        f"given {what}"
    )


def check_message(message: object) -> None:
    if isinstance(message, (list, tuple)):
        raise TypeError(
            "A run takes one message, and was given a list. Give it the text of the last one: the session has those "
            "before it"
        )
    if not isinstance(message, (str, Mapping)):
        raise TypeError(f"A run takes a text, or a dict of the fields of its input, and was given {message!r}")
