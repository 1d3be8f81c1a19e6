// Telegram: a bot in private chats, groups and topics of forums, over a webhook or by polling.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Redacted } from "effect"
import type * as Adapter from "../Adapter.ts"
import * as Channel from "../Channel.ts"
import { ChannelError } from "../ChannelError.ts"
import * as ChannelSettings from "../Settings.ts"
import { headerOf, isSame } from "../Signatures.ts"
import * as TelegramApi from "./TelegramApi.ts"
import * as TelegramText from "./TelegramText.ts"
import * as TelegramUpdates from "./TelegramUpdates.ts"

/** Of a bot, which @BotFather makes. */
export interface Settings {
  /** As @BotFather gives it: `123456:ABC…`. */
  readonly token: ChannelSettings.Secret
  /**
   * A text of one's own, with which Telegram proves that a request is from it: up to 256 letters, digits, `_` and `-`.
   * When left out, the service asks Telegram for what has happened, and needs no public URL.
   */
  readonly secret?: ChannelSettings.Secret | undefined
  /** Instead of `https://api.telegram.org`, for a Bot API server of one's own. */
  readonly apiUrl?: string | undefined
}

/** Bytes of a file that a bot may download, and send. */
const maxDownload = 20 * 2 ** 20
const maxUpload = 50 * 2 ** 20
const maxPhoto = 10 * 2 ** 20

/** Seconds that Telegram waits for something to happen. */
const pollFor = 25

const limits: Adapter.Limits = {
  text: TelegramText.maxText,
  editEvery: 1_000,
  postEvery: 1_000,
  // twenty messages and edits a minute
  editEveryInGroups: 3_000,
  postEveryInGroups: 3_000,
  file: maxUpload,
  hasButtons: true,
  hasForms: false
}

const permanent = (message: string) => new ChannelError({ reason: "permanent", message })
const malformed = (message: string) => new ChannelError({ reason: "malformed", message })

const stringOf = (value: Json.Value | undefined, name: string): string | undefined => {
  const field = Json.isObject(value) ? value[name] : undefined
  return typeof field === "string" ? field : undefined
}

const numberOf = (value: Json.Value | undefined, name: string): number | undefined => {
  const field = Json.isObject(value) ? value[name] : undefined
  return typeof field === "number" ? field : undefined
}

const placeOf = (place: Json.Object) => {
  const topic = place["topic"]
  return { chat_id: place["chat"] ?? 0, ...(topic !== undefined && { message_thread_id: topic }) }
}

const messageIdOf = (message: Json.Value): string => String(numberOf(message, "message_id") ?? "")

const keyboardOf = (prompt: Adapter.Prompt) => ({
  // one in a row, because labels are cut where buttons share a row
  inline_keyboard: prompt.choices.map(({ id, label }) => [{ text: label, callback_data: `${prompt.id}:${id}` }])
})

const markupOf = ({ asks, prompt }: Adapter.OutgoingMessage) => {
  if (prompt !== undefined && prompt.choices.length > 0) return { reply_markup: keyboardOf(prompt) }
  if (asks === undefined) return {}
  const placeholder = asks.placeholder?.slice(0, 64)
  // without it an answer in a group would not reach the bot
  return { reply_markup: { force_reply: true, ...(placeholder && { input_field_placeholder: placeholder }) } }
}

const textOf = (message: Adapter.OutgoingMessage) => ({
  text: TelegramText.htmlOf(message.text, message.status),
  parse_mode: "HTML",
  link_preview_options: { is_disabled: true },
  ...markupOf(message)
})

const isPhoto = ({ bytes, mediaType }: Adapter.File): boolean =>
  /^image\/(jpeg|png|webp)$/.test(mediaType) && bytes.length <= maxPhoto

const isNotModified = (error: unknown): boolean =>
  error instanceof ChannelError && error.message.includes("message is not modified")

const selfOf = (me: Json.Value): TelegramUpdates.Self => ({
  id: numberOf(me, "id") ?? 0,
  username: stringOf(me, "username") ?? ""
})

/**
 * Telegram for the channels of a service.
 *
 * @example
 * ```ts
 * const telegram = adapter({ token: process.env.TELEGRAM_TOKEN ?? "" })
 * ```
 */
export const adapter = (settings: Settings): Adapter.Adapter => {
  const { api, secret } = checked(settings)

  let self: Promise<TelegramUpdates.Self> | undefined
  const me = (context: Adapter.Context): Promise<TelegramUpdates.Self> => {
    self ??= TelegramApi.call(api, "getMe", {}, context).then(selfOf).catch((error: unknown) => {
      self = undefined
      throw error
    })
    return self
  }

  const read = async (update: Json.Value, context: Adapter.Context): Promise<TelegramUpdates.Read> => {
    const decoded = Option.getOrUndefined(TelegramUpdates.decode(update))
    return decoded === undefined ? { events: [] } : TelegramUpdates.read(decoded, await me(context))
  }

  /** The button stops turning. When it is too late for that, the press counts all the same. */
  const answerQuery = (query: string, context: Adapter.Context): Promise<unknown> =>
    TelegramApi.call(api, "answerCallbackQuery", { callback_query_id: query }, context).catch(() => undefined)

  const poll = async (
    accept: (events: ReadonlyArray<Adapter.Event>) => Promise<void>,
    offset: number,
    context: Adapter.Context
  ): Promise<number> => {
    const parameters = { offset, timeout: pollFor, allowed_updates: TelegramUpdates.kinds }
    const updates = await TelegramApi.call(api, "getUpdates", parameters, context)
    if (!Json.isList(updates) || updates.length === 0) return offset
    const all = await Promise.all(updates.map((update) => read(update, context)))
    await accept(all.flatMap(({ events }) => events))
    for (const { query } of all) if (query !== undefined) void answerQuery(query, context)
    // the next call confirms these
    return Math.max(...updates.map((update) => numberOf(update, "update_id") ?? 0)) + 1
  }

  const send = async (place: Json.Object, file: Adapter.File, context: Adapter.Context): Promise<string> => {
    const [method, field] = isPhoto(file) ? ["sendPhoto", "photo"] : ["sendDocument", "document"]
    const bytes = new Blob([new Uint8Array(file.bytes)], { type: file.mediaType })
    return messageIdOf(
      await TelegramApi.callChat(api, method, { ...placeOf(place), [field]: bytes }, context, file.name)
    )
  }

  const shared: Adapter.Adapter = {
    platform: "telegram",
    limits,
    split: TelegramText.split,

    receive: async (delivery, context) => {
      if (secret === undefined) {
        throw new ChannelError({
          reason: "forged",
          message: "The channel has no secret, so that Telegram does not call it"
        })
      }
      if (!isSame(headerOf(delivery, "x-telegram-bot-api-secret-token"), Redacted.value(secret))) {
        throw new ChannelError({ reason: "forged", message: "The secret token is wrong" })
      }
      const update = Option.getOrUndefined(Json.parse(new TextDecoder().decode(delivery.body)))
      if (!Json.isObject(update) || !Json.isShallow(update)) throw malformed("The update is no JSON object")
      const { events, query } = await read(update, context)
      if (query === undefined) return { acknowledgement: {}, events }
      // a method that is called by the response
      const body = JSON.stringify({ method: "answerCallbackQuery", callback_query_id: query })
      return { acknowledgement: { headers: { "content-type": "application/json" }, body }, events }
    },

    post: async (place, message, context) => {
      const files = message.files ?? []
      const hasText = message.text !== "" || message.prompt !== undefined || files.length === 0
      const parameters = { ...placeOf(place), ...textOf(message) }
      const posted = hasText
        ? messageIdOf(await TelegramApi.callChat(api, "sendMessage", parameters, context))
        : undefined
      const sent: Array<string> = []
      for (const file of files) sent.push(await send(place, file, context))
      return posted ?? sent[0] ?? ""
    },

    edit: async (place, id, message, context) => {
      const parameters = {
        chat_id: place["chat"] ?? 0,
        message_id: Number(id),
        ...textOf({ ...message, asks: undefined })
      }
      try {
        await TelegramApi.callChat(api, "editMessageText", parameters, context)
      } catch (error) {
        if (!isNotModified(error)) throw error
      }
    },

    showTyping: async (place, context) => {
      await TelegramApi.callChat(api, "sendChatAction", { ...placeOf(place), action: "typing" }, context)
    },

    download: async ({ size = 0, source }, context) => {
      if (size > maxDownload) throw permanent("Telegram gives bots files of at most 20 MB")
      const file = await TelegramApi.call(api, "getFile", { file_id: source["file_id"] ?? "" }, context)
      const path = stringOf(file, "file_path")
      if (path === undefined) throw permanent("Telegram has no path for the file")
      return TelegramApi.downloadFile(api, path, context)
    },

    directPlace: (sender) => {
      const chat = Number(sender)
      return Number.isSafeInteger(chat)
        ? Promise.resolve({ chat })
        : Promise.reject(permanent("The id of a person on Telegram is a number"))
    },

    test: async (context) => {
      const user = await TelegramApi.call(api, "getMe", {}, context)
      const name = `${stringOf(user, "first_name") ?? "The bot"} (@${stringOf(user, "username") ?? "?"})`
      const webhook = await TelegramApi.call(api, "getWebhookInfo", {}, context)
      const url = stringOf(webhook, "url") ?? ""
      if (secret === undefined) {
        if (url === "") return `${name}, by polling`
        throw new ChannelError({
          reason: "unauthorized",
          message: "Telegram calls a webhook, so that the bot cannot be polled: set a secret, or delete the webhook"
        })
      }
      if (url === "") {
        throw new ChannelError({
          reason: "unauthorized",
          message: "The webhook is not set: svc channels setup sets it"
        })
      }
      const failure = stringOf(webhook, "last_error_message")
      return `${name}, by a webhook${failure === undefined ? "" : `, whose last error was: ${failure.slice(0, 200)}`}`
    }
  }

  if (secret !== undefined) return shared
  return {
    ...shared,
    listen: async (accept, context) => {
      let offset = 0
      while (!context.signal.aborted) offset = await poll(accept, offset, context)
    }
  }
}

const checked = (settings: Settings) => {
  const token = ChannelSettings.secret(settings.token, {
    what: "The token of Telegram",
    pattern: /^\d+:[\w-]+$/,
    must: "is a number, a colon and letters",
    where: "@BotFather shows it"
  })
  const secret = ChannelSettings.optionalSecret(settings.secret, {
    what: "The secret of Telegram",
    pattern: /^[\w-]{1,256}$/,
    must: "has up to 256 letters, digits, _ and -"
  })
  const url = ChannelSettings.apiUrl(settings.apiUrl, "Telegram", "https://api.telegram.org")
  return { api: TelegramApi.make(token, url), secret }
}

/** The names of the settings that are sealed when they are stored. */
export const secrets: ReadonlyArray<string> = ["token", "secret"]

/**
 * Tells Telegram to call the URL of the channel, and which commands the bot has.
 *
 * @example
 * ```ts
 * await setWebhook(settings, "https://svc.example.com/channels/telegram/events", context)
 * ```
 */
export const setWebhook = async (settings: Settings, url: string, context: Adapter.Context): Promise<void> => {
  const { api, secret } = checked(settings)
  if (secret === undefined) {
    throw new ChannelSettings.SettingsError({ message: "A webhook of Telegram needs a secret." })
  }
  const proof = { secret_token: Redacted.value(secret) }
  await TelegramApi.call(api, "setWebhook", { url, ...proof, allowed_updates: TelegramUpdates.kinds }, context)
  const commands = [{ command: "new", description: "Begin a new conversation" }]
  await TelegramApi.call(api, "setMyCommands", { commands }, context)
}

/** Tells Telegram not to call a URL, so that the bot can be polled. */
export const deleteWebhook = async (settings: Settings, context: Adapter.Context): Promise<void> => {
  await TelegramApi.call(checked(settings).api, "deleteWebhook", {}, context)
}

/**
 * A channel on Telegram.
 *
 * @example
 * ```ts
 * serve({ agents: [desk], channels: [Telegram.make({ agent: "desk", token: process.env.TELEGRAM_TOKEN ?? "" })] })
 * ```
 */
export const make = (options: Channel.Options & Settings): Channel.Channel => {
  const { apiUrl: _url, secret: _secret, token: _token, ...rest } = options
  return Channel.make(rest, adapter(options))
}
