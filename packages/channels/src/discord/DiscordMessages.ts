// What people write where the bot is mentioned, or to it, as Discord's gateway sends it.
import type * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import type { Message, SentFile } from "../Adapter.ts"

/** What Discord calls people, channels, messages and interactions. */
export const Id = Schema.String.check(Schema.isPattern(/^\d{1,20}$/))

export const User = Schema.Struct({
  id: Id,
  username: Schema.String,
  global_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  bot: Schema.optionalKey(Schema.Boolean)
})

const Attachment = Schema.Struct({
  filename: Schema.optionalKey(Schema.String),
  content_type: Schema.optionalKey(Schema.String),
  size: Schema.optionalKey(Schema.Finite),
  url: Schema.String
})

const Created = Schema.Struct({
  id: Id,
  type: Schema.Int,
  channel_id: Id,
  guild_id: Schema.optionalKey(Id),
  author: User,
  member: Schema.optionalKey(Schema.Struct({ nick: Schema.optionalKey(Schema.NullOr(Schema.String)) })),
  content: Schema.String,
  mentions: Schema.Array(User),
  attachments: Schema.Array(Schema.Json),
  webhook_id: Schema.optionalKey(Id)
})

const decode = Schema.decodeUnknownOption(Created)
const decodeAttachment = Schema.decodeUnknownOption(Attachment)

/** Messages and answers to messages. Others are what Discord tells, such as that a person has joined. */
const written = [0, 19]

export const nameOf = ({ global_name, username }: typeof User.Type): string => global_name ?? username

const fileOf = (attachment: Schema.Json): ReadonlyArray<SentFile> =>
  Option.toArray(decodeAttachment(attachment)).map(({ content_type, filename, size, url }) => ({
    ...(filename !== undefined && { name: filename }),
    ...(content_type !== undefined && { mediaType: content_type }),
    ...(size !== undefined && { size }),
    source: { url }
  }))

/** The names of people instead of their ids, and without the mention of the bot. */
const textOf = ({ content, mentions }: typeof Created.Type, self: string): string => {
  const names = new Map(mentions.map((user) => [user.id, nameOf(user)]))
  return content.replaceAll(/(?<![ \t])[ \t]*<@!?(\d{1,20})>/g, (mention, id: string) => {
    if (id === self) return ""
    const name = names.get(id)
    return name === undefined ? mention : mention.replace(/<.*>/, () => `@${name}`)
  }).trim()
}

/** Undefined: it is not written to the bot, or it is by a program. */
export const read = (payload: Json.Value, self: string): Message | undefined => {
  const message = Option.getOrUndefined(decode(payload))
  if (message === undefined) return undefined
  const { attachments, author, channel_id, guild_id, id, member, mentions, type, webhook_id } = message
  const isDirect = guild_id === undefined
  const isMeant = isDirect || mentions.some((user) => user.id === self)
  if (!isMeant || !written.includes(type) || author.bot === true || author.id === self || webhook_id !== undefined) {
    return undefined
  }
  const text = textOf(message, self)
  const files = attachments.flatMap(fileOf)
  if (isDirect && text === "" && files.length === 0) return undefined
  return {
    type: "message",
    id,
    thread: channel_id,
    place: { channel: channel_id },
    sender: { id: author.id, name: member?.nick ?? nameOf(author) },
    isDirect,
    text,
    ...(files.length > 0 && { files })
  }
}
