// Discord: commands, buttons and forms by requests of Discord, and messages over its gateway.
import * as Json from "@svc-runtime/domain/Json"
import { Option } from "effect"
import { hash } from "node:crypto"
import type * as Adapter from "../Adapter.ts"
import * as Channel from "../Channel.ts"
import { ChannelError } from "../ChannelError.ts"
import * as Http from "../Http.ts"
import * as ChannelSettings from "../Settings.ts"
import * as DiscordApi from "./DiscordApi.ts"
import * as DiscordGateway from "./DiscordGateway.ts"
import * as DiscordInteractions from "./DiscordInteractions.ts"
import * as DiscordMessages from "./DiscordMessages.ts"
import { publicKeyOf, requireSigned } from "./DiscordSignature.ts"
import * as DiscordText from "./DiscordText.ts"

/** Of an application in Discord's developer portal. */
export interface Settings {
  readonly token: ChannelSettings.Secret
  readonly applicationId: string
  /** 64 hexadecimal digits. With it, Discord calls the URL of the channel. */
  readonly publicKey?: string | undefined
  /** The service opens a connection, over which messages arrive, and commands if Discord has no URL to call. */
  readonly gateway?: boolean | undefined
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
  const publicKey = ChannelSettings.optionalText(settings.publicKey, {
    what: "The publicKey of Discord",
    pattern: /^[\da-f]{64}$/i,
    must: "has 64 hexadecimal digits",
    where: "It is on the page General Information of the application"
  })
  if (publicKey === undefined && settings.gateway !== true) {
    throw new ChannelSettings.SettingsError({
      message: "Discord needs a publicKey, so that it can call the channel, or gateway: true for a connection."
    })
  }
  const url = ChannelSettings.apiUrl(settings.apiUrl, "Discord", "https://discord.com/api/v10")
  const key = publicKey === undefined ? undefined : publicKeyOf(publicKey)
  return { api: DiscordApi.make(token, url), applicationId, key }
}

/** Where Discord keeps files. Their addresses are signed, and need no token. */
const fileHosts = ["cdn.discordapp.com", "media.discordapp.net"]

const isOfDiscord = (api: DiscordApi.DiscordApi, url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, origin, protocol } = new URL(url)
  return origin === new URL(api.url).origin || (protocol === "https:" && fileHosts.includes(hostname))
}

type Accept = (events: ReadonlyArray<Adapter.Event>) => Promise<void>

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

  const memory: DiscordGateway.Memory = {}

  /** A command or a button, which Discord sends over the gateway when it has no URL to call. */
  const interact = async (data: Json.Value, accept: Accept, context: Adapter.Context): Promise<void> => {
    const received = await DiscordInteractions.read(data, Date.now(), context)
    if (received === undefined) return
    if (received.events.length > 0) await accept(received.events)
    const path = `/interactions/${stringOf(data, "id")}/${stringOf(data, "token")}/callback`
    const json = Option.getOrUndefined(Json.parse(received.acknowledgement.body ?? ""))
    // others do not wait for it; without it the person sees that the application did not answer
    if (Json.isObject(json)) DiscordApi.call(api, { method: "POST", path, json }, context).catch(() => undefined)
  }

  const listen = (accept: Accept, context: Adapter.Context): Promise<void> =>
    DiscordGateway.listen({
      api,
      memory,
      handle: async (type, data, self) => {
        if (type === "INTERACTION_CREATE") return interact(data, accept, context)
        const message = type === "MESSAGE_CREATE" ? DiscordMessages.read(data, self) : undefined
        if (message !== undefined) await accept([message])
      }
    }, context)

  return {
    platform: "discord",
    limits,
    split: DiscordText.split,

    ...(settings.gateway === true && { listen }),

    receive: async (delivery, context) => {
      if (key === undefined) {
        throw new ChannelError({ reason: "forged", message: "The channel uses the gateway, and is not called" })
      }
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

    download: async ({ source }, context) => {
      const url = stringOf(source, "url")
      if (isOfDiscord(api, url)) return Http.download(api.http, { name: "the download of a file", url }, context)
      throw new ChannelError({ reason: "permanent", message: "The file is stored outside of Discord" })
    },

    directPlace: async (sender, context) => {
      const request = { method: "POST", path: "/users/@me/channels", json: { recipient_id: sender } } as const
      return { channel: stringOf(await DiscordApi.call(api, request, context), "id") }
    },

    test: async (context) =>
      `${stringOf(await DiscordApi.call(api, { method: "GET", path: "/users/@me" }, context), "username")}, ${
        settings.gateway === true ? "over the gateway" : "by requests"
      }`
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
  const { apiUrl: _url, applicationId: _id, gateway: _gateway, publicKey: _key, token: _token, ...rest } = options
  return Channel.make(rest, adapter(options))
}
