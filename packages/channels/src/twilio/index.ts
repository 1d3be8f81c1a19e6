// Twilio: a number for SMS: https://www.twilio.com/docs/messaging
import * as Json from "@svc-runtime/domain/Json"
import { Option, Redacted, Schema } from "effect"
import type * as Adapter from "../Adapter.ts"
import * as Channel from "../Channel.ts"
import { ChannelError } from "../ChannelError.ts"
import * as Http from "../Http.ts"
import * as Markdown from "../Markdown.ts"
import * as ChannelSettings from "../Settings.ts"
import * as Signatures from "../Signatures.ts"

/** Of an account of Twilio. */
export interface Settings {
  readonly accountSid: string
  readonly authToken: ChannelSettings.Secret
  /** The number that people write to (`+15550000000`), or a messaging service (`MG…`). */
  readonly from: string
  /** Instead of `https://api.twilio.com`. */
  readonly apiUrl?: string | undefined
}

/** The names of the settings that are sealed when they are stored. */
export const secrets: ReadonlyArray<string> = ["authToken"]

const maxText = 1600

const limits: Adapter.Limits = {
  text: maxText,
  postEvery: 1000,
  file: 0,
  hasButtons: false,
  hasForms: false
}

const Phone = Schema.String.check(Schema.isPattern(/^(?:whatsapp:)?\+?\d{3,15}$/))

const maxFiles = 10

/** What a person has sent. Names without a meaning here are not read. */
const Sent = Schema.Struct({
  AccountSid: Schema.String,
  MessageSid: Schema.String.check(Schema.isPattern(/^[A-Z]{2}[\da-f]{32}$/)),
  From: Phone,
  To: Phone,
  Body: Schema.optionalKey(Schema.String),
  NumMedia: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d{1,2}$/))),
  /** Twilio has answered a word such as STOP itself. */
  OptOutType: Schema.optionalKey(Schema.String)
})

const decode = Schema.decodeUnknownOption(Sent)

const checked = (settings: Settings) => {
  const accountSid = ChannelSettings.text(settings.accountSid, {
    what: "The accountSid of Twilio",
    pattern: /^AC[\da-f]{32}$/,
    must: "begins with AC and has 34 characters"
  })
  const authToken = ChannelSettings.secret(settings.authToken, {
    what: "The authToken of Twilio",
    pattern: /^[\da-f]{32}$/,
    must: "has 32 hexadecimal digits",
    where: "The console of Twilio has it under Account Info"
  })
  const from = ChannelSettings.text(settings.from, {
    what: "The number of Twilio",
    pattern: /^(?:\+\d{5,15}|MG[\da-f]{32}|\d{3,8})$/,
    must: "begins with + and its country, or is a messaging service that begins with MG"
  })
  const url = ChannelSettings.apiUrl(settings.apiUrl, "Twilio", "https://api.twilio.com")
  return { accountSid, authToken, from, url }
}

/** The number or its service is another one, or Twilio may not send there. */
const ofAccount = new Set([20003, 20005, 20006, 21408, 21603, 21606, 21660])

const problemOf = ({ body, status }: Http.Answer): Http.Problem | undefined => {
  if (status >= 200 && status <= 299) return undefined
  const { code, message } = Json.isObject(body) ? body : {}
  return {
    ...(typeof message === "string" && { text: message }),
    ...(typeof code === "number" && ofAccount.has(code) && { reason: "unauthorized" as const })
  }
}

const malformed = new ChannelError({ reason: "malformed", message: "The request of Twilio cannot be read" })

/** The fields of a form. A name that is there twice has no clear value. */
const fieldsOf = ({ body }: Adapter.Delivery): Readonly<Record<string, string>> => {
  const fields = [...new URLSearchParams(new TextDecoder().decode(body))]
  const found = Object.fromEntries(fields)
  if (Object.keys(found).length !== fields.length) throw malformed
  return found
}

/** What Twilio signs: the whole URL, and behind it the names and values in the order of the names. */
const signedPartsOf = (url: string, fields: Readonly<Record<string, string>>): ReadonlyArray<string> => [
  url,
  ...Object.keys(fields).toSorted((a, b) => a < b ? -1 : 1).flatMap((name) => [name, fields[name] ?? ""])
]

/** Where Twilio keeps files. It sends the bytes from another place of its own, which needs no password. */
const fileHosts = /(?:^|\.)(?:twiliocdn|twilio)\.com$/

const render = (markdown: string): string => Markdown.render(markdown, Markdown.plain)

/** The adapter with settings that are JSON, or have `Redacted` secrets. Throws `SettingsError`. */
export const adapter = (settings: Settings): Adapter.Adapter => {
  const { accountSid, authToken, from, url } = checked(settings)
  const api: Http.Api = { platform: "Twilio", secrets: [authToken], problemOf }
  const account = `${url}/2010-04-01/Accounts/${accountSid}`
  const headers = () => ({
    authorization: `Basic ${Buffer.from(`${accountSid}:${Redacted.value(authToken)}`).toString("base64")}`
  })

  const isOfApi = (file: string): boolean =>
    URL.canParse(file) && new URL(file).origin === new URL(url).origin &&
    new URL(file).pathname.startsWith("/2010-04-01/")

  const isOfTwilio = (file: string): boolean => {
    if (!URL.canParse(file)) return false
    const { hostname, origin, protocol } = new URL(file)
    return origin === new URL(url).origin || (protocol === "https:" && fileHosts.test(hostname))
  }

  const outside = new ChannelError({ reason: "permanent", message: "The file is stored outside of Twilio" })

  const filesOf = (fields: Readonly<Record<string, string>>, count: number): ReadonlyArray<Adapter.SentFile> =>
    Array.from({ length: Math.min(count, maxFiles) }, (_, index) => {
      const mediaType = fields[`MediaContentType${index}`]
      return { ...(mediaType !== undefined && { mediaType }), source: { url: fields[`MediaUrl${index}`] ?? "" } }
    })

  const eventsOf = (fields: Readonly<Record<string, string>>): ReadonlyArray<Adapter.Event> => {
    const { AccountSid, Body = "", From, MessageSid, NumMedia = "0", OptOutType, To } = Option.getOrThrowWith(
      decode(fields),
      () => malformed
    )
    if (AccountSid !== accountSid) throw new ChannelError({ reason: "forged", message: "It is another account" })
    const files = filesOf(fields, Number(NumMedia))
    if (OptOutType !== undefined || (Body.trim() === "" && files.length === 0)) return []
    return [{
      type: "message",
      id: MessageSid,
      thread: `${To}:${From}`,
      place: { to: From, from: To },
      sender: { id: From },
      isDirect: true,
      text: Body,
      ...(files.length > 0 && { files })
    }]
  }

  return {
    platform: "twilio",
    limits,
    split: (markdown) => Markdown.split(markdown, maxText, (part) => render(part).length),

    receive: (delivery) =>
      Promise.resolve().then(() => {
        const fields = fieldsOf(delivery)
        const parts = signedPartsOf(delivery.url, fields)
        const signature = Signatures.hmac({ secret: authToken, parts, algorithm: "sha1", encoding: "base64" })
        Signatures.requireHeader(delivery, "x-twilio-signature", signature)
        const acknowledgement = { headers: { "content-type": "text/xml" }, body: "<Response/>" }
        return { acknowledgement, events: eventsOf(fields) }
      }),

    post: async ({ from: number, to }, { text }, context) => {
      if (typeof to !== "string") {
        throw new ChannelError({ reason: "permanent", message: "The place is no conversation of Twilio" })
      }
      const body = render(text).trim()
      const sender = from.startsWith("MG")
        ? { MessagingServiceSid: from }
        : { From: typeof number === "string" ? number : from }
      const form = { To: to, ...sender, Body: body === "" ? "…" : body }
      const call = { name: "a message", url: `${account}/Messages.json`, headers: headers(), form }
      const { sid } = await Http.object(api, call, context)
      if (typeof sid === "string") return sid
      throw new ChannelError({ reason: "temporary", message: "Twilio gave no message" })
    },

    download: async ({ source }, context) => {
      const file = String(source["url"])
      if (!isOfApi(file)) throw outside
      const name = "the download of a file"
      const first = await context.fetch(file, { headers: headers(), redirect: "manual", signal: context.signal })
        .catch(() => {
          throw new ChannelError({ reason: "temporary", message: `Twilio could not be reached for ${name}` })
        })
      const to = first.headers.get("location")
      if (first.status < 300 || first.status > 399 || to === null) {
        if (first.ok) return new Uint8Array(await first.arrayBuffer())
        await first.body?.cancel()
        return Http.download(api, { name, url: file, headers: headers() }, context)
      }
      await first.body?.cancel()
      if (!isOfTwilio(to)) throw outside
      return Http.download(api, { name, url: to }, context)
    },

    directPlace: async (sender) => from.startsWith("MG") ? { to: sender } : { to: sender, from },

    test: async (context) => {
      const call = { name: "the account", url: `${account}.json`, headers: headers() }
      const { friendly_name: name, status } = await Http.object(api, call, context)
      if (status === "active") return `${from} of ${String(name)}`
      throw new ChannelError({ reason: "unauthorized", message: `The account of Twilio is ${String(status)}` })
    }
  }
}

/**
 * A channel for SMS.
 *
 * @example
 * ```ts
 * serve({ agents: [desk], channels: [Twilio.make({ agent: "desk", accountSid, authToken, from: "+15550000000" })] })
 * ```
 */
export const make = (options: Channel.Options & Settings): Channel.Channel => {
  const { accountSid: _sid, apiUrl: _url, authToken: _token, from: _from, ...rest } = options
  return Channel.make(rest, adapter(options))
}
