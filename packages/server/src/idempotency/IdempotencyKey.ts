// `Idempotency-Key`: a request that is sent again under its key, because nobody knows what came of it, is
// about what the first one made. A key belongs to its caller and to one route, and means something for a day.
import { CurrentPrincipal, Errors } from "@svc/api"
import type { Json } from "@svc/domain"
import { type Claim, type IdempotencyStore, NewId, now } from "@svc/runtime"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import { storageUnavailable } from "../handlers/translate.ts"

const secondsPerDay = 86_400

const isKey = (text: string) => /^[\x20-\x7e]{1,255}$/.test(text)

const malformed = () => Errors.badRequest("Idempotency-Key has to be 1 to 255 printable characters")

const reused = () =>
  Errors.conflict("Idempotency-Key was used for another request. Use another key, or send the request as it was.")

const sha256 = (data: string) => hash("sha256", data, "hex")

export interface Claimed {
  /** False when an earlier request has the key: `subject` is then what that one made. */
  readonly isNew: boolean
  /** Of the claim that holds: requests that are equal and share a key share it. */
  readonly claim_id: string
  readonly subject: Json.Object
  /**
   * For a request that was refused for good and made nothing: what it was about is not its own, so it must not be
   * answered with that when it is sent again.
   */
  readonly release: Effect.Effect<void, Errors.Unavailable>
}

export interface Claiming {
  readonly request: HttpServerRequest.HttpServerRequest
  /** Of its body. */
  readonly fingerprint: string
  /** What the request is about to make. */
  readonly subject: Json.Object
}

/** Undefined when the request has no key. */
export const claim = Effect.fnUntraced(function*(
  store: IdempotencyStore["Service"],
  { fingerprint, request: { headers, method, url }, subject }: Claiming
) {
  const key = headers["idempotency-key"]
  if (key === undefined) return undefined
  if (!isKey(key)) return yield* malformed()
  const { credential, user_id } = yield* CurrentPrincipal
  const createdAt = yield* now
  const wanted: Claim = {
    key: sha256(JSON.stringify([credential, user_id ?? null, method, url.split("?")[0], key])),
    claim_id: (yield* NewId)(),
    fingerprint,
    subject,
    created_at: createdAt,
    expires_at: createdAt + secondsPerDay
  }
  const held = yield* Effect.mapError(store.claim(wanted), storageUnavailable)
  if (held.fingerprint !== wanted.fingerprint) return yield* reused()
  const claimed: Claimed = {
    isNew: held.claim_id === wanted.claim_id,
    claim_id: held.claim_id,
    subject: held.subject,
    release: Effect.mapError(store.release(wanted), storageUnavailable)
  }
  return claimed
})
