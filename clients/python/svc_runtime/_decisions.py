"""Decisions about what a paused run waits for, as `continue_run` takes them."""

from __future__ import annotations

import json
from typing import Any, Callable, Mapping

Requirement = dict[str, Any]


def approve(run: Mapping[str, Any]) -> Any:
    """Confirms everything that the run waits for. Failed steps are repeated."""
    return _decided(run, _confirmed, {"confirmed": True}, "retry")


def reject(run: Mapping[str, Any], note: str | None = None) -> Any:
    """Rejects everything that the run waits for, with a reason for the model. Failed steps are skipped."""
    noted = {} if note is None else {"confirmation_note": note}
    feedback = {} if note is None else {"rejection_feedback": note}
    return _decided(
        run, lambda call: {**call, "confirmation": False, **noted}, {"confirmed": False, **feedback}, "skip"
    )


def answer(
    run: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    *,
    result: Any = None,
    choices: list[str] | None = None,
) -> Any:
    """Gives what the run waits for: `values` of fields by their names, the `result` of calls that are executed
    elsewhere and of events, or the `choices` of a router. What also needs a confirmation is confirmed, and failed
    steps are repeated. A `result` that is no text is sent as JSON. Raises a `ValueError` for what the run does not ask
    for."""
    given = values or {}
    _check_whole(run)
    _check(run, given, result, choices)

    def answered(call: Requirement) -> Requirement:
        tool = call.get("tool_execution") or {}
        if tool.get("external_execution_required"):
            return call if result is None else {**call, "external_execution_result": _text(result)}
        fields = tool.get("user_input_schema")
        if isinstance(fields, list):
            return _confirmed({**call, "user_input_schema": [_filled(each, given) for each in fields]})
        return _confirmed(call)

    step: dict[str, Any] = {"confirmed": True}
    if values is not None:
        step["user_input"] = dict(values)
    if choices is not None:
        step["selected_choices"] = choices
    return _decided(run, answered, step, "retry")


def sent(run: Mapping[str, Any], event: str, value: Any = None) -> Any:
    """Sends an event to what waits for it by `waitFor`. Raises a `ValueError` if nothing does."""
    _check_whole(run)
    step, steps, waits = _waits(run, event)
    names = [name for name in map(_event, waits) if name is not None]
    if event not in names:
        others = " for " + ", ".join(f"'{name}'" for name in names) if names else " for no event"
        raise ValueError(f"The run does not wait for the event '{event}'. It waits{others}")
    result = json.dumps(value)
    decided = [{**each, "external_execution_result": result} if _event(each) == event else each for each in waits]
    if step is None:
        return {"requirements": decided}
    return {"step_requirements": [*steps, {**step, "executor_requirements": decided}]}


def _check(run: Mapping[str, Any], values: Mapping[str, Any], result: Any, choices: list[str] | None) -> None:
    """What no field, call or router takes would be lost, and the call be executed without it."""
    steps = run.get("step_requirements") or []
    step = steps[-1] if steps else {}
    calls = _open(step.get("executor_requirements") if steps else run.get("requirements"))
    tools = [call.get("tool_execution") or {} for call in calls]
    is_of_step = bool(steps) and not step.get("requires_executor_input")
    forms = [step.get("user_input_schema")] if is_of_step else [tool.get("user_input_schema") for tool in tools]
    names = [field["name"] for form in forms for field in form or []]
    for name in values:
        if name not in names:
            asked = ", ".join(f"'{each}'" for each in names) or "no values"
            raise ValueError(f"The run asks for no '{name}'. It asks for {asked}")
    if result is not None and not any(tool.get("external_execution_required") for tool in tools):
        raise ValueError("The run asks for no result of a call or an event")
    if choices is not None and not (is_of_step and step.get("requires_route_selection")):
        raise ValueError("The run asks for no choices")


def awaits(run: Mapping[str, Any], event: str) -> bool:
    """Whether a run, as it was read, waits for the event."""
    return event in map(_event, _waits(run, event)[2])


def _waits(run: Mapping[str, Any], event: str) -> tuple[Requirement | None, list[Any], list[Any]]:
    """What waits for the event. Several steps of a workflow can wait at the same time, and the last one is shown."""
    steps = run.get("step_requirements") or []
    if not steps:
        return None, [], run.get("requirements") or []
    calls = [each.get("executor_requirements") or [] for each in steps]
    waiting = [index for index, each in enumerate(calls) if event in map(_event, each)]
    place = waiting[-1] if waiting else len(steps) - 1
    return steps[place], [*steps[:place], *steps[place + 1 :]], calls[place]


def _check_whole(run: Mapping[str, Any]) -> None:
    """Runs of a list have the calls that wait, and not the requirements."""
    kinds = ("requirements", "step_requirements", "error_requirements")
    if run.get("status") == "PAUSED" and all(run.get(kind) is None for kind in kinds):
        raise ValueError(
            "This paused run has no requirements, as one of a list or a history. Read it with get() first"
        )


def _event(call: Requirement) -> str | None:
    name = ((call.get("tool_execution") or {}).get("asked") or {}).get("event")
    return name if isinstance(name, str) else None


def _open(calls: Any) -> list[Requirement]:
    """A person, or an approval, has decided on the others, and the run follows it."""
    decisions = ("approval_status", "confirmation", "external_execution_result", "user_input_schema")
    return [call for call in calls or [] if all(call.get(key) is None for key in decisions)]


def _confirmed(call: Requirement) -> Requirement:
    return {**call, "confirmation": True}


def _text(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result)


def _filled(field: Requirement, values: Mapping[str, Any]) -> Requirement:
    return {**field, "value": values[field["name"]]} if field["name"] in values else field


def _decided(
    run: Mapping[str, Any], of_call: Callable[[Requirement], Requirement], of_step: Requirement, of_error: str
) -> Any:
    _check_whole(run)
    steps, errors = run.get("step_requirements") or [], run.get("error_requirements") or []
    if not steps and not errors:
        return {"requirements": [of_call(each) for each in _open(run.get("requirements"))]}
    decisions: dict[str, Any] = {}
    if steps:
        *earlier, last = steps
        if last.get("requires_executor_input"):
            calls = [of_call(each) for each in _open(last.get("executor_requirements"))]
            decisions["step_requirements"] = [*earlier, {**last, "executor_requirements": calls}]
        else:
            decisions["step_requirements"] = [*earlier, {**last, **of_step}]
    if errors:
        decisions["error_requirements"] = [{**each, "decision": of_error} for each in errors]
    return decisions
