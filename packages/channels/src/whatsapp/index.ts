// WhatsApp: a number of the WhatsApp Cloud API.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Redacted } from "effect"
import type * as Adapter from "../Adapter.ts"
import * as Channel from "../Channel.ts"
import { ChannelError } from "../ChannelError.ts"
import * as ChannelSettings from "../Settings.ts"
import * as Signatures from "../Signatures.ts"
import * as WhatsAppApi from "./WhatsAppApi.ts"
import * as WhatsAppEvents from "./WhatsAppEvents.ts"
import * as WhatsAppText from "./WhatsAppText.ts"

/** Of an app and a number in Meta's developer pages. */
export interface Settings {
  /** Of a system user, with `whatsapp_business_messaging`. */
  readonly token: ChannelSettings.Secret
  readonly phoneNumberId: string
  readonly appSecret: ChannelSettings.Secret
  /** A text of your own, which WhatsApp repeats when it verifies the URL. */
  readonly verifyToken: ChannelSettings.Secret
  /** Instead of `https://graph.facebook.com/v23.0`. */
  readonly apiUrl?: string | undefined
}

/** The names of the settings that are sealed when they are stored. */
export const secrets: ReadonlyArray<string> = ["token", "appSecret", "verifyToken"]

const megabyte = 2 ** 20

const limits: Adapter.Limits = {
  text: WhatsAppText.maxText,
  postEvery: 1000,
  file: 100 * megabyte,
  hasButtons: true,
  hasForms: false
}

const checked = (settings: Settings) => {
  const token = ChannelSettings.secret(settings.token, {
    what: "The token of WhatsApp",
    pattern: /^[\w|.-]{20,1000}$/,
    must: "has at least 20 letters and digits",
    where: "A system user of the business has it"
  })
  const phoneNumberId = ChannelSettings.text(settings.phoneNumberId, {
    what: "The phoneNumberId of WhatsApp",
    pattern: /^\d{5,30}$/,
    must: "is a number, and not the phone number",
    where: "The app has it under WhatsApp, API Setup"
  })
  const appSecret = ChannelSettings.secret(settings.appSecret, {
    what: "The appSecret of WhatsApp",
    pattern: /^[\da-f]{32}$/i,
    must: "has 32 hexadecimal digits",
    where: "The app has it under App settings, Basic"
  })
  const verifyToken = ChannelSettings.secret(settings.verifyToken, {
    what: "The verifyToken of WhatsApp",
    pattern: /^\S{8,200}$/,
    must: "has at least 8 characters without spaces"
  })
  const url = ChannelSettings.apiUrl(settings.apiUrl, "WhatsApp", "https://graph.facebook.com/v23.0")
  return { api: WhatsAppApi.make(url, token, [token, appSecret, verifyToken]), phoneNumberId, appSecret, verifyToken }
}

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`

const maxButtons = 3
const maxButton = 20
const maxButtonBody = 1024
const maxRows = 10
const maxRow = 24
const maxDescription = 72

/** Three short choices are buttons, and others are a list that opens. */
const interactiveOf = (text: string, { choices, id }: Adapter.Prompt): Json.Object => {
  const body = { text: text === "" ? "…" : text }
  const areShort = choices.length <= maxButtons && text.length <= maxButtonBody &&
    choices.every(({ label }) => label.length <= maxButton)
  if (areShort) {
    const buttons = choices.map((choice) => ({
      type: "reply",
      reply: { id: WhatsAppEvents.buttonOf(id, choice.id), title: choice.label }
    }))
    return { type: "button", body, action: { buttons } }
  }
  const rows = choices.slice(0, maxRows).map((choice) => ({
    id: WhatsAppEvents.buttonOf(id, choice.id),
    title: cut(choice.label, maxRow),
    ...(choice.label.length > maxRow && { description: cut(choice.label, maxDescription) })
  }))
  return { type: "list", body, action: { button: "Choose", sections: [{ title: "Choose", rows }] } }
}

/** What WhatsApp shows of a file depends on its type and size. */
const kindOf = ({ bytes, mediaType }: Adapter.File): "audio" | "document" | "image" | "video" => {
  if (/^image\/(?:jpeg|png)$/.test(mediaType) && bytes.length <= 5 * megabyte) return "image"
  if (/^audio\/(?:aac|amr|mp4|mpeg|ogg)$/.test(mediaType) && bytes.length <= 16 * megabyte) return "audio"
  return /^video\/(?:3gpp|mp4)$/.test(mediaType) && bytes.length <= 16 * megabyte ? "video" : "document"
}

/** WhatsApp knows one type of text. */
const typeOf = ({ mediaType }: Adapter.File): string =>
  /^text\/|^application\/(?:json|xml|yaml)$/.test(mediaType) ? "text/plain" : mediaType

/** Messages of which a part was sent. */
const maxUnfinished = 100

/** The adapter with settings that are JSON, or have `Redacted` secrets. Throws `SettingsError`. */
export const adapter = (settings: Settings): Adapter.Adapter => {
  const { api, appSecret, phoneNumberId, verifyToken } = checked(settings)
  /** The ids of the parts that were sent, by the key of their message. */
  const unfinished = new Map<string, ReadonlyArray<string>>()

  const toOf = ({ to }: Json.Object): string => {
    if (typeof to === "string") return to
    throw new ChannelError({ reason: "permanent", message: "The place is no conversation of WhatsApp" })
  }

  const send = async (json: Json.Object, context: Adapter.Context): Promise<Json.Object> =>
    WhatsAppApi.call(api, {
      name: "a message",
      path: `/${phoneNumberId}/messages`,
      json: { messaging_product: "whatsapp", ...json }
    }, context)

  const upload = async (file: Adapter.File, context: Adapter.Context): Promise<Json.Object> => {
    const kind = kindOf(file)
    const type = typeOf(file)
    const body = new FormData()
    body.append("messaging_product", "whatsapp")
    body.append("type", type)
    body.append("file", new Blob([new Uint8Array(file.bytes)], { type }), file.name)
    const path = `/${phoneNumberId}/media`
    const { id } = await WhatsAppApi.call(api, { name: "the upload of a file", path, body }, context)
    return { type: kind, [kind]: { id: String(id), ...(kind === "document" && { filename: file.name }) } }
  }

  const textOf = ({ files = [], prompt, text }: Adapter.OutgoingMessage): ReadonlyArray<Json.Object> => {
    const body = WhatsAppText.render(text)
    if (prompt !== undefined && prompt.choices.length > 0) {
      return [{ type: "interactive", interactive: interactiveOf(body, prompt) }]
    }
    if (body.trim() === "" && files.length > 0) return []
    return [{ type: "text", text: { preview_url: false, body: body.trim() === "" ? "…" : body } }]
  }

  const idOf = ({ messages }: Json.Object): string => {
    const [first] = Json.isList(messages) ? messages : []
    const id = Json.isObject(first) ? first["id"] : undefined
    if (typeof id === "string") return id
    throw new ChannelError({ reason: "temporary", message: "WhatsApp gave no message" })
  }

  const verify = ({ url }: Adapter.Delivery): Adapter.Acknowledgement => {
    const query = new URL(url).searchParams
    const [challenge, given] = [query.get("hub.challenge") ?? "", query.get("hub.verify_token") ?? ""]
    const isKnown = Signatures.isSame(given, Redacted.value(verifyToken))
    if (query.get("hub.mode") !== "subscribe" || !isKnown) {
      throw new ChannelError({ reason: "forged", message: "The verifyToken of the request is wrong" })
    }
    if (!/^[\w.-]{1,200}$/.test(challenge)) {
      throw new ChannelError({ reason: "malformed", message: "The challenge of the request cannot be read" })
    }
    return { headers: { "content-type": "text/plain" }, body: challenge }
  }

  return {
    platform: "whatsapp",
    limits,
    split: WhatsAppText.split,

    receive: (delivery) =>
      Promise.resolve().then(() => {
        if (delivery.method === "GET") return { acknowledgement: verify(delivery), events: [] }
        const signature = Signatures.hmac({ secret: appSecret, parts: [delivery.body] })
        Signatures.requireHeader(delivery, "x-hub-signature-256", `sha256=${signature}`)
        const body = Option.getOrUndefined(Json.parseInput(new TextDecoder().decode(delivery.body)))
        const events = WhatsAppEvents.read(body, { phoneNumberId, at: delivery.at })
        if (events !== undefined) return { acknowledgement: {}, events }
        throw new ChannelError({ reason: "malformed", message: "The request of WhatsApp cannot be read" })
      }),

    post: async (place, message, context) => {
      const { files = [], key } = message
      const to = toOf(place)
      const parts = [...textOf(message)]
      for (const file of files) parts.push(await upload(file, context))
      // a part that was sent is not sent again when a later one has failed
      const sent = [...unfinished.get(key) ?? []]
      for (const part of parts.slice(sent.length)) {
        sent.push(idOf(await send({ recipient_type: "individual", to, ...part }, context)))
        unfinished.delete(key)
        unfinished.set(key, [...sent])
        if (unfinished.size > maxUnfinished) unfinished.delete(unfinished.keys().next().value ?? "")
      }
      unfinished.delete(key)
      return sent[0] ?? ""
    },

    showTyping: async ({ message }, context) => {
      if (typeof message !== "string") return
      await send({ status: "read", message_id: message, typing_indicator: { type: "text" } }, context)
    },

    download: ({ source }, context) => WhatsAppApi.download(api, String(source["id"]), context),

    directPlace: async (sender) => ({ to: sender }),

    test: async (context) => {
      const path = `/${phoneNumberId}?fields=verified_name,display_phone_number`
      const { display_phone_number: number, verified_name: name } = await WhatsAppApi.call(
        api,
        { name: "the number", path },
        context
      )
      return `${String(name)}, ${String(number)}`
    }
  }
}

/**
 * A channel on WhatsApp.
 *
 * @example
 * ```ts
 * const whatsapp = WhatsApp.make({ agent: "desk", token, phoneNumberId: "12345", appSecret, verifyToken })
 * serve({ agents: [desk], channels: [whatsapp] })
 * ```
 */
export const make = (options: Channel.Options & Settings): Channel.Channel => {
  const { apiUrl: _url, appSecret: _secret, phoneNumberId: _id, token: _token, verifyToken: _verify, ...rest } = options
  return Channel.make(rest, adapter(options))
}
