// The input of a step: the workflow's input, earlier results, and facts of the run. The author declares the expected
// types; the workflow's definition is checked against them.
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

/** The types of a step: the workflow's input, the previous result, and its own result. For the compiler only. */
export interface Typed<in Input, in Previous, out Output> {
  readonly [types]: {
    readonly input: (input: Input) => void
    readonly previous: (previous: Previous) => void
    readonly output: () => Output
  }
}

export interface StepInput<Input = Json.Value, Previous = Json.Value | undefined> extends RunContextOptions, Durable {
  /** The input of the workflow. */
  readonly input: Input
  /** The result of the previous step; of a container, the result of its last step. */
  readonly previousStepContent: Previous
  /** The result of an earlier step, if it ran. A step of this name must be in the workflow. */
  readonly outputOf: {
    <Output>(step: Typed<never, never, Output> & { readonly name: string }): Output | undefined
    (name: string): Json.Value | undefined
  }
  /** The results of all earlier steps, by name. */
  readonly previousStepOutputs: Readonly<Record<string, StepOutput.StepOutput>>
  /** `user_input`: the input of a person. `rejection_feedback`: why a person rejected the output. */
  readonly additionalData: Json.Object
  readonly media: Media.Media
  /** The session state. Changes are stored with the step's result; those of a failed attempt are dropped. */
  readonly sessionState: Record<string, Json.Value>
  readonly workflowId: string
  readonly stepName: string
  readonly runId: Run.Id
  readonly sessionId: Session.Id
  readonly userId: Ids.UserId | undefined
  /** The iteration of the innermost loop, from 1. Undefined outside of loops. */
  readonly iteration: number | undefined
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
export type AnyInput = StepInput<any, any>

/** A function as a step, with its own name. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type StepFunction = (input: StepInput<any, any>) => Returned<unknown>
