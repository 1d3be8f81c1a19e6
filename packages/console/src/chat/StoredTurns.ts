// Turns of runs that are stored.
import type { ErrorRequirement, Message, Requirement, StepRequirement, ToolExecution } from "@svc-runtime/client"
import { mediaOf, type WithMedia } from "./Medium.ts"
import { type Activity, make, type Part, type Sources, sourcesOf, type Turn } from "./Turn.ts"

/** A run of a session, of any kind. */
export interface Recorded extends WithMedia {
  readonly run_id?: string | undefined
  readonly parent_run_id?: string | undefined
  readonly previous_run_id?: string | null | undefined
  readonly is_on_path?: boolean | undefined
  readonly status?: string | undefined
  readonly agent_id?: string | undefined
  readonly agent_name?: string | undefined
  readonly team_id?: string | undefined
  readonly team_name?: string | undefined
  readonly run_input?: unknown
  readonly content?: unknown
  readonly reasoning_content?: string | undefined
  readonly tools?: ReadonlyArray<ToolExecution> | null | undefined
  readonly messages?: ReadonlyArray<Message> | null | undefined
  readonly requirements?: ReadonlyArray<Requirement> | null | undefined
  readonly step_requirements?: ReadonlyArray<StepRequirement> | null | undefined
  readonly error_requirements?: ReadonlyArray<ErrorRequirement> | null | undefined
  readonly step_results?: ReadonlyArray<StepResult> | null | undefined
  readonly followups?: ReadonlyArray<string> | null | undefined
  readonly references?: ReadonlyArray<unknown> | null | undefined
  readonly citations?: Sources["citations"] | null | undefined
  readonly metrics?: Metrics | undefined
  /** With the runs inside of it. */
  readonly total_metrics?: Metrics | undefined
}

export interface Metrics {
  readonly total_tokens?: number | undefined
  readonly cost?: number | undefined
  readonly duration?: number | undefined
}

/** What a run and the runs inside of it have used. */
export const usedBy = ({ metrics = {}, total_metrics }: Pick<Recorded, "metrics" | "total_metrics">): Metrics =>
  total_metrics ?? metrics

/** The run of a workflow has its input alone. */
export const inputOf = ({ input }: { readonly input?: unknown }): unknown =>
  typeof input === "object" && input !== null && "input_content" in input ? input.input_content : input

interface StepResult {
  readonly step_name?: string | undefined
  readonly content?: unknown
  readonly success?: boolean | undefined
}

const states: Readonly<Record<string, Activity["state"]>> = {
  COMPLETED: "completed",
  REGENERATED: "completed",
  PAUSED: "paused",
  CANCELLED: "cancelled",
  ERROR: "failed"
}

const text = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value, null, 2)

const answerOf = (content: unknown): ReadonlyArray<Part> =>
  typeof content === "object" && content !== null
    ? [{ type: "value", value: content, isGrowing: false }]
    : text(content) === ""
    ? []
    : [{ type: "text", text: text(content) }]

const partsOf = ({ content, reasoning_content = "", step_results, tools, ...record }: Recorded): Array<Part> => [
  ...(reasoning_content === "" ? [] : [{ type: "reasoning" as const, text: reasoning_content }]),
  ...(tools ?? []).map((tool) => ({
    type: "call" as const,
    tool,
    state: tool.tool_call_error === true
      ? "failed" as const
      : tool.result === null
      ? "executing" as const
      : "completed" as const
  })),
  ...(step_results ?? []).map((step): Activity => ({
    type: "activity",
    title: step.step_name ?? "step",
    state: step.success === false ? "failed" : "completed",
    parts: [...answerOf(step.content)]
  })),
  ...answerOf(content),
  ...mediaOf(record),
  ...sourcesOf(record)
]

const stateOf = ({ status = "RUNNING" }: Recorded): Activity["state"] => states[status] ?? "executing"

/** The content of a run that failed is its error. */
const answered = (record: Recorded): Recorded => stateOf(record) === "failed" ? { ...record, content: "" } : record

/** The members of a team and the executors of steps have runs of their own. */
const insideOf = (run_id: string | undefined, records: ReadonlyArray<Recorded>): Array<Part> =>
  records.filter((record) => run_id !== undefined && record.parent_run_id === run_id).map((record): Activity => ({
    type: "activity",
    title: record.agent_name ?? record.agent_id ?? record.team_name ?? record.team_id ?? "run",
    state: stateOf(record),
    parts: [...insideOf(record.run_id, records), ...partsOf(answered(record))]
  }))

/** `records`: all runs of the session. */
/** The result of a background task is the input of its run. The person sees what the agent makes of it. */
const resultOfTask = /^The background task (\S+) of (\S+) (has completed|has failed|was cancelled)\./

const shownInput = (input: string): string => {
  const [, , tool, end] = resultOfTask.exec(input) ?? []
  return tool !== undefined && input.includes("<background_task_result ") ? `${tool} ${end}.` : input
}

export const ofRecord = (record: Recorded, session_id: string, records: ReadonlyArray<Recorded>): Turn => {
  const { metrics, run_id } = record
  const used = usedBy(record)
  const state = stateOf(record)
  const made = make(shownInput(text(record.run_input)))
  return {
    ...made,
    key: run_id ?? made.key,
    run: run_id === undefined ? undefined : { run_id, session_id },
    // what executes is shown from its events
    root: {
      type: "activity",
      title: "",
      state,
      parts: state === "executing" ? [] : [...insideOf(run_id, records), ...partsOf(answered(record))]
    },
    requirements: record.requirements ?? [],
    stepRequirements: record.step_requirements ?? [],
    errorRequirements: record.error_requirements ?? [],
    figures: { tokens: used.total_tokens, cost: used.cost, duration: metrics?.duration },
    error: state === "failed" ? new Error(text(record.content) || "The run failed") : undefined,
    followups: record.followups ?? []
  }
}
