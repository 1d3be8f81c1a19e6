// A server that speaks the Bot API of Telegram (https://core.telegram.org/bots/api) for one bot, with people who write
// to it. It refuses what Telegram refuses, in the words of Telegram.
import { Effect } from "effect"
import { type Answer, formOf, listen, type Request } from "./PlatformListener.ts"
import * as TelegramHtml from "./TelegramHtml.ts"

export type Values = Record<string, unknown>

export interface Person {
  readonly id: number
  readonly first_name: string
  readonly username?: string
  readonly is_bot: boolean
}

export interface Chat {
  readonly id: number
  readonly type: "group" | "private" | "supergroup"
  readonly title?: string
  readonly is_forum?: boolean
}

/** A message of the bot or of a person. */
export interface Message {
  readonly message_id: number
  readonly chat: Chat
  readonly from: Person
  readonly date: number
  text?: string
  caption?: string
  /** As it was sent, before its entities are read. */
  html?: string
  reply_markup?: Values | undefined
  readonly [key: string]: unknown
}

export interface Update extends Values {
  readonly update_id: number
}

/** What the bot has sent with multipart. */
export interface Upload {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

export interface Refusal {
  readonly error_code: number
  readonly description: string
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number }
}

export interface Webhook {
  readonly url: string
  readonly secret?: string | undefined
  lastError?: string
}

class Refused extends Error {
  readonly refusal: Refusal
  constructor(error_code: number, description: string, parameters?: Refusal["parameters"]) {
    super(description)
    this.refusal = { error_code, description, ...(parameters !== undefined && { parameters }) }
  }
}

const bad = (text: string, parameters?: Refusal["parameters"]) => new Refused(400, `Bad Request: ${text}`, parameters)

export interface Options {
  readonly token?: string
  readonly username?: string
}

/** The most bytes of a body, of a file that a bot downloads, and of a photo. */
const maxUpload = 50 * 2 ** 20
const maxDownload = 20 * 2 ** 20
const maxPhoto = 10 * 2 ** 20

const maxText = 4096
const maxCaption = 1024

const parsedHtml = (values: Values, field: string, max: number): { text: string; html: string } => {
  const html = String(values[field] ?? "")
  const { problem, text } = values["parse_mode"] === "HTML" ? TelegramHtml.parse(html) : { text: html }
  if (problem !== undefined) throw new Refused(400, problem)
  if (text.length > max) throw bad(`message ${field === "caption" ? "caption " : ""}is too long`)
  return { text: text.trim(), html }
}

const objectOf = (value: unknown): Values | undefined => {
  const parsed: unknown = typeof value === "string" && value !== "" ? JSON.parse(value) : value
  return typeof parsed === "object" && parsed !== null ? parsed as Values : undefined
}

const checkMarkup = (markup: Values | undefined): void => {
  if (markup === undefined || markup["inline_keyboard"] === undefined) return
  const rows = markup["inline_keyboard"] as ReadonlyArray<ReadonlyArray<Values>>
  for (const button of rows.flat()) {
    if (typeof button["text"] !== "string" || button["text"] === "") throw bad("Text buttons are unallowed")
    const bytes = Buffer.byteLength(String(button["callback_data"] ?? ""))
    if (bytes < 1 || bytes > 64) throw bad("BUTTON_DATA_INVALID")
  }
}

const optional = (name: string, value: unknown): Values => value === undefined ? {} : { [name]: value }

export type TelegramServer = Effect.Success<ReturnType<typeof make>>

/** A server for one bot, for as long as the scope lasts. */
export const make = Effect.fnUntraced(function*(options: Options = {}) {
  const token = options.token ?? "123456:test-token_of-the-bot-of-thirty-five"
  const bot: Person = {
    id: Number(token.split(":")[0]),
    is_bot: true,
    first_name: "Desk",
    username: options.username ?? "desk_bot"
  }
  const chats = new Map<number, Chat>()
  const migrated = new Map<number, number>()
  const blocked = new Set<number>()
  const messages: Array<Message> = []
  const updates: Array<Update> = []
  const files = new Map<string, Uint8Array>()
  const uploads = new Map<string, Upload>()
  const calls: Array<{ readonly method: string; readonly values: Values }> = []
  const refusals: Array<Refusal> = []
  const callbacks = new Set<string>()
  const answered: Array<string> = []
  const actions: Array<Values> = []
  let webhook: Webhook | undefined
  let commands: unknown = []
  let nextMessage = 1
  let nextUpdate = 1000
  let nextFile = 1
  let poll: { readonly end: (updates: ReadonlyArray<Update>) => void; readonly conflict: () => void } | undefined

  const ann: Person = { id: 7, is_bot: false, first_name: "Ann", username: "ann" }
  const privateChat = (person: Person): Chat => ({
    id: person.id,
    type: "private",
    ...optional("first_name", person.first_name)
  })

  const chatOf = (values: Values): Chat => {
    const id = Number(values["chat_id"])
    const to = migrated.get(id)
    if (to !== undefined) {
      throw bad("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: to })
    }
    const chat = chats.get(id)
    if (chat === undefined) throw bad("chat not found")
    if (blocked.has(id)) throw new Refused(403, "Forbidden: bot was blocked by the user")
    return chat
  }

  const add = (chat: Chat, from: Person, rest: Values): Message => {
    const message: Message = { message_id: nextMessage++, date: 1_800_000_000, chat, from, ...rest }
    messages.push(message)
    return message
  }

  /** A message in the form of the wire. */
  const wire = ({ html: _html, ...message }: Message): Values => message

  const posted = (values: Values, rest: Values): Values => {
    const chat = chatOf(values)
    const markup = objectOf(values["reply_markup"])
    checkMarkup(markup)
    const topic = values["message_thread_id"]
    if (topic !== undefined && chat.is_forum !== true) throw bad("message thread not found")
    return wire(add(chat, bot, {
      ...rest,
      ...optional("reply_markup", markup),
      ...(topic !== undefined && { message_thread_id: Number(topic), is_topic_message: true })
    }))
  }

  const upload = async (values: Values, field: "document" | "photo"): Promise<Values> => {
    // the file itself, or the name of the part that has it
    const [, part = field] = /^attach:\/\/(.+)$/.exec(String(values[field])) ?? []
    const file = values[part]
    if (!(file instanceof File)) throw bad(`there is no ${field} in the request`)
    if (file.size === 0) throw bad("file must be non-empty")
    if (file.size > (field === "photo" ? maxPhoto : maxUpload)) throw new Refused(413, "Request Entity Too Large")
    const id = `file-${nextFile++}`
    const bytes = new Uint8Array(await file.arrayBuffer())
    uploads.set(id, { name: file.name, type: file.type, bytes })
    const { html, text } = parsedHtml(values, "caption", maxCaption)
    const entry = { file_id: id, file_unique_id: id, file_size: file.size }
    const content = field === "photo"
      ? [{ ...entry, width: 1, height: 1 }]
      : { ...entry, file_name: file.name, mime_type: file.type }
    return posted(values, { [field]: content, ...(text !== "" && { caption: text, html }) })
  }

  const own = (values: Values): Message => {
    const chat = chatOf(values)
    const found = messages.find(({ chat: { id }, message_id }) =>
      id === chat.id && message_id === Number(values["message_id"])
    )
    if (found === undefined) throw bad("message to edit not found")
    if (found.from.id !== bot.id) throw bad("message can't be edited")
    return found
  }

  const pending = (offset: number): ReadonlyArray<Update> => {
    if (offset > 0) updates.splice(0, updates.filter(({ update_id }) => update_id < offset).length)
    return updates.slice(0, 100)
  }

  const getUpdates = (values: Values): Promise<ReadonlyArray<Update>> | ReadonlyArray<Update> => {
    if (webhook !== undefined) {
      throw new Refused(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
      )
    }
    poll?.conflict()
    const waiting = pending(Number(values["offset"] ?? 0))
    const seconds = Number(values["timeout"] ?? 0)
    if (waiting.length > 0 || seconds === 0) return waiting
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end([]), seconds * 1000)
      const end = (updates: ReadonlyArray<Update>) => {
        clearTimeout(timer)
        poll = undefined
        resolve(updates)
      }
      const conflict = () => {
        clearTimeout(timer)
        reject(
          new Refused(
            409,
            "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
          )
        )
      }
      poll = { end, conflict }
    })
  }

  const methods: Readonly<Record<string, (values: Values) => unknown>> = {
    getMe: () => ({
      ...bot,
      can_join_groups: true,
      can_read_all_group_messages: false,
      supports_inline_queries: false
    }),
    getUpdates,
    setWebhook: ({ secret_token, url }) => {
      const address = String(url ?? "")
      if (address !== "" && !/^https:|^http:\/\/127\.0\.0\.1:/.test(address)) {
        throw bad("bad webhook: An HTTPS URL must be provided for webhook")
      }
      if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(String(secret_token))) {
        throw bad("secret token contains unallowed characters")
      }
      webhook = address === "" ? undefined : { url: address, secret: secret_token as string | undefined }
      return true
    },
    deleteWebhook: ({ drop_pending_updates }) => {
      webhook = undefined
      if (drop_pending_updates === true) updates.length = 0
      return true
    },
    getWebhookInfo: () => ({
      url: webhook?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: updates.length,
      ...optional("last_error_message", webhook?.lastError)
    }),
    setMyCommands: (values) => {
      commands = typeof values["commands"] === "string" ? JSON.parse(values["commands"]) : values["commands"]
      return true
    },
    sendMessage: (values) => {
      const { html, text } = parsedHtml(values, "text", maxText)
      chatOf(values)
      if (text === "") throw bad("message text is empty")
      return posted(values, { text, html })
    },
    editMessageText: (values) => {
      const message = own(values)
      if (message.text === undefined) throw bad("there is no text in the message to edit")
      const { html, text } = parsedHtml(values, "text", maxText)
      if (text === "") throw bad("message text is empty")
      const markup = objectOf(values["reply_markup"])
      checkMarkup(markup)
      if (message.html === html && JSON.stringify(message.reply_markup) === JSON.stringify(markup)) {
        throw bad(
          "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"
        )
      }
      Object.assign(message, { text, html, edit_date: 1_800_000_001 })
      if (markup === undefined) delete message.reply_markup
      else message.reply_markup = markup
      return wire(message)
    },
    sendPhoto: (values) => upload(values, "photo"),
    sendDocument: (values) => upload(values, "document"),
    sendChatAction: (values) => {
      chatOf(values)
      if (!/^(typing|upload_(photo|video|voice|document)|choose_sticker)$/.test(String(values["action"]))) {
        throw bad("wrong parameter action in request")
      }
      actions.push(values)
      return true
    },
    answerCallbackQuery: ({ callback_query_id, text }) => {
      if (!callbacks.delete(String(callback_query_id))) {
        throw bad("query is too old and response timeout expired or query ID is invalid")
      }
      if (String(text ?? "").length > 200) throw bad("MESSAGE_TOO_LONG")
      answered.push(String(callback_query_id))
      return true
    },
    getFile: ({ file_id }) => {
      const id = String(file_id)
      const bytes = files.get(id)
      if (bytes === undefined) throw bad("invalid file_id")
      if (bytes.length > maxDownload) throw bad("file is too big")
      return { file_id: id, file_unique_id: id, file_size: bytes.length, file_path: `documents/${id}.bin` }
    }
  }

  const valuesOf = async (request: Request): Promise<Values> => {
    const type = request.headers["content-type"] ?? ""
    const query = Object.fromEntries(request.query)
    if (type.startsWith("application/json")) {
      return { ...query, ...JSON.parse(request.body.toString() || "{}") as Values }
    }
    if (type.startsWith("multipart/form-data")) return { ...query, ...Object.fromEntries(await formOf(request)) }
    return { ...query, ...Object.fromEntries(new URLSearchParams(request.body.toString())) }
  }

  const execute = async (method: string, values: Values): Promise<Answer> => {
    try {
      const refusal = refusals.shift()
      calls.push({ method, values })
      if (refusal !== undefined) throw new Refused(refusal.error_code, refusal.description, refusal.parameters)
      const action = methods[method]
      if (action === undefined) throw new Refused(404, "Not Found: method not found")
      return { body: { ok: true, result: await action(values) } }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const wait = error.refusal.parameters?.retry_after
      return {
        status: error.refusal.error_code,
        headers: wait === undefined ? {} : { "retry-after": String(wait) },
        body: { ok: false, ...error.refusal }
      }
    }
  }

  const { url } = yield* listen(async (request) => {
    const [, kind, given = "", rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(request.path) ?? []
    const failed = (error_code: number, description: string): Answer => ({
      status: error_code,
      body: { ok: false, error_code, description }
    })
    if (!/^\d+:[\w-]+$/.test(given)) return failed(404, "Not Found")
    if (given !== token) return failed(401, "Unauthorized")
    if (kind === undefined) return execute(rest, await valuesOf(request))
    const bytes = files.get(/([^/]+)\.bin$/.exec(rest)?.[1] ?? "")
    return bytes === undefined ? failed(404, "Not Found") : { body: bytes }
  })

  /** Sends an update to the webhook once. Telegram repeats it until the answer is a success. */
  const deliver = async (update: Update): Promise<number> => {
    if (webhook === undefined) throw new Error("There is no webhook")
    const { secret, url } = webhook
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(secret !== undefined && { "x-telegram-bot-api-secret-token": secret })
      },
      body: JSON.stringify(update)
    })
    const text = await response.text()
    if (!response.ok) webhook.lastError = `Wrong response from the webhook: ${response.status}`
    // a method can be called in the answer; whether it succeeded is not known
    if (response.ok && text.startsWith("{")) {
      const { method, ...values } = JSON.parse(text) as Values & { readonly method: string }
      await execute(method, values)
    }
    return response.status
  }

  /** Something has happened: with a poll that waits, the bot gets it at once. */
  const happened = (rest: Values): Update => {
    const update: Update = { update_id: nextUpdate++, ...rest }
    if (webhook === undefined) updates.push(update)
    poll?.end(updates.slice(0, 100))
    return update
  }

  /** A person writes. The fields of the message are as on the wire. */
  const say = (text: string, fields: Values & { readonly from?: Person; readonly chat?: Chat } = {}): Update => {
    const { chat, from = ann, ...rest } = fields
    const place = chat ?? privateChat(from)
    if (!migrated.has(place.id)) chats.set(place.id, place)
    // Telegram marks commands itself
    const [command] = /^\/\w{1,32}(?:@\w+)?/.exec(text) ?? []
    const marked = command !== undefined && { entities: [{ type: "bot_command", offset: 0, length: command.length }] }
    return happened({ message: wire(add(place, from, { ...(text !== "" && { text }), ...marked, ...rest })) })
  }

  /** A person presses a button of a message. */
  const press = (message: Message, data: string, from: Person = ann): Update => {
    const id = `callback-${nextUpdate}`
    callbacks.add(id)
    return happened({ callback_query: { id, from, chat_instance: "1", message: wire(message), data } })
  }

  return {
    url,
    token,
    bot,
    ann,
    calls: calls as ReadonlyArray<{ readonly method: string; readonly values: Values }>,
    /** Of people and of the bot, in all chats. */
    messages: messages as ReadonlyArray<Message>,
    sent: (): ReadonlyArray<Message> => messages.filter(({ from }) => from.id === bot.id),
    uploads: uploads as ReadonlyMap<string, Upload>,
    actions: actions as ReadonlyArray<Values>,
    /** The ids of the presses that the bot has answered. */
    answered: answered as ReadonlyArray<string>,
    commands: () => commands,
    webhook: () => webhook,
    pending: (): ReadonlyArray<Update> => [...updates],
    say,
    press,
    deliver,
    addChat: (chat: Chat) => void chats.set(chat.id, chat),
    /** A file that a person can send. */
    addFile: (id: string, bytes: Uint8Array) => void files.set(id, bytes),
    /** The person has blocked the bot. */
    block: (id: number) => void blocked.add(id),
    /** A group is upgraded: its id changes. */
    migrate: (from: number, to: Chat) => {
      migrated.set(from, to.id)
      chats.set(to.id, to)
    },
    /** The next call is refused. */
    refuse: (error_code: number, description: string, parameters?: Refusal["parameters"]) =>
      void refusals.push({ error_code, description, ...(parameters !== undefined && { parameters }) })
  }
})
