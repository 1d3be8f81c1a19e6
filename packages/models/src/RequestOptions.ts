// What a request to a model has beside the options of `effect/ai`. The client of the model reads it from the context.
import { Context, Effect, type JsonSchema } from "effect"
import * as ModelSettings from "./ModelSettings.ts"
import type { PromptCache } from "./PromptCache.ts"

/** The format of the answer. */
export type ResponseFormat =
  | { readonly type: "text" }
  | {
    readonly type: "json"
    /** The title of the schema, for example `Movie`. */
    readonly name: string
    readonly schema: JsonSchema.JsonSchema
  }

export interface RequestOptions {
  /** `effect/ai` offers a JSON format for `generateObject` only; this carries it into streamed calls as well. */
  readonly format: ResponseFormat
  /** Beside those of the model. */
  readonly settings: ModelSettings.ModelSettings
  /** Left out: the request has no marks. */
  readonly cache?: PromptCache | undefined
  /** Called for each request that broke off before it is sent again: its provider may charge it too. */
  readonly onBrokenOff?: (() => void) | undefined
}

export const RequestOptions = Context.Reference<RequestOptions>("@svc-runtime/models/RequestOptions", {
  defaultValue: () => ({ format: { type: "text" }, settings: ModelSettings.none })
})

/** For the requests that the effect makes. */
export const provide = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  options: Partial<RequestOptions>
): Effect.Effect<A, E, R> => Effect.updateService(effect, RequestOptions, (around) => ({ ...around, ...options }))
