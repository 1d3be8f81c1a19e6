// The parameters of a request that sends a message, on each wire.
import type * as Json from "@svc-runtime/domain/Json"
import { Result, Schema } from "effect"
import * as Decoding from "./Decoding.ts"
import { Message, type Part } from "./Model.ts"
import type { PushConfig, Sending } from "./Operation.ts"
import * as Parts from "./Parts.ts"

/** What is particular to a wire. */
interface Shape {
  readonly part: (value: Json.Value) => Decoding.Decoded<Part>
  readonly role: Readonly<Record<string, "ROLE_USER" | "ROLE_AGENT">>
  readonly push: (value: Json.Value, at: string) => Decoding.Decoded<PushConfig>
  /** The keys, in the order in which they are looked for. */
  readonly keys: {
    readonly message: ReadonlyArray<string>
    readonly parts: ReadonlyArray<string>
    readonly push: ReadonlyArray<string>
  }
  readonly isBlocking: (configuration: Configuration, isConfigured: boolean) => boolean
}

const Configuration = Schema.Struct({
  acceptedOutputModes: Schema.optionalKey(Schema.Array(Schema.String)),
  historyLength: Decoding.HistoryLength,
  returnImmediately: Schema.optionalKey(Schema.Boolean),
  blocking: Schema.optionalKey(Schema.Boolean)
})
type Configuration = typeof Configuration.Type

const decodeConfiguration = Decoding.decoder(Configuration)
const decodeMetadata = Decoding.decoder(Schema.Struct({ metadata: Message.fields.metadata }))

const Fields = Schema.Struct({
  messageId: Decoding.ShortText,
  contextId: Schema.optionalKey(Decoding.ShortText),
  taskId: Schema.optionalKey(Decoding.ShortText),
  role: Schema.String,
  metadata: Message.fields.metadata,
  extensions: Message.fields.extensions,
  referenceTaskIds: Message.fields.referenceTaskIds
})
const decodeFields = Decoding.decoder(Fields)

const firstOf = (object: Json.Object, keys: ReadonlyArray<string>): Json.Value | undefined => {
  const key = keys.find((key) => key in object)
  return key === undefined ? undefined : object[key]
}

const messageOf = (shape: Shape, value: Json.Value | undefined): Decoding.Decoded<Message> => {
  const object = Decoding.named(value)
  const sent = firstOf(object, shape.keys.parts)
  if (!Array.isArray(sent) || sent.length === 0) {
    return Decoding.invalid("message.parts must be a list that is not empty")
  }
  return Result.gen(function*() {
    const fields = yield* decodeFields(object, "message")
    const role = Object.hasOwn(shape.role, fields.role) ? shape.role[fields.role] : undefined
    if (role === undefined) {
      return yield* Decoding.invalid(`message.role must be one of ${Object.keys(shape.role).join(", ")}`)
    }
    if (role !== "ROLE_USER") return yield* Decoding.invalid("Only user messages are accepted")
    const parts = yield* Result.all((sent as ReadonlyArray<Json.Value>).map(shape.part))
    return { ...fields, role, parts }
  })
}

const make = (shape: Shape) => (value: Json.Value | undefined): Decoding.Decoded<Sending> =>
  Result.gen(function*() {
    const params = Decoding.named(value)
    const message = yield* messageOf(shape, firstOf(params, shape.keys.message))
    const configured = Decoding.named(params["configuration"])
    const configuration = yield* decodeConfiguration(configured, "configuration")
    const pushed = firstOf(configured, shape.keys.push)
    const push = pushed === undefined ? undefined : yield* shape.push(pushed, "pushNotificationConfig")
    const { metadata } = yield* decodeMetadata(params, "params")
    const { historyLength } = configuration
    const sending: Sending = {
      message,
      isBlocking: shape.isBlocking(configuration, params["configuration"] !== undefined),
      ...(historyLength === undefined ? {} : { historyLength }),
      ...(push === undefined ? {} : { push }),
      ...(metadata === undefined ? {} : { metadata })
    }
    return sending
  })

const protoRoles = { ROLE_USER: "ROLE_USER", ROLE_AGENT: "ROLE_AGENT" } as const

export const of10 = make({
  part: Parts.of10,
  role: protoRoles,
  push: Decoding.push10,
  keys: { message: ["message"], parts: ["parts"], push: ["taskPushNotificationConfig"] },
  isBlocking: ({ returnImmediately }) => returnImmediately !== true
})

export const of03 = make({
  part: Parts.of03,
  role: { user: "ROLE_USER", agent: "ROLE_AGENT" },
  push: Decoding.push03,
  keys: { message: ["message"], parts: ["parts"], push: ["pushNotificationConfig"] },
  isBlocking: ({ blocking }) => blocking !== false
})

/** In the JSON of Protocol Buffers, which leaves out values that are false. */
export const ofProto03 = make({
  part: Parts.ofProto03,
  role: protoRoles,
  push: Decoding.push03,
  keys: {
    message: ["message", "request"],
    parts: ["content", "parts"],
    push: ["pushNotification", "pushNotificationConfig"]
  },
  isBlocking: ({ blocking }, isConfigured) => blocking === true || !isConfigured
})
