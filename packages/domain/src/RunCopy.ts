// Replaces the ids of other runs in a run, its events and its journal by those of the forked session. A team's run
// names member runs in many places; each is found by its key, at any depth.
import { Predicate } from "effect"

export interface Names {
  /** The id of each run in the copy, by its original id. */
  readonly runs: Readonly<Record<string, string>>
  readonly session: { readonly from: string; readonly to: string }
}

const ofRuns = new Set(["run_id", "parent_run_id", "child_run_id", "member_run_id"])

/** Messages and tool arguments are copied unchanged, whatever their keys are. */
const unchanged = new Set(["input", "content", "said", "tool_args", "value", "session_state", "metadata"])

const named = (names: Names, key: string, text: string): string => {
  if (ofRuns.has(key)) return Object.hasOwn(names.runs, text) ? names.runs[text] ?? text : text
  return key === "session_id" && text === names.session.from ? names.session.to : text
}

const within = (names: Names, key: string, value: unknown): unknown => {
  if (unchanged.has(key)) return value
  if (typeof value === "string") return named(names, key, value)
  if (Array.isArray(value)) return value.map((each) => within(names, "", each))
  return Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, within(names, key, inner)]))
    : value
}

/** A run, an event or a journal entry. */
export const renamed = <A extends object>(value: A, names: Names): A => within(names, "", value) as A
