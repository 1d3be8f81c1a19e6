// What an `Idempotency-Key` means to a request that continues a run. The claim names the run that the request resumes or
// makes. A run keeps the claims under which it was resumed, written by the statement that resumes it: a retry is answered
// with the run when that happened, and is executed when it did not, whatever became of the first request.
import { Errors } from "@svc/api"
import { Run, Session } from "@svc/domain"
import type { IdempotencyStore, RunSnapshot } from "@svc/runtime"
import { Effect, Schema } from "effect"
import * as IdempotencyKey from "../idempotency/IdempotencyKey.ts"

const Subject = Schema.Struct({ run_id: Run.Id, session_id: Session.Id })
export type Subject = typeof Subject.Type
const decodeSubject = Schema.decodeUnknownEffect(Subject)

export interface ContinueClaim {
  /** The run that the request resumes or makes. */
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
  { subject, ...request }: Omit<IdempotencyKey.Claiming, "subject"> & { readonly subject: Subject }
) {
  const claimed = yield* IdempotencyKey.claim(store, { ...request, subject })
  const claim: ContinueClaim = claimed === undefined
    ? { subject, claim_id: undefined, isRetry: false, release: Effect.void }
    : {
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

/** A refusal frees the key. After an outage or an interruption the outcome is unknown, and the claim is kept for a retry. */
export const releasedOnRefusal = <A, E, R>(request: Effect.Effect<A, E, R>, { release }: ContinueClaim) =>
  Effect.tapError(request, (error) => error instanceof Errors.Unavailable ? Effect.void : release)
