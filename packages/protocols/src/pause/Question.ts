// One thing that a paused run waits for, of a tool call or of a step of a workflow.
import type * as Json from "@svc-runtime/domain/Json"

export type Kind =
  /** A tool call that is executed after a confirmation. */
  | "confirmation"
  /** A tool call that needs values of a person. */
  | "user_input"
  /** A tool call that is executed elsewhere. */
  | "external_execution"
  /** A tool call whose result was lost. */
  | "unknown_outcome"
  | "step_confirmation"
  | "step_input"
  | "route_choice"
  | "output_review"
  | "failed_step"

/** One value that a person supplies. */
export interface Field {
  readonly name: string
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object"
  readonly description: string | undefined
  readonly value: Json.Value
  readonly isRequired: boolean
  readonly allowed: ReadonlyArray<Json.Value> | undefined
}

/** Where the decision belongs in a request that continues the run. */
export type Target =
  | { readonly list: "requirements"; readonly id: string }
  /** A requirement of the agent or team that executes a step. */
  | { readonly list: "executor_requirements"; readonly id: string; readonly step_id: string }
  | { readonly list: "step_requirements"; readonly step_id: string; readonly id?: string }
  | { readonly list: "error_requirements"; readonly step_id: string; readonly id?: string }

export interface Question {
  readonly kind: Kind
  /** Stays the same as long as the run waits for it. */
  readonly id: string
  /**
   * The id of the call that shows it, which an answer can name. For the first question of a tool call it is that of the
   * call, and each further one has its own: an answer that is sent twice does not count for the next question. Of a
   * step: the id of the question.
   */
  readonly toolCallId: string
  /** The id of the tool call in its run. Of a step: the id of the question. */
  readonly calledAs: string
  /** Of the tool or of the step. */
  readonly name: string
  readonly args: Json.Value
  /** One sentence for people. */
  readonly message: string
  readonly fields: ReadonlyArray<Field>
  readonly choices: ReadonlyArray<string>
  readonly allowsSeveral: boolean
  /** A caller who may resolve approvals has to approve the call: it needs no answer here. */
  readonly needsApproval: boolean
  /** Its approval is resolved since it was shown: it waits no more. Undefined: it waits. */
  readonly approval: "approved" | "rejected" | undefined
  /** The client of the run offers the tool. Not known of runs of earlier versions. */
  readonly isOfClient: boolean
  /** The JSON schema of the answer. */
  readonly schema: Json.Object
  readonly target: Target
}
