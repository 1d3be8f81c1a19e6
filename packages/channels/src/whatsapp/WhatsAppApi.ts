// Calls of the WhatsApp Cloud API: https://developers.facebook.com/documentation/business-messaging/whatsapp
import * as Json from "@svc-runtime/domain/Json"
import { Redacted } from "effect"
import type { Context } from "../Adapter.ts"
import { ChannelError, type Reason } from "../ChannelError.ts"
import * as Http from "../Http.ts"

export interface WhatsAppApi {
  readonly url: string
  readonly token: Redacted.Redacted
  readonly http: Http.Api
}

/** Seconds to wait, by the code of a limit. */
const waits: ReadonlyMap<number, number> = new Map([
  // of the app and of the account
  [4, 60],
  [80007, 60],
  // of the number
  [130429, 2],
  // too many people have blocked the number
  [131048, 3600],
  // of the number and this person
  [131056, 6],
  [133016, 3600]
])

/** The token is wrong, the account is locked, or a bill is not paid. */
const ofAccount = new Set([0, 3, 10, 190, 368, 131005, 131031, 131042, 131045, 133010])

const temporary = new Set([1, 2, 131000, 131016, 131057, 133004])

const reasonOf = (status: number, code: number): Reason => {
  if (waits.has(code) || status === 429) return "rate_limited"
  if (ofAccount.has(code) || (code >= 200 && code <= 299)) return "unauthorized"
  if (temporary.has(code) || status >= 500) return "temporary"
  return status === 401 ? "unauthorized" : "permanent"
}

const problemOf = ({ body, headers, status }: Http.Answer): Http.Problem | undefined => {
  if (status >= 200 && status <= 299) return undefined
  const error = Json.isObject(body) ? body["error"] : undefined
  if (!Json.isObject(error)) return {}
  const { code, error_data: data, message } = error
  const number = typeof code === "number" ? code : -1
  const details = Json.isObject(data) ? data["details"] : undefined
  return {
    reason: reasonOf(status, number),
    text: String(details ?? message ?? `status ${status}`),
    retryAfter: headers.has("retry-after") ? undefined : waits.get(number)
  }
}

export const make = (
  url: string,
  token: Redacted.Redacted,
  secrets: ReadonlyArray<Redacted.Redacted>
): WhatsAppApi => ({
  url,
  token,
  http: { platform: "WhatsApp", secrets, problemOf }
})

const bearer = ({ token }: WhatsAppApi) => ({ authorization: `Bearer ${Redacted.value(token)}` })

export interface Call {
  readonly name: string
  readonly path: string
  readonly json?: Json.Object | undefined
  readonly body?: FormData | undefined
}

export const call = (
  api: WhatsAppApi,
  { body, json, name, path }: Call,
  context: Context
): Promise<Json.Object> =>
  Http.object(api.http, {
    name,
    url: `${api.url}${path}`,
    headers: bearer(api),
    ...(json !== undefined && { json }),
    ...(body !== undefined && { body, method: "POST" })
  }, context)

/** Where WhatsApp keeps files of people. */
const hosts = /(?:^|\.)(?:fbsbx\.com|facebook\.com|whatsapp\.net)$/

const isOfWhatsApp = (api: WhatsAppApi, url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, origin, protocol } = new URL(url)
  return origin === new URL(api.url).origin || (protocol === "https:" && hosts.test(hostname))
}

/** The bytes of a file that a person has sent. Other addresses than those of WhatsApp must not get the token. */
export const download = async (api: WhatsAppApi, id: string, context: Context): Promise<Uint8Array> => {
  if (!/^\w{1,100}$/.test(id)) throw new ChannelError({ reason: "permanent", message: "There is no such file" })
  const { url } = await call(api, { name: "a file", path: `/${id}` }, context)
  if (typeof url !== "string" || !isOfWhatsApp(api, url)) {
    throw new ChannelError({ reason: "permanent", message: "The file is stored outside of WhatsApp" })
  }
  return Http.download(api.http, { name: "the download of a file", url, headers: bearer(api) }, context)
}
