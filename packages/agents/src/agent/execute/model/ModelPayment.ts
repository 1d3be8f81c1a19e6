// Pays requests to models: what a request may cost is reserved before it is sent, and what it has cost is charged
// after it. A request that broke off is charged by what has arrived of its answer, or else as it was reserved.
import type * as Usage from "@svc-runtime/domain/Usage"
import { CurrentWork } from "@svc-runtime/engine/node/CurrentWork"
import type { Model } from "@svc-runtime/models/Model"
import * as ModelError from "@svc-runtime/models/ModelError"
import type * as ModelSettings from "@svc-runtime/models/ModelSettings"
import * as RequestOptions from "@svc-runtime/models/RequestOptions"
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

const sum = (one: Usage.Counters, { input_tokens = 0, output_tokens = 0 }: Usage.Counters, times: number) => {
  const added = counters(
    (one.input_tokens ?? 0) + times * input_tokens,
    (one.output_tokens ?? 0) + times * output_tokens
  )
  const { cost: _, ...rest } = one
  return { ...rest, ...added }
}

/** The failures of other things come before a request is sent. */
const isFree = (exit: Exit.Failure<unknown, unknown>): boolean =>
  Option.exists(
    Cause.findErrorOption(exit.cause),
    (error) => !AiError.isAiError(error) || !ModelError.mayCost(error)
  )

export const paid = <A extends { readonly usage: Usage.Counters }, E, R>(
  { model, prompt, settings }: Request,
  asking: Effect.Effect<A, E, R>,
  /** What has arrived. */
  answer: { readonly bytes: number; readonly usage: Usage.Counters }
): Effect.Effect<A, AiError.AiError | E, R> =>
  Effect.flatMap(CurrentWork, ({ purse }) => {
    if (purse === undefined || !purse.isLimited()) return asking
    const input = tokensOf(prompt.content.reduce((sum, message) => sum + sizeOf(message), 0))
    const output = settings?.maxOutputTokens ?? model.settings?.max_output_tokens ?? outputTokens
    const reserved = counters(input, output)
    let broken = 0
    let hasBegun = false
    const isKnown = (usage: Usage.Counters) => usage.cost !== undefined || hasTokens(usage)
    const used = (exit: Exit.Exit<A, E>): Usage.Counters | undefined => {
      // it was cancelled while its budget was reserved
      if (!hasBegun) return undefined
      const { bytes, usage } = Exit.isSuccess(exit) ? { ...answer, usage: exit.value.usage } : answer
      if (isKnown(usage)) return usage
      if (Exit.isSuccess(exit) || bytes > 0) return counters(input, tokensOf(bytes))
      return isFree(exit) ? undefined : reserved
    }
    const charged = (exit: Exit.Exit<A, E>): Usage.Counters | undefined => {
      const last = used(exit)
      return broken === 0 ? last : sum(last ?? {}, reserved, broken)
    }
    const reserving = Effect.mapError(
      purse.reserve({ model, usage: reserved }),
      ({ message }) => ModelError.tooExpensive(model, message)
    )
    // an interruption in between would leave the reservation
    const counting = RequestOptions.provide(
      Effect.suspend(() => {
        hasBegun = true
        return asking
      }),
      { onBrokenOff: () => void broken++ }
    )
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(reserving, ({ settle }) => Effect.onExit(restore(counting), (exit) => settle(charged(exit))))
    )
  })
