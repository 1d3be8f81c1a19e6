// One model request, streamed or not, and its result. It only collects tool calls: the loop executes them. A failed
// request is retried as often as the agent allows, if no part of its answer was shown.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Usage from "@svc-runtime/domain/Usage"
import { ByteLimits, ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import { CurrentWork } from "@svc-runtime/engine/node/CurrentWork"
import { anyRequests, type Model } from "@svc-runtime/models/Model"
import { isLocal } from "@svc-runtime/models/ModelCatalog"
import * as ModelError from "@svc-runtime/models/ModelError"
import * as ModelRetry from "@svc-runtime/models/ModelRetry"
import * as ModelSettings from "@svc-runtime/models/ModelSettings"
import type { PromptCache } from "@svc-runtime/models/PromptCache"
import * as RequestOptions from "@svc-runtime/models/RequestOptions"
import { WordListener } from "@svc-runtime/models/WordListener"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as ModelSpan from "@svc-runtime/telemetry/ModelSpan"
import { Clock, Effect, Schedule, Stream } from "effect"
import type { AiError, Prompt, Response, Tool as AiTool, Toolkit } from "effect/ai"
import type { Agent } from "../../define/Agent.ts"
import { isRemoteModel } from "../../remote/RemoteModel.ts"
import * as ToolMedia from "../context/ToolMedia.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import * as ModelPayment from "./ModelPayment.ts"

export type AnyToolkit = Toolkit.WithHandler<Record<string, AiTool.Any>>

export interface StepRequest {
  readonly model: Model
  readonly prompt: Prompt.Prompt
  /** Adds the bytes of media in results of tools. Left out: the request has none. */
  readonly media?: ToolMedia.ToolMedia | undefined
  readonly toolkit: AnyToolkit | undefined
  readonly toolChoice: AgentSchema.ToolChoice
  readonly format: RequestOptions.ResponseFormat
  /** Undefined: those of the model. */
  readonly settings?: ModelSettings.ModelSettings | undefined
  /** Left out: its prompt has no marks. */
  readonly cache?: PromptCache | undefined
  /** For the trace: what is not what it was in the request before, and what the request leaves out. */
  readonly changed?: ReadonlyArray<string> | undefined
  readonly leftOut?: ModelSpan.LeftOut | undefined
  readonly stream: boolean
  /** What traces do not have: the answer before hooks have passed it, or all of a request of a hook. */
  readonly hides?: "answer" | "all" | undefined
  /** Called for each part of a streamed answer. Returns whether some of it is shown. */
  readonly onText: ((delta: string) => boolean) | undefined
  readonly onReasoning: ((delta: string) => boolean) | undefined
  /** Called before each attempt. */
  readonly onAttempt?: (() => void) | undefined
  /** Called with the whole text so far. A request that fails after it can be repeated. */
  readonly onPartial?: ((text: string) => void) | undefined
}

export interface StepResult extends Readonly<ModelAnswer.ModelAnswer> {
  /** Seconds from the request to the first part of text, reasoning or a tool call. */
  readonly timeToFirstToken: number | undefined
}

/** Shows a part to its handler, and returns whether some of it is shown. */
const show = (part: Response.AnyPart, { onReasoning, onText }: StepRequest): boolean => {
  if (part.type !== "text-delta" && part.type !== "reasoning-delta") return false
  const watcher = part.type === "text-delta" ? onText : onReasoning
  return watcher !== undefined && part.delta !== "" && watcher(part.delta)
}

const ask = Effect.fnUntraced(function*(
  request: StepRequest,
  shown: { any: boolean },
  answer: ModelAnswer.ModelAnswer
) {
  const clock = yield* Clock.Clock
  const startedAt = clock.monotonicTimeNanosUnsafe()
  request.onAttempt?.()
  let timeToFirstToken: number | undefined
  const { output: limit } = yield* ByteLimits
  /** Returns whether the answer is still within its limit. After that nothing is shown. */
  const add = (part: Response.AnyPart): boolean => {
    if (timeToFirstToken === undefined && ModelAnswer.isOutput(part)) {
      timeToFirstToken = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9
    }
    ModelAnswer.add(answer, part)
    if (answer.bytes > limit) return false
    if (request.stream && show(part, request)) shown.any = true
    if (request.stream && part.type === "text-delta") request.onPartial?.(answer.text)
    return true
  }
  const take = (parts: ReadonlyArray<Response.AnyPart>): Effect.Effect<void, ValueTooLarge> =>
    parts.every(add)
      ? Effect.void
      : Effect.fail(new ValueTooLarge({ what: "The answer of the model", limit, setting: "OUTPUT_MAX_BYTES" }))
  const { media, model, prompt } = request
  const options = {
    prompt: media === undefined ? ToolMedia.stripped(prompt) : yield* media.resolved(prompt, model),
    ...(request.toolkit === undefined ? {} : { toolkit: request.toolkit, toolChoice: request.toolChoice }),
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  }
  const languageModel = anyRequests(request.model)
  if (request.stream) {
    const { hasRoom, isFull } = yield* CurrentWork
    yield* languageModel.streamText(options).pipe(
      // words that it does not take come through the stream, which waits or fails
      Stream.provideService(WordListener, {
        model: model.languageModel,
        take: (words) => !isFull() && words.every(add)
      }),
      Stream.runForEachArray((parts) => Effect.andThen(Effect.suspend(() => take(parts)), hasRoom))
    )
  } else {
    yield* take((yield* languageModel.generateText(options)).content)
  }
  const result: StepResult = {
    ...answer,
    usage: yield* withCost(answer.usage, request.model),
    timeToFirstToken
  }
  return result
})

const delays = (agent: Agent): Schedule.Schedule<unknown> =>
  agent.exponentialBackoff
    ? Schedule.exponential(agent.delayBetweenRetries)
    : Schedule.spaced(agent.delayBetweenRetries)

/** Requests that fail for these reasons fail again. */
const permanentErrors: ReadonlyArray<AiError.AiErrorReason["_tag"]> = [
  "AuthenticationError",
  "ContentPolicyError",
  "InvalidRequestError",
  "QuotaExhaustedError",
  "UnsupportedSchemaError"
]

const attemptOf = (request: StepRequest, shown: { any: boolean }) => {
  const { cache, format, settings } = request
  const shownSettings = settings === undefined ? undefined : ModelSettings.toWire(settings)
  const asking = Effect.suspend(() => {
    const answer = ModelAnswer.make()
    const asking = ask(request, shown, answer)
    return needsPrice(request.model) ? ModelPayment.paid(request, asking, answer) : asking
  })
  // a remote agent is no model: its run has the span, and its run and its calls are counted
  const counting = isRemoteModel(request.model)
    ? asking
    : ModelRequests.counted(ModelSpan.around(asking, { ...request, settings: shownSettings }), request.model)
  return settings === undefined && format.type === "text" && cache === undefined
    ? counting
    : RequestOptions.provide(counting, { cache, format, ...(settings === undefined ? {} : { settings }) })
}

/** One request without retries. */
export const once = (request: StepRequest): Effect.Effect<StepResult, AiError.AiError | ValueTooLarge> =>
  attemptOf(request, { any: false })

/** A request that was too late is repeated once, or not at all if another model can be requested. */
const isRepeated = (hasFallback: boolean, shown: { readonly any: boolean }) => {
  let late = 0
  return (error: AiError.AiError | ValueTooLarge): boolean => {
    if (error._tag === "ValueTooLarge" || shown.any) return false
    if (permanentErrors.includes(error.reason._tag) || ModelError.isCircuitOpen(error)) return false
    return !ModelError.isTimeOut(error) || (!hasFallback && late++ === 0)
  }
}

/** `shown` becomes true with the first part of the answer that is shown. */
export const run = (
  agent: Agent,
  request: StepRequest,
  shown: { any: boolean },
  hasFallback: boolean
): Effect.Effect<StepResult, AiError.AiError | ValueTooLarge> => {
  const attempt = attemptOf(request, shown)
  if (agent.retries === 0) return attempt
  const { id: model, provider } = request.model
  const isRepeatable = isRepeated(hasFallback, shown)
  return Effect.retry(attempt, (start) =>
    start(delays(agent)).pipe(
      Schedule.while(({ attempt, input }) => attempt <= agent.retries && isRepeatable(input)),
      Schedule.tap(({ attempt: retry, duration: delay, input }) =>
        input._tag === "ValueTooLarge" ? Effect.void : ModelRetry.warn(input, { model, provider, retry, delay })
      )
    ))
}

/** Tool calls in the format of a message. */
export const toolCallsOf = (calls: ReadonlyArray<ModelAnswer.RequestedCall>) =>
  calls.map(({ id, input, name }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) }
  }))

/** A remote agent is no model. */
const needsPrice = (model: Model): boolean => !isLocal(model) && !isRemoteModel(model)

const logUnpriced = ({ id, provider }: Model, gap: string | undefined) =>
  Effect.annotateLogs(
    Effect.logWarning(
      `Tokens of a model have no price, so sums of cost leave them out: ${gap}. MODEL_PRICES names a file with prices`
    ),
    { model: id, provider }
  )

/**
 * The cost of a request: as the provider reports it, else by the price of the model. A model whose tokens have no price
 * is logged once, because sums of cost leave them out.
 */
const withCost = (usage: Usage.Counters, model: Model): Effect.Effect<Usage.Counters> =>
  usage.cost !== undefined || !ModelPayment.hasTokens(usage) ? Effect.succeed(usage) : Effect.withFiber((fiber) => {
    const cost = ModelRequests.costNow(fiber, model, usage)
    if (cost !== undefined) return Effect.succeed({ ...usage, cost })
    const isLogged = needsPrice(model) && fiber.getRef(Instruments).isFirstUnpriced(model)
    return isLogged
      ? Effect.as(logUnpriced(model, ModelRequests.gapNow(fiber, model, usage)), usage)
      : Effect.succeed(usage)
  })
