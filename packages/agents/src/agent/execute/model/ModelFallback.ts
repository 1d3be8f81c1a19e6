// The models of a run: the first one, and the next one where a request fails. The model that has answered gets the
// later requests of the execution too.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import type { Model } from "@svc-runtime/models/Model"
import * as ModelError from "@svc-runtime/models/ModelError"
import { Effect } from "effect"
import type { AiError } from "effect/ai"
import type { StepResult } from "./ModelStep.ts"

export interface RunModels {
  /** The model of the next request. */
  current: Model
  /** Not requested yet. */
  remaining: ReadonlyArray<Model>
}

export const make = (first: Model, fallbacks: ReadonlyArray<Model>): RunModels => ({
  current: first,
  remaining: fallbacks
})

/** Other models would refuse the request as well. */
const invalid: ReadonlyArray<AiError.AiErrorReason["_tag"]> = [
  "InvalidRequestError",
  "InvalidUserInputError",
  "UnsupportedSchemaError"
]

/** The request is valid, but the model cannot be used, or its provider does not know it. */
const isModelMissing = (error: AiError.AiError): boolean =>
  error.method === "resolve" || ModelError.detailsOf(error)?.status === 404

const canFallBack = (error: AiError.AiError | ValueTooLarge): error is AiError.AiError =>
  error._tag !== "ValueTooLarge" && (!invalid.includes(error.reason._tag) || isModelMissing(error))

/** An answer without content that the provider has withheld. */
const isRefusal = ({ calls, response, text }: StepResult): boolean =>
  text === "" && calls.length === 0 && response.finishReason === "content-filter"

const refused = ({ provider }: Model) => `${provider} refused the content`

interface Request<E, R> {
  readonly models: RunModels
  readonly emit: (event: RunEvent.Payload) => void
  /** Whether a part of the answer was shown: another model would answer a second time. */
  readonly shown: { readonly any: boolean }
  /** Usage of an answer that is not used counts as well. */
  readonly onRefusal: (model: Model, result: StepResult) => Effect.Effect<unknown, E, R>
}

/** Requests the current model, and the next one as long as they fail. */
export const request = Effect.fnUntraced(function*<E, R>(
  { emit, models, onRefusal, shown }: Request<E, R>,
  ask: (model: Model, hasFallback: boolean) => Effect.Effect<StepResult, AiError.AiError | ValueTooLarge>
) {
  const next = Effect.fnUntraced(function*(failed: Model, fallback: Model, reason: string) {
    yield* Effect.logWarning("A model failed. The next one is requested", reason).pipe(
      Effect.annotateLogs({ model: failed.id, fallback_model: fallback.id })
    )
    emit({
      event: "ModelFallback",
      model: failed.id,
      model_provider: failed.provider,
      fallback_model: fallback.id,
      fallback_model_provider: fallback.provider,
      reason
    })
    models.remaining = models.remaining.slice(1)
    models.current = fallback
  })

  for (;;) {
    const model = models.current
    const [fallback] = models.remaining
    const answering = ask(model, fallback !== undefined)
    if (fallback === undefined) return yield* answering
    const answer = yield* Effect.result(answering)
    if (answer._tag === "Success") {
      if (shown.any || !isRefusal(answer.success)) return answer.success
      yield* onRefusal(model, answer.success)
      yield* next(model, fallback, refused(model))
      continue
    }
    if (shown.any || !canFallBack(answer.failure)) return yield* Effect.fail(answer.failure)
    yield* next(model, fallback, ModelError.describe(answer.failure).message)
  }
})
