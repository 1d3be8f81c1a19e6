// Calls of Slack's Web API: https://docs.slack.dev/apis/web-api
import * as Json from "@svc-runtime/domain/Json"
import { Redacted } from "effect"
import type { Context } from "../Adapter.ts"
import type { Reason } from "../ChannelError.ts"
import * as Http from "../Http.ts"

export interface SlackApi {
  readonly url: string
  readonly token: Redacted.Redacted
  readonly http: Http.Api
}

/** What the token is refused for. Other errors are about one message, person or file. */
const ofToken = new Set([
  "access_denied",
  "account_inactive",
  "ekm_access_denied",
  "enterprise_is_restricted",
  "invalid_auth",
  "missing_scope",
  "no_permission",
  "not_allowed_token_type",
  "not_authed",
  "org_login_required",
  "team_access_not_granted",
  "token_expired",
  "token_revoked",
  "two_factor_setup_required"
])

const temporary = new Set([
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
  "team_added_to_org"
])

const limited = new Set(["message_limit_exceeded", "rate_limited", "ratelimited"])

const reasonOf = (error: string): Reason => {
  if (limited.has(error)) return "rate_limited"
  if (ofToken.has(error)) return "unauthorized"
  return temporary.has(error) ? "temporary" : "permanent"
}

/** The method with the scope that it needs, or with the field that is wrong. */
const textOf = (error: string, body: Json.Object): string => {
  const { needed, response_metadata: metadata } = body
  if (error === "missing_scope" && typeof needed === "string") return `missing_scope, it needs ${needed}`
  const messages = Json.isObject(metadata) ? metadata["messages"] : undefined
  const first = Json.isList(messages) ? messages[0] : undefined
  return typeof first === "string" ? `${error} ${first}` : error
}

/** Slack refuses with the status 200. */
const problemOf = ({ body, status }: Http.Answer): Http.Problem | undefined => {
  if (!Json.isObject(body) || body["ok"] === true) return undefined
  const error = typeof body["error"] === "string" ? body["error"] : `status ${status}`
  return { reason: status >= 400 ? undefined : reasonOf(error), text: textOf(error, body) }
}

export const make = (url: string, token: Redacted.Redacted, secrets: ReadonlyArray<Redacted.Redacted>): SlackApi => ({
  url,
  token,
  http: { platform: "Slack", secrets, problemOf }
})

export const bearer = (api: SlackApi): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${Redacted.value(api.token)}`
})

const callOf = (api: SlackApi, method: string) => ({ name: method, url: `${api.url}/${method}`, headers: bearer(api) })

export type Values = Readonly<Record<string, unknown>>

/** A method that writes. Undefined values are left out. */
export const write = (api: SlackApi, method: string, json: Values, context: Context): Promise<Json.Object> =>
  Http.object(api.http, { ...callOf(api, method), json }, context)

/** A method that reads: these take forms only. */
export const read = (
  api: SlackApi,
  method: string,
  form: Readonly<Record<string, string>>,
  context: Context
): Promise<Json.Object> => Http.object(api.http, { ...callOf(api, method), form }, context)

/** With the headers, of which one has the scopes of the token. */
export const who = (api: SlackApi, context: Context): Promise<Http.Answer> =>
  Http.request(api.http, { ...callOf(api, "auth.test"), form: {} }, context)

/** A text of a response, which Slack always sends. */
export const textField = (object: Json.Value | undefined, name: string): string => {
  const value = Json.isObject(object) ? object[name] : undefined
  return typeof value === "string" ? value : ""
}
