// Discord: commands, buttons and forms of an application, by requests of Discord.
import * as Json from "@svc-runtime/domain/Json"
import { Option } from "effect"
import { hash } from "node:crypto"
import type * as Adapter from "../Adapter.ts"
import * as Channel from "../Channel.ts"
import { ChannelError } from "../ChannelError.ts"
import * as ChannelSettings from "../Settings.ts"
import * as DiscordApi from "./DiscordApi.ts"
import * as DiscordInteractions from "./DiscordInteractions.ts"
import { publicKeyOf, requireSigned } from "./DiscordSignature.ts"
import * as DiscordText from "./DiscordText.ts"

/** Of an application in Discord's developer portal. */
export interface Settings {
  readonly token: ChannelSettings.Secret
  readonly applicationId: string
  /** 64 hexadecimal digits. */
  readonly publicKey: string
  /** Instead of `https://discord.com/api/v10`. */
  readonly apiUrl?: string | undefined
}

/** The names of the settings that are sealed when they are stored. */
export const secrets: ReadonlyArray<string> = ["token"]

const limits: Adapter.Limits = {
  text: DiscordText.maxText,
  editEvery: 1_200,
  postEvery: 1_200,
  file: 10 * 2 ** 20,
  hasButtons: true,
  hasForms: true
}

/** The flag of a response that is still awaited. */
const isLoading = 1 << 7

const styles = { primary: 1, plain: 2, danger: 4 }

const rowsOf = ({ choices, id }: Adapter.Prompt): ReadonlyArray<Json.Object> => {
  const buttons = choices.slice(0, 25).map((choice) => ({
    type: 2,
    style: styles[choice.style],
    label: choice.label.slice(0, 80),
    custom_id: `${id}:${choice.id}`
  }))
  return Array.from({ length: Math.ceil(buttons.length / 5) }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * 5, row * 5 + 5)
  }))
}

/** The text of an agent mentions no people. The status is small, and left out where there is no room for it. */
const messageOf = ({ files = [], prompt, status, text }: Adapter.OutgoingMessage): Json.Object => {
  const written = DiscordText.content(text)
  const quiet = status === undefined ? "" : `-# ${DiscordText.content(status).replaceAll("\n", " ")}`
  const both = [written, quiet].filter((part) => part !== "").join("\n")
  const content = both.length > DiscordText.maxText ? written : both
  return {
    content: content === "" && files.length === 0 ? "…" : content,
    allowed_mentions: { parse: [] },
    components: prompt === undefined ? [] : rowsOf(prompt)
  }
}

const stringOf = (value: Json.Value | undefined, name: string): string => {
  const field = Json.isObject(value) ? value[name] : undefined
  return typeof field === "string" ? field : ""
}

const checked = (settings: Settings) => {
  const token = ChannelSettings.secret(settings.token, {
    what: "The token of Discord",
    pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/,
    must: "has three parts with dots between them",
    where: "It is on the page Bot of the application"
  })
  const applicationId = ChannelSettings.text(settings.applicationId, {
    what: "The applicationId of Discord",
    pattern: /^\d{1,20}$/,
    must: "is a number"
  })
  const publicKey = ChannelSettings.text(settings.publicKey, {
    what: "The publicKey of Discord",
    pattern: /^[\da-f]{64}$/i,
    must: "has 64 hexadecimal digits"
  })
  const url = ChannelSettings.apiUrl(settings.apiUrl, "Discord", "https://discord.com/api/v10")
  return { api: DiscordApi.make(token, url), applicationId, key: publicKeyOf(publicKey) }
}

/**
 * Discord for the channels of a service.
 *
 * @example
 * ```ts
 * const discord = adapter({ token, applicationId: "1", publicKey })
 * ```
 */
export const adapter = (settings: Settings): Adapter.Adapter => {
  const { api, applicationId, key } = checked(settings)

  /** The path of the responses to a command, while its token counts. */
  const webhookOf = (place: Json.Object): string | undefined =>
    typeof place["until"] === "number" && place["until"] > Date.now()
      ? `/webhooks/${applicationId}/${stringOf(place, "token")}`
      : undefined

  const channelOf = (place: Json.Object): string => `/channels/${stringOf(place, "channel")}/messages`

  return {
    platform: "discord",
    limits,
    split: DiscordText.split,

    receive: async (delivery, context) => {
      requireSigned(delivery, key)
      const body = Option.getOrUndefined(Json.parse(new TextDecoder().decode(delivery.body)))
      const isRead = Json.isObject(body) && Json.isShallow(body)
      const received = isRead ? await DiscordInteractions.read(body, delivery.at, context) : undefined
      if (received !== undefined) return received
      throw new ChannelError({ reason: "malformed", message: "The interaction cannot be read" })
    },

    post: async (place, message, context) => {
      const { files } = message
      const json = messageOf(message)
      const webhook = webhookOf(place)
      if (webhook === undefined) {
        // Discord gives the message that has the nonce already
        const nonce = { nonce: hash("sha256", message.key, "base64url").slice(0, 25), enforce_nonce: true }
        const request = { method: "POST", path: channelOf(place), json: { ...json, ...nonce }, files } as const
        return stringOf(await DiscordApi.call(api, request, context), "id")
      }
      const original = `${webhook}/messages/@original`
      const first = await DiscordApi.call(api, { method: "GET", path: original }, context)
      const flags = Json.isObject(first) ? Number(first["flags"] ?? 0) : 0
      const request = (flags & isLoading) === 0
        ? { method: "POST", path: webhook, json, files } as const
        : { method: "PATCH", path: original, json, files } as const
      return stringOf(await DiscordApi.call(api, request, context), "id")
    },

    edit: async (place, id, message, context) => {
      const webhook = webhookOf(place)
      const path = `${webhook === undefined ? channelOf(place) : `${webhook}/messages`}/${id}`
      await DiscordApi.call(api, { method: "PATCH", path, json: messageOf(message) }, context)
    },

    showTyping: async (place, context) => {
      const path = `/channels/${stringOf(place, "channel")}/typing`
      await DiscordApi.call(api, { method: "POST", path }, context)
    },

    directPlace: async (sender, context) => {
      const request = { method: "POST", path: "/users/@me/channels", json: { recipient_id: sender } } as const
      return { channel: stringOf(await DiscordApi.call(api, request, context), "id") }
    },

    test: async (context) =>
      `${stringOf(await DiscordApi.call(api, { method: "GET", path: "/users/@me" }, context), "username")}, by requests`
  }
}

/** Tells Discord which commands the application has: `/ask` and `/new`. */
export const setCommands = async (settings: Settings, context: Adapter.Context): Promise<void> => {
  const { api, applicationId } = checked(settings)
  const text = { type: 3, name: "text", description: "Your message", required: true }
  const json = [
    { name: "ask", description: "Write to the agent", options: [text] },
    { name: "new", description: "Begin a new conversation" }
  ]
  await DiscordApi.call(api, { method: "PUT", path: `/applications/${applicationId}/commands`, json }, context)
}

/**
 * A channel on Discord.
 *
 * @example
 * ```ts
 * serve({ agents: [desk], channels: [Discord.make({ agent: "desk", token, applicationId, publicKey })] })
 * ```
 */
export const make = (options: Channel.Options & Settings): Channel.Channel => {
  const { apiUrl: _url, applicationId: _id, publicKey: _key, token: _token, ...rest } = options
  return Channel.make(rest, adapter(options))
}
