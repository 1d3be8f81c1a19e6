// What requests to models may cost. A feature knows the limits. The engine asks it before a run begins, and gives the
// code of a run or of a job a purse: each request to a model is paid from it.
import type { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Usage from "@svc-runtime/domain/Usage"
import { Context, type Effect, Schema } from "effect"
import type { LimitReached } from "../run/RunErrors.ts"

/** Whose limits count. The runs inside of a run have its payer. */
export interface Payer {
  /** The run, or the job. */
  readonly id: string
  readonly isJob?: boolean | undefined
  /** What earlier attempts have reserved is charged when a later one pays. */
  readonly attempt: number
  /** Payers without a user count together. */
  readonly user_id: Ids.UserId | null
  /** Undefined: the component is not known. */
  readonly component: { readonly kind: ComponentKind; readonly id: string } | undefined
}

/** A request to a model, before it is sent. */
export interface Expected {
  readonly model: { readonly id: string; readonly provider: string }
  /** As far as it can be known before. */
  readonly usage: Usage.Counters
}

/** A request would exceed a limit. */
export class SpendingRefused extends Schema.TaggedError<SpendingRefused>()("SpendingRefused", {
  message: Schema.String,
  /** Seconds after which it can be tried again. Left out: nothing but a change of the limit helps. */
  retry_after: Schema.optionalKey(Schema.Finite)
}) {}

/** What is reserved for one request. */
export interface Reservation {
  /**
   * Charges what the request has used, in place of what was reserved. Called once. Undefined: the request was not
   * answered, and costs nothing.
   */
  readonly settle: (usage: Usage.Counters | undefined) => Effect.Effect<void>
}

export interface Purse {
  /** Whether a limit counts for the payer now. Without one nothing is reserved. */
  readonly isLimited: () => boolean
  /** Waits while other requests have reserved what is left. */
  readonly reserve: (expected: Expected) => Effect.Effect<Reservation, SpendingRefused>
  /** When the attempt has ended: charges what earlier ones have reserved, if no request of this one has. */
  readonly ended: Effect.Effect<void>
}

export class Spending extends Context.Service<Spending, {
  /** Before a run is accepted or continued. */
  readonly admit: (payer: Payer) => Effect.Effect<void, LimitReached | StorageUnavailable>
  readonly purseOf: (payer: Payer) => Purse
}>()("@svc-runtime/engine/limits/Spending") {}
