// What a request stores under an id and then waits for, during an outage of the database. The response names it:
// to send the request again could execute it, and pay, twice.
import { Errors } from "@svc/api"
import { Effect } from "effect"
import { isStorageUnavailable } from "./WireErrors.ts"

export interface Named {
  /** `Evaluation '…'`. */
  readonly subject: string
  /** Where it is read. */
  readonly path: string
}

const continues = ({ path, subject }: Named) =>
  Errors.unavailable(`The database does not answer at the moment. ${subject} continues: GET ${path}`)

/** Of a request that waits for the end. */
export const orContinues = <A, E, R>(waiting: Effect.Effect<A, E, R>, named: Named) =>
  Effect.catchIf(waiting, isStorageUnavailable, () => Effect.fail(continues(named)))
