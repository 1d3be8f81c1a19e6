// The input of a step: what the step before gave, the workflow's input, and facts of the run. The author declares the
// expected types; the workflow's definition is checked against them.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import type { RunContextOptions } from "@svc-runtime/engine/RunContextOptions"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"

declare const types: unique symbol

/** The types of a step: its input, the workflow's input, and its own result. For the compiler only. */
export interface Typed<in Input, in WorkflowInput, out Output> {
  readonly [types]: {
    readonly input: (input: Input) => void
    readonly workflowInput: (input: WorkflowInput) => void
    readonly output: () => Output
  }
}

export interface StepInput<Input = Json.Value, WorkflowInput = Json.Value, UserInput = unknown>
  extends RunContextOptions, Durable
{
  /** The result of the step before, also inside of containers. The first step gets the input of the workflow. */
  readonly input: Input
  /** The input of the workflow, the same in all of its steps. */
  readonly workflowInput: WorkflowInput
  /** The result of an earlier step, if it ran. A step of this name must be in the workflow. */
  readonly outputOf: {
    <Output>(step: Typed<never, never, Output> & { readonly name: string }): Output | undefined
    (name: string): Json.Value | undefined
  }
  /** The results of all earlier steps, by name. */
  readonly previousStepOutputs: Readonly<Record<string, StepOutput.StepOutput>>
  /** What a person entered before the step, by the schema of its option `userInput`. */
  readonly userInput: UserInput
  /** Why a person rejected the output of the step, which is executed again. */
  readonly rejectionFeedback: string | undefined
  readonly media: Media.Media
  /** The session state. Changes are stored with the step's result; those of a failed attempt are dropped. */
  readonly sessionState: Record<string, Json.Value>
  readonly workflowId: string
  readonly stepName: string
  readonly runId: Run.Id
  readonly sessionId: Session.Id
  readonly userId: Ids.UserId | undefined
  /** The iteration of the innermost loop, or the number of the item of a `ForEach`, from 1. Undefined outside. */
  readonly iteration: number | undefined
  /** The item of the innermost `ForEach`. Undefined outside of one. */
  readonly item: Json.Value | undefined
  /**
   * Identifies the effect of this step: the same in every attempt and after a restart, so that services recognise a
   * repeated request.
   */
  readonly effectId: string
  /** Sends watchers a `CustomEvent` with these fields. Throws if they are not JSON, or use names of the service. */
  readonly emit: (fields: Json.Object) => void
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal
}

// oxlint-disable-next-line typescript/no-explicit-any -- the input of a function is checked where the step is made
export type AnyInput = StepInput<any, any, any>

/** A function as a step, with its own name. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type StepFunction = (input: StepInput<any, any, any>) => Returned<unknown>
