// What a step is told: what the workflow was asked, what came before, and whose run it is. The author says with the two
// types what the step expects; whether the steps before it give that is checked where the workflow is put together.
import type { Ids, Json, Media, Run, Session, StepOutput } from "@svc/domain"
import type { Typed } from "./Node.ts"

export interface StepInput<Input = Json.Value, Previous = Json.Value | undefined> {
  /** What the workflow was asked. */
  readonly input: Input
  /** What the step before this one gave; of steps with others in them, what the last of those gave. */
  readonly previousStepContent: Previous
  /** What an earlier step gave, as far as it was run. */
  readonly outputOf: {
    <Output>(step: Typed<never, never, Output> & { readonly name: string }): Output | undefined
    (name: string): Json.Value | undefined
  }
  /** Everything that the steps before this one gave, by their names. */
  readonly previousStepOutputs: Readonly<Record<string, StepOutput.StepOutput>>
  /** `user_input`: what a person was asked for. `rejection_feedback`: why a person wants it done again. */
  readonly additionalData: Json.Object
  readonly media: Media.Media
  /** The state of the session. Changes made here are stored with what the step gives; those of a failed step are not. */
  readonly sessionState: Record<string, Json.Value>
  readonly dependencies: Json.Object
  readonly metadata: Json.Object
  readonly workflowId: string
  readonly stepName: string
  readonly runId: Run.Id
  readonly sessionId: Session.Id
  readonly userId: Ids.UserId | undefined
  /** Which round of the innermost loop this is, from 1. Undefined outside of loops. */
  readonly iteration: number | undefined
  /**
   * Names what this step does: the same in every attempt, also after a restart. For services that recognise what they were
   * told before.
   */
  readonly effectId: string
  /**
   * Tells those who watch the run something of your own: an event `CustomEvent` with these fields, of this step. Throws when
   * they are no JSON, or have names that the service uses itself.
   */
  readonly emit: (fields: Json.Object) => void
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal
}
