// What the messages of a task carry, as it is kept with the run: in its metadata, under `a2a`.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import { Message, type Part } from "./Model.ts"

/** An earlier message, or the last one. The first one has no parts here: they are the input of the run. */
const Kept = Schema.Struct({ messageId: Schema.String, parts: Schema.optionalKey(Message.fields.parts) })
type Kept = typeof Kept.Type

/** Of the last message, and the ids of all of them. */
const Origin = Schema.Struct({
  messageId: Schema.String,
  contextId: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Json.Object),
  extensions: Schema.optionalKey(Schema.Array(Schema.String)),
  referenceTaskIds: Schema.optionalKey(Schema.Array(Schema.String)),
  messages: Schema.optionalKey(Schema.Array(Kept)),
  /** How many questions were decided with the last message. Left out: none. */
  decided: Schema.optionalKey(Schema.Int)
})
type Origin = typeof Origin.Type

const key = "a2a"

const decode = Schema.decodeUnknownOption(Origin)

const of = (metadata: Json.Object | null | undefined): Origin | undefined =>
  Option.getOrUndefined(decode(metadata?.[key]))

/** `requested` is the metadata of the request around the message. */
const carried = (
  { contextId, extensions, messageId, metadata, referenceTaskIds }: Message,
  requested: Json.Object | undefined
): Origin => ({
  messageId,
  ...(contextId === undefined ? {} : { contextId }),
  ...(metadata === undefined && requested === undefined ? {} : { metadata: { ...requested, ...metadata } }),
  ...(extensions === undefined ? {} : { extensions }),
  ...(referenceTaskIds === undefined ? {} : { referenceTaskIds })
})

/** The metadata of a run that begins with the message. */
export const begun = (message: Message, requested: Json.Object | undefined): Json.Object => ({
  [key]: carried(message, requested) as Json.Object
})

/** The length of what one message carries, beside its parts, and of the kept parts, as JSON. */
export const maximum = 65_536

const lengthOf = (value: object): number => JSON.stringify(value).length

export const isTooLarge = ({ [key]: origin }: Json.Object): boolean => {
  const { messages: _, ...own } = Json.isObject(origin) ? origin : {}
  return lengthOf(own) > maximum
}

/** The last messages whose parts fit, behind the first one. */
const fitting = ([first, ...rest]: ReadonlyArray<Kept>): ReadonlyArray<Kept> => {
  let room = maximum
  const from = rest.findLastIndex((message) => (room -= lengthOf(message)) < 0) + 1
  return first === undefined ? [] : [first, ...rest.slice(from)]
}

/** Files are no answers. */
const answering = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.filter(({ data, text }) => text !== undefined || data !== undefined)

/** How many questions were decided when the client last got the task. */
export const decidedIn = (metadata: Json.Object | null | undefined): number => of(metadata)?.decided ?? 0

/** The metadata of a run that the message continues. Files are not kept. `decided`: how many questions are by then. */
export const continued = (
  metadata: Json.Object | null | undefined,
  message: Message,
  requested: Json.Object | undefined,
  decided = decidedIn(metadata)
): Json.Object => {
  const before = of(metadata)
  const first: ReadonlyArray<Kept> = before === undefined ? [] : [{ messageId: before.messageId }]
  const kept = { messageId: message.messageId, parts: answering(message.parts) }
  const messages = fitting([...before?.messages ?? first, kept])
  return {
    ...metadata,
    [key]: Json.of({ ...carried(message, requested), messages, ...(decided === 0 ? {} : { decided }) })
  }
}

/** Whether a message of the same id and parts has continued the run. */
export const hasMessage = (metadata: Json.Object | null | undefined, { messageId, parts }: Message): boolean => {
  const text = JSON.stringify(answering(parts))
  return of(metadata)?.messages?.some((kept) =>
    kept.messageId === messageId && kept.parts !== undefined && JSON.stringify(kept.parts) === text
  ) ?? false
}

/** The metadata without what the protocol keeps in it. Undefined if nothing is left. */
export const without = (metadata: Json.Object | null | undefined): Json.Object | undefined => {
  const { [key]: _, ...rest } = metadata ?? {}
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** The messages of the user: the input of the run, and what continued it. */
export const historyOf = (
  task: { readonly id: string; readonly contextId: string; readonly metadata: Json.Object | null | undefined },
  input: ReadonlyArray<Part>
): ReadonlyArray<Message> => {
  const origin = of(task.metadata)
  const messages = origin?.messages ?? [{ messageId: origin?.messageId ?? `${task.id}-input` }]
  const toMessage = ({ messageId, parts = input }: Kept): Message => ({
    messageId,
    contextId: task.contextId,
    taskId: task.id,
    role: "ROLE_USER",
    parts
  })
  return messages.map(toMessage).filter(({ parts }) => parts.length > 0)
}
