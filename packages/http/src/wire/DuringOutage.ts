// What a request stores under an id and then waits for, during an outage of the database or a stop of the service. The
// response names it: to send the request again could execute it, and pay, twice.
import { Errors } from "@svc-runtime/api"
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { retryThroughOutage } from "@svc-runtime/engine/node/retryThroughOutage"
import { Effect } from "effect"
import { Stopping } from "../requests/Shutdown.ts"

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
const storeUntil = (isDraining: () => boolean) => <A, E, R>(storing: Effect.Effect<A, E, R>, named: Named) =>
  Effect.suspend(() => {
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

const stopping = ({ path, subject }: Named) =>
  Errors.unavailable(`The service is stopping. ${subject} continues when it is back: GET ${path}`)

/** Waits for the end of what is stored, until the service stops. */
const awaitEndUntil = (begun: Effect.Effect<void>) => <A, E, R>(end: Effect.Effect<A, E, R>, named: Named) =>
  Effect.raceFirst(
    Effect.catchIf(end, isStorageUnavailable, () => Effect.fail(unavailable(named, "continues"))),
    Effect.andThen(begun, Effect.fail(stopping(named)))
  )

export const make = Stopping.useSync(({ begun, isDraining }) => ({
  store: storeUntil(isDraining),
  awaitEnd: awaitEndUntil(begun)
}))
