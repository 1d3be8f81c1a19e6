// That a request has been taken, under a key of its sender's choice: a second one with the same key is about the same
// thing. Only what it is about is kept, never what was answered.
import type * as Json from "@svc/domain/Json"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type * as Time from "@svc/domain/Time"
import { Clock, Context, Effect, Layer } from "effect"

export interface Claim {
  /** Whose request, to what, and the sender's key, as one hash. */
  readonly key: string
  /** Tells this claim from all others. */
  readonly claim_id: string
  /** A hash of the request: another request may not use the key. */
  readonly fingerprint: string
  /** What the request makes. */
  readonly subject: Json.Object
  readonly created_at: Time.EpochSeconds
  /** How long after `created_at` the key is free again; the clock of the store tells when that is. */
  readonly expires_at: Time.EpochSeconds
}

/** Tells a claim from all others. */
export type ExistingClaim = Pick<Claim, "key" | "claim_id">

export class IdempotencyStore extends Context.Service<IdempotencyStore, {
  /** The valid claim: this one, or an earlier one. Decided in one statement, also for simultaneous claims. */
  readonly claim: (claim: Claim) => Effect.Effect<Claim, StorageUnavailable>
  /** Frees the key of a request that made nothing. A claim that does not hold is passed over. */
  readonly release: (held: ExistingClaim) => Effect.Effect<void, StorageUnavailable>
}>()("@svc/runtime/idempotency/IdempotencyStore") {
  static readonly layerMemory: Layer.Layer<IdempotencyStore> = Layer.sync(IdempotencyStore, () => {
    const claims = new Map<string, { readonly claim: Claim; readonly freeFrom: number }>()
    return IdempotencyStore.of({
      claim: (claim) =>
        Effect.map(Clock.currentTimeMillis, (time) => {
          const known = claims.get(claim.key)
          if (known !== undefined && known.freeFrom > time) return known.claim
          claims.set(claim.key, { claim, freeFrom: time + (claim.expires_at - claim.created_at) * 1000 })
          return claim
        }),
      release: ({ claim_id, key }) =>
        Effect.sync(() => {
          if (claims.get(key)?.claim.claim_id === claim_id) claims.delete(key)
        })
    })
  })
}
