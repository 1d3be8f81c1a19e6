// A language model that says what a test wrote down: one list of steps per call, in order. It goes through the same
// decoding as a real one and records what it was asked. A call after the last turn is a mistake of the test and fails.
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Model } from "@svc-runtime/models/Model"
import { describe } from "@svc-runtime/models/ModelCatalog"
import * as ModelError from "@svc-runtime/models/ModelError"
import { RequestOptions, type ResponseFormat } from "@svc-runtime/models/RequestOptions"
import { Deferred, type Duration, Effect, Predicate, Ref, Stream } from "effect"
import { AiError, LanguageModel, Tool } from "effect/ai"
import type { Prompt, Response } from "effect/ai"
import * as Given from "./internal/givenSteps.ts"
import * as ProviderCheck from "./ProviderCheck.ts"

export interface TokenUsage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

export type Step =
  | { readonly _tag: "Text"; readonly chunks: ReadonlyArray<string> }
  | { readonly _tag: "Reasoning"; readonly chunks: ReadonlyArray<string>; readonly metadata: Response.ProviderMetadata }
  | { readonly _tag: "ToolCall"; readonly id: string | undefined; readonly name: string; readonly params: unknown }
  | { readonly _tag: "Part"; readonly part: Response.PartEncoded & Response.StreamPartEncoded }
  | { readonly _tag: "Usage"; readonly usage: TokenUsage }
  | {
    readonly _tag: "Finish"
    readonly reason: Response.FinishReason
    readonly metadata: Response.ProviderMetadata
  }
  | { readonly _tag: "Fail"; readonly error: AiError.AiError }
  | { readonly _tag: "Wait"; readonly effect: Effect.Effect<unknown> }

/** Steps, or steps that depend on what was asked. */
export type Turn = ReadonlyArray<Step> | ((call: Call) => ReadonlyArray<Step>)

export interface Call {
  readonly method: "generateText" | "streamText"
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<{ readonly name: string; readonly schema: unknown }>
  readonly toolChoice: unknown
  readonly responseFormat: ResponseFormat
}

export interface ScriptedModel {
  readonly model: Model
  /** What was asked so far. */
  readonly calls: Effect.Effect<ReadonlyArray<Call>>
  /** The prompts that were asked so far, as plain encodable messages. */
  readonly prompts: Effect.Effect<ReadonlyArray<ReadonlyArray<Prompt.Message>>>
  /** The number of turns of the script that no request has used. */
  readonly remaining: Effect.Effect<number>
}

/** Text, one chunk per argument. */
export const text = (...chunks: ReadonlyArray<string>): Step => {
  Given.texts("text", chunks, "Write object({ … }) for structured output")
  return { _tag: "Text", chunks }
}

/** Reasoning, one chunk per argument. */
export const reasoning = (...chunks: ReadonlyArray<string>): Step => {
  Given.texts("reasoning", chunks)
  return { _tag: "Reasoning", chunks, metadata: {} }
}

/** Reasoning with metadata that has to come back, such as a signature. */
export const signedReasoning = (metadata: Response.ProviderMetadata, ...chunks: ReadonlyArray<string>): Step => ({
  _tag: "Reasoning",
  chunks,
  metadata
})

/** A call of a tool. Several in one turn are parallel calls. Ids are `call_1`, `call_2`, … unless given. */
export const toolCall = (name: string, params: unknown = {}, id?: string): Step => {
  Given.text("The name that toolCall() is given", name, "Write toolCall(\"name\", { … })")
  return { _tag: "ToolCall", id, name, params }
}

/** Any other part of an answer, such as a file or a source. */
export const part = (part: Response.PartEncoded & Response.StreamPartEncoded): Step => ({ _tag: "Part", part })

export const usage = (usage: TokenUsage): Step => {
  Given.object("What usage() is given", usage, "Write usage({ input: …, output: … })")
  return { _tag: "Usage", usage }
}

/** The reason of the end, where it is not `stop` or `tool-calls`, with what the provider says of it. */
export const finish = (reason: Response.FinishReason, metadata: Response.ProviderMetadata = {}): Step => ({
  _tag: "Finish",
  reason,
  metadata
})

/** Fails the call here: with the given error, or as a provider that is down. */
export const fail = (error: AiError.AiError | string = "The scripted model failed"): Step => ({
  _tag: "Fail",
  error: Predicate.isString(error)
    ? AiError.make({
      module: "Scripted",
      method: "streamText",
      reason: new AiError.InternalProviderError({ description: error })
    })
    : error
})

const source = { provider: "Scripted", model: "scripted", method: "streamText" } as const

/** Fails the call as a provider with this HTTP status and message. `retryAfter` is in seconds. */
export const failStatus = (status: number, options: {
  readonly message?: string | undefined
  readonly retryAfter?: number | undefined
} = {}): Step => {
  Given.number("The status of failStatus()", status)
  Given.object("The options of failStatus()", options, "Write { message: … }")
  const { message = "", retryAfter } = options
  const responseHeaders = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }
  return fail(ModelError.fromUnknown({ statusCode: status, message, responseHeaders }, source, 0))
}

/** Fails the call as a model that has not answered in time. */
export const timeOut = (limit: Duration.Input): Step =>
  fail(ModelError.timedOut(source, Validate.duration("timeOut()", "its limit", limit), false))

/** Waits here until the deferred is done or the effect has run. */
export const wait = <A>(until: Deferred.Deferred<A> | Effect.Effect<A>): Step => ({
  _tag: "Wait",
  effect: Effect.isEffect(until) ? until : Deferred.await(until)
})

/** Waits here until the call is interrupted. */
export const hang: Step = wait(Effect.never)

const encodeUsage = (usage: TokenUsage): Response.FinishPartEncoded["usage"] => {
  const { cacheRead = 0, cacheWrite = 0, input = 0, output = 0, reasoning = 0 } = usage
  return {
    inputTokens: { total: input, uncached: input - cacheRead - cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning }
  }
}

const finishPart = (steps: ReadonlyArray<Step>): Response.FinishPartEncoded => {
  const given = steps.findLast((step) => step._tag === "Finish")
  const used = steps.findLast((step) => step._tag === "Usage")
  const calls = steps.some((step) => step._tag === "ToolCall")
  return {
    type: "finish",
    reason: given?.reason ?? (calls ? "tool-calls" : "stop"),
    usage: encodeUsage(used?.usage ?? {}),
    ...(given === undefined ? {} : { metadata: given.metadata })
  }
}

type StreamedStep = Stream.Stream<Response.StreamPartEncoded, AiError.AiError>

const streamBlock = (
  kind: "text" | "reasoning",
  id: string,
  chunks: ReadonlyArray<string>,
  metadata: Response.ProviderMetadata
): StreamedStep =>
  Stream.fromArrays<ReadonlyArray<ReadonlyArray<Response.StreamPartEncoded>>>(
    [{ type: `${kind}-start`, id }],
    ...chunks.map((delta) => [{ type: `${kind}-delta`, id, delta }] as const),
    [{ type: `${kind}-end`, id, metadata }]
  )

const noTurn = (turn: number, count: number): Effect.Effect<never, AiError.AiError> => {
  const message = `The script has no turn ${turn}: the model was asked more than ${count} times`
  const metadata = { svc: { message, retryable: false, status: null, retry_after_millis: null } }
  const reason = new AiError.InvalidRequestError({ description: message, metadata })
  return Effect.fail(AiError.make({ module: "Scripted", method: "streamText", reason }))
}

export interface Options extends Partial<Pick<Model, "id" | "name" | "provider">> {
  /**
   * A model by its reference, such as `anthropic:claude-sonnet-4-5`. Each request is written for its provider and
   * checked with the rules of the provider. A request that breaks one fails with 400 and a sentence. Nothing is sent.
   */
  readonly as?: string | undefined
}

/** Makes one model with its own script. */
export const make = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Turn>,
  { as, ...names }: Options = {}
): Effect.fn.Return<ScriptedModel> {
  const check = as === undefined ? undefined : yield* ProviderCheck.make(as)
  const calls = yield* Ref.make<ReadonlyArray<Call>>([])
  const nextId = yield* Ref.make(1)

  const take = Effect.fnUntraced(function*(
    method: Call["method"],
    options: LanguageModel.ProviderOptions
  ) {
    const call: Call = {
      method,
      prompt: options.prompt,
      tools: options.tools.map((tool) => ({ name: tool.name, schema: Tool.getJsonSchema(tool) })),
      toolChoice: options.toolChoice,
      responseFormat: (yield* RequestOptions).format
    }
    const index = (yield* Ref.getAndUpdate(calls, (all) => [...all, call])).length
    const { refusal } = check === undefined ? { refusal: undefined } : yield* check(options)
    if (refusal !== undefined) return [failStatus(400, { message: refusal })]
    const turn = turns[index]
    if (turn === undefined) return yield* noTurn(index + 1, turns.length)
    return typeof turn === "function" ? turn(call) : turn
  })

  const toolCallPart = (step: Extract<Step, { _tag: "ToolCall" }>): Effect.Effect<Response.ToolCallPartEncoded> =>
    Effect.map(
      step.id === undefined ? Ref.getAndUpdate(nextId, (n) => n + 1) : Effect.succeed(0),
      (n) => ({ type: "tool-call", id: step.id ?? `call_${n}`, name: step.name, params: step.params })
    )

  const generateStep = (step: Step): Effect.Effect<ReadonlyArray<Response.PartEncoded>, AiError.AiError> => {
    switch (step._tag) {
      case "Text":
        return Effect.succeed([{ type: "text", text: step.chunks.join("") }])
      case "Reasoning":
        return Effect.succeed([{ type: "reasoning", text: step.chunks.join(""), metadata: step.metadata }])
      case "ToolCall":
        return Effect.map(toolCallPart(step), (part) => [part])
      case "Part":
        return Effect.succeed([step.part])
      case "Fail":
        return Effect.fail(step.error)
      case "Wait":
        return Effect.as(step.effect, [])
      default:
        return Effect.succeed([])
    }
  }

  const streamStep = (step: Step, index: number): StreamedStep => {
    switch (step._tag) {
      case "Text":
        return streamBlock("text", `text_${index}`, step.chunks, {})
      case "Reasoning":
        return streamBlock("reasoning", `reasoning_${index}`, step.chunks, step.metadata)
      case "ToolCall":
        return Stream.fromEffect(toolCallPart(step))
      case "Part":
        return Stream.succeed(step.part)
      case "Fail":
        return Stream.fail(step.error)
      case "Wait":
        return Stream.drain(Stream.fromEffect(step.effect))
      default:
        return Stream.empty
    }
  }

  const languageModel = yield* LanguageModel.make({
    generateText: Effect.fnUntraced(function*(options) {
      const steps = yield* take("generateText", options)
      const parts = yield* Effect.forEach(steps, generateStep)
      return [...parts.flat(), finishPart(steps)]
    }),
    streamText: (options) =>
      Stream.unwrap(Effect.map(take("streamText", options), (steps) =>
        Stream.fromIterable(steps.map(streamStep)).pipe(
          Stream.flatMap((stream) => stream),
          Stream.concat(Stream.succeed(finishPart(steps)))
        )))
  })

  return {
    model: {
      ...(as === undefined ? { id: "scripted", name: "ScriptedModel", provider: "Scripted" } : describe(as)),
      ...names,
      languageModel
    },
    calls: Ref.get(calls),
    prompts: Effect.map(Ref.get(calls), (all) => all.map((call) => call.prompt.content)),
    remaining: Effect.map(Ref.get(calls), (all) => Math.max(0, turns.length - all.length))
  }
})
