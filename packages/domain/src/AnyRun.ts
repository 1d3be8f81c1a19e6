// A run of whatever kind of component, as the engine and the stores carry it. The kinds are told apart by the key that
// names their component, which each of them always has.
import { Schema } from "effect"
import type * as Json from "./Json.ts"
import type { Message } from "./Message.ts"
import * as Run from "./Run.ts"
import type { Kind } from "./Session.ts"
import type { RunMetrics } from "./Usage.ts"
import * as WorkflowRun from "./WorkflowRun.ts"

export const Output = Schema.Union([Run.Output, WorkflowRun.Output])
/** What only an agent's run says can be asked of any run: the others do not say it. */
type Unsaid = { readonly [K in Exclude<keyof Run.Output, keyof WorkflowRun.Output | "agent_id">]?: never }
export type Output = Run.Output | (WorkflowRun.Output & Unsaid)

export const Record = Schema.Union([Run.Record, WorkflowRun.Record])
export type Record = typeof Record.Type

// An agent's comes last: no key of it has to be there, and it would take the others in.
export const PartialRecord = Schema.Union([WorkflowRun.PartialRecord, Run.PartialRecord])
export type PartialRecord = typeof PartialRecord.Type

export const isAgent = (run: Output): run is Run.Output => "agent_id" in run
export const isWorkflow = (run: Output): run is WorkflowRun.Output => !isAgent(run)

export const toRecord = (run: Output): Record => isAgent(run) ? Run.toRecord(run) : WorkflowRun.toRecord(run)

/** What it has cost in tokens. */
export const usageOf = (run: Output): RunMetrics => isAgent(run) ? run.metrics ?? {} : WorkflowRun.usageOf(run)

/** A run that has been accepted and has not said anything yet. */
export const running = (run: Parameters<typeof Run.running>[0] & { readonly kind: Kind }): Output =>
  run.kind === "workflow" ? WorkflowRun.running(run) : Run.running(run)

/** The ids that a run goes by in a copied session. */
export interface CopyIds {
  readonly run_id: Run.Id
  readonly session_id: string
  readonly parent_run_id?: Run.Id
  /** Where it was in the first place. */
  readonly forked_from_session_id: string
}

/** Under other ids. Sessions of workflows are not copied. */
export const asCopy = (run: Output, ids: CopyIds): Output => isAgent(run) ? { ...run, ...ids } : run

/** What was said in it. A workflow's steps speak, and not people. */
export const messagesOf = (run: Output): ReadonlyArray<Message> => isAgent(run) ? run.messages ?? [] : []

/** With what is kept apart from it: of those who speak, what was said, and of all of them what has happened. */
export const withLog = (
  run: Output,
  { events, messages }: { readonly messages: ReadonlyArray<Message>; readonly events?: ReadonlyArray<Json.Object> }
): Output => {
  const log = events === undefined ? {} : { events }
  return isAgent(run) && messages.length > 0 ? { ...run, messages, ...log } : { ...run, ...log }
}

/** Without what is kept apart from it: its messages and its events. */
export const withoutLog = (run: Output): Output => {
  if (!isAgent(run)) {
    const { events: _, ...rest } = run
    return rest
  }
  const { events: _, messages: __, ...rest } = run
  return rest
}
