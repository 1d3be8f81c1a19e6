"""Decisions about what a paused run waits for, as `continue_run` takes them."""

from __future__ import annotations

import inspect
import json
import re
from datetime import datetime, timezone
from typing import Any, Callable, Mapping

Requirement = dict[str, Any]

# not given: None is a value, too
_NOTHING: Any = type("Nothing", (), {"__repr__": lambda self: "nothing"})()


def waiting_steps(run: Mapping[str, Any]) -> list[Requirement]:
    """The steps of a paused workflow that wait for people. Several can wait at the same time. Steps that wait for
    events or times only are among them if the run waits for nothing else. Decide on one of them with
    `answer({"step_requirements": [step]}, values)`."""
    if run.get("status", "PAUSED") != "PAUSED":
        return []
    steps, errors = run.get("step_requirements") or [], run.get("error_requirements") or []
    if _have_state(steps):
        waiting = [step for step in steps if step.get("resolved") is False]
    else:
        # runs of earlier versions do not say it: the last one is open, if no step has failed
        waiting = [] if errors else steps[-1:]
    for_people = [step for step in waiting if _is_for_people(step)]
    return for_people if for_people or errors else waiting


def approve(run: Mapping[str, Any]) -> Any:
    """Confirms everything that the run waits for. Failed steps are repeated. For other arguments than those of the
    model, give a run whose requirement has them as `tool_args` of its `tool_execution`."""
    return _decided(run, _confirmed, lambda step: {"confirmed": True}, "retry")


def reject(run: Mapping[str, Any], note: str | None = None) -> Any:
    """Rejects everything that the run waits for, with a reason for the model. Failed steps are skipped."""
    if note is not None and not isinstance(note, str):
        raise ValueError("The note of reject(run, note) is a text")
    noted = {} if note is None else {"confirmation_note": note}
    feedback = {} if note is None else {"rejection_feedback": note}
    return _decided(
        run,
        lambda call: {**call, "confirmation": False, **noted},
        lambda step: {"confirmed": False, **feedback},
        "skip",
    )


def answer(
    run: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    *,
    result: Any = _NOTHING,
    choices: list[str] | None = None,
) -> Any:
    """Gives what the run waits for: `values` of fields by their names, the `result` of calls that are executed
    elsewhere and of events, or the `choices` of a router. What also needs a confirmation is confirmed, and failed
    steps are repeated. A `result` that is no text is sent as JSON, None as null. If several calls ask for the same,
    each gets its own under its id: `answer(run, {"call_1": {"size": 4}, "call_2": {"size": 5}})`. Raises a
    `ValueError` for what the run, or the call, does not ask for, for what is given to one call twice, and for what
    several steps ask for: give a run with one of them then."""
    _check_whole(run)
    if isinstance(values, bool):
        raise TypeError(
            f"answer(run, values) takes values by the names of their fields, and was given {values}. "
            f"Write {'approve' if values else 'reject'}(run)"
        )
    if choices is not None and (isinstance(choices, str) or not all(isinstance(each, str) for each in choices)):
        raise TypeError("The choices of answer(run, choices=names) are a list of names")
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(f'answer(run, values) takes values by the names of their fields: {{"name": {values!r}}}')
    asking = _asking(run)
    owns, given = _sorted(asking, values or {})
    _check(run, asking, owns, given, result, choices)

    def answered(call: Requirement) -> Requirement:
        tool = call.get("tool_execution") or {}
        own = owns.get(id(call), _NOTHING)
        if tool.get("external_execution_required"):
            sent = result if own is _NOTHING else own
            return call if sent is _NOTHING else {**call, "external_execution_result": _text(sent)}
        fields = tool.get("user_input_schema")
        if isinstance(fields, list):
            filled = {**given, **own} if isinstance(own, Mapping) else given
            return _confirmed({**call, "user_input_schema": [_filled(each, filled) for each in fields]})
        return _confirmed(call)

    def of_step(step: Requirement) -> Requirement:
        decision: dict[str, Any] = {"confirmed": True}
        fields = step.get("user_input_schema")
        if values is not None and isinstance(fields, list):
            decision["user_input"] = {name: value for name, value in given.items() if name in _names(fields)}
        if choices is not None and step.get("requires_route_selection"):
            decision["selected_choices"] = choices
        return decision

    return _decided(run, answered, of_step, "retry")


def sent(run: Mapping[str, Any], event: str, value: Any = None) -> Any:
    """Sends an event to all that waits for it by `waitFor`. Raises a `ValueError` if nothing does."""
    _check_whole(run)
    if not isinstance(event, str) or not event:
        raise TypeError(f"sent(run, event, value) takes the name of an event, and was given {event!r}")
    steps = run.get("step_requirements")
    if not awaits(run, event):
        names = _events(run)
        others = " for " + ", ".join(f"'{name}'" for name in names) if names else " for no event"
        raise ValueError(f"The run does not wait for the event '{event}'. It waits{others}")
    result = _json(value)

    def decided(calls: Any) -> list[Requirement]:
        return [{**call, "external_execution_result": result} if _event(call) == event else call for call in calls]

    if not steps:
        return {"requirements": decided(run.get("requirements") or [])}
    waiting = _steps_for(steps, event)
    answered = [(step, {"executor_requirements": decided(step["executor_requirements"])}) for step in waiting]
    return {"step_requirements": _sent_steps(steps, answered)}


def _have_state(steps: list[Requirement]) -> bool:
    """Runs of earlier versions do not say which steps wait. Decisions about them are known by their places."""
    return any(step.get("resolved") is not None for step in steps)


def _steps_for(steps: list[Requirement], event: str) -> list[Requirement]:
    """Those that wait for the event. Runs of earlier versions do not say it: the last one is open."""
    found = [
        step
        for step in steps
        if not step.get("resolved") and event in map(_event, step.get("executor_requirements") or [])
    ]
    return found if any(step.get("resolved") is False for step in found) else found[-1:]


def _is_for_people(step: Requirement) -> bool:
    """Events and times decide on the others."""
    if not step.get("requires_executor_input"):
        return True
    tools = [call.get("tool_execution") or {} for call in _open(step.get("executor_requirements"))]
    return any(
        tool.get("outcome_unknown") is True
        or (tool.get("wake_at") is None and (tool.get("asked") or {}).get("event") is None)
        for tool in tools
    )


def _names(fields: Any) -> list[str]:
    return [field["name"] for field in fields or []]


def _title(step: Requirement) -> str:
    """Steps inside of others, such as those of the items of a list, have the same name several times."""
    index = step.get("step_index")
    outer = _around(step.get("id") or "")
    own = index if isinstance(index, list) else [index] if outer else []
    place = "/".join(map(str, [*outer, *own]))
    return f"'{step.get('step_name')}'" + (f" ({place})" if place else "")


def _around(question: str) -> list[int]:
    """The steps and the items around the workflow of a step, which are in the id of its question."""
    parts = (re.match(r"([#$]?)(\d+)", part) for part in question[: max(question.rfind("/>/"), 0)].split("/"))
    return [int(part[2]) - (part[1] == "#") for part in parts if part]


def _check_one(titles: list[str], what: str) -> None:
    """One answer is for one step: another one would get it unseen."""
    if len(titles) > 1:
        raise ValueError(f"Several steps ask for {what}: {', '.join(titles)}. Answer one of them at a time")


def _is_of(call: Requirement, key: str) -> bool:
    """A key is the name of a field, or the id of a call, or of its requirement, with what is for this call alone."""
    return key in (call.get("id"), (call.get("tool_execution") or {}).get("tool_call_id"))


def _takes_result(call: Requirement) -> bool:
    return bool((call.get("tool_execution") or {}).get("external_execution_required"))


def _fields(call: Requirement) -> list[str]:
    """A call that waits for a result, an event or a time can show the fields of a question before."""
    return [] if _takes_result(call) else _names((call.get("tool_execution") or {}).get("user_input_schema"))


def _end(calls: list[Requirement]) -> str | None:
    """When calls that wait only for times continue by themselves."""
    times = [(call.get("tool_execution") or {}).get("wake_at") for call in calls]
    if not times or None in times:
        return None
    end = datetime.fromtimestamp(min(time for time in times if time is not None), timezone.utc)
    return f"waits for a time, and continues by itself at {end.strftime('%Y-%m-%dT%H:%M:%SZ')}"


def _check_one_call(calls: list[Requirement], what: str, example: str) -> None:
    """Calls of a model can have one name, and those of several members one id."""
    if len(calls) < 2:
        return
    tools = [call.get("tool_execution") or {} for call in calls]
    ids = [tool.get("tool_call_id") for tool in tools]
    shown = [each if ids.count(each) == 1 else call.get("id") for each, call in zip(ids, calls)]
    titles = ", ".join(f"{tool.get('tool_name')} ({each})" for tool, each in zip(tools, shown))
    raise ValueError(
        f"Several calls ask for {what}: {titles}. Give each its own under its id, such as "
        f'{{"{shown[0]}": {example}}}'
    )


def _check_own(key: str, call: Requirement, own: Any) -> None:
    """What is given to one call. An empty dict for a call without fields would confirm it, and the others with it."""
    if _takes_result(call):
        return
    names = _fields(call)
    if not names:
        raise ValueError(
            f"The call '{key}' takes no values. Leave it out, and the answer confirms it, as approve(run) does. To "
            'decline it, send what reject({"requirements": [requirement]}) gives for it'
        )
    taken = "an object with " + ", ".join(f"'{name}'" for name in names)
    if not isinstance(own, Mapping):
        raise ValueError(f"The call '{key}' takes {taken}, and was given {own!r}")
    unknown = next((name for name in own if name not in names), None)
    if unknown is not None:
        raise ValueError(f"The call '{key}' takes no '{unknown}'. It takes {taken}")


class _Asking:
    """What a step, or a run of an agent or a team, asks for."""

    def __init__(self, run: Mapping[str, Any], is_step: bool) -> None:
        self.title = _title(dict(run)) if is_step else ""
        self.has_calls = not is_step or bool(run.get("requires_executor_input"))
        kind = "executor_requirements" if is_step else "requirements"
        self.calls = _open(run.get(kind)) if self.has_calls else []
        of_calls = [name for call in self.calls for name in _fields(call)]
        self.fields = of_calls if self.has_calls else _names(run.get("user_input_schema"))
        self.takes_choices = not self.has_calls and bool(run.get("requires_route_selection"))


def _asking(run: Mapping[str, Any]) -> list[_Asking]:
    if run.get("step_requirements") or run.get("error_requirements"):
        return [_Asking(step, True) for step in waiting_steps(run)]
    return [_Asking(run, False)]


def _is_for_call(call: Requirement, value: Any) -> bool:
    """Whether it is what the call takes, and not the value of a field with the name of the call's id."""
    return isinstance(value, Mapping) and bool(value) and all(name in _fields(call) for name in value)


def _call_named(asking: list[_Asking], key: str, values: Mapping[str, Any]) -> Requirement | None:
    """The call that the key is the id of. None: the key is the name of a field."""
    calls = [call for each in asking for call in each.calls if _is_of(call, key)]
    if not calls:
        return None
    if any(key in each.fields for each in asking):
        others = [other for other in values if other != key]
        for call in calls:
            if _takes_result(call) and not any(_is_of(call, other) for other in others):
                raise ValueError(
                    f"'{key}' is the id of a call, and the name of a field. Name the call '{call.get('id')}'"
                )
        if not any(_is_for_call(call, values[key]) for call in calls):
            return None
    _check_one_call(calls, f"'{key}'", "…")
    _check_own(key, calls[0], values[key])
    return calls[0]


def _sorted(asking: list[_Asking], values: Mapping[str, Any]) -> tuple[dict[int, Any], dict[str, Any]]:
    """What is for one call alone, by the identity of the call, and the values by the names of fields. No value is of
    both kinds."""
    keys: dict[int, str] = {}
    for key in values:
        call = _call_named(asking, key, values)
        if call is None:
            continue
        if id(call) in keys:
            raise ValueError(
                f"'{keys[id(call)]}' and '{key}' are the same call. Give what is for it under one of them"
            )
        keys[id(call)] = key
    of_calls = set(keys.values())
    of_fields = {name: value for name, value in values.items() if name not in of_calls}
    return {call: values[key] for call, key in keys.items()}, of_fields


def _check_without(calls: list[Requirement], what: str, example: str) -> None:
    """What every call has of its own would be lost beside that."""
    if not calls:
        raise ValueError(f"Each call that asks for {what} is given its own. Leave out the other")
    _check_one_call(calls, what, example)


def _check(
    run: Mapping[str, Any],
    asking: list[_Asking],
    owns: Mapping[int, Any],
    values: Mapping[str, Any],
    result: Any,
    choices: list[str] | None,
) -> None:
    """What no field, call or router takes would be lost, and the call be executed without it."""
    names = [name for each in asking for name in each.fields]
    waiting = [call for each in asking for call in each.calls]
    for name in values:
        takers = [each for each in asking if name in each.fields]
        if not takers:
            asked = ", ".join(f"'{each}'" for each in names) or "no values"
            events = [] if names else _events(run)
            waits = ", ".join(f"'{each}'" for each in events)
            sending = f"waits for the event {waits}, as send(run, event, value) sends it"
            taken = sending if events else f"asks for {asked}" if names else _end(waiting) or f"asks for {asked}"
            raise ValueError(f"The run asks for no '{name}'. It {taken}")
        _check_one([each.title for each in takers], f"'{name}'")
        of_calls = [(call, owns.get(id(call))) for call in waiting if name in _fields(call)]
        without = [call for call, own in of_calls if not (isinstance(own, Mapping) and name in own)]
        if takers[0].has_calls:
            _check_without(without, f"'{name}'", f'{{"{name}": …}}')
    if result is not _NOTHING:
        external = [call for call in waiting if _takes_result(call)]
        if not external:
            raise ValueError("The run asks for no result of a call or an event")
        _check_one([each.title for each in asking if any(map(_takes_result, each.calls))], "a result")
        _check_without([call for call in external if id(call) not in owns], "a result", "…")
    if choices is not None:
        routers = [each.title for each in asking if each.takes_choices]
        if not routers:
            raise ValueError("The run asks for no choices")
        _check_one(routers, "choices")


def awaits(run: Mapping[str, Any], event: str) -> bool:
    """Whether a run, as it was read, waits for the event."""
    steps = run.get("step_requirements")
    return bool(_steps_for(steps, event)) if steps else event in map(_event, run.get("requirements") or [])


def _check_whole(run: Mapping[str, Any]) -> None:
    """Runs of a list have the calls that wait, and not the requirements."""
    if inspect.isawaitable(run):
        if inspect.iscoroutine(run):
            run.close()
        raise TypeError("The run is not awaited. Write await before it")
    if not isinstance(run, Mapping):
        raise TypeError("A decision is about a run, not its id. Read it with get(run)")
    kinds = ("requirements", "step_requirements", "error_requirements")
    if run.get("status") == "PAUSED" and all(run.get(kind) is None for kind in kinds):
        raise ValueError(
            "This paused run has no requirements, as one of a list or a history. Read it with get() first"
        )


def _events(run: Mapping[str, Any]) -> list[str]:
    """The events that it waits for."""
    open_steps = [step for step in run.get("step_requirements") or [] if not step.get("resolved")]
    calls = [call for step in open_steps for call in step.get("executor_requirements") or []]
    return [name for name in map(_event, calls or run.get("requirements") or []) if name is not None]


def _event(call: Requirement) -> str | None:
    name = ((call.get("tool_execution") or {}).get("asked") or {}).get("event")
    return name if isinstance(name, str) else None


def _open(calls: Any) -> list[Requirement]:
    """A person, or an approval, has decided on the others, and the run follows it."""
    decisions = ("approval_status", "confirmation", "external_execution_result", "user_input_schema")
    return [call for call in calls or [] if all(call.get(key) is None for key in decisions)]


def _confirmed(call: Requirement) -> Requirement:
    return {**call, "confirmation": True}


def _json(value: Any) -> str:
    """Raises a `ValueError` for NaN and infinite numbers, which JSON does not have."""
    return json.dumps(value, allow_nan=False)


def _text(result: Any) -> str:
    return result if isinstance(result, str) else _json(result)


def _filled(field: Requirement, values: Mapping[str, Any]) -> Requirement:
    return {**field, "value": values[field["name"]]} if field["name"] in values else field


# which question is meant, what was shown of it, and what a person has entered: a service ignores the rest
_SENT = (
    "id",
    "step_id",
    "retry_count",
    "step_input",
    "confirmation_message",
    "output_review_message",
    "user_input_message",
    "error_message",
    "user_input",
    "selected_choices",
    "edited_output",
    "rejection_feedback",
)


def _without_nulls(value: Mapping[str, Any]) -> Requirement:
    return {key: each for key, each in value.items() if each is not None}


def _sent_of(requirement: Requirement) -> Requirement:
    return _without_nulls({key: requirement.get(key) for key in _SENT})


def _sent_call(call: Requirement) -> Requirement:
    tool = call.get("tool_execution")
    return {**_without_nulls(call), **({} if tool is None else {"tool_execution": _without_nulls(tool)})}


def _sent_decision(decision: Requirement) -> Requirement:
    calls = decision.get("executor_requirements")
    return decision if calls is None else {**decision, "executor_requirements": [_sent_call(each) for each in calls]}


def _sent_steps(steps: list[Requirement], decided: list[tuple[Requirement, Requirement]]) -> list[Requirement]:
    """Only the decided ones: the others wait on. A step without an id is known by its place, as the last one."""
    if all(step.get("id") is not None for step, _ in decided):
        return [{**_sent_of(step), **_sent_decision(decision)} for step, decision in decided]
    known = {id(step) for step, _ in decided}
    return [*(step for step in steps if id(step) not in known), *({**step, **decision} for step, decision in decided)]


def _decided(
    run: Mapping[str, Any],
    of_call: Callable[[Requirement], Requirement],
    of_step: Callable[[Requirement], Requirement],
    of_error: str,
) -> Any:
    _check_whole(run)
    steps, errors = run.get("step_requirements") or [], run.get("error_requirements") or []
    if not steps and not errors:
        return {"requirements": [of_call(each) for each in _open(run.get("requirements"))]}
    waiting = waiting_steps(run)

    def decision(step: Requirement) -> Requirement:
        if not step.get("requires_executor_input"):
            return of_step(step)
        return {"executor_requirements": [of_call(each) for each in _open(step.get("executor_requirements"))]}

    decisions: dict[str, Any] = {}
    if waiting:
        decisions["step_requirements"] = _sent_steps(steps, [(step, decision(step)) for step in waiting])
    if errors:
        decisions["error_requirements"] = [{**_sent_of(each), "decision": of_error} for each in errors]
    return decisions
