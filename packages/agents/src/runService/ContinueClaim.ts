// The idempotency claim of a request that continues a run. It names the run that the request resumes or starts. A run
// stores the claims under which it was resumed, in the statement that resumes it: a repeated request gets the run if
// that happened, and is executed if not, whatever became of the first request.
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as IdempotencyClaim from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Schema } from "effect"

export const Subject = Schema.Struct({ run_id: Run.Id, session_id: Session.Id })
export type Subject = typeof Subject.Type
export const decodeSubject = Schema.decodeUnknownEffect(Subject)

export interface ContinueClaim {
  /** The run that the request resumes or starts. */
  readonly subject: Subject
  /** Undefined when the request has no key. */
  readonly claim_id: string | undefined
  /** An earlier request has the key. */
  readonly isRetry: boolean
  /** Frees the key of a request that was refused for good. */
  readonly release: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(
  store: IdempotencyStore["Service"],
  key: IdempotencyClaim.IdempotencyKey | undefined,
  subject: Subject
) {
  if (key === undefined) {
    const none: ContinueClaim = { subject, claim_id: undefined, isRetry: false, release: Effect.void }
    return none
  }
  const claimed = yield* IdempotencyClaim.claim(store, key, { ...subject })
  const claim: ContinueClaim = {
    subject: claimed.isNew ? subject : yield* Effect.orDie(decodeSubject(claimed.subject)),
    claim_id: claimed.claim_id,
    isRetry: !claimed.isNew,
    release: Effect.ignore(claimed.release, { log: true })
  }
  return claim
})

/** Whether a request with this claim has resumed the run. */
export const hasResumed = ({ claim_id }: ContinueClaim, { resumeClaims }: RunSnapshot): boolean =>
  claim_id !== undefined && resumeClaims.includes(claim_id)

/** A refusal frees the key. After an outage or an interruption the outcome is unknown, and the claim is kept. */
export const releaseOnFailure = <A, E extends { readonly _tag: string }, R>(
  request: Effect.Effect<A, E, R>,
  { release }: ContinueClaim
) => Effect.tapError(request, ({ _tag }) => _tag === "StorageUnavailable" ? Effect.void : release)
