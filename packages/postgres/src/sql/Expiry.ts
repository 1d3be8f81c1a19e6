// The steps of the retention that features add: each removes rows of the tables of its feature.
import type { Task } from "@svc-runtime/engine/run/store/RetentionStore"
import { Context, type Effect, type Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

export interface ExpiryStep<in Settings = never> extends Pick<Task, "removed"> {
  /** The age from which on rows are removed. Undefined: never. */
  readonly age: (settings: Settings) => Task["age"]
  /** One statement, which removes some of the rows that are older than the seconds, and returns their `count`. */
  readonly prune: (sql: SqlClient.SqlClient) => (seconds: number) => Statement.Statement<object>
  /** Executed when a statement has removed nothing. */
  readonly after?:
    | ((sql: SqlClient.SqlClient) => Effect.Effect<void, Schema.SchemaError | SqlError.SqlError>)
    | undefined
}

/** By the names of their tasks. */
export type ExpirySteps<Settings = never> = Readonly<Record<string, ExpiryStep<Settings>>>

export const tasksOf = <Settings>(steps: ExpirySteps<Settings>, settings: Settings): ReadonlyArray<Task> =>
  Object.entries(steps).map(([name, { age, removed }]) => ({ name, age: age(settings), removed }))

export class Expiry extends Context.Service<Expiry, ExpirySteps>()("@svc-runtime/postgres/sql/Expiry") {}
