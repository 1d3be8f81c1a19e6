// What a request stores under an id and then waits for, during an outage of the database. The response names it:
// to send the request again could execute it, and pay, twice.
import { Errors } from "@svc/api"
import { retryThroughOutage } from "@svc/runtime/node/retryThroughOutage"
import { Effect } from "effect"
import { IsDraining } from "../http/Shutdown.ts"
import { isStorageUnavailable } from "./WireErrors.ts"

export interface Named {
  /** `Evaluation '…'`. */
  readonly subject: string
  /** Where it is read. */
  readonly path: string
}

/** Less than the usual timeouts of clients and proxies. */
const maxOutage = "20 seconds"

const unavailable = ({ path, subject }: Named, state: string) =>
  Errors.unavailable(`The database does not reply at the moment. ${subject} ${state}: GET ${path}`)

/** The store has to keep one record of an id: the statement is repeated when its reply is lost, until a stop. */
export const store = <A, E, R>(storing: Effect.Effect<A, E, R>, named: Named) =>
  Effect.flatMap(IsDraining, (isDraining) => {
    let isOutcomeUnknown = false
    const noted = Effect.tapError(storing, (error) =>
      Effect.sync(() => {
        isOutcomeUnknown ||= isStorageUnavailable(error) && error.isRejected !== true &&
          error.pendingDatabase === undefined
      }))
    return Effect.catchIf(
      retryThroughOutage(noted, maxOutage, () => !isDraining()),
      isStorageUnavailable,
      (error) => Effect.fail(isOutcomeUnknown ? unavailable(named, "may have been stored") : error)
    )
  })

/** Of a request that waits for the end. */
export const orContinues = <A, E, R>(waiting: Effect.Effect<A, E, R>, named: Named) =>
  Effect.catchIf(waiting, isStorageUnavailable, () => Effect.fail(unavailable(named, "continues")))
