// The runs of both APIs: one is started with what the client brings, and its answer is the response.
import * as AgentRunOptions from "@svc-runtime/agents/agent/define/AgentRunOptions"
import * as StructuredOutput from "@svc-runtime/agents/agent/execute/model/StructuredOutput"
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import type { Caller } from "@svc-runtime/agents/runService/Caller"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { StartRequest } from "@svc-runtime/agents/runService/StartRequest"
import * as StoredRun from "@svc-runtime/agents/runService/StoredRun"
import type { Scoped } from "@svc-runtime/agents/runService/VisibleRuns"
import { Errors } from "@svc-runtime/api"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { ClientTool } from "@svc-runtime/domain/ClientTool"
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import type { Place } from "@svc-runtime/engine/run/store/RunWrites"
import { fromJsonSchema } from "@svc-runtime/engine/schema/AnySchema"
import * as CompletionRequest from "@svc-runtime/protocols/openai/CompletionRequest"
import * as OpenAiError from "@svc-runtime/protocols/openai/OpenAiError"
import * as RequestFields from "@svc-runtime/protocols/openai/RequestFields"
import type { Encoder } from "@svc-runtime/protocols/run/Encoder"
import * as InputMedia from "@svc-runtime/protocols/run/InputMedia"
import type { RunPiece } from "@svc-runtime/protocols/run/RunPiece"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"
import { Effect, type JsonSchema, Option, type Schema, Stream } from "effect"
import { hash } from "node:crypto"

import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import { runNotFound } from "@svc-runtime/http/wire/WireErrors"
import * as PieceStream from "../protocols/PieceStream.ts"
import * as ProtocolErrors from "../protocols/ProtocolErrors.ts"
import { badRequest, OpenAiFailed, unsupported } from "./openAiErrors.ts"
import * as ShownResults from "./ShownResults.ts"

type Service = RunService["Service"]

/** Reads a body by its schema. A field that asks for an answer which the service does not have is refused. */
export const decoder = <A>(schema: Schema.Codec<A, unknown>, fields: RequestFields.Fields) => {
  const decode = ProtocolErrors.decoder(schema)
  return (body: Json.Value) => {
    const param = RequestFields.refusedIn(fields, body)
    return param === undefined ? decode(body) : unsupported(param)
  }
}

/** The session that requests share. On an open service it is of a user, as nothing else tells whose it is. */
export const conversationOf = Effect.fnUntraced(function*(
  { principal }: Caller,
  { conversation, user }: Pick<CompletionRequest.CompletionRequest, "conversation" | "user">
) {
  const named = CompletionRequest.conversationOf(conversation)
  const isUserKnown = principal.credential !== "open" || (user !== undefined && user !== null)
  return named === undefined || isUserKnown
    ? named
    : yield* badRequest("A `conversation` needs `user` on a service without authentication")
})

export interface Input {
  readonly text: string
  readonly files: ReadonlyArray<InputMedia.InputFile>
  readonly earlier: ReadonlyArray<EarlierMessage>
  /** Calls with their results behind the input. */
  readonly later: ReadonlyArray<EarlierMessage>
  /** Of a stored run. */
  readonly media?: Media.Media | undefined
}

export interface Starting {
  readonly input: Input | undefined
  readonly tools: ReadonlyArray<ClientTool> | undefined
  readonly known: Omit<ShownResults.Known, "limit">
  readonly schema: Json.Object | undefined
  readonly user: Ids.UserId | null | undefined
  readonly run_id: string
  readonly session_id: string
  readonly showsHistory: boolean
  /** The run that it comes after. */
  readonly previous_run_id?: string | undefined
  /** Where it is otherwise in its session. */
  readonly place?: Place | undefined
  readonly metadata?: Json.Object | undefined
  readonly background?: boolean | undefined
  /** Bytes of earlier messages. */
  readonly limit: number
  /** A repeated request with the same key gets the run that the first one started. */
  readonly key?: IdempotencyKey | undefined
}

const outputSchemaOf = Effect.fnUntraced(function*(schema: Json.Object | undefined) {
  if (schema === undefined) return undefined
  const shape = Option.liftThrowable(fromJsonSchema)(schema as JsonSchema.JsonSchema)
  return Option.isSome(shape)
    ? StructuredOutput.raw(shape.value)
    : yield* Errors.invalidValue(["body", "response_format"], "The schema of the answer is not a JSON Schema")
})

/** Of the files of a message. */
export const mediaOf = (files: ReadonlyArray<InputMedia.InputFile>) =>
  files.every(InputMedia.isUsable)
    ? Effect.succeed(InputMedia.of(files))
    : badRequest("An image or a file needs an http address or a data URL with base64")

/** What the model reads beside the stored run is part of the request: another one has its own answer. */
const withContent = (
  { key }: IdempotencyKey,
  { input, schema, tools, user }: Pick<Starting, "input" | "schema" | "tools" | "user">
) => {
  const { earlier, files, later, text } = input ?? {}
  const content = JSON.stringify([key, user, text, files, earlier, later, schema, tools])
  const hashed = hash("sha256", content, "hex")
  return { key: hashed, fingerprint: hashed }
}

export const start = Effect.fnUntraced(function*(service: Service, { caller, component }: Scoped, starting: Starting) {
  const {
    background = false,
    input,
    key,
    known,
    limit,
    metadata,
    place,
    previous_run_id,
    run_id,
    schema,
    session_id,
    showsHistory,
    tools,
    user
  } = starting
  if (input === undefined) return yield* badRequest("The last message is one of the user, or a result of a call")
  const kept = CompletionRequest.within(input.earlier, limit)
  const shownAs = yield* ShownResults.make(service, caller, [...kept, ...input.later], { ...known, limit })
  const earlier = kept.map(shownAs)
  const request: StartRequest = {
    component,
    caller,
    message: input.text,
    media: input.media ?? (yield* mediaOf(input.files)),
    place,
    run_id,
    session_id,
    user_id: user ?? undefined,
    factoryInput: FactoryInput.none,
    options: {
      ...RunOptions.defaults,
      ...(showsHistory ? AgentRunOptions.withHistory : {}),
      stream: true,
      background,
      previous_run_id,
      client_tools: tools,
      earlier_messages: earlier.length === 0 ? undefined : earlier,
      ...(input.later.length === 0 ? {} : { laterMessages: input.later.map(shownAs) }),
      outputSchema: yield* outputSchemaOf(schema),
      ...(metadata === undefined ? {} : { metadata })
    }
  }
  return yield* toWire(
    key === undefined
      ? service.start(request)
      : service.startOnce(request, withContent(key, { input, schema, tools, user }))
  )
})

export interface ResponseOptions {
  /** Whether the run continues without its client. */
  readonly background?: boolean | undefined
  readonly stream: boolean
  readonly encoder: Encoder
  /** Without a stream: gets all pieces first. */
  readonly whole: {
    readonly push: (piece: RunPiece) => void
    /** Whether it has ended with calls. The run can have continued since, in another response. */
    readonly isPaused: () => boolean
    readonly toObject: (run: AnyRun.Output) => object
  }
}

export type Answered = (RunHandle | StoredRun.RepeatedRun) & {
  /** The usage of a paused run, which the response before this one had. */
  readonly counted?: Usage.RunMetrics | undefined
  /** The index of the first event behind the pause. */
  readonly from?: number
}

const failedRun = (run: AnyRun.Output) => {
  if (run.status === "CANCELLED") {
    // its content is what the model had written
    return OpenAiFailed.ofRun(OpenAiError.runCancelled(`Run ${run.run_id} was cancelled`))
  }
  return OpenAiFailed.ofRun(OpenAiError.runFailed(typeof run.content === "string" ? run.content : "The run failed"))
}

/** Gives the pieces of all events. */
export const pushAll = <E>(
  run_id: string,
  events: Stream.Stream<RunEvent.RunEvent, E>,
  push: (piece: RunPiece) => void
) => {
  const pieces = RunPieces.make(run_id)
  return Stream.runForEach(events, (event) => Effect.sync(() => pieces.push(event).forEach(push)))
}

/** A run that is not in the background ends with its client. */
export const respond = Effect.fnUntraced(
  function*(run: Answered, { background = false, encoder, stream, whole }: ResponseOptions) {
    const { run_id } = run.run
    const { from = 0 } = run
    const onGone = StoredRun.onDisconnect(run, background ? "continue" : "cancel")
    const all = run._tag === "Started" ? run.events : run.watched.events
    const events = Stream.filter(all, ({ event_index }) => event_index >= from)
    if (stream) return yield* PieceStream.respond({ run_id, encoder, events, onGone })
    const ended = run._tag === "Started" ? Effect.asSome(run.output) : run.output
    const read = Effect.andThen(pushAll(run_id, events, whole.push), ended)
    const output = Option.getOrUndefined(yield* Effect.onInterrupt(toWire(read), () => onGone))
    if (output === undefined) return yield* runNotFound(run_id)
    if (!whole.isPaused() && (output.status === "ERROR" || output.status === "CANCELLED")) {
      return yield* failedRun(output)
    }
    return JsonResponse.of(whole.toObject(output))
  }
)
