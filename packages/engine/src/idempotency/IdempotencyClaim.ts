// The claim of a request on its idempotency key. A claim is valid for a day.
import type * as Json from "@svc-runtime/domain/Json"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Schema } from "effect"
import { NewId } from "../NewId.ts"
import { now } from "../now.ts"
import type { Claim, IdempotencyStore } from "./IdempotencyStore.ts"

const secondsPerDay = 86_400

export interface IdempotencyKey {
  /** A hash of the caller, the route and the key of the sender. */
  readonly key: string
  /** A hash of the request. */
  readonly fingerprint: string
}

export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {
  override get message() {
    return "Idempotency-Key was used for another request. Use another key, or send the request as it was."
  }
}

export interface Claimed {
  /** False when an earlier request has the key: `subject` is then what that request made. */
  readonly isNew: boolean
  /** Of the claim that holds: equal requests with one key share it. */
  readonly claim_id: string
  readonly subject: Json.Object
  /** Frees the key of a request that was refused for good and made nothing. */
  readonly release: Effect.Effect<void, StorageUnavailable>
}

export const claim = Effect.fnUntraced(function*(
  store: IdempotencyStore["Service"],
  { fingerprint, key }: IdempotencyKey,
  subject: Json.Object
) {
  const createdAt = yield* now
  const wanted: Claim = {
    key,
    claim_id: (yield* NewId)(),
    fingerprint,
    subject,
    created_at: createdAt,
    expires_at: createdAt + secondsPerDay
  }
  const held = yield* store.claim(wanted)
  if (held.fingerprint !== fingerprint) return yield* new IdempotencyKeyReused()
  const claimed: Claimed = {
    isNew: held.claim_id === wanted.claim_id,
    claim_id: held.claim_id,
    subject: held.subject,
    release: store.release(wanted)
  }
  return claimed
})
