// What Slack sends, as events of a channel. Requests and Socket Mode have the same payloads.
import { Option, Schema } from "effect"
import type { Command, Message, Press, SentFile } from "../Adapter.ts"
import * as SlackBlocks from "./SlackBlocks.ts"
import * as SlackText from "./SlackText.ts"

/** Of a person, a conversation, a workspace or a file. */
const Id = Schema.String.check(Schema.isPattern(/^[A-Z0-9]{1,40}$/))

/** The time of a message is its id in a conversation. */
const Ts = Schema.String.check(Schema.isPattern(/^\d{1,20}\.\d{1,10}$/))

/** Of an event, a view or a command: unique, and part of the id of the event. */
const Unique = Schema.String.check(Schema.isPattern(/^[\w.-]{1,150}$/))

const Envelope = Schema.Struct({
  type: Schema.Literal("event_callback"),
  event_id: Unique,
  team_id: Schema.optionalKey(Schema.NullOr(Id)),
  event: Schema.Json,
  authorizations: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ user_id: Schema.optionalKey(Schema.NullOr(Id)), is_bot: Schema.optionalKey(Schema.Boolean) })
    )
  )
})

const File = Schema.Struct({
  id: Id,
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  mimetype: Schema.optionalKey(Schema.NullOr(Schema.String)),
  size: Schema.optionalKey(Schema.Finite),
  mode: Schema.optionalKey(Schema.String)
})

const MessageEvent = Schema.Struct({
  type: Schema.Literals(["app_mention", "message"]),
  channel: Id,
  channel_type: Schema.optionalKey(Schema.String),
  subtype: Schema.optionalKey(Schema.NullOr(Schema.String)),
  user: Id,
  user_team: Schema.optionalKey(Schema.NullOr(Id)),
  bot_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  hidden: Schema.optionalKey(Schema.Boolean),
  text: Schema.optionalKey(Schema.NullOr(Schema.String)),
  ts: Ts,
  thread_ts: Schema.optionalKey(Schema.NullOr(Ts)),
  files: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Json)))
})

const HomeOpened = Schema.Struct({
  type: Schema.Literal("app_home_opened"),
  user: Id,
  tab: Schema.optionalKey(Schema.String),
  view: Schema.optionalKey(Schema.NullOr(Schema.Struct({ private_metadata: Schema.optionalKey(Schema.String) })))
})

const SlashCommand = Schema.Struct({
  command: Schema.String.check(Schema.isPattern(/^\/\S{1,40}$/)),
  text: Schema.optionalKey(Schema.String),
  user_id: Id,
  user_name: Schema.optionalKey(Schema.String),
  channel_id: Id,
  trigger_id: Unique
})

const Person = Schema.Struct({
  id: Id,
  team_id: Schema.optionalKey(Schema.NullOr(Id)),
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  username: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const Team = Schema.NullOr(Schema.Struct({ id: Id }))

const Actions = Schema.Struct({
  type: Schema.Literal("block_actions"),
  user: Person,
  team: Schema.optionalKey(Team),
  trigger_id: Unique,
  channel: Schema.Struct({ id: Id }),
  message: Schema.Struct({ ts: Ts, thread_ts: Schema.optionalKey(Schema.NullOr(Ts)) }),
  actions: Schema.Array(Schema.Struct({ action_id: Schema.String, action_ts: Schema.optionalKey(Schema.String) }))
})

const Chosen = Schema.Struct({ value: Schema.String })

const Input = Schema.Struct({
  type: Schema.String,
  value: Schema.optionalKey(Schema.NullOr(Schema.String)),
  selected_option: Schema.optionalKey(Schema.NullOr(Chosen)),
  selected_options: Schema.optionalKey(Schema.NullOr(Schema.Array(Chosen)))
})

const Submission = Schema.Struct({
  type: Schema.Literal("view_submission"),
  user: Person,
  team: Schema.optionalKey(Team),
  view: Schema.Struct({
    id: Unique,
    callback_id: Schema.Literal(SlackBlocks.mark),
    private_metadata: Schema.String,
    state: Schema.Struct({ values: Schema.Record(Schema.String, Schema.Record(Schema.String, Input)) })
  })
})

const About = Schema.fromJsonString(Schema.Struct({
  prompt: Schema.String,
  choice: Schema.String,
  thread: Schema.String,
  place: Schema.Record(Schema.String, Schema.Json),
  isDirect: Schema.Boolean
}))

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)
const decodeMessage = Schema.decodeUnknownOption(MessageEvent)
const decodeFile = Schema.decodeUnknownOption(File)
const decodeHome = Schema.decodeUnknownOption(HomeOpened)
const decodeCommand = Schema.decodeUnknownOption(SlashCommand)
const decodeActions = Schema.decodeUnknownOption(Actions)
const decodeSubmission = Schema.decodeUnknownOption(Submission)
const decodeAbout = Schema.decodeUnknownOption(About)

/** What arrived. */
export type Read =
  | { readonly type: "event"; readonly event: Command | Message }
  /** A button. Its choice can have a form, which is asked for with `trigger` within three seconds. */
  | { readonly type: "press"; readonly event: Press; readonly trigger: string }
  | { readonly type: "submission"; readonly event: Press }
  /** `shown` is the page that the person sees. */
  | { readonly type: "home"; readonly user: string; readonly shown: string | undefined }
  | { readonly type: "nothing" }

const nothing: Read = { type: "nothing" }

/** Slack leaves a field out, or writes null. */
const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null

/** A person of another workspace, in a shared channel: ids are unique in a workspace only. */
const personId = (user: string, team: string | null | undefined, own: string | null | undefined): string =>
  isNothing(team) || isNothing(own) || team === own ? user : `${team}/${user}`

/** The id that the API takes. */
export const userOf = (sender: string): string => sender.slice(sender.indexOf("/") + 1)

const isDirectChannel = (channel: string): boolean => channel.startsWith("D")

/** A thread of a channel, or a conversation with one person, which has threads as well. */
const conversation = (channel: string, thread: string | null | undefined) =>
  isNothing(thread)
    ? { thread: channel, place: { channel }, isDirect: isDirectChannel(channel) }
    : { thread: `${channel}:${thread}`, place: { channel, thread }, isDirect: isDirectChannel(channel) }

/** Other kinds of messages are edits, deletions, or what Slack tells. */
const kinds: ReadonlyArray<string | null | undefined> = [undefined, null, "file_share", "thread_broadcast"]

/** Files that are gone, or hidden because the workspace has too many, cannot be downloaded. */
const unreadable: ReadonlyArray<string | undefined> = ["hidden_by_limit", "tombstone"]

const filesOf = (files: ReadonlyArray<Schema.Json>): ReadonlyArray<SentFile> =>
  files.flatMap((file) => Option.toArray(decodeFile(file))).filter(({ mode }) => !unreadable.includes(mode))
    .map(({ id, mimetype, name, size }) => ({
      ...(typeof name === "string" && { name }),
      ...(typeof mimetype === "string" && { mediaType: mimetype }),
      ...(size !== undefined && { size }),
      source: { id }
    }))

const readMessage = (envelope: typeof Envelope.Type, message: typeof MessageEvent.Type): Read => {
  const { bot_id, channel, channel_type, files, hidden, subtype, text, thread_ts, ts, type, user, user_team } = message
  const self = envelope.authorizations?.find(({ is_bot }) => is_bot === true)?.user_id ?? undefined
  if (!isNothing(bot_id) || hidden === true || user === self || !kinds.includes(subtype)) return nothing
  // in channels an agent reads what mentions it, which Slack sends as an event of its own
  const isDirect = channel_type === "im" || (channel_type === undefined && isDirectChannel(channel))
  if (type === "message" && !isDirect) return nothing
  const sent = filesOf(files ?? [])
  const read = SlackText.received(text ?? "", self)
  if (read === "" && sent.length === 0 && type === "message") return nothing
  return {
    type: "event",
    event: {
      type: "message",
      id: envelope.event_id,
      ...conversation(channel, isDirect ? thread_ts : thread_ts ?? ts),
      sender: { id: personId(user, user_team, envelope.team_id) },
      text: read,
      ...(sent.length > 0 && { files: sent })
    }
  }
}

const readEnvelope = (envelope: typeof Envelope.Type): Read =>
  Option.match(decodeMessage(envelope.event), {
    onSome: (message) => readMessage(envelope, message),
    onNone: () =>
      Option.match(decodeHome(envelope.event), {
        onSome: ({ tab, user, view }) =>
          tab === "messages" ? nothing : { type: "home", user, shown: view?.private_metadata },
        onNone: () => nothing
      })
  })

/** What follows the command of the app, such as `/desk new`. Everything else is a message. */
const commands = new Set(["help", "link", "new", "stop"])

const readCommand = (
  { channel_id, command, text = "", trigger_id, user_id, user_name }: typeof SlashCommand.Type
): Read => {
  const isDirect = isDirectChannel(channel_id)
  const arrived = {
    id: `command:${trigger_id}`,
    // commands are in no thread: in a channel, those of a person are one conversation
    ...conversation(channel_id, undefined),
    ...(!isDirect && { thread: `${channel_id}:${user_id}` }),
    sender: { id: user_id, ...(user_name !== undefined && { name: user_name }) }
  }
  const content = SlackText.received(text, undefined)
  const own = command.slice(1).toLowerCase()
  if (commands.has(own)) return { type: "event", event: { type: "command", ...arrived, name: own, text: content } }
  const [, word = "", rest = ""] = /^(\S*)\s*([^]*)$/.exec(content) ?? []
  const name = word === "" ? "help" : word.toLowerCase()
  return commands.has(name)
    ? { type: "event", event: { type: "command", ...arrived, name, text: rest } }
    : { type: "event", event: { type: "message", ...arrived, text: content } }
}

const senderOf = ({ id, name, team_id, username }: typeof Person.Type, team: typeof Team.Type | undefined) => {
  const shown = username ?? name
  return { id: personId(id, team_id, team?.id), ...(!isNothing(shown) && { name: shown }) }
}

const readActions = ({ actions, channel, message, team, trigger_id, user }: typeof Actions.Type): Read => {
  const button = SlackBlocks.pressed(actions[0]?.action_id ?? "")
  if (button === undefined) return nothing
  const thread = message.thread_ts ?? (isDirectChannel(channel.id) ? undefined : message.ts)
  return {
    type: "press",
    trigger: trigger_id,
    event: {
      type: "press",
      id: `press:${trigger_id}`,
      ...conversation(channel.id, thread),
      sender: senderOf(user, team),
      ...button
    }
  }
}

const valueOf = (
  action: string,
  { selected_option, selected_options, type, value }: typeof Input.Type
): Schema.Json | undefined => {
  switch (type) {
    case "checkboxes":
      return (selected_options ?? []).length > 0
    case "static_select":
      return selected_option?.value
    case "number_input":
      return isNothing(value) || value === "" ? undefined : Number(value)
    default:
      return value ?? (action === SlackBlocks.filled ? "" : undefined)
  }
}

const readSubmission = ({ team, user, view }: typeof Submission.Type): Read =>
  Option.match(decodeAbout(view.private_metadata), {
    onNone: () => nothing,
    onSome: (about) => {
      const values = Object.entries(view.state.values).flatMap(([name, inputs]) => {
        const value = Object.entries(inputs).map(([action, input]) => valueOf(action, input))[0]
        return value === undefined ? [] : [[name, value] as const]
      })
      return {
        type: "submission",
        event: {
          type: "press",
          id: `form:${view.id}`,
          ...about,
          sender: senderOf(user, team),
          values: Object.fromEntries(values)
        }
      }
    }
  })

/** A payload of any kind. What an agent does not read is nothing. */
export const read = (payload: unknown): Read =>
  Option.getOrElse(
    Option.firstSomeOf([
      Option.map(decodeEnvelope(payload), readEnvelope),
      Option.map(decodeActions(payload), readActions),
      Option.map(decodeSubmission(payload), readSubmission),
      Option.map(decodeCommand(payload), readCommand)
    ]),
    () => nothing
  )
