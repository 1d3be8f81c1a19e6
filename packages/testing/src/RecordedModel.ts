// A model whose answers come from a file. A real model is asked once, where the author wants to record.
import { anyRequests, type Model } from "@svc-runtime/models/Model"
import { describe, ModelCatalog, type ModelRef } from "@svc-runtime/models/ModelCatalog"
import { RequestOptions } from "@svc-runtime/models/RequestOptions"
import { Clock, Config, ConfigProvider, Context, Effect, Layer, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import * as Given from "./internal/givenSteps.ts"
import * as Recording from "./internal/Recording.ts"
import { replayed } from "./internal/replayed.ts"

export interface RecordedModelOptions {
  /** The file of the answers. It is committed with the test. */
  readonly file: string
  /** The model that is recorded: one of the AI SDK, or a `Model`. It is not asked for answers of the file. */
  readonly model: Exclude<ModelRef, string>
  /** True: asks the model for answers that the file lacks. Default: the variable SVC_RECORD, else false. */
  readonly record?: boolean | undefined
}

type Method = "generateText" | "streamText"

const fail = (method: Method, message: string): AiError.AiError => {
  const metadata = { svc: { message, retryable: false, status: null, retry_after_millis: null } }
  const reason = new AiError.InvalidRequestError({ description: message, metadata })
  return AiError.make({ module: "Recorded", method, reason })
}

const missing = ({ file }: RecordedModelOptions): string =>
  `${file} has no answer to this request. Run the test once with SVC_RECORD=true and the key of the model, and commit the file`

/** The environment as it is now: the default provider keeps what it found at its first use. */
const isRecording = Effect.fnUntraced(function*({ record }: RecordedModelOptions) {
  if (record !== undefined) return record
  return yield* Effect.provideService(
    Config.withDefault(Config.Boolean("SVC_RECORD"), false),
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnv()
  )
}, Effect.orDie)

/** The model answers in real time, while the service of the test stands still. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

const make = Effect.fnUntraced(function*(options: RecordedModelOptions) {
  const recording = yield* Effect.cached(Recording.read(options.file))
  const model = yield* Effect.cached(
    Effect.scoped(Layer.build(ModelCatalog.layer({}))).pipe(
      Effect.flatMap((built) => Context.get(built, ModelCatalog).resolve(options.model)),
      Effect.map(anyRequests),
      Effect.orDie
    )
  )

  /** Encoded parts are played back; a function asks the model, and stores what it is given. */
  const answerTo = Effect.fnUntraced(function*(method: Method, request: LanguageModel.ProviderOptions) {
    const key = Recording.keyOf(method, request, (yield* RequestOptions).format)
    const opened = yield* Effect.mapError(recording, (message) => fail(method, message))
    const recorded = opened.take(key)
    if (recorded !== undefined) return recorded
    if (!(yield* isRecording(options))) return yield* Effect.fail(fail(method, missing(options)))
    return (parts: ReadonlyArray<Response.AnyPart>) => opened.add(key, parts)
  })

  const generateText = Effect.fnUntraced(function*(request: LanguageModel.ProviderOptions) {
    const answer = yield* answerTo("generateText", request)
    if (typeof answer !== "function") return answer
    const { content } = yield* inRealTime((yield* model).generateText(replayed(request)))
    return answer(content)
  })

  const streamText = Effect.fnUntraced(function*(request: LanguageModel.ProviderOptions) {
    const answer = yield* answerTo("streamText", request)
    if (typeof answer !== "function") return answer
    return answer(yield* inRealTime(Stream.runCollect((yield* model).streamText(replayed(request)))))
  })

  return yield* LanguageModel.make({
    generateText: (request) => generateText(request) as Effect.Effect<Array<Response.PartEncoded>, AiError.AiError>,
    streamText: (request) =>
      Stream.unwrap(Effect.map(streamText(request), Stream.fromIterable)) as Stream.Stream<
        Response.StreamPartEncoded,
        AiError.AiError
      >
  })
})

/**
 * A model that plays recorded answers back, without a key and a network. With SVC_RECORD=true it asks `model` for the
 * answers that the file lacks, and stores them. A changed request, such as another prompt, has no recorded answer.
 *
 * ```ts
 * import { openai } from "@ai-sdk/openai"
 * import { Agent } from "@svc-runtime/server"
 * import { recordedModel } from "@svc-runtime/testing"
 *
 * const model = recordedModel({ file: "test/recorded/weather.json", model: openai("gpt-5-mini") })
 *
 * Agent.make({ id: "assistant", model })
 * ```
 */
export const recordedModel = (options: RecordedModelOptions): Model => {
  Given.object("What recordedModel() is given", options, "Write recordedModel({ file: …, model: … })")
  const { file, model } = options
  Given.text("The file of recordedModel()", file, "It has the recorded answers")
  Given.object("The model of recordedModel()", model, "Give it one of the AI SDK, whose answers are recorded")
  return { ...describe(model), languageModel: Effect.runSync(make(options)) }
}
