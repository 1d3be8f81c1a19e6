// Requests of a tool to the model of its run. Their tokens are those of the run.
import { Context, type Effect } from "effect"
import type { ToolFailed } from "./Tool.ts"

export interface Question {
  readonly system: string | undefined
  readonly messages: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly text: string }>
  readonly maxOutputTokens: number
  readonly temperature?: number | undefined
  readonly stopSequences?: ReadonlyArray<string> | undefined
}

export interface Sample {
  readonly text: string
  /** The provider's id of the model. */
  readonly model: string
  /** The answer was cut off at its token limit. */
  readonly isCut: boolean
}

export class Sampling extends Context.Service<Sampling, {
  readonly request: (question: Question) => Effect.Effect<Sample, ToolFailed>
}>()("@svc-runtime/engine/tool/Sampling") {}
