// The state of a workflow run during its execution, for its steps.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Session from "@svc-runtime/domain/Session"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type * as WorkflowEvent from "@svc-runtime/domain/WorkflowEvent"
import type { ApprovalsOf } from "@svc-runtime/engine/approval/ApprovalContext"
import type { Host } from "@svc-runtime/engine/durable/DurableHost"
import type { Cancellation } from "@svc-runtime/engine/run/engine/Cancellation"
import type { InheritedOptions } from "@svc-runtime/engine/run/InheritedOptions"
import type { RunJournal } from "@svc-runtime/engine/run/journal/RunJournal"
import type { RunContextOptions } from "@svc-runtime/engine/RunContextOptions"
import type { StateChange } from "@svc-runtime/engine/session/StateChange"
import type { Effect } from "effect"
import type { PrepareMember } from "../../nested/InnerCommand.ts"
import type { AnyWorkflow, Node } from "../define/Node.ts"
import type { Interruption } from "../pause/Interruption.ts"
import type { Given } from "./Given.ts"
import type { Outputs } from "./Outputs.ts"
import type { SharedState } from "./StateDraft.ts"
import { fieldsOf, type StepPath } from "./StepPath.ts"
import type { WorkflowJournal } from "./WorkflowJournal.ts"

/** The caller and the request of a run. */
export interface WorkflowRequest {
  readonly run_id: Run.Id
  /** Of a nested workflow, the outermost one. */
  readonly root_run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: Ids.UserId | undefined
  readonly input: Json.Value
  readonly media: Media.Media
  readonly given: RunContextOptions
  readonly inherited: InheritedOptions
  /** Request streams from models. */
  readonly stream: boolean
}

export interface Additional {
  readonly user_input?: Json.Object
  readonly rejection_feedback?: string
}

/** The input of a step, beside its path. */
export interface StepContext {
  /** Undefined for the first step, which gets the input of the workflow. */
  readonly previous: Given | undefined
  readonly outputs: Outputs
  readonly iteration: number | undefined
  readonly item: Json.Value | undefined
  /** From people: the values as they were entered, and why the output was rejected. */
  readonly additional: Additional
  /** The values as a function gets them. */
  readonly userInput: unknown
}

/** A step at its place in an execution. */
export interface StepAt<N = Node> {
  readonly execution: WorkflowExecution
  readonly node: N
  readonly place: StepPath
}

/** A step that is executed with the results of the steps before it. */
export interface StepCall<N = Node> extends StepAt<N> {
  readonly before: StepContext
}

/** The result of a step for the journal. */
export interface StepCompletion {
  readonly output: StepOutput.StepOutput
  readonly state?: StateChange | undefined
  readonly runs?: ReadonlyArray<Json.Object> | undefined
}

/** The session state as a function sees it. */
export interface FunctionState {
  /** What its changes are compared with. */
  base: Json.Object
  readonly draft: Record<string, Json.Value>
}

export interface WorkflowExecution {
  readonly workflow: AnyWorkflow
  readonly request: WorkflowRequest
  readonly journal: WorkflowJournal
  readonly state: SharedState
  /** The runs of its executors, in the order of their ends. */
  readonly runs: Array<Json.Object>
  readonly emit: (event: RunEvent.Inner) => void
  /** Prepares an executor for a step. */
  readonly prepare: PrepareMember
  /** Of a nested run. */
  readonly approvalsOf: ApprovalsOf
  /** Closes the approvals of a nested run that no longer waits for them. */
  readonly endApprovals: (run: Run.Id) => Effect.Effect<void>
  readonly cancellation: Cancellation
  readonly underLease: RunJournal["underLease"]
  /** Of the whole run. */
  readonly attempt: number
  readonly idOf: (path: string) => string
  /** The depth of nested workflows. */
  readonly depth: number
  /** The durable calls of the function of a step. */
  readonly durable: (call: StepCall, state: FunctionState) => Host<Interruption>
  /** Null if the step was skipped. */
  readonly execute: (call: StepCall) => Effect.Effect<StepOutput.StepOutput | null, Interruption>
}

/** An event of the workflow itself. */
export const emitWorkflowEvent = (
  { request, depth, emit, workflow }: WorkflowExecution,
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

/** The fields that identify a step in an event. */
export const about = ({ execution, node, place }: StepAt<Pick<Node, "name">>) =>
  fieldsOf(place, { step_id: execution.idOf(place.path), step_name: node.name })
