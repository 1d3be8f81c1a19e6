// Any language model of the AI SDK as a `Model`. Providers are called as they are (their `doGenerate` and `doStream`
// never retry); this module adds retries, time limits and readable failures. Interrupting the fiber of a call aborts
// its HTTP request. The parts of a stream are held back until the answer begins, so a call that fails before that can
// be retried without a trace.
import type { LanguageModelV3, LanguageModelV4, SharedV4Warning } from "@ai-sdk/provider"
import * as ProviderNames from "@svc-runtime/telemetry/ProviderNames"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Effect, Predicate, Stream } from "effect"
import type { Redacted } from "effect"
import { LanguageModel } from "effect/ai"
import type { AiError, Response } from "effect/ai"
import * as AiSdkParts from "./AiSdkParts.ts"
import * as AiSdkPrompt from "./AiSdkPrompt.ts"
import * as AiSdkStream from "./AiSdkStream.ts"
import * as AiSdkTools from "./AiSdkTools.ts"
import * as AiSdkV3 from "./AiSdkV3.ts"
import type { CircuitBreaker } from "./CircuitBreaker.ts"
import * as DeltaBypass from "./DeltaBypass.ts"
import type { Model } from "./Model.ts"
import * as ModelError from "./ModelError.ts"
import * as ModelRetry from "./ModelRetry.ts"
import * as ModelSettings from "./ModelSettings.ts"
import type * as PlainDelta from "./PlainDelta.ts"
import * as ReadableMedia from "./ReadableMedia.ts"
import { RequestOptions } from "./RequestOptions.ts"
import * as Wires from "./wire/Wires.ts"
import { WordListener } from "./WordListener.ts"

/** A language model object of an `@ai-sdk/*` package, of the current or the previous specification. */
export type AiSdkLanguageModel = LanguageModelV4 | LanguageModelV3

export interface Options {
  readonly model: AiSdkLanguageModel
  readonly name?: string | undefined
  readonly provider?: string | undefined
  /** Those of the agent have priority. */
  readonly settings?: ModelSettings.ModelSettings | undefined
  readonly retry?: ModelRetry.Options | undefined
  /** The format of its streams, if its client uses `BoundedFetch`. */
  readonly format?: PlainDelta.Format | undefined
  /** The circuit breaker of the provider. Without one, requests are sent however often they fail. */
  readonly breaker?: CircuitBreaker | undefined
  /** Values that must never appear in an error message, whatever the provider answers. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

export const isAiSdkModel = (value: unknown): value is AiSdkLanguageModel =>
  Predicate.hasProperty(value, "specificationVersion") &&
  (value.specificationVersion === "v4" || value.specificationVersion === "v3") &&
  Predicate.hasProperty(value, "doStream") && Predicate.hasProperty(value, "doGenerate")

const annotate = ({ span }: LanguageModel.ProviderOptions, model: LanguageModelV4): void => {
  span.attribute("gen_ai.provider.name", ProviderNames.of(model.provider).genAi)
  span.attribute("gen_ai.request.model", model.modelId)
}

const maxWarnings = 50

const textOf = (warning: SharedV4Warning): string => {
  if (warning.type === "other") return warning.message
  if (warning.type === "deprecated") return `${warning.setting} is deprecated: ${warning.message}`
  return `${warning.feature} is not supported${warning.details === undefined ? "" : `: ${warning.details}`}`
}

const renamedParts = (
  { cancel, read }: DeltaBypass.PartReader,
  renamed: ReturnType<typeof Wires.renaming>
): DeltaBypass.PartReader => ({
  cancel,
  read: renamed === undefined
    ? read
    : ({ onFailure, onParts }) => read({ onFailure, onParts: (parts) => onParts(parts?.map(renamed)) })
})

const makeLanguageModel = (options: Options): Effect.Effect<LanguageModel.LanguageModel> => {
  const model = options.model.specificationVersion === "v3" ? AiSdkV3.toV4(options.model) : options.model
  const { breaker = (call) => call } = options
  const base = options.settings ?? {}
  const policy = ModelRetry.limitedBy(ModelRetry.policy(options.retry), base)
  const alone = ModelSettings.toCall(base)
  const wireOf = Wires.each(model)
  const source = (method: ModelError.Source["method"]): ModelError.Source => ({
    provider: options.provider ?? model.provider,
    model: model.modelId,
    method,
    secrets: options.secrets
  })

  const known = new Set<string>()
  /** Each one once: it is the same in every request. */
  const onWarnings = (warnings: ReadonlyArray<SharedV4Warning>): Effect.Effect<void> =>
    Effect.forEach(warnings, (warning) => {
      const text = textOf(warning)
      if (known.has(text) || known.size >= maxWarnings) return Effect.void
      known.add(text)
      return Effect.annotateLogs(Effect.logWarning("Model request is sent in an adapted form", text), {
        model: model.modelId
      })
    }, { discard: true })

  const prepare = (request: LanguageModel.ProviderOptions, source: ModelError.Source) =>
    Effect.flatMap(
      Effect.all([RequestOptions, TraceContext.outgoing]),
      ([{ cache, format, settings: given }, traceHeaders]) =>
        Effect.try({
          try: () => {
            annotate(request, model)
            const settings = given === ModelSettings.none
              ? alone
              : ModelSettings.toCall(ModelSettings.merge(base, given))
            const wire = wireOf(given.sendReasoning ?? base.sendReasoning)
            const tools = AiSdkTools.tools(request)
            const { call, warning } = Wires.accepted(wire, {
              ...settings,
              ...(traceHeaders === undefined ? {} : { headers: { ...traceHeaders, ...settings.headers } }),
              ...tools,
              prompt: AiSdkPrompt.toAiSdk(request.prompt, { filesInToolResults: wire.textResults !== true }),
              responseFormat: AiSdkTools.format(request.responseFormat, format)
            }, cache)
            return {
              call,
              warning,
              renamed: Wires.renaming(wire, tools),
              limits: given === ModelSettings.none ? policy : ModelRetry.limitedBy(policy, given)
            }
          },
          catch: (cause) => new AiSdkStream.Thrown({ cause })
        }).pipe(
          Effect.catchTag("Thrown", ({ cause }) => ModelError.fail(cause, source)),
          Effect.tap(({ warning }) =>
            warning === undefined ? Effect.void : onWarnings([{ type: "other", message: warning }])
          )
        )
    )

  const generateText = Effect.fnUntraced(function*(request: LanguageModel.ProviderOptions) {
    const from = source("generateText")
    const { call, limits, renamed } = yield* prepare(request, from)
    const empty = ModelRetry.emptyAnswers(limits)
    const sent = AiSdkStream.attempt((abortSignal) => model.doGenerate({ ...call, abortSignal }), from)
    const result = yield* Effect.andThen(empty.sending, sent).pipe(
      Effect.tap((result) =>
        AiSdkParts.isEmpty(result) ? empty.again(from, AiSdkParts.finish(result).usage) : Effect.void
      ),
      (call) => breaker(ModelRetry.limit(call, limits.answerTimeout, from, false), from),
      (call) => ModelRetry.retry(call, limits, from)
    )
    yield* onWarnings(result.warnings)
    const declared = AiSdkParts.declared(request.tools)
    const content = renamed === undefined ? result.content : result.content.map(renamed)
    const parts = content.flatMap((content) => AiSdkParts.fromContent(content, declared))
    if (result.finishReason.unified === "interrupted") return yield* ModelError.interrupted(from)
    const answer = call.responseFormat?.type === "json" && result.structuredOutputText !== undefined
      ? [{ type: "text" as const, text: result.structuredOutputText }, ...parts.filter((part) => part.type !== "text")]
      : parts
    const metadata = result.response === undefined ? [] : [AiSdkParts.responseMetadata(result.response)]
    const finish = AiSdkParts.finish(result)
    const isFailure = result.finishReason.unified === "error" && !AiSdkParts.hasUnreadableCall(finish.metadata)
    if (isFailure && !parts.some(AiSdkParts.hasContent)) return yield* ModelError.emptyAnswer(from)
    return [...metadata, ...answer, { ...finish, usage: empty.counted(finish.usage) }] as Array<Response.PartEncoded>
  })

  const streamText = (
    request: LanguageModel.ProviderOptions
  ): Stream.Stream<Response.StreamPartEncoded, AiError.AiError> => {
    const from = source("streamText")
    return Stream.unwrap(
      Effect.map(
        Effect.all([prepare(request, from), WordListener]),
        ([{ call, limits, renamed }, listening]) =>
          AiSdkStream.make({
            open: (abortSignal) =>
              DeltaBypass.open(model, { ...call, abortSignal }, options.format).then((reader) =>
                renamedParts(reader, renamed)
              ),
            declared: AiSdkParts.declared(request.tools),
            policy: limits,
            breaker,
            source: from,
            takeWords: listening !== undefined && listening.model === made ? listening.take : undefined,
            onWarnings
          })
      )
    )
  }

  let made: LanguageModel.LanguageModel | undefined
  return Effect.map(LanguageModel.make({ generateText, streamText }), (model) => made = model)
}

/** `id`, `name` and `provider` are taken from the AI SDK model where they are not given. */
export const make = (options: Options): Effect.Effect<Model> =>
  Effect.map(makeLanguageModel(options), (languageModel) => ({
    id: options.model.modelId,
    name: options.name ?? options.model.provider,
    provider: options.provider ?? options.model.provider,
    languageModel,
    reads: ReadableMedia.readsOf(options.model.provider, options.model.modelId),
    ...(options.settings === undefined ? {} : { settings: ModelSettings.toWire(options.settings) })
  }))
