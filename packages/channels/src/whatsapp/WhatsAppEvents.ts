// What people write and press in WhatsApp, as events of a channel.
import { Option, Schema } from "effect"
import type { Event, SentFile } from "../Adapter.ts"

/** A phone number. */
const Phone = Schema.String.check(Schema.isPattern(/^\d{5,20}$/))

const MessageId = Schema.String.check(Schema.isPattern(/^[\w.=+/-]{1,200}$/))

const Media = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^\w{1,100}$/)),
  mime_type: Schema.optionalKey(Schema.String),
  filename: Schema.optionalKey(Schema.String),
  caption: Schema.optionalKey(Schema.String)
})

const Reply = Schema.Struct({ id: Schema.String, title: Schema.optionalKey(Schema.String) })

const Message = Schema.Struct({
  from: Phone,
  id: MessageId,
  timestamp: Schema.String.check(Schema.isPattern(/^\d{1,12}$/)),
  type: Schema.String,
  text: Schema.optionalKey(Schema.Struct({ body: Schema.String })),
  audio: Schema.optionalKey(Media),
  document: Schema.optionalKey(Media),
  image: Schema.optionalKey(Media),
  sticker: Schema.optionalKey(Media),
  video: Schema.optionalKey(Media),
  location: Schema.optionalKey(
    Schema.Struct({
      latitude: Schema.Finite,
      longitude: Schema.Finite,
      name: Schema.optionalKey(Schema.String),
      address: Schema.optionalKey(Schema.String)
    })
  ),
  button: Schema.optionalKey(Schema.Struct({ text: Schema.String })),
  interactive: Schema.optionalKey(
    Schema.Struct({ button_reply: Schema.optionalKey(Reply), list_reply: Schema.optionalKey(Reply) })
  )
})

const Body = Schema.Struct({
  object: Schema.Literal("whatsapp_business_account"),
  entry: Schema.Array(Schema.Struct({ changes: Schema.Array(Schema.Json) }))
})

const Change = Schema.Struct({
  field: Schema.Literal("messages"),
  value: Schema.Struct({
    metadata: Schema.Struct({ phone_number_id: Schema.String }),
    contacts: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          wa_id: Schema.optionalKey(Schema.String),
          profile: Schema.optionalKey(Schema.Struct({ name: Schema.optionalKey(Schema.String) }))
        })
      )
    ),
    messages: Schema.optionalKey(Schema.Array(Schema.Json))
  })
})

type Message = typeof Message.Type

const decodeBody = Schema.decodeUnknownOption(Body)
const decodeChange = Schema.decodeUnknownOption(Change)
const decodeMessage = Schema.decodeUnknownOption(Message)

/** WhatsApp sends again for seven days what was not acknowledged. */
const maxAge = 7 * 24 * 60 * 60

const isRecent = ({ timestamp }: Message, at: number): boolean => Math.abs(at / 1000 - Number(timestamp)) <= maxAge

const fileOf = ({ audio, document, image, sticker, video }: Message) => audio ?? document ?? image ?? sticker ?? video

const textOf = (message: Message): string => {
  const { button, location, text } = message
  if (location !== undefined) {
    const { address, latitude, longitude, name } = location
    return ["Location:", name, address, `${latitude}, ${longitude}`].filter((part) => part !== undefined).join(" ")
  }
  return text?.body ?? button?.text ?? fileOf(message)?.caption ?? ""
}

const filesOf = (message: Message): ReadonlyArray<SentFile> => {
  const file = fileOf(message)
  if (file === undefined) return []
  const { filename, id, mime_type } = file
  return [{
    ...(filename !== undefined && { name: filename }),
    ...(mime_type !== undefined && { mediaType: mime_type.split(";")[0] }),
    source: { id }
  }]
}

/** What a button says about itself. */
export const buttonOf = (prompt: string, choice: string): string => `${prompt}:${choice}`

const eventOf = (message: Message, name: string | undefined): Event | undefined => {
  const { from, id, interactive } = message
  const arrived = {
    id,
    thread: from,
    place: { to: from, message: id },
    sender: { id: from, ...(name !== undefined && { name }) },
    isDirect: true
  }
  const pressed = interactive?.button_reply ?? interactive?.list_reply
  if (pressed !== undefined) {
    const [, prompt, choice] = /^(\w{1,24}):(\w{1,20})$/.exec(pressed.id) ?? []
    return prompt === undefined || choice === undefined ? undefined : { type: "press", ...arrived, prompt, choice }
  }
  const [text, files] = [textOf(message), filesOf(message)]
  if (text === "" && files.length === 0) return undefined
  return { type: "message", ...arrived, text, ...(files.length > 0 && { files }) }
}

export interface Reading {
  readonly phoneNumberId: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Undefined: the body cannot be read. An account can have several numbers, of which the others are not read. */
export const read = (body: unknown, { at, phoneNumberId }: Reading): ReadonlyArray<Event> | undefined =>
  Option.getOrUndefined(
    Option.map(
      decodeBody(body),
      ({ entry }) =>
        entry.flatMap(({ changes }) => changes).flatMap((change) => Option.toArray(decodeChange(change)))
          .filter(({ value }) => value.metadata.phone_number_id === phoneNumberId)
          .flatMap(({ value: { contacts = [], messages = [] } }) => {
            const names = new Map(contacts.map(({ profile, wa_id }) => [wa_id, profile?.name]))
            return messages.flatMap((message) => Option.toArray(decodeMessage(message)))
              .filter((message) => isRecent(message, at))
              .flatMap((message) => eventOf(message, names.get(message.from)) ?? [])
          })
    )
  )
