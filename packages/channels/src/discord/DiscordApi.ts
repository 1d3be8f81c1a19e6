// Calls of Discord's HTTP API: https://docs.discord.com/developers/reference
import * as Json from "@svc-runtime/domain/Json"
import { Redacted } from "effect"
import type { Context, File } from "../Adapter.ts"
import { ChannelError, type Reason } from "../ChannelError.ts"
import * as Http from "../Http.ts"

export interface DiscordApi {
  readonly http: Http.Api
  readonly token: Redacted.Redacted
  readonly url: string
  /** Until when a route has no calls left, in milliseconds. */
  readonly spent: Map<string, number>
}

/**
 * One channel or message may be refused while others are not. Discord knows the token of a command (10015) only after
 * the command is acknowledged, and refuses it (50027) when it is too old.
 */
const reasonOf = (status: number, code: Json.Value | undefined): Reason | undefined => {
  if (code === 10015) return "temporary"
  return status === 403 || code === 50027 ? "permanent" : undefined
}

const problemOf = ({ body, status }: Http.Answer): Http.Problem | undefined => {
  if (status >= 200 && status <= 299) return undefined
  const fields = Json.isObject(body) ? body : {}
  const text = typeof fields["message"] === "string" ? fields["message"] : `status ${status}`
  const wait = fields["retry_after"]
  return { reason: reasonOf(status, fields["code"]), text, retryAfter: typeof wait === "number" ? wait : undefined }
}

export const make = (token: Redacted.Redacted, url: string): DiscordApi => ({
  http: { platform: "Discord", secrets: [token], problemOf },
  token,
  url,
  spent: new Map()
})

export interface Call {
  readonly method: "GET" | "PATCH" | "POST" | "PUT"
  readonly path: string
  readonly json?: Json.Object | ReadonlyArray<Json.Value> | undefined
  readonly files?: ReadonlyArray<File> | undefined
}

const maxRoutes = 1000

/** Limits are counted for each method and channel. Without ids of messages, of which there are many. */
const routeOf = ({ method, path }: Call): string => `${method} ${path.replace(/\/messages\/.*/, "/messages/")}`

const noteLimit = ({ spent }: DiscordApi, route: string, headers: Headers): void => {
  if (headers.get("x-ratelimit-remaining") !== "0") return
  const seconds = Number(headers.get("x-ratelimit-reset-after"))
  const [oldest] = spent.keys()
  if (spent.size >= maxRoutes && oldest !== undefined) spent.delete(oldest)
  if (Number.isFinite(seconds)) spent.set(route, Date.now() + seconds * 1000)
}

/** Discord blocks bots that are refused often, so that a call without a chance is not made. */
const requireRest = ({ spent }: DiscordApi, route: string): void => {
  const wait = (spent.get(route) ?? 0) - Date.now()
  if (wait <= 0) return void spent.delete(route)
  throw new ChannelError({
    reason: "rate_limited",
    message: "Discord allows no more calls of this kind for now",
    retryAfter: wait / 1000
  })
}

const bodyOf = ({ files = [], json }: Call) => {
  if (files.length === 0) return { json }
  const attachments = files.map(({ name }, id) => ({ id, filename: name }))
  const form = new FormData()
  form.append("payload_json", JSON.stringify({ ...json, attachments }))
  for (const [id, { bytes, mediaType, name }] of files.entries()) {
    form.append(`files[${id}]`, new Blob([new Uint8Array(bytes)], { type: mediaType }), name)
  }
  return { body: form }
}

export const call = async (api: DiscordApi, request: Call, context: Context): Promise<Json.Value | undefined> => {
  const route = routeOf(request)
  requireRest(api, route)
  const { body, headers } = await Http.request(api.http, {
    // a path can have the token of an interaction
    name: request.method,
    method: request.method,
    url: `${api.url}${request.path}`,
    headers: { authorization: `Bot ${Redacted.value(api.token)}`, "user-agent": "DiscordBot (svc, 1)" },
    ...bodyOf(request)
  }, context)
  noteLimit(api, route, headers)
  return body
}
