// What Telegram sends about people, as events: https://core.telegram.org/bots/api#update
import { Option, Schema } from "effect"
import type { Event, SentFile } from "../Adapter.ts"

const User = Schema.Struct({
  id: Schema.Int,
  is_bot: Schema.Boolean,
  first_name: Schema.String,
  last_name: Schema.optionalKey(Schema.String),
  username: Schema.optionalKey(Schema.String)
})

const Entity = Schema.Struct({
  type: Schema.String,
  offset: Schema.Int,
  length: Schema.Int,
  user: Schema.optionalKey(User)
})

const Attachment = Schema.Struct({
  file_id: Schema.String,
  file_size: Schema.optionalKey(Schema.Int),
  file_name: Schema.optionalKey(Schema.String),
  mime_type: Schema.optionalKey(Schema.String)
})

type Attachment = typeof Attachment.Type

const Chat = Schema.Struct({ id: Schema.Int, type: Schema.String })

const body = {
  message_id: Schema.Int,
  from: Schema.optionalKey(User),
  text: Schema.optionalKey(Schema.String),
  caption: Schema.optionalKey(Schema.String)
}

const Message = Schema.Struct({
  ...body,
  chat: Chat,
  message_thread_id: Schema.optionalKey(Schema.Int),
  is_topic_message: Schema.optionalKey(Schema.Boolean),
  entities: Schema.optionalKey(Schema.Array(Entity)),
  caption_entities: Schema.optionalKey(Schema.Array(Entity)),
  reply_to_message: Schema.optionalKey(
    Schema.Struct({ ...body, forum_topic_created: Schema.optionalKey(Schema.Json) })
  ),
  photo: Schema.optionalKey(Schema.Array(Attachment)),
  document: Schema.optionalKey(Attachment),
  voice: Schema.optionalKey(Attachment),
  audio: Schema.optionalKey(Attachment),
  video: Schema.optionalKey(Attachment),
  video_note: Schema.optionalKey(Attachment)
})

type Message = typeof Message.Type

const CallbackQuery = Schema.Struct({
  id: Schema.String,
  from: User,
  /** Of the message, only its place is kept when it is old. */
  message: Schema.optionalKey(Schema.Struct({
    message_id: Schema.Int,
    chat: Chat,
    message_thread_id: Schema.optionalKey(Schema.Int),
    is_topic_message: Schema.optionalKey(Schema.Boolean)
  })),
  data: Schema.optionalKey(Schema.String)
})

/** Other kinds of updates are not asked for. */
export const kinds = ["message", "callback_query"]

const Update = Schema.Struct({
  update_id: Schema.Int,
  message: Schema.optionalKey(Schema.Json),
  callback_query: Schema.optionalKey(Schema.Json)
})

export type Update = typeof Update.Type

export const decode = Schema.decodeUnknownOption(Update)
const decodeMessage = Schema.decodeUnknownOption(Message)
const decodeQuery = Schema.decodeUnknownOption(CallbackQuery)

/** What a bot knows of itself. */
export interface Self {
  readonly id: number
  readonly username: string
}

/** What arrives, and the press that the bot has to acknowledge. */
export interface Read {
  readonly events: ReadonlyArray<Event>
  readonly query?: string | undefined
}

const senderOf = ({ first_name, id, last_name }: typeof User.Type) => ({
  id: String(id),
  name: last_name === undefined ? first_name : `${first_name} ${last_name}`
})

/** A topic of a forum is a conversation of its own. In other groups the field is the id of a reply. */
const placeOf = (
  { chat, is_topic_message, message_thread_id }: Pick<Message, "chat" | "is_topic_message" | "message_thread_id">
) =>
  is_topic_message === true && message_thread_id !== undefined
    ? { chat: chat.id, topic: message_thread_id }
    : { chat: chat.id }

const threadOf = (place: { readonly chat: number; readonly topic?: number }): string =>
  place.topic === undefined ? String(place.chat) : `${place.chat}/${place.topic}`

const filesOf = (message: Message): ReadonlyArray<SentFile> => {
  // the sizes of a photo, the largest one last
  const photo = message.photo?.at(-1)
  const known: ReadonlyArray<readonly [Attachment | undefined, string, string | undefined]> = [
    [photo, "photo.jpg", "image/jpeg"],
    [message.document, "document", undefined],
    [message.voice, "voice.ogg", "audio/ogg"],
    [message.audio, "audio.mp3", "audio/mpeg"],
    [message.video, "video.mp4", "video/mp4"],
    [message.video_note, "video.mp4", "video/mp4"]
  ]
  return known.flatMap(([attachment, name, mediaType]) =>
    attachment === undefined ? [] : [{
      name: attachment.file_name ?? name,
      mediaType: attachment.mime_type ?? mediaType,
      size: attachment.file_size,
      source: { file_id: attachment.file_id }
    }]
  )
}

/** The parts of a text that name the bot. */
const mentionsOf = (text: string, entities: ReadonlyArray<typeof Entity.Type>, self: Self) =>
  entities.filter(({ length, offset, type, user }) =>
    type === "text_mention"
      ? user?.id === self.id
      : type === "mention" && text.slice(offset, offset + length).toLowerCase() === `@${self.username.toLowerCase()}`
  )

const without = (text: string, parts: ReadonlyArray<{ readonly offset: number; readonly length: number }>): string =>
  [...parts].reverse().reduce((text, { length, offset }) => text.slice(0, offset) + text.slice(offset + length), text)
    .replaceAll(/ {2,}/g, " ").trim()

/** The first message of a topic is a reply to its creation, which may be of the bot. */
const answersBot = ({ reply_to_message: to }: Message, self: Self): boolean =>
  to?.from?.id === self.id && to.forum_topic_created === undefined

const maxQuote = 1000

/** In a group people mention the bot in a reply to what it should read. */
const quoteOf = ({ reply_to_message: to }: Message, self: Self): string => {
  const text = to?.text ?? to?.caption
  if (text === undefined || to?.from?.id === self.id) return ""
  return `${text.slice(0, maxQuote).split("\n").map((line) => `> ${line}`).join("\n")}\n\n`
}

/** `/new@desk_bot text`. In a group, commands without a name are for all bots. */
const commandOf = (text: string, self: Self, isDirect: boolean) => {
  const [, name, to, rest = ""] = /^\/(\w{1,32})(?:@(\w+))?(?:\s+([^]*))?$/.exec(text) ?? []
  if (name === undefined) return undefined
  if (to === undefined) return isDirect ? { name, text: rest.trim() } : undefined
  return to.toLowerCase() === self.username.toLowerCase() ? { name, text: rest.trim() } : "of another bot"
}

const readMessage = (id: string, message: Message, self: Self): ReadonlyArray<Event> => {
  // the sender of a message of a group or a channel is no person
  if (message.from === undefined || message.from.is_bot) return []
  const place = placeOf(message)
  const isDirect = message.chat.type === "private"
  const arrived = { id, thread: threadOf(place), place, sender: senderOf(message.from), isDirect }
  const text = message.text ?? message.caption ?? ""
  const files = filesOf(message)
  const command = commandOf(text, self, isDirect)
  if (command === "of another bot") return []
  if (command !== undefined) return [{ type: "command", ...arrived, ...command }]
  const mentions = mentionsOf(text, message.entities ?? message.caption_entities ?? [], self)
  if (!isDirect && mentions.length === 0 && !answersBot(message, self)) return []
  if (text === "" && files.length === 0) return []
  return [{ type: "message", ...arrived, text: quoteOf(message, self) + without(text, mentions), files }]
}

const readQuery = (id: string, { data, from, id: query, message }: typeof CallbackQuery.Type): Read => {
  const [, prompt, choice] = /^(\w{1,24}):(\w{1,20})$/.exec(data ?? "") ?? []
  if (message === undefined || prompt === undefined || choice === undefined) return { events: [], query }
  const place = placeOf(message)
  const isDirect = message.chat.type === "private"
  const press = { type: "press", id, thread: threadOf(place), place, sender: senderOf(from), isDirect, prompt, choice }
  return { events: [{ ...press, type: "press" }], query }
}

/** An update that cannot be read is left out: Telegram would send it again for a day. */
export const read = (update: Update, self: Self): Read => {
  const id = String(update.update_id)
  const message = Option.getOrUndefined(decodeMessage(update.message))
  if (message !== undefined) return { events: readMessage(id, message, self) }
  return Option.match(decodeQuery(update.callback_query), {
    onNone: () => ({ events: [] }),
    onSome: (query) => readQuery(id, query)
  })
}
