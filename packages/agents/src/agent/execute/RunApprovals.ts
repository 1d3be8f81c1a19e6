// Creates and resolves the approvals of a run. The id of an approval is derived from the run and the calls of its turn,
// so that a replay creates none twice.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { retryUntilAvailable } from "@svc-runtime/engine/node/retryUntilAvailable"
import { now } from "@svc-runtime/engine/now"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Duration, Effect } from "effect"
import { Base64Url } from "effect/encoding"
import { type AgentCommand, rootOf } from "./AgentCommand.ts"
import type { AgentExecution } from "./AgentExecution.ts"
import type { Decision } from "./AgentJournal.ts"
import type { RunRecorder } from "./RunRecorder.ts"
import * as Turn from "./Turn.ts"

type Approvals = ApprovalStore["Service"]

const pauseKindOf = (tool: ToolExecution.ToolExecution): Approval.PauseKind => {
  if (tool.external_execution_required === true) return "external_execution"
  return tool.requires_user_input === true ? "user_input" : "confirmation"
}

/** A call and its tool. */
interface Waiting {
  readonly execution: ToolExecution.ToolExecution
  readonly tool: Tool | undefined
}

const questionOf = (
  { agent, run_id, session_id, user_id }: AgentCommand,
  id: Approval.Id,
  waiting: ReadonlyArray<Waiting>,
  created_at: number
): Approval.ApprovalRequest => {
  const tools = waiting.map(({ execution }) => execution)
  const [first] = tools
  const timeout = waiting[0]?.tool?.approvalTimeout
  return {
    id,
    run_id,
    session_id,
    user_id: user_id ?? null,
    source: { kind: "agent", id: agent.id, name: agent.name },
    pause_type: first === undefined ? "confirmation" : pauseKindOf(first),
    tool_name: first?.tool_name ?? null,
    tool_args: first?.tool_args ?? null,
    tool_names: tools.map(({ tool_name }) => tool_name),
    schedule_id: null,
    created_at,
    expires_at: timeout === undefined ? null : created_at + Math.ceil(Duration.toSeconds(timeout))
  }
}

const create = (approvals: Approvals, command: AgentCommand, approval: Approval.Approval) =>
  Effect.orDie(retryUntilAvailable(approvals.create(approval, rootOf(command))))

export const needsApproval = (tool: ToolExecution.ToolExecution) =>
  tool.approval_type === "required" && tool.result === null && tool.outcome_unknown !== true

/** The paused calls that need an approval: one approval for all. */
const callsNeedingApproval = ({ agent }: AgentCommand, { tools }: RunRecorder, turn: Turn.Turn) =>
  turn.places.flatMap((place, index): ReadonlyArray<Waiting> => {
    const execution = place === undefined ? undefined : tools[place]
    return execution !== undefined && needsApproval(execution)
      ? [{ execution, tool: Turn.toolOf(agent, turn, index) }]
      : []
  })

/**
 * The calls are part of the id. Callers choose the ids of runs, and one who starts another run under the id of a
 * deleted one must not get the decision on calls that a person has seen before.
 */
export const idOf = (
  { agent, run_id, session_id }: Pick<AgentCommand, "run_id" | "session_id"> & {
    readonly agent: { readonly id: string }
  },
  { calls, step }: Pick<Turn.Turn, "calls" | "step">,
  of: "all" | number = "all"
) => {
  const made = calls.map(({ id, input, name }) => [id, name, Json.sorted(Turn.argumentsOf(input))])
  const text = JSON.stringify([run_id, session_id, agent.id, step, of, made])
  return Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => Approval.Id.make(Base64Url.encode(new Uint8Array(digest)))
  )
}

/** Assigns the approval id to the calls that need it. */
export const assignApprovalIds = Effect.fnUntraced(function*(
  command: AgentCommand,
  recorder: RunRecorder,
  turn: Turn.Turn
) {
  if (callsNeedingApproval(command, recorder, turn).length === 0) return
  const approval_id = yield* idOf(command, turn)
  for (const index of turn.calls.keys()) {
    Turn.setTool(recorder, turn, index, (tool) => needsApproval(tool) ? { ...tool, approval_id } : tool)
  }
})

/** Creates the approval of the calls with an assigned id. */
export const createApproval = Effect.fnUntraced(function*(
  approvals: Approvals,
  command: AgentCommand,
  recorder: RunRecorder,
  turn: Turn.Turn
) {
  const waiting = callsNeedingApproval(command, recorder, turn)
  if (waiting.length === 0) return
  const ids = new Set(waiting.map(({ execution }) => execution.tool_call_id))
  const requirements = recorder.requirements.filter(({ tool_execution }) => ids.has(tool_execution.tool_call_id))
  const question = questionOf(command, yield* idOf(command, turn), waiting, yield* now)
  yield* create(approvals, command, Approval.required(question, requirements.map(Json.of)))
})

/** Records the decision on a call with `approval: "audit"`. */
export const audit = Effect.fnUntraced(function*(
  approvals: Approvals,
  command: AgentCommand,
  recorder: RunRecorder,
  turn: Turn.Turn
) {
  for (const [index, decision] of turn.decisions) {
    const place = turn.places[index]
    const made = place === undefined ? undefined : recorder.tools[place]
    const tool = Turn.toolOf(command.agent, turn, index)
    if (made === undefined || tool?.approval !== "audit") continue
    const id = yield* idOf(command, turn, index)
    const execution = { ...made, tool_args: decision.tool_args ?? made.tool_args }
    const question = questionOf(command, id, [{ execution, tool }], yield* now)
    yield* create(approvals, command, Approval.audit(question, decisionStatus(decision), "RUNNING"))
  }
})

export const decisionStatus = ({ confirmed }: Decision): Approval.Decision =>
  confirmed === false ? "rejected" : "approved"

type Ended = Pick<AgentExecution, "attempt" | "command" | "recorder">

/**
 * An earlier attempt can have created an approval of a call that is not in the journal, and of a tool that the agent or
 * its source does not offer now.
 */
const hasApprovals = ({ attempt, command: { agent }, recorder: { requirements, tools } }: Ended) =>
  attempt > 1
    ? agent.toolSources.length > 0 || [...agent.tools.values()].some(({ approval }) => approval !== undefined) ||
      requirements.some(({ tool_execution }) => tool_execution.approval_type !== null)
    : tools.some(({ tool_name }) => agent.tools.get(tool_name)?.approval !== undefined)

/** Updates the approvals of a run when it ends, if it can have some: most runs need no statement. */
export const ended = Effect.fnUntraced(function*(approvals: Approvals, run: Ended, status: Run.Status) {
  if (status === "PAUSED" || !hasApprovals(run)) return
  yield* Effect.orDie(retryUntilAvailable(approvals.closeForRun(run.command.run_id, status, yield* now)))
})
