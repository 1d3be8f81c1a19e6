// A run of a workflow while it is executed, as its steps see it.
import type { Approval, Ids, Json, Media, Run, RunEvent, Session, StepOutput, WorkflowEvent } from "@svc/domain"
import type { Effect } from "effect"
import type { Cancellation } from "../run/Cancellation.ts"
import type { RunJournal } from "../run/RunJournal.ts"
import type { StateChange } from "../session/StateChange.ts"
import type { Prepare } from "../team/MemberRuns.ts"
import type { Interruption } from "./Interruption.ts"
import type { Journal } from "./Journal.ts"
import type { AnyWorkflow, Node } from "./Node.ts"
import type { Outputs } from "./Outputs.ts"
import type { SharedState } from "./StateDraft.ts"
import { fieldsOf, type StepPath } from "./StepPath.ts"

/** Who asks for a run, and what for. */
export interface WorkflowRequest {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: Ids.UserId | undefined
  readonly input: Json.Value
  readonly media: Media.Media
  readonly dependencies: Json.Object
  readonly metadata: Json.Object
  /** Ask models for a stream. */
  readonly stream: boolean
}

/** Of a run inside of it. */
export type ApprovalsOf<E = never> = (run: Run.Id) => Effect.Effect<ReadonlyArray<Approval.Approval>, E>

/** What a step is given beside its place. */
export interface StepContext {
  readonly previous: Json.Value | undefined
  readonly outputs: Outputs
  readonly iteration: number | undefined
  readonly additional: Json.Object
}

/** What came of a step, to be journalled. */
export interface StepCompletion {
  readonly output: StepOutput.StepOutput
  readonly state?: StateChange | undefined
  readonly runs?: ReadonlyArray<Json.Object> | undefined
}

export interface Execution {
  readonly workflow: AnyWorkflow
  readonly request: WorkflowRequest
  readonly journal: Journal
  readonly state: SharedState
  /** Of the agents, teams and workflows in it, in the order in which they ended. */
  readonly runs: Array<Json.Object>
  readonly emit: (event: RunEvent.Inner) => void
  /** Makes an agent or a team ready to do a step. */
  readonly prepare: Prepare
  readonly approvalsOf: ApprovalsOf
  /** Tells the approvals of a run inside of it that nobody waits for them any more. */
  readonly endApprovals: (run: Run.Id) => Effect.Effect<void>
  readonly cancellation: Cancellation
  readonly underLease: RunJournal["underLease"]
  /** Of the run as a whole. */
  readonly attempt: number
  readonly idOf: (path: string) => string
  /** In how many workflows it is. */
  readonly depth: number
  /** Null when the step was left out. */
  readonly execute: (
    execution: Execution,
    node: Node,
    place: StepPath,
    before: StepContext
  ) => Effect.Effect<StepOutput.StepOutput | null, Interruption>
}

/** An event of the workflow itself. */
export const emitWorkflowEvent = (
  { request, depth, emit, workflow }: Execution,
  payload: WorkflowEvent.Payload
): void =>
  emit({
    ...payload,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    run_id: request.run_id,
    session_id: request.session_id,
    nested_depth: depth
  })

/** The fields of an event that is about a step. */
export const about = (execution: Execution, { name }: Pick<Node, "name">, place: StepPath) =>
  fieldsOf(place, { step_id: execution.idOf(place.path), step_name: name })
