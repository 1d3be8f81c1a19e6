// A run of any kind, as the engine and the stores handle it. The key with the id of its component identifies the kind.
import { Schema } from "effect"
import type { ComponentKind } from "./ComponentKind.ts"
import type * as Json from "./Json.ts"
import type * as Media from "./Media.ts"
import type { Message } from "./Message.ts"
import * as Run from "./Run.ts"
import * as TeamRun from "./TeamRun.ts"
import * as Usage from "./Usage.ts"
import * as WorkflowRun from "./WorkflowRun.ts"

export const Output = Schema.Union([Run.Output, TeamRun.Output, WorkflowRun.Output])
/** Lets callers read agent/team-only fields on any run; they are `undefined` on workflow runs. */
type Absent = { readonly [K in Exclude<keyof Run.Output, keyof WorkflowRun.Output | "agent_id">]?: never }
export type Output = Run.Output | TeamRun.Output | (WorkflowRun.Output & Absent)

export const Record = Schema.Union([Run.Record, TeamRun.Record, WorkflowRun.Record])
export type Record = typeof Record.Type

export const PartialRecord = Schema.Union([Run.PartialRecord, TeamRun.PartialRecord, WorkflowRun.PartialRecord])
export type PartialRecord = typeof PartialRecord.Type

export const isAgent = (run: Output): run is Run.Output => "agent_id" in run
export const isTeam = (run: Output): run is TeamRun.Output => "team_id" in run
export const isWorkflow = (run: Output): run is WorkflowRun.Output => !isAgent(run) && !isTeam(run)
export const isAgentOrTeam = (run: Output): run is TeamRun.MemberResponse => !isWorkflow(run)

/** Whether it is a run, as a step keeps the run of its executor as JSON. */
export const isOutput = (value: object): value is Output =>
  "run_id" in value && ("agent_id" in value || "team_id" in value || "workflow_id" in value)

/** The component of the run. */
export const componentOf = (run: Output): { readonly kind: ComponentKind; readonly id: string } => {
  if (isAgent(run)) return { kind: "agent", id: run.agent_id }
  return isTeam(run) ? { kind: "team", id: run.team_id } : { kind: "workflow", id: run.workflow_id }
}

/** The input of a run. The run of a workflow stores only its content. */
export const inputOf = (run: Output): Run.Input =>
  isWorkflow(run) ? { input_content: run.input ?? "" } : run.input ?? { input_content: "" }

/** How the runs of one kind are recognized and listed. */
export interface RunsOfKind<A extends Output, B extends Record> {
  readonly is: (run: Output) => run is A
  readonly toRecord: (run: A) => B
  /** An accepted run without output. */
  readonly running: (run: Parameters<typeof Run.running>[0]) => A
}

const ofKind = <A extends Output, B extends Record>(runs: RunsOfKind<A, B>) => runs

export const kinds = {
  agent: ofKind({ is: isAgent, toRecord: Run.toRecord, running: Run.running }),
  team: ofKind({ is: isTeam, toRecord: TeamRun.toRecord, running: TeamRun.running }),
  workflow: ofKind({ is: isWorkflow, toRecord: WorkflowRun.toRecord, running: WorkflowRun.running })
}

export const toRecord = (run: Output): Record => {
  if (isAgent(run)) return Run.toRecord(run)
  return isTeam(run) ? TeamRun.toRecord(run) : WorkflowRun.toRecord(run)
}

/** As callers read it. */
export const shown = (run: Output): Output => isWorkflow(run) ? WorkflowRun.shown(run) : run

/** The runs that a run of an agent or a team has started: of members, and of components that are tools. */
export const innerOf = (run: Output): ReadonlyArray<Output> =>
  isWorkflow(run) ? [] : (run.member_responses ?? []) as ReadonlyArray<Output>

/** The runs of the executors of a workflow. */
export const executorRunsOf = ({ step_executor_runs = [] }: WorkflowRun.Output): ReadonlyArray<Output> =>
  step_executor_runs.filter(isOutput)

/** The member runs inside a run, each before its parent run. Those of workflows keep the runs inside of them. */
export const membersOf = (run: Output): ReadonlyArray<TeamRun.MemberResponse> =>
  innerOf(run).filter(isAgentOrTeam).flatMap((response) => [...membersOf(response), response])

/** The run and all runs inside of it, also those of steps, each before the runs that it has started. */
export const allIn = (run: Output): ReadonlyArray<Output> => {
  const inside = isWorkflow(run) ? executorRunsOf(run) : innerOf(run)
  return [run, ...inside.flatMap(allIn)]
}

/** The run with the runs that it has started. */
export const withInner = <A extends TeamRun.MemberResponse>(
  run: A,
  inner: ReadonlyArray<Output>
): A => inner.length === 0 ? run : { ...run, member_responses: inner as ReadonlyArray<object> }

/** The answer as sound comes first. */
export const audioOf = ({ audio = [], response_audio }: Output): ReadonlyArray<Media.Audio> =>
  response_audio === undefined ? audio : [response_audio, ...audio]

/** Token usage, including nested runs. */
export const usageOf = (run: Output): Usage.RunMetrics =>
  isWorkflow(run)
    ? WorkflowRun.usageOf(run)
    : innerOf(run).reduce<Usage.RunMetrics>(
      (usage, inner) => Usage.addToSession(usage, usageOf(inner)),
      run.metrics ?? {}
    )

/** The run with its usage and that of all runs inside of it, if it has some. So have the runs inside. */
export const withTotal = <A extends Output>(run: A): A => {
  const { member_responses, step_executor_runs }: { readonly [name: string]: unknown } & A = run
  const [members, steps] = [totalled(member_responses), totalled(step_executor_runs)]
  if (members === undefined && steps === undefined) return run
  return {
    ...run,
    ...(members === undefined ? {} : { member_responses: members }),
    ...(steps === undefined ? {} : { step_executor_runs: steps }),
    total_metrics: usageOf(run)
  }
}

/** Undefined: there are none. */
const totalled = (runs: unknown): ReadonlyArray<unknown> | undefined =>
  Array.isArray(runs) && runs.length > 0 ? runs.map((run) => isOutput(run) ? withTotal(run) : run) : undefined

/** The duration in seconds, if it is known. */
export const durationOf = ({ metrics }: Output): number | undefined => metrics?.duration

/** An accepted run without output. */
export const running = (run: Parameters<typeof Run.running>[0] & { readonly kind: ComponentKind }): Output =>
  kinds[run.kind].running(run)

/** The ids of a run in a forked session. */
export interface CopyIds {
  readonly run_id: Run.Id
  readonly session_id: string
  readonly parent_run_id?: Run.Id
  /** The original session. */
  readonly forked_from_session_id: string
}

/** A copy with new ids. Sessions of workflows cannot be forked. */
export const asCopy = (run: Output, ids: CopyIds): Output => isWorkflow(run) ? run : { ...run, ...ids }

/** Workflow runs have no messages. */
export const messagesOf = (run: Output): ReadonlyArray<Message> => isWorkflow(run) ? [] : run.messages ?? []

/** Adds the messages (agent and team runs) and events that are stored in separate tables. */
export const withLog = (
  run: Output,
  { events, messages }: { readonly messages: ReadonlyArray<Message>; readonly events?: ReadonlyArray<Json.Object> }
): Output => {
  const log = events === undefined ? {} : { events }
  return !isWorkflow(run) && messages.length > 0 ? { ...run, messages, ...log } : { ...run, ...log }
}

/** Removes the messages and events, which are stored in separate tables. */
export const withoutLog = (run: Output): Output => {
  if (isWorkflow(run)) {
    const { events: _, ...rest } = run
    return rest
  }
  const { events: _, messages: __, ...rest } = run
  return rest
}

/** Each run with its nested runs before it, as sessions list them. */
export const innerFirst = <A extends Output>(runs: ReadonlyArray<A>): ReadonlyArray<A> => {
  const outer = (run: A) => isWorkflow(run) ? undefined : run.parent_run_id
  if (runs.every((run) => outer(run) === undefined)) return runs
  const ids = new Set(runs.map(({ run_id }) => run_id))
  const inner = Map.groupBy(runs, outer)
  const withInner = (run: A): ReadonlyArray<A> => [...(inner.get(run.run_id) ?? []).flatMap(withInner), run]
  const isOuter = (run: A) => {
    const id = outer(run)
    return id === undefined || !ids.has(id)
  }
  return runs.filter(isOuter).flatMap(withInner)
}
