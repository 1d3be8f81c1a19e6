// The stores of a database for requests: a statement fails if the database does not answer for some seconds. The stores
// of the engine wait for the database.
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { type Effect, Predicate } from "effect"
import type { RunEngine } from "../run/RunEngine.ts"
import type { Database } from "./Database.ts"

type Engine = RunEngine["Service"]

type Method = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, StorageUnavailable>

const isMethod = (value: unknown): value is Method => Predicate.isFunction(value)

/** The store for requests, of an engine in the same database. */
export const guarded = <Store extends object>(engine: Engine, store: Store): Store => ({
  ...store,
  ...Object.fromEntries(
    Object.entries(store).map(([name, value]: readonly [string, unknown]) => [
      name,
      isMethod(value) ? (...args: ReadonlyArray<unknown>) => engine.whileAnswering(value(...args)) : value
    ])
  )
})

export const of = (engine: Engine, database: Database): Database => ({
  ...database,
  sessions: guarded(engine, database.sessions),
  runs: guarded(engine, database.runs),
  approvals: guarded(engine, database.approvals),
  idempotency: guarded(engine, database.idempotency),
  learnings: guarded(engine, database.learnings)
})
