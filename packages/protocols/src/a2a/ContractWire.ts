// The contract's own wire: bodies of JSON-RPC on paths of HTTP, with objects of version 0.3 and messages for answers.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import { Result, Schema } from "effect"
import { textOf } from "../run/RunPiece.ts"
import * as Decoding from "./Decoding.ts"
import type { Part } from "./Model.ts"
import type { Sending } from "./Operation.ts"
import * as Origin from "./Origin.ts"
import * as Parts from "./Parts.ts"

export interface ContractRequest {
  readonly id: string | number
  readonly method: string | undefined
  readonly sending: Sending
  readonly params: Json.Object
}

const Envelope = Schema.Struct({
  jsonrpc: Schema.optionalKey(Schema.Literal("2.0")),
  id: Schema.Union([Schema.String, Schema.Int]),
  method: Schema.optionalKey(Schema.String)
})
const decodeEnvelope = Decoding.decoder(Envelope)

const Fields = Schema.Struct({
  messageId: Decoding.ShortText,
  role: Schema.Literals(["user", "agent"]),
  contextId: Schema.optionalKey(Decoding.ShortText),
  metadata: Schema.optionalKey(Json.Input),
  extensions: Schema.optionalKey(Schema.Array(Schema.String)),
  referenceTaskIds: Schema.optionalKey(Schema.Array(Schema.String))
})
const decodeFields = Decoding.decoder(Fields)
const decodeConfiguration = Decoding.decoder(Schema.Struct({ blocking: Schema.optionalKey(Schema.Boolean) }))

/** A file without a type is left out. */
const isUsable = ({ mediaType, raw, url }: Part): boolean =>
  (raw === undefined && url === undefined) || mediaType !== undefined

export const decode = (body: Json.Object): Decoding.Decoded<ContractRequest> =>
  Result.gen(function*() {
    const { id, method } = yield* decodeEnvelope(body, "body")
    const params = Decoding.named(body["params"])
    const message = Decoding.named(params["message"])
    const { role, ...fields } = yield* decodeFields(message, "params.message")
    if (role === "agent") return yield* Decoding.invalid("Only user messages are accepted")
    const { parts: sent } = message
    if (!Json.isList(sent)) return yield* Decoding.invalid("params.message.parts: Field required")
    const parts = yield* Result.all(sent.map(Parts.of03))
    const { blocking } = yield* decodeConfiguration(Decoding.named(params["configuration"]), "params.configuration")
    return {
      id,
      method,
      params,
      sending: {
        message: { ...fields, role: "ROLE_USER", parts: parts.filter(isUsable) },
        isBlocking: blocking !== false
      }
    }
  })

const states: Readonly<Record<Run.Status, string>> = {
  PENDING: "submitted",
  RUNNING: "working",
  PAUSED: "working",
  COMPLETED: "completed",
  REGENERATED: "completed",
  ERROR: "failed",
  CANCELLED: "canceled"
}

export interface Ids {
  readonly taskId: string
  readonly contextId: string
}

export interface Text extends Ids {
  readonly messageId: string
  readonly text: string
  readonly metadata?: Json.Object | undefined
}

/** A message of the agent. Without text it has no parts. */
export const message = ({ contextId, messageId, metadata, taskId, text }: Text): Json.Object => ({
  kind: "message",
  messageId,
  role: "agent",
  parts: text === "" ? [] : [{ kind: "text", text }],
  contextId,
  taskId,
  ...(metadata === undefined ? {} : { metadata })
})

const types = {
  image: "image/jpeg",
  video: "video/mp4",
  audio: "audio/mpeg",
  file: "application/octet-stream"
} as const

/** Media of a run. Only those with an address have a part. */
export const artifactsOf = (run: AnyRun.Output, newId: () => string): ReadonlyArray<Json.Object> => {
  const { files = [], images = [], videos = [] } = run
  const audio = AnyRun.audioOf(run)
  const all = [
    ...images.map((medium, index) => ({ kind: "image" as const, medium, name: `image_${index}`, index })),
    ...videos.map((medium, index) => ({ kind: "video" as const, medium, name: `video_${index}`, index })),
    ...audio.map((medium, index) => ({ kind: "audio" as const, medium, name: `audio_${index}`, index })),
    ...files.map((medium, index) => ({
      kind: "file" as const,
      medium,
      name: medium.filename ?? `file_${index}`,
      index
    }))
  ]
  return all.map(({ index, kind, medium: { mime_type, url }, name }) => ({
    artifactId: newId(),
    name,
    description: `Generated ${kind} ${index}`,
    parts: url === undefined
      ? []
      : [{ kind: "file", file: { uri: url, mimeType: kind === "file" ? mime_type ?? types.file : types[kind] } }]
  }))
}

export const task = (
  ids: Ids,
  state: string,
  history: ReadonlyArray<Json.Object>,
  artifacts: ReadonlyArray<Json.Object> = []
): Json.Object => ({
  id: ids.taskId,
  contextId: ids.contextId,
  kind: "task",
  status: { state },
  history,
  ...(artifacts.length === 0 ? {} : { artifacts })
})

/** The task of a run. */
export const taskOf = (run: AnyRun.Output, newId: () => string): Json.Object => {
  const { user_id: userId } = run
  const ids = { taskId: run.run_id, contextId: run.session_id }
  const answer = message({
    ...ids,
    messageId: newId(),
    text: textOf(run.content),
    ...(userId === undefined ? {} : { metadata: { userId } })
  })
  return task(ids, states[run.status], [answer], artifactsOf(run, newId))
}

/** Of a run that was only accepted. */
export const acceptedOf = (ids: Ids, newId: () => string): Json.Object =>
  task(ids, "submitted", [message({ ...ids, messageId: newId(), text: "" })])

/** The keys that the responses of `tasks:get` and `tasks:cancel` have always. */
const nullable = {
  message: { contextId: null, extensions: null, metadata: null, referenceTaskIds: null, taskId: null },
  part: { metadata: null }
}

const withNulls = (value: Json.Value): Json.Value => {
  if (!Json.isObject(value)) return value
  const { parts } = value
  return {
    ...nullable.message,
    ...value,
    parts: Json.isList(parts) ? parts.map((part) => ({ ...nullable.part, ...(part as Json.Object) })) : []
  }
}

/** The same with the keys that are null. */
export const complete = (value: Json.Object): Json.Object => {
  const { history, status } = value
  return {
    artifacts: null,
    metadata: null,
    ...value,
    history: Json.isList(history) ? history.map(withNulls) : null,
    status: { message: null, timestamp: null, ...(status as Json.Object) }
  }
}

export const canceled = ({ contextId, taskId }: Ids): Json.Object => ({
  id: taskId,
  contextId,
  kind: "task",
  status: { state: "canceled" }
})

/** The metadata of a run that clients see. */
export const metadataOf = (metadata: Json.Object | undefined): Json.Object | undefined => Origin.without(metadata)
