// Tokens that a source obtains for its requests, and obtains again before they expire or when they are refused.
import type { Fetched, FetchRequest } from "@svc-runtime/fetch"
import { Clock, Effect, Redacted, Schema, Semaphore } from "effect"
import { createPrivateKey, type KeyObject, sign } from "node:crypto"
import type { ContentSourceFailed } from "../ContentSource.ts"
import * as SourceClient from "./SourceClient.ts"

export interface Obtained {
  readonly token: string
  readonly seconds: number
}

export interface AccessToken {
  readonly get: Effect.Effect<Redacted.Redacted, ContentSourceFailed>
  /** It was refused: the next request obtains another one. False: there is no other. */
  readonly drop: (token: Redacted.Redacted) => boolean
}

/** A token is not used in its last minute. */
const margin = 60

export const make = (obtain: Effect.Effect<Obtained, ContentSourceFailed>): AccessToken => {
  const gate = Semaphore.makeUnsafe(1)
  let current: { readonly token: Redacted.Redacted; readonly until: number } | undefined
  const get = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    if (current !== undefined && now < current.until) return current.token
    const { seconds, token } = yield* obtain
    current = { token: Redacted.make(token), until: now + (seconds - margin) * 1000 }
    return current.token
  })
  return {
    get: gate.withPermit(get),
    drop: (token) => {
      if (current?.token === token) current = undefined
      return true
    }
  }
}

export const fixed = (token: string | Redacted.Redacted): AccessToken => ({
  get: Effect.succeed(SourceClient.hidden(token)),
  drop: () => false
})

/** Sends a request with the token, and once more with another one if it was refused. */
export const authorized = (send: SourceClient.Send, token: AccessToken | undefined): SourceClient.Send =>
  Effect.fnUntraced(function*(request: FetchRequest): Effect.fn.Return<Fetched, ContentSourceFailed> {
    if (token === undefined) return yield* send(request)
    const attempt = (value: Redacted.Redacted) =>
      send({ ...request, headers: { ...request.headers, authorization: `Bearer ${Redacted.value(value)}` } })
    const used = yield* token.get
    const response = yield* attempt(used)
    return response.status === 401 && token.drop(used) ? yield* attempt(yield* token.get) : response
  })

const TokenResponse = Schema.Struct({ access_token: Schema.NonEmptyString, expires_in: Schema.Finite })

const Refusal = Schema.fromJsonString(Schema.Struct({ error: Schema.String }))

/** The token endpoint of OAuth 2.0. */
export const oauth = Effect.fnUntraced(function*(
  send: SourceClient.Send,
  url: URL,
  fields: Readonly<Record<string, string>>
) {
  const body = { content: String(new URLSearchParams(fields)), type: "application/x-www-form-urlencoded" }
  const response = yield* send({ url: url.href, method: "POST", body, maxBytes: SourceClient.maxBytes.token })
  if (response.status !== 200) {
    const refusal = Schema.decodeUnknownOption(Refusal)(SourceClient.textOf(response))
    const code = refusal._tag === "Some" ? refusal.value.error : undefined
    // a refused secret is 400 or 401
    const status = response.status === 400 ? 401 : response.status
    return yield* SourceClient.failureOf(
      { ...response, status },
      { place: "Tokens", name: url.host, path: undefined },
      code
    )
  }
  const { access_token: token, expires_in: seconds } = yield* SourceClient.decodeJson(TokenResponse, url.host)(response)
  return { token, seconds }
})

/** Throws if it is no private key in PEM. */
export const privateKeyOf = (pem: string | Redacted.Redacted): Redacted.Redacted<KeyObject> =>
  Redacted.make(createPrivateKey(Redacted.value(SourceClient.hidden(pem)).replaceAll("\\n", "\n")))

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A JWT with an RS256 signature, for ten minutes from now. */
export const signed = (key: Redacted.Redacted<KeyObject>, claims: Readonly<Record<string, unknown>>) =>
  Effect.map(Clock.currentTimeMillis, (millis) => {
    // a clock can be behind
    const iat = Math.floor(millis / 1000) - 30
    const text = `${base64({ alg: "RS256", typ: "JWT" })}.${base64({ ...claims, iat, exp: iat + 570 })}`
    return `${text}.${sign("RSA-SHA256", Buffer.from(text), Redacted.value(key)).toString("base64url")}`
  })
