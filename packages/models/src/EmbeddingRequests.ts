// Counts requests to embedders like those to other models, and what they use.
import * as Usage from "@svc-runtime/domain/Usage"
import type { ModelEnd } from "@svc-runtime/telemetry/Instruments"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Effect } from "effect"
import { EmbeddingCall } from "./EmbeddingRate.ts"

type Model = ModelEnd["model"]

/** The parts of an id `provider:model`. */
export const modelOf = (id: string): Model => {
  const at = id.indexOf(":")
  return { provider: at < 0 ? "unknown" : id.slice(0, at), id: id.slice(at + 1) }
}

/** An embedder that calls another one is one request. */
export const counted = <A, E, R>(request: Effect.Effect<A, E, R>, model: Model): Effect.Effect<A, E, R> =>
  Effect.flatMap(EmbeddingCall, (call) =>
    call.isCounted
      ? request
      : ModelRequests.counted(Effect.provideService(request, EmbeddingCall, { ...call, isCounted: true }), model))

/** Counts the tokens of a response, as its provider reports them. */
export const used = (model: Model, tokens: number | undefined): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (tokens === undefined || !Number.isSafeInteger(tokens) || tokens <= 0 || tokens > Usage.max.tokens) {
      return Effect.void
    }
    const cost = ModelRequests.costNow(fiber, model, { input_tokens: tokens })
    fiber.getRef(Instruments).embedded({ model, tokens, cost })
    return OperationSpan.embedded(tokens)
  })
