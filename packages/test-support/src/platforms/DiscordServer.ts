// A server that speaks the part of the HTTP API v10 of Discord that answers need (messages of channels, responses to
// commands, nonces, files and rate limits), its gateway, and its signed requests: https://docs.discord.com/developers
import { Effect } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import * as DiscordGateway from "./DiscordGateway.ts"
import { type Answer, formOf, listen, type Request } from "./PlatformListener.ts"

export type Values = Record<string, unknown>

/** A message of the application. */
export interface Message {
  readonly id: string
  readonly channel: string
  values: Values
  /** Names of its files. */
  files: ReadonlyArray<string>
  flags: number
}

export interface Options {
  /** Milliseconds between heartbeats. */
  readonly heartbeat?: number
}

export type DiscordServer = Effect.Success<ReturnType<typeof make>>

const failed = (status: number, code: number, message: string): Answer => ({ status, body: { code, message } })

const tooLong = failed(400, 50035, "Invalid Form Body")

const isLoading = 1 << 7

const isValid = ({ components = [], content, nonce }: Values, files: ReadonlyArray<string>): boolean => {
  const rows = components as ReadonlyArray<{ readonly components: ReadonlyArray<Values> }>
  const buttons = rows.flatMap(({ components }) => components)
  const text = String(content ?? "")
  return text.length <= 2000 && (text !== "" || files.length > 0) && String(nonce ?? "").length <= 25 &&
    rows.length <= 5 && rows.every(({ components }) => components.length >= 1 && components.length <= 5) &&
    buttons.every(({ custom_id, label }) =>
      String(custom_id).length <= 100 && String(label).length >= 1 && String(label).length <= 80
    )
}

const isIn = (value: unknown, least: number, most: number): boolean =>
  typeof value === "string" && value.length >= least && value.length <= most

const isField = ({ custom_id, options, type, value = "" }: Values): boolean => {
  if (!isIn(custom_id, 1, 100)) return false
  if (type === 4) return isIn(value, 0, 4000)
  const all = (options ?? []) as ReadonlyArray<Values>
  const isUnique = new Set(all.map(({ value }) => value)).size === all.length
  return type === 3 && all.length >= 1 && all.length <= 25 && isUnique &&
    all.every(({ label, value }) => isIn(label, 1, 100) && isIn(value, 1, 100)) &&
    all.filter(({ default: isDefault }) => isDefault === true).length <= 1
}

/** A form has one to five labels with a field each. */
const isModal = ({ components, custom_id, title }: Values): boolean => {
  const labels = (components ?? []) as ReadonlyArray<Values>
  return isIn(custom_id, 1, 100) && isIn(title, 1, 45) && labels.length >= 1 && labels.length <= 5 &&
    labels.every(({ component, label, type }) => type === 18 && isIn(label, 1, 45) && isField(component as Values))
}

const readBody = async (
  request: Request
): Promise<{ readonly values: Values; readonly files: ReadonlyArray<string> }> => {
  if (!request.headers["content-type"]?.startsWith("multipart/")) {
    return { values: JSON.parse(request.body.toString() || "{}") as Values, files: [] }
  }
  const entries = [...await formOf(request)]
  return {
    values: JSON.parse(String(entries.find(([name]) => name === "payload_json")?.[1] ?? "{}")) as Values,
    files: entries.flatMap(([, value]) => value instanceof File ? [value.name] : [])
  }
}

const ann: Values = { id: "7", username: "ann", global_name: "Ann" }

/** A server for one application, for as long as the scope lasts. */
export const make = Effect.fnUntraced(function*(options: Options = {}) {
  const token = "MTIz.GabcDe.test-token_of-the-application"
  const application = "900"
  const bot = { id: application, username: "desk", bot: true }
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const channels = new Set<string>(["5", "6"])
  /** Channels of the tokens of interactions. */
  const tokens = new Map<string, string>()
  /** Tokens of interactions that have no response yet. */
  const open = new Set<string>()
  const messages: Array<Message> = []
  const modals: Array<Values> = []
  const limits: Array<Answer> = []
  const calls: Array<string> = []
  const attachments = new Map<string, Uint8Array>()
  const listeners = new Set<() => void>()
  let commands: unknown = []
  let starts = 1000
  let next = 1000

  const changed = () => {
    for (const listener of listeners) listener()
  }

  const add = (channel: string, values: Values, files: ReadonlyArray<string>, flags = 0): Message => {
    const message = { id: String(next++), channel, values, files, flags }
    messages.push(message)
    return message
  }

  const wire = ({ channel, flags, id, values }: Message): Answer => ({
    headers: { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "4", "x-ratelimit-reset-after": "1" },
    body: { id, channel_id: channel, flags, content: values["content"] ?? "" }
  })

  const created = (channel: string, values: Values, files: ReadonlyArray<string>): Answer => {
    if (!isValid(values, files)) return tooLong
    const same = messages.find((message) => message.channel === channel && message.values["nonce"] === values["nonce"])
    return values["enforce_nonce"] === true && same !== undefined ? wire(same) : wire(add(channel, values, files))
  }

  const modified = (found: Message | undefined, values: Values, files: ReadonlyArray<string>): Answer => {
    if (found === undefined) return failed(404, 10008, "Unknown Message")
    if (!isValid({ ...found.values, ...values }, [...found.files, ...files])) return tooLong
    Object.assign(found, { values: { ...found.values, ...values }, files, flags: 0 })
    return wire(found)
  }

  /** A command was answered with a deferred response: its message is awaited. */
  const defer = (given: string, channel = "5") => {
    tokens.set(given, channel)
    messages.push({ id: `original-${given}`, channel, values: {}, files: [], flags: isLoading })
  }

  /** What the application answers an interaction with, in the response or by a call. */
  const respond = (given: string, { data, type }: Values): Answer => {
    if (!open.delete(given)) return failed(400, 40060, "Interaction has already been acknowledged.")
    if (type === 5) defer(given)
    else if (type === 6) tokens.set(given, "5")
    else if (type === 9 && isModal(data as Values)) modals.push(data as Values)
    else return tooLong
    return { status: 204 }
  }

  const webhook = async (request: Request, given: string, last: string): Promise<Answer> => {
    const channel = tokens.get(given)
    if (channel === undefined) return failed(404, 10015, "Unknown Webhook")
    const { files, values } = await readBody(request)
    if (request.method === "POST") return created(channel, values, files)
    const found = messages.find((one) => one.id === (last === "@original" ? `original-${given}` : last))
    if (request.method === "PATCH") return modified(found, values, files)
    return found === undefined ? failed(404, 10008, "Unknown Message") : wire(found)
  }

  const channel = async (request: Request, id: string, [kind, last]: ReadonlyArray<string>): Promise<Answer> => {
    if (!channels.has(id)) return failed(404, 10003, "Unknown Channel")
    if (kind === "typing") return { status: 204 }
    const { files, values } = await readBody(request)
    if (request.method === "POST") return created(id, values, files)
    return modified(messages.find((found) => found.channel === id && found.id === last), values, files)
  }

  const answer = async (request: Request): Promise<Answer> => {
    const path = request.path.replace(/^\/api\/v10/, "")
    // a path of a webhook has the token before the messages
    const [kind, id = "", ...rest] = path.split("/").slice(1)
    const bytes = attachments.get(path)
    if (bytes !== undefined) return { body: bytes }
    calls.push(`${request.method} ${path}`)
    if (kind === "interactions") return respond(rest[0] ?? "", (await readBody(request)).values)
    if (request.headers["authorization"] !== `Bot ${token}`) return failed(401, 0, "401: Unauthorized")
    const limit = limits.shift()
    if (limit !== undefined) return limit
    if (path === "/users/@me") return { body: bot }
    if (path === "/users/@me/channels") return { body: { id: "6", type: 1 } }
    if (path === "/gateway/bot") {
      const session_start_limit = { total: 1000, remaining: starts, reset_after: 60_000, max_concurrency: 1 }
      return { body: { url: gatewayUrl(), shards: 1, session_start_limit } }
    }
    if (path === `/applications/${application}/commands`) {
      commands = (await readBody(request)).values
      return { body: commands as object }
    }
    if (kind === "channels") return channel(request, id, rest)
    if (kind === "webhooks" && id === application) return webhook(request, rest[0] ?? "", rest.at(-1) ?? "")
    return failed(404, 0, "404: Not Found")
  }

  const { server, url } = yield* listen(async (request) => {
    const answered = await answer(request)
    changed()
    return answered
  })
  const gatewayUrl = () => url.replace("http", "ws")

  const gateway = DiscordGateway.make({
    server,
    url: gatewayUrl,
    token,
    user: bot,
    application,
    privileged: DiscordGateway.intents.messageContent | (1 << 1) | (1 << 8),
    heartbeat: () => options.heartbeat ?? 41_250,
    changed
  })

  /** A person has used a command or a button, or has sent a form. */
  const interaction = (values: Values): Values & { readonly token: string } => {
    const token = `interaction-${next}`
    open.add(token)
    return {
      id: String(next++),
      application_id: application,
      token,
      version: 1,
      channel_id: "5",
      guild_id: "9",
      member: { user: ann, roles: [] },
      ...values
    }
  }

  return {
    /** Of the API, with its version. */
    url: `${url}/api/v10`,
    token,
    application,
    publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex"),
    calls: calls as ReadonlyArray<string>,
    messages: messages as ReadonlyArray<Message>,
    /** Forms that the application has shown. */
    modals: modals as ReadonlyArray<Values>,
    commands: () => commands,
    gateway,
    attachments,
    defer,
    interaction,
    /** The response to the request of an interaction, as Discord takes it. */
    take: (given: string, response: Values) => respond(given, response).status ?? 200,
    /** A request of Discord, as bytes. */
    requestOf: (payload: Values, at = Math.floor(Date.now() / 1000)) => {
      const body = JSON.stringify(payload)
      const headers: Record<string, string> = {
        "content-type": "application/json",
        "x-signature-timestamp": String(at),
        "x-signature-ed25519": sign(null, Buffer.from(`${at}${body}`), privateKey).toString("hex")
      }
      return { body, headers }
    },
    /** An interaction that Discord sends over the gateway, because it has no address to call. */
    interact: (values: Values): void => gateway.dispatch({ t: "INTERACTION_CREATE", d: () => interaction(values) }),
    /**
     * A person writes in a channel of a server, or to the bot if `guild_id` is null. Without its intent, a bot sees the
     * content of what mentions it and of what is written to it.
     */
    say: (content: string, fields: Values = {}): Values => {
      const { guild_id = "9", ...rest } = fields
      const isDirect = guild_id === null
      const mentions = content.includes(`<@${application}>`) ? [bot] : []
      const message: Values = {
        id: String(next++),
        type: 0,
        channel_id: isDirect ? "6" : "5",
        author: ann,
        content,
        mentions,
        attachments: [],
        embeds: [],
        tts: false,
        timestamp: "2026-01-01T00:00:00.000000+00:00",
        ...(!isDirect && { guild_id, member: { nick: null, roles: [] } }),
        ...rest
      }
      const isSeen = isDirect || (message["mentions"] as ReadonlyArray<Values>).some(({ id }) => id === bot.id)
      const { directMessages, guildMessages, messageContent } = DiscordGateway.intents
      gateway.dispatch({
        t: "MESSAGE_CREATE",
        intents: isDirect ? directMessages : guildMessages,
        d: (intents) =>
          isSeen || (intents & messageContent) !== 0 ? message : { ...message, content: "", attachments: [] }
      })
      return message
    },
    /** The bot may begin so many sessions. */
    allowStarts: (remaining: number) => {
      starts = remaining
    },
    /** The next call is refused, for so many seconds. */
    limit: (seconds: number) =>
      void limits.push({
        status: 429,
        headers: { "retry-after": String(Math.ceil(seconds)), "x-ratelimit-scope": "user", via: "1.1 google" },
        body: { message: "You are being rate limited.", retry_after: seconds, global: false }
      }),
    /** Returns when what the application did is as it is wanted. */
    until: (isWanted: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const check = () => {
          if (!isWanted()) return
          listeners.delete(check)
          resolve()
        }
        listeners.add(check)
        check()
      })
  }
})
