// Has statements fail as a database makes them fail: each is replaced by one that raises the SQLSTATE, so that the
// error comes the whole way from the server through the driver.
import { Effect } from "effect"
import { Statement } from "effect/sql"

/** What a database may say at any moment. */
export const faults = {
  "a missing table": "raise 42P01",
  "a missing column": "raise 42703",
  "a missing right": "raise 42501",
  "a forgotten prepared statement": "raise 26000",
  "an internal error": "raise XX000",
  "a full disk": "raise 53100",
  "a lack of memory": "raise 53200",
  "too many connections": "raise 53300",
  "a file that cannot be read": "raise 58030",
  "a result of another type": "raise 0A000",
  "a transaction that may only read": "raise 25006",
  "a transaction that was aborted": "raise 25P02",
  "a lock that is not available": "raise 55P03",
  "a server that shuts down": "raise 57P01",
  "a foreign key violation": "raise 23503",
  "a serialization failure": "raise 40001",
  "a deadlock": "raise 40P01",
  "a statement timeout": "raise 57014",
  "a row of another version": "select 1 as nothing_that_is_known"
} as const satisfies Readonly<Record<string, string>>

/** The statement that fails so. */
export const textOf = (fault: string): string => {
  const code = /^raise (\w+)$/.exec(fault)?.[1]
  return code === undefined ? fault : `do $$ begin raise exception 'injected' using errcode = '${code}'; end $$`
}

/** Every statement of the effect fails so. */
export const during = <A, E, R>(effect: Effect.Effect<A, E, R>, fault: string): Effect.Effect<A, E, R> => {
  const replacing: Statement.Transformer = (_, sql) => Effect.succeed(sql.unsafe(textOf(fault)))
  return Effect.provideService(effect, Statement.CurrentTransformer, replacing)
}
