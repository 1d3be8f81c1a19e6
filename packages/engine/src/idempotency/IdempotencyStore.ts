// Stores the idempotency keys of requests. A second request with a key gets the subject of the first one. Answers are
// not stored.
import type * as Json from "@svc-runtime/domain/Json"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect } from "effect"

export interface Claim {
  /** A hash of the caller, the route and the key. */
  readonly key: string
  /** Tells this claim from all others. */
  readonly claim_id: string
  /** A hash of the request: another request may not use the key. */
  readonly fingerprint: string
  /** Describes what the request creates. */
  readonly subject: Json.Object
  readonly created_at: Time.EpochSeconds
  /** The key is free again after `expires_at - created_at`, by the clock of the store. */
  readonly expires_at: Time.EpochSeconds
}

/** Tells a claim from all others. */
export type ExistingClaim = Pick<Claim, "key" | "claim_id">

export class IdempotencyStore extends Context.Service<IdempotencyStore, {
  /** The valid claim: this one, or an earlier one. Decided in one statement, also for simultaneous claims. */
  readonly claim: (claim: Claim) => Effect.Effect<Claim, StorageUnavailable>
  /** Frees the key of a request that made nothing. An invalid claim is ignored. */
  readonly release: (held: ExistingClaim) => Effect.Effect<void, StorageUnavailable>
}>()("@svc-runtime/engine/idempotency/IdempotencyStore") {}
