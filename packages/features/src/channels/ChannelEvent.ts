// What people did on a platform, as it is stored. An adapter is code of an author or reads what a platform sends, so
// what it gives is checked, and what is too long is cut.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import { ChannelError } from "@svc-runtime/channels/ChannelError"
import * as Json from "@svc-runtime/domain/Json"
import { storableText } from "@svc-runtime/domain/storableText"
import { Result, Schema } from "effect"

/** Characters. */
const max = { id: 200, thread: 300, sender: 200, name: 100, text: 100_000, source: 8192, command: 64, choice: 100 }

/** Files of one message. */
export const maxFiles = 20

/** Events of one request. */
export const maxEvents = 100

const small = Json.Input.check(
  Schema.makeFilter((value: Json.Object) => JSON.stringify(value).length <= max.source, {
    message: `Input should have at most ${max.source} characters of JSON`,
    toJsonSchema: () => ({})
  })
)

const idOf = (length: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(length))

const arrived = {
  id: idOf(max.id),
  thread: idOf(max.thread),
  place: small,
  sender: Schema.Struct({ id: idOf(max.sender), name: Schema.optional(Schema.String) }),
  isDirect: Schema.Boolean
}

const File = Schema.Struct({
  name: Schema.optional(Schema.String),
  mediaType: Schema.optional(Schema.String),
  size: Schema.optional(Schema.Finite),
  source: small
})

export const ChannelEvent = Schema.Union([
  Schema.Struct({
    ...arrived,
    type: Schema.Literal("message"),
    text: Schema.String,
    about: Schema.optional(Schema.String),
    files: Schema.optional(Schema.Array(File).check(Schema.isMaxLength(maxFiles)))
  }),
  Schema.Struct({ ...arrived, type: Schema.Literal("command"), name: idOf(max.command), text: Schema.String }),
  Schema.Struct({
    ...arrived,
    type: Schema.Literal("press"),
    prompt: idOf(max.command),
    choice: idOf(max.choice),
    values: Schema.optional(small)
  })
])
export type ChannelEvent = typeof ChannelEvent.Type

/** What the agent reads: the text behind what it is about. */
export const readText = (event: ChannelEvent, text: string): string =>
  event.type === "message" && event.about !== undefined ? [event.about, text].join("\n\n").trim() : text

const decode = Schema.decodeUnknownResult(ChannelEvent)

/** Without characters that a database does not have. */
const cut = (text: string, length: number): string => storableText(text.slice(0, length))

const shortened = (event: Adapter.Event): Adapter.Event => {
  const { name } = event.sender
  const sender = { id: event.sender.id, ...(name === undefined ? {} : { name: cut(name, max.name) }) }
  if (event.type === "press") return { ...event, sender }
  const text = cut(event.text, max.text)
  if (event.type === "command") return { ...event, sender, text }
  const files = event.files?.slice(0, maxFiles).map((file) => ({
    ...file,
    ...(file.name === undefined ? {} : { name: cut(file.name, max.name) }),
    ...(file.mediaType === undefined ? {} : { mediaType: cut(file.mediaType, max.name) })
  }))
  const about = event.about === undefined ? {} : { about: cut(event.about, max.text) }
  return { ...event, sender, text, ...about, ...(files === undefined ? {} : { files }) }
}

/** The events of a request. Ids and places that are too long are refused: a shorter one could be another person's. */
export const checked = (
  events: ReadonlyArray<Adapter.Event>
): Result.Result<ReadonlyArray<ChannelEvent>, ChannelError> => {
  const malformed = (message: string) => Result.fail(new ChannelError({ reason: "malformed", message }))
  if (events.length > maxEvents) return malformed(`A request has at most ${maxEvents} events`)
  const all: Array<ChannelEvent> = []
  for (const event of events) {
    const decoded = Result.flatMap(
      Result.try({ try: () => shortened(event), catch: () => undefined }),
      (value) => decode(value)
    )
    if (Result.isFailure(decoded)) return malformed("The adapter gave an event that is not one of its interface")
    all.push(decoded.success)
  }
  return Result.succeed(all)
}
