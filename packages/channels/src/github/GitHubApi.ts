// Calls of GitHub's REST API as an app that is installed: https://docs.github.com/rest
import * as Json from "@svc-runtime/domain/Json"
import { Redacted } from "effect"
import { createPrivateKey, type KeyObject, sign } from "node:crypto"
import type { Context } from "../Adapter.ts"
import { ChannelError, type Reason } from "../ChannelError.ts"
import * as Http from "../Http.ts"

export interface GitHubApi {
  readonly url: string
  readonly appId: string
  readonly key: KeyObject
  readonly privateKey: Redacted.Redacted
  /** Tokens of installations, until shortly before they expire. */
  readonly tokens: Map<number, { readonly token: Redacted.Redacted; readonly until: number }>
}

/** Undefined: the text is no private key. */
export const keyOf = (pem: Redacted.Redacted): KeyObject | undefined => {
  try {
    // in an environment variable the lines can be written as one
    const key = createPrivateKey(Redacted.value(pem).replaceAll("\\n", "\n"))
    return key.asymmetricKeyType === "rsa" ? key : undefined
  } catch {
    return undefined
  }
}

export const make = (url: string, appId: string, privateKey: Redacted.Redacted, key: KeyObject): GitHubApi => ({
  url,
  appId,
  key,
  privateKey,
  tokens: new Map()
})

const encoded = (value: Json.Object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Proves for some minutes that a call is of the app. The clocks of GitHub and of this machine can differ. */
const jwtOf = ({ appId, key }: GitHubApi): Redacted.Redacted => {
  const now = Math.floor(Date.now() / 1000)
  const claims = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded({ iat: now - 60, exp: now + 480, iss: appId })}`
  return Redacted.make(`${claims}.${sign("sha256", Buffer.from(claims), key).toString("base64url")}`)
}

const isLimit = (headers: Headers, text: string): boolean =>
  headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0" || /rate limit/i.test(text)

/** Seconds: the header says until when. */
const waitOf = (headers: Headers): number | undefined => {
  if (headers.has("retry-after")) return undefined
  const seconds = Number(headers.get("x-ratelimit-reset"))
  // without a time, GitHub asks to wait for a minute
  return headers.get("x-ratelimit-remaining") === "0" && seconds > 0 ? Math.ceil(seconds - Date.now() / 1000) : 60
}

const reasonOf = (status: number, text: string): Reason | undefined => {
  if (status === 403 && /locked|blocked|archived|disabled/i.test(text)) return "permanent"
  return undefined
}

const problemOf = ({ body, headers, status }: Http.Answer): Http.Problem | undefined => {
  if (status >= 200 && status <= 299) return undefined
  const message = Json.isObject(body) ? body["message"] : undefined
  const text = typeof message === "string" ? message : `status ${status}`
  if ((status === 403 || status === 429) && isLimit(headers, text)) {
    return { reason: "rate_limited", text, retryAfter: waitOf(headers) }
  }
  return { reason: reasonOf(status, text), text }
}

export interface Call {
  readonly method?: "GET" | "PATCH" | "POST" | undefined
  /** What the call does, for messages. */
  readonly name: string
  readonly path: string
  readonly json?: Json.Object | undefined
}

const send = (
  api: GitHubApi,
  { json, method = "GET", name, path }: Call,
  token: Redacted.Redacted,
  context: Context,
  note: (answer: Http.Answer) => void = () => undefined
): Promise<Http.Answer> => {
  const noted = (answer: Http.Answer) => {
    note(answer)
    return problemOf(answer)
  }
  return Http.request({ platform: "GitHub", secrets: [token, api.privateKey], problemOf: noted }, {
    name,
    method,
    url: `${api.url}${path}`,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${Redacted.value(token)}`,
      "user-agent": "svc",
      "x-github-api-version": "2022-11-28"
    },
    ...(json !== undefined && { json })
  }, context)
}

/** A call as the app itself. */
export const ofApp = async (api: GitHubApi, call: Call, context: Context): Promise<Json.Value | undefined> =>
  (await send(api, call, jwtOf(api), context)).body

const maxTokens = 1000

/** Milliseconds before its end at which a token is not used any more. */
const margin = 120_000

const tokenOf = async (api: GitHubApi, installation: number, context: Context): Promise<Redacted.Redacted> => {
  const known = api.tokens.get(installation)
  if (known !== undefined && known.until > Date.now()) return known.token
  const path = `/app/installations/${installation}/access_tokens`
  const body = await ofApp(api, { name: "the token of an installation", method: "POST", path }, context)
  const { expires_at, token } = Json.isObject(body) ? body : {}
  if (typeof token !== "string" || typeof expires_at !== "string") {
    throw new ChannelError({ reason: "temporary", message: "GitHub gave no token of the installation" })
  }
  const made = Redacted.make(token)
  const [oldest] = api.tokens.keys()
  if (api.tokens.size >= maxTokens && oldest !== undefined) api.tokens.delete(oldest)
  api.tokens.set(installation, { token: made, until: Date.parse(expires_at) - margin })
  return made
}

/** A call as the installation. A token that GitHub has revoked is replaced once. */
export const call = async (
  api: GitHubApi,
  installation: number,
  request: Call,
  context: Context
): Promise<Http.Answer> => {
  const isKnown = api.tokens.has(installation)
  let isRevoked = false
  const token = await tokenOf(api, installation, context)
  try {
    return await send(api, request, token, context, ({ status }) => {
      isRevoked = isKnown && status === 401
    })
  } catch (error) {
    if (!isRevoked) throw error
    api.tokens.delete(installation)
    return send(api, request, await tokenOf(api, installation, context), context)
  }
}
