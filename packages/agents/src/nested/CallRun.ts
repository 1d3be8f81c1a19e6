// The run of a durable call: its id in the journal of the run around it, and its end when the function that made the
// call is not called again, because the run around it was cancelled. Only the journal knows its component.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import { Effect } from "effect"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import type { MemberRun } from "../agent/execute/InnerRunsJournal.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as ExecutorRuns from "../workflow/execute/ExecutorRuns.ts"
import { type InnerComponent, kindOf } from "./InnerCommand.ts"

const prefix = "call/"

/** Of the runs of durable calls in the journal. Ids of members have no slash, and those of tools another beginning. */
export const idOf = (component: InnerComponent): string => `${prefix}${kindOf(component)}/${component.id}`

/** The component of the run. Undefined: it is not the run of a durable call. */
export const componentIn = (id: string) => {
  const [kind, component_id] = id.slice(prefix.length).split("/")
  return id.startsWith(prefix) && ComponentKind.isKind(kind) && component_id !== undefined
    ? { kind, component_id }
    : undefined
}

/** The run, cancelled with what it has used. Undefined: it is not the run of a durable call. */
export const cancelled = Effect.fnUntraced(function*(
  { run_id: parent_run_id, session_id, user_id }: AgentCommand | TeamCommand,
  { created_at, member_id, run_id, task }: MemberRun,
  entries: RunJournal.RunJournal["entries"],
  reason: string
) {
  const component = componentIn(member_id)
  if (component === undefined) return undefined
  const input = { input_content: task }
  const running = AnyRun.running({
    ...component,
    run_id,
    session_id,
    user_id: user_id ?? null,
    created_at,
    input
  })
  const ended = { ...running, status: "CANCELLED" as const, content: reason, parent_run_id }
  const output: AnyRun.Output = AnyRun.isWorkflow(ended)
    ? { ...ended, step_executor_runs: yield* ExecutorRuns.ofJournal(entries) }
    : { ...ended, metrics: yield* ExecutorRuns.usageIn(entries) }
  return output
})
