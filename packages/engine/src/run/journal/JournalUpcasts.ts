// Version 2 of journal entries: `{v, kind, key?, …}` for every kind of run. In version 1, workflows had `type` instead
// of `kind`, entries of nested runs had forms of their own, and agents and members stored whole session states.
import * as Json from "@svc-runtime/domain/Json"
import * as StateChange from "../../session/StateChange.ts"

/** A state before and after a member, or a whole one. A whole state does not show removals. */
const withStateChange = ({ session_state, ...entry }: Json.Object): Json.Object => {
  const { state } = entry
  if (Json.isObject(state) && Json.isObject(state["before"]) && Json.isObject(state["after"])) {
    const { state: _, ...rest } = entry
    const change = StateChange.between(state["before"], state["after"])
    return change === undefined ? rest : { ...rest, state: change }
  }
  return state === undefined && Json.isObject(session_state)
    ? { ...entry, state: { set: session_state, removed: [] } }
    : entry
}

const withKind = ({ type, ...entry }: Json.Object): Json.Object => {
  if (typeof type !== "string" || "kind" in entry) return type === undefined ? entry : { ...entry, type }
  if (type !== "inner") return { kind: type, ...entry }
  const { run_id, ...rest } = entry
  return { kind: "executor", key: run_id ?? "", ...rest }
}

const withNested = (entry: Json.Object): Json.Object => {
  const { entry: nested, inside, together, ...rest } = entry
  if (Array.isArray(together)) return { kind: "batch", entries: together.filter(Json.isObject).map(toVersion2) }
  if (!Json.isObject(nested)) return entry
  return typeof inside === "string"
    ? { kind: "inner", key: inside, ...rest, entry: toVersion2(nested) }
    : { ...rest, entry: toVersion2(nested) }
}

export const toVersion2 = (entry: Json.Object): Json.Object => withStateChange(withKind(withNested(entry)))
