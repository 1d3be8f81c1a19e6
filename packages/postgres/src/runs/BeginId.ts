// `begin_id` of a run identifies the statement that created the run, so that a lost reply can be recognized. It starts
// with the claim of the idempotency key, if the request that starts the run has one.
import type { SqlClient, Statement } from "effect/sql"

export const prefixOf = (claim: string): string => `${claim}/`

/** The part of the stored one that `NewRun` has. */
export const ofStart = (sql: SqlClient.SqlClient, stored: Statement.Fragment) => sql`substring(${stored} from '[^/]*$')`

export const make = (claim: string | undefined, id: string): string =>
  claim === undefined ? id : `${prefixOf(claim)}${id}`
