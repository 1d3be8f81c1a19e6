// The header `Idempotency-Key`. A key belongs to its caller and to one route.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Principal from "@svc-runtime/domain/Principal"
import * as IdempotencyClaim from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import { orUnavailable } from "../wire/WireErrors.ts"

const isKey = (text: string) => /^[\x20-\x7e]{1,255}$/.test(text)

const malformed = () => Errors.badRequest("Idempotency-Key has to be 1 to 255 printable characters")

const withoutUser = Errors.badRequest("Idempotency-Key needs a credential with a user")

export const reused = ({ message }: IdempotencyClaim.IdempotencyKeyReused) => Errors.conflict(message)

const sha256 = (data: string) => hash("sha256", data, "hex")

/**
 * Whose key it is. A token that is limited to a session may not see what the others of its user made. Isolated callers
 * without a user have none: they would share their keys, and could not see what the first request made.
 */
export const callerOf = (
  { credential, isIsolated, session_id, user_id }: Principal.Principal,
  claimedUser?: string | null
): ReadonlyArray<string | null> | undefined => {
  if (isIsolated && user_id === undefined) return undefined
  const caller = [credential, user_id ?? claimedUser ?? null]
  return session_id === undefined ? caller : [...caller, session_id]
}

/** `fingerprint` is a hash of the body. Undefined when the request has no key. */
export const read = Effect.fnUntraced(function*(
  { headers, method, url }: HttpServerRequest.HttpServerRequest,
  fingerprint: string
) {
  const key = headers["idempotency-key"]
  if (key === undefined) return undefined
  if (!isKey(key)) return yield* malformed()
  const caller = callerOf(yield* CurrentPrincipal)
  if (caller === undefined) return yield* withoutUser
  const idempotencyKey: IdempotencyClaim.IdempotencyKey = {
    key: sha256(JSON.stringify([...caller, method, url.split("?")[0], key])),
    fingerprint
  }
  return idempotencyKey
})

export interface Claiming {
  readonly request: HttpServerRequest.HttpServerRequest
  /** Of its body. */
  readonly fingerprint: string
  /** Describes what the request creates. */
  readonly subject: Json.Object
}

/** Undefined when the request has no key. */
export const claim = Effect.fnUntraced(function*(
  store: IdempotencyStore["Service"],
  { fingerprint, request, subject }: Claiming
) {
  const key = yield* read(request, fingerprint)
  return key === undefined ? undefined : yield* IdempotencyClaim.claim(store, key, subject)
}, (claimed) => orUnavailable(Effect.catchTag(claimed, "IdempotencyKeyReused", (error) => Effect.fail(reused(error)))))
