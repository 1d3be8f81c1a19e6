// Pays requests to models: what a request may cost is reserved before it is sent, and what it has cost is charged
// after it. A request that broke off is charged by its input and by what has arrived of its answer.
import type * as Usage from "@svc-runtime/domain/Usage"
import { CurrentWork } from "@svc-runtime/engine/node/CurrentWork"
import type { Model } from "@svc-runtime/models/Model"
import * as ModelError from "@svc-runtime/models/ModelError"
import type * as ModelSettings from "@svc-runtime/models/ModelSettings"
import { Cause, Effect, Exit, Option } from "effect"
import { AiError, type Prompt } from "effect/ai"
import { sizeOf } from "../context/ContextFit.ts"

interface Request {
  readonly model: Model
  readonly prompt: Prompt.Prompt
  readonly settings?: ModelSettings.ModelSettings | undefined
}

/** Rather too few: a reservation is an upper bound. */
const charactersPerToken = 3

/** Of an answer without a limit of its own. */
const outputTokens = 4096

const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken)

const counters = (input_tokens: number, output_tokens: number): Usage.Counters => ({
  input_tokens,
  output_tokens,
  total_tokens: input_tokens + output_tokens
})

/** Not every provider reports tokens: then the cost is not known. */
export const hasTokens = ({ total_tokens = 0 }: Usage.Counters): boolean => total_tokens > 0

/** A provider that has refused a request, before any of its answer, does not charge it. */
const isRefused = (exit: Exit.Failure<unknown, unknown>): boolean =>
  Option.exists(
    Cause.findErrorOption(exit.cause),
    (error) => AiError.isAiError(error) && !ModelError.isTimeOut(error)
  )

export const paid = <A extends { readonly usage: Usage.Counters }, E, R>(
  { model, prompt, settings }: Request,
  asking: Effect.Effect<A, E, R>,
  /** What has arrived. */
  answer: { readonly bytes: number }
): Effect.Effect<A, AiError.AiError | E, R> =>
  Effect.flatMap(CurrentWork, ({ purse }) => {
    if (purse === undefined || !purse.isLimited()) return asking
    const input = tokensOf(prompt.content.reduce((sum, message) => sum + sizeOf(message), 0))
    const output = settings?.maxOutputTokens ?? model.settings?.max_output_tokens ?? outputTokens
    const charged = (exit: Exit.Exit<A, E>): Usage.Counters | undefined => {
      if (Exit.isSuccess(exit) && (exit.value.usage.cost !== undefined || hasTokens(exit.value.usage))) {
        return exit.value.usage
      }
      if (Exit.isFailure(exit) && answer.bytes === 0 && isRefused(exit)) return undefined
      return counters(input, tokensOf(answer.bytes))
    }
    const reserving = Effect.mapError(
      purse.reserve({ model, usage: counters(input, output) }),
      ({ message }) => ModelError.tooExpensive(model, message)
    )
    // an interruption in between would leave the reservation
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(reserving, ({ settle }) => Effect.onExit(restore(asking), (exit) => settle(charged(exit))))
    )
  })
